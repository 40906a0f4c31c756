// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/FilterBox.h"

#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QAbstractButton>
#include <QAction>
#include <QIcon>
#include <QMenu>
#include <QSettings>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxKept = 20;

} // namespace

FilterBox::FilterBox(QWidget& rows, QWidget* parent)
    : QLineEdit(parent)
    , m_menuAction(addAction(theme::icon(QStringLiteral("search")), LeadingPosition))
{
    setPlaceholderText(u"Filter: words, or column:word"_s);
    setToolTip(
        u"All words must occur in the columns on view. “column:word” searches one column, “column:=word” for exactly that, \"two words\" belong together. A minus before it leaves out the rows that have it."_s);
    setClearButtonEnabled(true);
    setMinimumWidth(120);
    setMaximumWidth(320);
    setAccessibleName(u"Filter"_s);
    m_menuAction->setVisible(true);
    const auto signs = findChildren<QAbstractButton*>(); // Qt's own: the sign, then the one that clears
    for (QAbstractButton* button : signs)
        button->setAccessibleName(button == signs.first() ? u"Kept filters"_s : u"Clear the filter"_s);
    addKey(*this, u"Filter"_s, u"Show all rows again"_s, {Qt::Key_Escape}, [this, &rows] {
        clear();
        rows.setFocus();
    });
    addKey(*this, u"Filter"_s, u"Kept filters"_s, {Qt::ALT | Qt::Key_Down}, [this] { openMenu(); });
    connect(m_menuAction, &QAction::triggered, this, &FilterBox::openMenu);
    connect(this, &QLineEdit::returnPressed, &rows, [&rows] { rows.setFocus(); });
}

void FilterBox::focus()
{
    setFocus(Qt::ShortcutFocusReason);
    selectAll();
}

void FilterBox::keepIn(QSettings& settings, const QString& group)
{
    m_settings = &settings;
    m_group = group;
    m_menuAction->setToolTip(u"Kept filters (Alt+Down)"_s);
}

QStringList FilterBox::kept() const
{
    return m_settings ? m_settings->value(m_group).toStringList() : QStringList();
}

void FilterBox::keep()
{
    QStringList filters = kept();
    filters.removeAll(text());
    filters.prepend(text());
    m_settings->setValue(m_group, filters.mid(0, maxKept));
    Q_EMIT said(u"The filter is kept for this page."_s);
}

void FilterBox::forget(const QString& filter)
{
    QStringList filters = kept();
    filters.removeAll(filter);
    m_settings->setValue(m_group, filters);
    Q_EMIT said(u"The filter is forgotten."_s);
}

void FilterBox::openMenu()
{
    if (!m_settings)
        return;
    auto* menu = deletedOnClose(named("keptFilters", new QMenu(this)));
    const QStringList filters = kept();
    for (const QString& filter : filters)
        connect(
            menu->addAction(inMenu(filter)), &QAction::triggered, this, [this, filter] { setText(filter); });
    menu->addSeparator();
    QAction* add = menu->addAction(u"&Keep this filter"_s);
    add->setEnabled(!text().trimmed().isEmpty() && !filters.contains(text()));
    connect(add, &QAction::triggered, this, &FilterBox::keep);
    if (!filters.isEmpty()) {
        QMenu* old = menu->addMenu(u"&Forget"_s);
        for (const QString& filter : filters)
            connect(old->addAction(inMenu(filter)), &QAction::triggered, this,
                [this, filter] { forget(filter); });
    }
    menu->popup(mapToGlobal(QPoint(0, height())));
}

} // namespace lockscope::ui
