// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/ItemDialog.h"

#include "core/base/ShownText.h"
#include "ui/kit/help/Chapter.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QBoxLayout>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int itemDialogWidth = 600;

} // namespace

ItemDialog::ItemDialog(const QString& id, const QString& title, const QString& chapter, QWidget* parent)
    : QDialog(parent)
    , m_id(id)
    , m_trouble(wrapped(new QLabel(this)))
{
    setObjectName(id + u"Dialog"_s);
    setWindowTitle(inOneLine(title));
    setMinimumWidth(itemDialogWidth);
    explain(*this, chapter);
    m_trouble->setObjectName(id + u"Trouble"_s);
    theme::setInk(m_trouble, theme::colors().red);
}

QLineEdit* ItemDialog::addLine(
    QFormLayout& form, const QString& label, const char* name, const QString& text, const QString& example)
{
    auto* line = named(name, new QLineEdit(text, this));
    line->setPlaceholderText(example);
    line->setCursorPosition(0);
    form.addRow(label, line);
    return line;
}

void ItemDialog::addScope(QFormLayout& form, const alert::Scope& scope)
{
    static constexpr std::array<QStringView, alert::scopeLists.size()> labels{
        u"Ser&vers:", u"Data&bases:", u"Loc&ks:", u"&Programs:", u"&Users:"};
    for (size_t i = 0; i < m_scope.size(); ++i) {
        const auto& [key, list] = alert::scopeLists[i];
        const QString name = m_id + key[0].toUpper() + key.mid(1).toString();
        m_scope[i] = addLine(form, labels[i].toString(), qPrintable(name), (scope.*list).join(u", "_s),
            u"all; several by commas, * stands for any text"_s);
    }
}

void ItemDialog::takeScope(alert::Scope& scope) const
{
    for (size_t i = 0; i < m_scope.size(); ++i)
        scope.*alert::scopeLists[i].second = namesIn(*m_scope[i]);
}

QStringList ItemDialog::namesIn(const QLineEdit& line)
{
    QStringList names = line.text().split(u',');
    for (QString& name : names)
        name = name.trimmed();
    names.removeAll(QString());
    return names;
}

void ItemDialog::finish(QBoxLayout& column)
{
    QDialogButtonBox* buttons = cancelButtons(*this);
    m_save = buttons->addButton(u"&Save"_s, QDialogButtonBox::ActionRole);
    m_save->setObjectName(u"save"_s + m_id.left(1).toUpper() + m_id.mid(1));
    m_save->setDefault(true);
    column.addWidget(m_trouble);
    column.addWidget(buttons);
    for (const QLineEdit* line : findChildren<QLineEdit*>())
        connect(line, &QLineEdit::textChanged, this, [this] { check(); });
    connect(m_save, &QPushButton::clicked, this, [this] {
        if (!change())
            return;
        m_save->setEnabled(false); // until it is answered, or something else is typed
        save();
    });
    check();
}

void ItemDialog::save()
{
    Q_EMIT saveRequested(*change());
}

void ItemDialog::showCheck(const std::optional<Error>& error, bool hasChanged)
{
    m_trouble->setText(error ? inLines(error->toString()) : QString());
    m_trouble->setVisible(error.has_value());
    m_save->setEnabled(!error && hasChanged);
    m_save->setToolTip(!error && !hasChanged ? u"Nothing has changed."_s : QString());
}

void ItemDialog::takeAnswer(const Result<void>& saved)
{
    if (saved)
        return accept();
    showCheck(saved.error(), true);
    m_save->setEnabled(true); // it may be mended elsewhere
}

} // namespace lockscope::ui
