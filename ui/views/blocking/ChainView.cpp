// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/blocking/ChainView.h"

#include "ui/kit/delegates/CellDelegate.h"
#include "ui/kit/models/TableExport.h"
#include "ui/kit/tables/ColumnLayout.h"
#include "ui/kit/tables/RowClipboard.h"
#include "ui/kit/widgets/KeyAction.h"
#include "ui/views/blocking/BlockingTreeModel.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QMenu>
#include <QScrollBar>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

ChainView::ChainView(BlockingTreeModel& model, QWidget* parent)
    : QTreeView(parent)
    , m_model(model)
    , m_delegate(new CellDelegate(this))
{
    setModel(&model);
    setItemDelegate(m_delegate);
    setSelectionMode(ExtendedSelection);
    setUniformRowHeights(true);
    setAlternatingRowColors(true);
    setFrameShape(QFrame::NoFrame);
    setAllColumnsShowFocus(true);
    setTextElideMode(Qt::ElideRight);
    setHorizontalScrollMode(ScrollPerPixel);
    setVerticalScrollMode(ScrollPerPixel);
    m_columns = new ColumnLayout(*header(), model.columns());
    m_clipboard = new RowClipboard(*this, model, *m_columns);
    connect(m_clipboard, &RowClipboard::filterRequested, this, &ChainView::filterRequested);
    connect(&model, &QAbstractItemModel::rowsInserted, m_columns, &ColumnLayout::fitContentsSoon);
    connect(&model, &QAbstractItemModel::rowsMoved, m_columns, &ColumnLayout::fitContentsSoon);
    connect(&model, &QAbstractItemModel::dataChanged, m_columns, &ColumnLayout::fitContentsSoon);
    connect(this, &QTreeView::expanded, m_columns, &ColumnLayout::fitContentsSoon);
    connect(verticalScrollBar(), &QScrollBar::valueChanged, m_columns, &ColumnLayout::fitContentsSoon);
    addKey(*this, RowClipboard::tableKeys(), u"End the session; release the lock"_s, {QKeySequence::Delete},
        [this] { Q_EMIT deleteRequested(); });
    connect(m_columns, &ColumnLayout::visibleChanged, this, [this] {
        setTreePosition(m_columns->visible().constFirst()); // the arrows stand where the row begins
        Q_EMIT visibleColumnsChanged();
    });
}

void ChainView::setFaded(bool faded)
{
    m_delegate->setFaded(faded);
    viewport()->update();
}

void ChainView::setAllExpanded(bool expanded)
{
    for (const QModelIndex& index : allRows(*model())) {
        if (model()->rowCount(index) > 0)
            setExpanded(index, expanded);
    }
}

void ChainView::rememberTop()
{
    const QModelIndex top = verticalScrollBar()->value() > 0 ? indexAt(QPoint(4, 1)) : QModelIndex();
    m_top = QPersistentModelIndex(top);
    m_cutOff = top.isValid() ? -visualRect(top).y() : 0;
}

bool ChainView::isOpen(const QModelIndex& parent) const
{
    return !parent.isValid() || (isExpanded(parent) && isOpen(parent.parent()));
}

void ChainView::restoreTop()
{
    const QModelIndex top = std::exchange(m_top, QPersistentModelIndex());
    if (!top.isValid() || !isOpen(top.parent()))
        return;
    const int sideways = horizontalScrollBar()->value();
    scrollTo(top, PositionAtTop);
    verticalScrollBar()->setValue(verticalScrollBar()->value() + m_cutOff);
    horizontalScrollBar()->setValue(sideways);
}

void ChainView::contextMenuEvent(QContextMenuEvent* event)
{
    m_clipboard->openRowMenu(*event,
        {.columns = m_model.columns(), .fill = m_fillRowMenu, .setAllExpanded = [this](bool expanded) {
             setAllExpanded(expanded);
         }});
}

void ChainView::resizeEvent(QResizeEvent* event)
{
    QTreeView::resizeEvent(event);
    m_columns->fitContents();
    m_columns->fit();
}

void ChainView::changeEvent(QEvent* event)
{
    QTreeView::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        m_columns->fit();
}

} // namespace lockscope::ui
