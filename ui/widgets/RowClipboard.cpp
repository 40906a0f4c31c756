// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/RowClipboard.h"

#include "ui/models/TableExport.h"
#include "ui/widgets/ColumnLayout.h"

#include <QAbstractItemView>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QMenu>

namespace lockscope::ui {

RowClipboard::RowClipboard(QAbstractItemView& view, ColumnLayout& columns)
    : QObject(&view)
    , m_view(view)
    , m_columns(columns)
{
}

bool RowClipboard::handle(const QKeyEvent& event)
{
    const bool asCsv =
        event.key() == Qt::Key_C && event.modifiers() == (Qt::ControlModifier | Qt::ShiftModifier);
    if (asCsv) {
        copyAsCsv();
    } else if (event.matches(QKeySequence::Copy)) {
        copyAsText();
    } else if (event.key() == Qt::Key_F10 && event.modifiers() == Qt::ShiftModifier) {
        // Qt makes a menu event of the Menu key only.
        QContextMenuEvent asked(QContextMenuEvent::Keyboard, QPoint(), QPoint());
        QCoreApplication::sendEvent(&m_view, &asked);
    } else {
        return false;
    }
    return true;
}

QMenu* RowClipboard::rowMenu(const std::function<void(QMenu&)>& fill)
{
    auto* menu = new QMenu(&m_view);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (fill) {
        fill(*menu);
        if (!menu->isEmpty())
            menu->addSeparator();
    }
    const bool any = m_view.selectionModel()->hasSelection();
    QAction* text = menu->addAction(tr("&Copy rows"));
    text->setShortcut(QKeySequence::Copy);
    text->setEnabled(any);
    connect(text, &QAction::triggered, this, &RowClipboard::copyAsText);
    QAction* csv = menu->addAction(tr("Copy rows as CS&V"));
    csv->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_C);
    csv->setEnabled(any);
    connect(csv, &QAction::triggered, this, &RowClipboard::copyAsCsv);
    QAction* all = menu->addAction(tr("&Export all rows on view…"));
    all->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_E);
    all->setEnabled(m_view.model()->rowCount() > 0);
    connect(all, &QAction::triggered, this, &RowClipboard::exportRequested);
    return menu;
}

void RowClipboard::addExpanding(QMenu& menu, const std::function<void(bool)>& setAllExpanded)
{
    const auto add = [&](const QString& text, bool expanded) {
        QObject::connect(menu.addAction(text), &QAction::triggered, &menu,
            [setAllExpanded, expanded] { setAllExpanded(expanded); });
    };
    menu.addSeparator();
    add(tr("Expand all"), true);
    add(tr("Collapse all"), false);
}

void RowClipboard::popUp(QMenu& menu, const QContextMenuEvent& event)
{
    menu.addSeparator();
    m_columns.addTo(*menu.addMenu(tr("Co&lumns")));
    const bool byKeyboard = event.reason() == QContextMenuEvent::Keyboard;
    const QPoint row = m_view.visualRect(m_view.currentIndex()).bottomLeft() + QPoint(8, 0);
    menu.popup(byKeyboard ? m_view.viewport()->mapToGlobal(row) : event.globalPos());
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
    Q_EMIT said(rows == 1 ? tr("One row copied.") : tr("%1 rows copied.").arg(rows));
}

void RowClipboard::copyAsText()
{
    copy(rowsAsText(selectedRows(), m_columns.visible()));
}

void RowClipboard::copyAsCsv()
{
    copy(rowsAsCsv(*m_view.model(), selectedRows(), m_columns.visible()));
}

QString RowClipboard::allAsCsv() const
{
    return rowsAsCsv(*m_view.model(), allRows(*m_view.model()), m_columns.visible());
}

} // namespace lockscope::ui
