// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/connect/AttachTableDialog.h"

#include "core/base/Duration.h"
#include "core/base/ShownText.h"
#include "core/domain/Engine.h"
#include "core/frameworks/Catalogue.h"
#include "core/frameworks/FoundTable.h"
#include "core/frameworks/RowLocks.h"
#include "ui/kit/widgets/SaveDialog.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/connect/FieldTexts.h"
#include "ui/views/page/RunThread.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QLocale>
#include <QPushButton>
#include <QRegularExpression>

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// As the format writes it, which knows one unit at a time.
QString durationWord(milliseconds duration)
{
    const qint64 seconds = duration.count() / 1'000;
    if (duration.count() % 1'000 != 0)
        return u"%1ms"_s.arg(duration.count());
    return seconds % 60 == 0 ? u"%1min"_s.arg(seconds / 60) : u"%1s"_s.arg(seconds);
}

/// "true" and numbers as such: a column of texts that holds them is rare, and its owner can put it right.
QJsonValue valueOf(const QString& text)
{
    if (text.compare(u"true"_s, Qt::CaseInsensitive) == 0
        || text.compare(u"false"_s, Qt::CaseInsensitive) == 0)
        return text.compare(u"true"_s, Qt::CaseInsensitive) == 0;
    bool isNumber = false;
    const qlonglong number = text.toLongLong(&isNumber);
    return isNumber ? QJsonValue(number) : QJsonValue(text);
}

QString slug(QString text)
{
    static const QRegularExpression others(u"[^a-z0-9]+"_s);
    text = text.toLower().replace(others, u"-"_s);
    while (text.startsWith(u'-'))
        text.remove(0, 1);
    while (text.endsWith(u'-'))
        text.chop(1);
    return text.isEmpty() ? u"lock-table"_s : text;
}

/// Those that the table's rows are known by, each once.
QJsonArray columnsOf(const db::AttachedTable& table)
{
    QJsonArray columns{table.nameColumn, table.timeColumn};
    for (const QString& column : {table.holderColumn, table.expiresColumn, table.heldColumn})
        if (!column.isEmpty() && !columns.contains(column))
            columns.append(column);
    return columns;
}

QJsonObject rowOf(const db::AttachedTable& table)
{
    const QString clock = table.utc ? u"utc"_s : u"server"_s;
    const QJsonObject since{{u"column"_s, table.timeColumn}, {u"clock"_s, clock}};
    QJsonObject expires = since;
    if (table.expiresColumn.isEmpty())
        expires[u"after"_s] = durationWord(table.staleAge);
    else
        expires[u"column"_s] = table.expiresColumn;
    QJsonObject row{
        {u"name"_s, QString(u'{' + table.nameColumn + u'}')}, {u"since"_s, since}, {u"expires"_s, expires}};
    row[u"compare"_s] = columnsOf(table);
    if (!table.holderColumn.isEmpty())
        row[u"holder"_s] = QJsonObject{{u"column"_s, table.holderColumn}};
    if (table.heldColumn.isEmpty()) {
        row[u"delete"_s] = true;
        return row;
    }
    const QJsonValue held = valueOf(table.heldValue);
    row[u"held"_s] = QJsonArray{QJsonObject{{u"column"_s, table.heldColumn}, {u"is"_s, held}}};
    if (held == QJsonValue(true))
        row[u"update"_s] = QJsonObject{{table.heldColumn, false}};
    else if (held == QJsonValue(1))
        row[u"update"_s] = QJsonObject{{table.heldColumn, 0}};
    else
        row[u"never"_s] = true;
    return row;
}

/// The catalogue of a database with many thousand tables.
constexpr milliseconds checkTimeout = std::chrono::minutes(1);

QString displayOf(const db::TableColumns& table)
{
    return table.schema.isEmpty() ? table.table : table.schema + QLatin1Char('.') + table.table;
}

/// Adds the columns as they are shown; a choice has the column's own name.
void addColumns(QComboBox& box, const QStringList& columns)
{
    for (const QString& column : columns)
        box.addItem(inOneLine(column), column);
}

/// Returns an empty text where none is chosen.
QString columnOf(const QComboBox& box)
{
    return box.currentData().toString();
}

/// Returns whether the field of the dialog behind this one takes it as it is.
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

QByteArray attachedAsFile(const db::AttachedTable& table, Engine engine)
{
    const QJsonObject row = rowOf(table);
    const QString danger = row.contains(u"never"_s)
        ? u"It is not known here what frees it: write “update” in place of “never” into this file."_s
        : u"Its holder is not asked. If it still works, somebody else may now work on the same."_s;
    const QJsonObject lock{
        {u"id"_s, u"row"_s},
        {u"name"_s, u"lock"_s},
        {u"kind"_s, u"row"_s},
        {u"engines"_s, QJsonArray{engineKey(engine)}},
        {u"purpose"_s, u"Write here what is done under it."_s},
        {u"ends"_s, u"Write here when it ends by itself, and how long others wait for it."_s},
        {u"danger"_s, danger},
        {u"table"_s, QJsonObject{{u"names"_s, QJsonArray{table.table}}, {u"columns"_s, columnsOf(table)}}},
        {u"row"_s, row},
    };
    const QJsonObject file{
        {u"$schema"_s, u"framework.schema.json"_s},
        {u"format"_s, 1},
        {u"name"_s, table.table.left(60)}, // as long as a title may be
        {u"about"_s, u"Write here what it is, in a sentence."_s},
        {u"locks"_s, QJsonArray{lock}},
    };
    return QJsonDocument(file).toJson();
}

QString attachedFileName(const db::AttachedTable& table)
{
    return slug(table.table) + u".json"_s;
}

FrameworkPtr frameworkOf(
    const QString& schema, const QString& table, const QStringList& columns, Engine engine)
{
    const auto catalogue = frameworks::catalogue();
    const frameworks::KnownTable found{.schema = schema, .table = table, .columns = columns};
    const auto isLockTable = [&](const FrameworkPtr& framework) {
        return std::any_of(framework->locks.begin(), framework->locks.end(), [&](const FrameworkLock& lock) {
            return lock.kind == FrameworkLockKind::Row && lock.engines.contains(engine) && lock.table
                && frameworks::isTable(*lock.table, found);
        });
    };
    const auto known = std::find_if(catalogue->frameworks.begin(), catalogue->frameworks.end(), isLockTable);
    return known == catalogue->frameworks.end() ? nullptr : *known;
}

AttachTableDialog::AttachTableDialog(const db::Server& server, QWidget* parent)
    : QDialog(parent)
    , m_text(named("attachText", wrapped(new QLabel(u"Asking the server for its tables…"_s, this))))
    , m_filter(named("filterTables", u"Filter the tables"_s, new QLineEdit(this)))
    , m_list(named("tables", u"Tables"_s, new QListWidget(this)))
    , m_form(new QFormLayout)
    , m_name(named("nameColumn", new QComboBox(this)))
    , m_time(named("timeColumn", new QComboBox(this)))
    , m_local(named("localTime", new QCheckBox(u"It is the server's local time, not UTC"_s, this)))
    , m_holder(named("holderColumn", new QComboBox(this)))
    , m_expires(named("expiresColumn", new QComboBox(this)))
    , m_stale(named("staleAge", new QLineEdit(durationText(db::AttachedTable().staleAge), this)))
    , m_held(named("heldColumn", u"Held when this column"_s, new QComboBox(this)))
    , m_heldValue(named("heldValue", u"has this value"_s, new QLineEdit(this)))
    , m_known(named("known", wrapped(new QLabel(this))))
    , m_engine(server.profile.url.engine)
{
    setWindowTitle(u"Attach a lock table"_s);
    setMinimumWidth(460);
    explain(*this, QStringLiteral("connecting.md#attached-lock-tables"));
    m_filter->setPlaceholderText(u"Filter"_s);
    m_filter->setClearButtonEnabled(true);
    m_list->setUniformItemSizes(true); // of a hundred thousand each would be measured
    m_list->setMinimumHeight(fontMetrics().lineSpacing() * 9);
    m_heldValue->setPlaceholderText(u"true, 1, running"_s);
    m_known->hide();
    m_stale->setPlaceholderText(u"90s, 5m or 1h30m"_s);
    arrange();
    addServerStrip(*this, server.profile);
    connect(m_list, &QListWidget::currentRowChanged, this, &AttachTableDialog::showColumns);
    connect(m_filter, &QLineEdit::textChanged, this, &AttachTableDialog::filter);
    for (const QComboBox* box : {m_name, m_time, m_holder, m_expires, m_held})
        connect(box, &QComboBox::currentIndexChanged, this, &AttachTableDialog::updateButton);
    for (const QLineEdit* field : {m_heldValue, m_stale})
        connect(field, &QLineEdit::textChanged, this, &AttachTableDialog::updateButton);
    connect(m_save, &QPushButton::clicked, this, &AttachTableDialog::saveAsFile);
    showColumns();
    askServer(
        m_worker, server, checkTimeout, this,
        [](db::Connection& connection, const std::stop_token& stop) {
            return db::tablesWithColumns(connection, stop);
        },
        [this](const Result<QList<db::TableColumns>>& tables) { showTables(tables); });
}

void AttachTableDialog::arrange()
{
    appendRows(*m_form,
        {{u"Name of the lock"_s, m_name}, {u"Taken at"_s, m_time}, {{}, m_local}, {u"Holder"_s, m_holder},
            {u"Ends at"_s, m_expires}, {u"Stale after"_s, m_stale}});
    auto* held = new QWidget(this);
    addAll(*withoutMargins(new QHBoxLayout(held)), {{m_held, 1}, new QLabel(u"="_s, held), {m_heldValue, 1}});
    m_form->addRow(u"Held when"_s, held);
    QDialogButtonBox* buttons = acceptButtons(*this, QDialogButtonBox::Cancel);
    m_attach = buttons->addButton(u"Attach"_s, QDialogButtonBox::AcceptRole);
    m_save = buttons->addButton(u"Save as a framework file…"_s, QDialogButtonBox::HelpRole);
    m_save->setObjectName(QStringLiteral("saveAsFile"));
    m_save->setAutoDefault(false);
    m_save->setToolTip(u"A file of your own, by which the table is then recognised on each server"_s);
    QLabel* limit = faint(
        wrapped(new QLabel(u"At most %1 rows of a table are read; the page says so if it has more."_s.arg(
                               QLocale().toString(frameworks::RowLocks::usualLimit)),
            this)));
    addAll(*dialogColumn(*this), {m_text, m_filter, {m_list, 1}, m_known, m_form, limit, buttons});
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
        m_list->addItem(inOneLine(displayOf(table)));
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
    const QStringList none;
    fillColumns(*m_holder, table ? table->names : none, u"unknown"_s);
    fillColumns(*m_expires, table ? table->times : none, u"unknown"_s);
    fillColumns(*m_held, table ? table->columns : none, u"each row is a lock that is held"_s);
    showWhetherKnown();
    if (table) {
        addColumns(*m_name, table->names);
        m_name->setCurrentIndex(likeliest(table->names,
            {QLatin1StringView("name"), QLatin1StringView("lock"), QLatin1StringView("key"),
                QLatin1StringView("resource")}));
        addColumns(*m_time, table->times);
        m_time->setCurrentIndex(likeliest(table->times,
            {QLatin1StringView("time"), QLatin1StringView("since"), QLatin1StringView("acquired"),
                QLatin1StringView("locked"), QLatin1StringView("at")}));
    }
    updateButton();
}

void AttachTableDialog::fillColumns(QComboBox& box, const QStringList& columns, const QString& none)
{
    box.clear();
    box.addItem(none);
    addColumns(box, columns);
}

void AttachTableDialog::showWhetherKnown()
{
    const db::TableColumns* chosen = current();
    const FrameworkPtr known =
        chosen ? frameworkOf(chosen->schema, chosen->table, chosen->columns, m_engine) : nullptr;
    m_known->setVisible(known != nullptr);
    m_known->setText(known
            ? u"This is the lock table of %1: its rows are shown without being attached, and freed as %1 frees them. Where its owner is not trusted, the page Lock table asks first."_s
                  .arg(known->name)
            : QString());
}

void AttachTableDialog::saveAsFile()
{
    const QString folder = frameworks::userFolder();
    m_isSaving = true;
    updateButton();
    m_disk.ask(
        this, [folder](const std::stop_token&) { return QDir().mkpath(folder); },
        [this, folder, chosen = table()](bool isThere) {
            m_isSaving = false;
            updateButton();
            if (isThere)
                askWhereToSaveFile(folder + u'/' + attachedFileName(chosen), chosen);
            else
                m_text->setText(inOneLine(u"The folder %1 can't be made."_s.arg(folder)));
        });
}

void AttachTableDialog::askWhereToSaveFile(const QString& proposed, const db::AttachedTable& chosen)
{
    askWhereToSave(*this, u"Save as a framework file"_s, u"Framework files (*.json)"_s, proposed,
        [this, chosen](const QString& path) {
            writeLater(*this, path, attachedAsFile(chosen, m_engine),
                u"Written to %1. Complete its sentences; it counts from the next start of Lockscope on."_s
                    .arg(path),
                [this](const QString& text) { m_text->setText(text); });
        });
}

void AttachTableDialog::updateButton()
{
    const auto age = parseDuration(m_stale->text());
    // With a column for the end, the age has no meaning and can't be written.
    const bool isAge = m_expires->currentIndex() > 0 || (age && age->count() > 0);
    const bool isWritable = current() && canBeWritten(table());
    const bool isCondition = m_held->currentIndex() <= 0 || !m_heldValue->text().trimmed().isEmpty();
    const bool isEnd = m_expires->currentIndex() <= 0 || columnOf(*m_expires) != columnOf(*m_time);
    m_heldValue->setEnabled(m_held->currentIndex() > 0);
    m_stale->setEnabled(m_expires->currentIndex() <= 0);
    m_attach->setEnabled(isWritable && isAge && isCondition && isEnd);
    m_save->setEnabled(current() && !m_isSaving && isAge && isCondition && isEnd);
    m_attach->setToolTip(!current() ? u"Choose a table."_s
            : !isCondition          ? u"Held when: say which value the column has then."_s
            : !isWritable
            ? u"The names of the table and its columns must be without . , ; ( and ), those of holder, end and held without spaces, and the value without ;."_s
            : !isAge ? u"Stale after: write it as 90s, 5m or 1h30m."_s
            : !isEnd ? u"Ends at: a lock does not end at the time at which it is taken."_s
                     : QString());
    // A time that knows its zone is neither.
    m_local->setEnabled(current() && !current()->zoned.contains(columnOf(*m_time)));
}

db::AttachedTable AttachTableDialog::table() const
{
    db::AttachedTable result;
    if (const db::TableColumns* chosen = current()) {
        result.schema = chosen->schema;
        result.table = chosen->table;
        result.nameColumn = columnOf(*m_name);
        result.timeColumn = columnOf(*m_time);
        result.utc = !(m_local->isEnabled() && m_local->isChecked());
        result.staleAge = parseDuration(m_stale->text()).value_or(result.staleAge);
        result.holderColumn = columnOf(*m_holder);
        result.expiresColumn = columnOf(*m_expires);
        result.heldColumn = columnOf(*m_held);
        result.heldValue = result.heldColumn.isEmpty() ? QString() : m_heldValue->text().trimmed();
    }
    return result;
}

} // namespace lockscope::ui
