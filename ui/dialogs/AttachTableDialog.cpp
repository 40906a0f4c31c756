// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/AttachTableDialog.h"

#include "core/base/Duration.h"
#include "ui/AskServer.h"
#include "ui/dialogs/FieldTexts.h"
#include "ui/help/Chapter.h"
#include "ui/widgets/ServerStrip.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include <chrono>
#include <initializer_list>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// The catalogue of a database with many thousand tables.
constexpr milliseconds timeout = std::chrono::minutes(1);

QString displayOf(const db::TableColumns& table)
{
    return table.schema.isEmpty() ? table.table : table.schema + QLatin1Char('.') + table.table;
}

/// Whether the field of the dialog behind this one takes it as it is.
bool canBeWritten(const db::AttachedTable& table)
{
    const auto read = attachedFromText(attachedText({table}));
    return read && *read == QList<db::AttachedTable>{table};
}

/// The first whose name has one of the words, the likeliest word first; else the first.
int likeliest(const QStringList& columns, std::initializer_list<QLatin1StringView> words)
{
    for (const QLatin1StringView word : words)
        for (int i = 0; i < static_cast<int>(columns.size()); ++i)
            if (columns[i].contains(word, Qt::CaseInsensitive))
                return i;
    return 0;
}

} // namespace

AttachTableDialog::AttachTableDialog(const db::Server& server, QWidget* parent)
    : QDialog(parent)
    , m_text(new QLabel(u"Asking the server for its tables…"_s, this))
    , m_filter(new QLineEdit(this))
    , m_list(new QListWidget(this))
    , m_form(new QFormLayout)
    , m_name(new QComboBox(this))
    , m_time(new QComboBox(this))
    , m_local(new QCheckBox(u"It is the server's local time, not UTC"_s, this))
    , m_stale(new QLineEdit(durationText(db::AttachedTable().staleAge), this))
{
    setWindowTitle(u"Attach a lock table"_s);
    setMinimumWidth(460);
    explain(*this, QStringLiteral("connecting.md#attached-lock-tables"));
    m_text->setObjectName(QStringLiteral("attachText"));
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    m_filter->setObjectName(QStringLiteral("filterTables"));
    m_filter->setPlaceholderText(u"Filter"_s);
    m_filter->setAccessibleName(u"Filter the tables"_s);
    m_filter->setClearButtonEnabled(true);
    m_list->setObjectName(QStringLiteral("tables"));
    m_list->setAccessibleName(u"Tables"_s);
    m_list->setUniformItemSizes(true); // of a hundred thousand each would be measured
    m_list->setMinimumHeight(fontMetrics().lineSpacing() * 9);
    m_name->setObjectName(QStringLiteral("nameColumn"));
    m_time->setObjectName(QStringLiteral("timeColumn"));
    m_local->setObjectName(QStringLiteral("localTime"));
    m_stale->setObjectName(QStringLiteral("staleAge"));
    m_stale->setPlaceholderText(u"90s, 5m or 1h30m"_s);
    m_form->addRow(u"Name of the lock"_s, m_name);
    m_form->addRow(u"Taken at"_s, m_time);
    m_form->addRow(QString(), m_local);
    m_form->addRow(u"Stale after"_s, m_stale);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_attach = buttons->addButton(u"Attach"_s, QDialogButtonBox::AcceptRole);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 16);
    column->addWidget(m_text);
    column->addWidget(m_filter);
    column->addWidget(m_list, 1);
    column->addLayout(m_form);
    column->addWidget(buttons);
    addServerStrip(*this, server.profile);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(m_list, &QListWidget::currentRowChanged, this, &AttachTableDialog::showColumns);
    connect(m_filter, &QLineEdit::textChanged, this, &AttachTableDialog::filter);
    for (const QComboBox* box : {m_name, m_time})
        connect(box, &QComboBox::currentIndexChanged, this, &AttachTableDialog::updateButton);
    connect(m_stale, &QLineEdit::textChanged, this, &AttachTableDialog::updateButton);
    showColumns();
    askServer(
        m_worker, server, timeout, this,
        [](db::Connection& connection, const std::stop_token& stop) {
            return db::tablesWithColumns(connection, stop);
        },
        [this](const Result<QList<db::TableColumns>>& tables) { showTables(tables); });
}

void AttachTableDialog::showTables(const Result<QList<db::TableColumns>>& tables)
{
    if (!tables) {
        m_text->setText(tables.error().toString());
        return;
    }
    m_tables = *tables;
    m_text->setText(m_tables.isEmpty()
            ? u"No table there has both a column of text and one of times, or none may be read."_s
            : u"A lock table has a column for the lock's name and one for when it was taken."_s);
    for (const db::TableColumns& table : std::as_const(m_tables))
        m_list->addItem(displayOf(table));
    if (!m_tables.isEmpty())
        m_list->setCurrentRow(0);
    m_filter->setFocus();
}

void AttachTableDialog::filter(const QString& text)
{
    for (int row = 0; row < m_list->count(); ++row)
        m_list->item(row)->setHidden(!m_list->item(row)->text().contains(text, Qt::CaseInsensitive));
    const QListWidgetItem* shown = m_list->currentItem();
    for (int row = 0; (!shown || shown->isHidden()) && row < m_list->count(); ++row) {
        if (!m_list->item(row)->isHidden()) {
            m_list->setCurrentRow(row);
            return;
        }
    }
    updateButton();
}

const db::TableColumns* AttachTableDialog::current() const
{
    const QListWidgetItem* item = m_list->currentItem();
    return item && !item->isHidden() ? &m_tables[m_list->currentRow()] : nullptr;
}

void AttachTableDialog::showColumns()
{
    const db::TableColumns* table = current();
    for (QComboBox* box : {m_name, m_time})
        box->clear();
    if (table) {
        m_name->addItems(table->names);
        m_name->setCurrentIndex(likeliest(table->names,
            {QLatin1StringView("name"), QLatin1StringView("lock"), QLatin1StringView("key"),
                QLatin1StringView("resource")}));
        m_time->addItems(table->times);
        m_time->setCurrentIndex(likeliest(table->times,
            {QLatin1StringView("time"), QLatin1StringView("since"), QLatin1StringView("acquired"),
                QLatin1StringView("locked"), QLatin1StringView("at")}));
    }
    updateButton();
}

void AttachTableDialog::updateButton()
{
    const auto age = parseDuration(m_stale->text());
    const bool isAge = age && age->count() > 0;
    const bool isWritable = current() && canBeWritten(table());
    m_attach->setEnabled(isWritable && isAge);
    m_attach->setToolTip(!current() ? u"Choose a table."_s
            : !isWritable ? u"The names of the table and its columns must be without . , ; ( and )."_s
            : !isAge      ? u"Stale after: write it as 90s, 5m or 1h30m."_s
                          : QString());
    // A time that knows its zone is neither.
    m_local->setEnabled(current() && !current()->zoned.contains(m_time->currentText()));
}

db::AttachedTable AttachTableDialog::table() const
{
    db::AttachedTable result;
    if (const db::TableColumns* chosen = current()) {
        result.schema = chosen->schema;
        result.table = chosen->table;
        result.nameColumn = m_name->currentText();
        result.timeColumn = m_time->currentText();
        result.utc = !(m_local->isEnabled() && m_local->isChecked());
        result.staleAge = parseDuration(m_stale->text()).value_or(result.staleAge);
    }
    return result;
}

} // namespace lockscope::ui
