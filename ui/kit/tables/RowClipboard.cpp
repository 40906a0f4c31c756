// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/tables/RowClipboard.h"

#include "core/report/Writer.h"
#include "ui/kit/models/TableExport.h"
#include "ui/kit/tables/ColumnLayout.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QAbstractItemView>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QCoreApplication>
#include <QFontMetrics>
#include <QGuiApplication>
#include <QItemSelectionModel>
#include <QMenu>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

RowClipboard::RowClipboard(QAbstractItemView& view, const ReportSource& source, ColumnLayout& columns)
    : QObject(&view)
    , m_view(view)
    , m_source(source)
    , m_columns(columns)
    , m_copying{addKey(view, tableKeys(), u"&Copy rows"_s, QKeySequence::keyBindings(QKeySequence::Copy),
                    [this] { copyAsText(); }),
          addKey(view, tableKeys(), u"Copy rows as CS&V"_s, {Qt::CTRL | Qt::SHIFT | Qt::Key_C},
              [this] { copyAsCsv(); }),
          new QAction(u"Copy rows as &Markdown"_s, this), new QAction(u"Copy rows as &INSERT"_s, this)}
{
    connect(m_copying[2], &QAction::triggered, this, &RowClipboard::copyAsMarkdown);
    connect(m_copying[3], &QAction::triggered, this, &RowClipboard::copyAsInsert);
    addKey(view, tableKeys(), u"What can be done with the rows"_s, {Qt::SHIFT | Qt::Key_F10},
        [this] { openMenu(); });
    connect(
        view.selectionModel(), &QItemSelectionModel::selectionChanged, this, &RowClipboard::updateActions);
    updateActions();
}

QString RowClipboard::tableKeys()
{
    return u"Tables"_s;
}

void RowClipboard::updateActions()
{
    const bool any = m_view.selectionModel()->hasSelection();
    for (QAction* each : std::as_const(m_copying))
        each->setEnabled(any);
}

void RowClipboard::openMenu()
{
    // Qt makes a menu event of the Menu key only.
    QContextMenuEvent asked(QContextMenuEvent::Keyboard, QPoint(), QPoint());
    QCoreApplication::sendEvent(&m_view, &asked);
}

void RowClipboard::openRowMenu(const QContextMenuEvent& event, const RowMenu& parts)
{
    const bool byMouse = event.reason() == QContextMenuEvent::Mouse;
    const QModelIndex cell = byMouse ? m_view.indexAt(event.pos()) : m_view.currentIndex();
    auto* menu = deletedOnClose(new QMenu(&m_view));
    if (parts.fill) {
        parts.fill(*menu);
        if (!menu->isEmpty())
            menu->addSeparator();
    }
    addCopying(*menu);
    if (cell.isValid())
        addValueFilters(*menu, cell, parts.columns);
    if (parts.setAllExpanded) {
        menu->addSeparator();
        for (const bool expanded : {true, false})
            connect(menu->addAction(expanded ? u"Expand all"_s : u"Collapse all"_s), &QAction::triggered,
                menu, [set = parts.setAllExpanded, expanded] { set(expanded); });
    }
    menu->addSeparator();
    m_columns.addTo(*menu->addMenu(u"Co&lumns"_s));
    const bool byKeyboard = event.reason() == QContextMenuEvent::Keyboard;
    const QPoint row = m_view.visualRect(m_view.currentIndex()).bottomLeft() + QPoint(8, 0);
    menu->popup(byKeyboard ? m_view.viewport()->mapToGlobal(row) : event.globalPos());
}

void RowClipboard::addCopying(QMenu& menu)
{
    menu.addActions(m_copying);
    QAction* all = menu.addAction(u"&Export all rows on view…"_s);
    all->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_E);
    all->setEnabled(m_view.model()->rowCount() > 0);
    connect(all, &QAction::triggered, this, &RowClipboard::exportRequested);
}

void RowClipboard::addValueFilters(
    QMenu& menu, const QModelIndex& cell, const std::vector<ColumnInfo>& columns)
{
    constexpr int widestValue = 260;
    const auto add = [&](int column, bool excluded) {
        const ColumnInfo& info = columns[static_cast<size_t>(column)];
        const QString value = cell.siblingAtColumn(column).data().toString();
        // An age is another one in a second; line breaks can't be typed into the box.
        if (info.age || value.isEmpty() || value.contains(u'\n'))
            return;
        const QString shown = inMenu(menu.fontMetrics().elidedText(value, Qt::ElideMiddle, widestValue));
        const QString text = excluded ? u"Hide %1 “%2”"_s.arg(info.title.toLower(), shown)
                                      : u"Only %1 “%2”"_s.arg(info.title.toLower(), shown);
        connect(menu.addAction(text), &QAction::triggered, this,
            [this, id = info.id, value, excluded] { Q_EMIT filterRequested(id, value, excluded); });
    };
    menu.addSeparator();
    add(cell.column(), false);
    QList<int> hidden{cell.column()};
    for (const QString& id : {u"database"_s, u"user"_s}) {
        if (const int column = columnOf(columns, id); column >= 0 && !hidden.contains(column))
            hidden << column;
    }
    for (const int column : hidden)
        add(column, true);
}

QModelIndexList RowClipboard::selectedRows() const
{
    return inOrder(m_view.selectionModel()->selectedRows());
}

void RowClipboard::copy(const QString& text)
{
    const qsizetype rows = m_view.selectionModel()->selectedRows().size();
    if (rows == 0)
        return;
    QGuiApplication::clipboard()->setText(text);
    Q_EMIT said(rows == 1 ? u"One row copied."_s : u"%1 rows copied."_s.arg(rows));
}

report::Section RowClipboard::tableOf(const QModelIndexList& rows) const
{
    return sectionOf(m_source, rows, m_columns.chosenColumns());
}

void RowClipboard::copyAsText()
{
    copy(rowsAsText(selectedRows(), m_columns.chosenColumns()));
}

void RowClipboard::copyAsCsv()
{
    copy(rendered({.sections = {tableOf(selectedRows())}}, report::Form::Csv));
}

void RowClipboard::copyAsMarkdown()
{
    copy(rendered({.sections = {tableOf(selectedRows())}}, report::Form::Markdown));
}

/// The table is called like the page: "lock_table".
void RowClipboard::copyAsInsert()
{
    const QString table = m_view.accessibleName().toLower().replace(u' ', u'_');
    copy(asInsert(tableOf(selectedRows()), table));
}

QString RowClipboard::allAsCsv() const
{
    return rendered({.sections = {tableOf(allRows(*m_view.model()))}}, report::Form::Csv);
}

} // namespace lockscope::ui
