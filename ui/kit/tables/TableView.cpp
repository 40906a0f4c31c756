// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/tables/TableView.h"

#include "core/base/ShownText.h"
#include "ui/kit/delegates/CellDelegate.h"
#include "ui/kit/models/TableModel.h"
#include "ui/kit/tables/ColumnLayout.h"
#include "ui/kit/tables/RowClipboard.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QAbstractButton>
#include <QAction>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QIcon>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int emptyTextFlags = static_cast<int>(Qt::AlignHCenter | Qt::AlignTop) | Qt::TextWordWrap;

QFont emptyTitleFont()
{
    return theme::scaled(1.5, QFont::DemiBold);
}

} // namespace

TableView::TableView(TableModel& model, QWidget* parent)
    : QTableView(parent)
    , m_model(model)
    , m_delegate(new CellDelegate(this))
    , m_emptyAction(named("emptyAction", new QPushButton(viewport())))
{
    setModel(&model);
    setItemDelegate(m_delegate);
    setSelectionBehavior(SelectRows);
    setSelectionMode(ExtendedSelection);
    setAlternatingRowColors(true);
    setShowGrid(false);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setCornerButtonEnabled(false);
    setEditTriggers(NoEditTriggers);
    setHorizontalScrollMode(ScrollPerPixel);
    setVerticalScrollMode(ScrollPerPixel);
    setFrameShape(QFrame::StyledPanel);
    setMouseTracking(true);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    QHeaderView* header = horizontalHeader();
    header->setSortIndicatorClearable(true);
    header->setSortIndicator(-1, Qt::AscendingOrder);
    setSortingEnabled(true);
    m_columns = new ColumnLayout(*header, model.columns());
    m_clipboard = new RowClipboard(*this, m_model, *m_columns);
    addKeys();
    connect(m_columns, &ColumnLayout::visibleChanged, this, &TableView::visibleColumnsChanged);
    connect(m_clipboard, &RowClipboard::said, this, &TableView::statusMessage);
    connect(m_clipboard, &RowClipboard::exportRequested, this, &TableView::exportRequested);
    connect(m_clipboard, &RowClipboard::filterRequested, this, &TableView::filterRequested);
    m_emptyAction->hide();
    connect(m_emptyAction, &QPushButton::clicked, this, &TableView::emptyActionTriggered);
    applyFontMetrics();
    connect(&model, &TableModel::refreshAboutToStart, this, &TableView::rememberTop);
    connect(&model, &TableModel::refreshed, this, [this] {
        restoreTop();
        m_columns->fitContents();
    });
    for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(&model, signal, m_columns, &ColumnLayout::fitContentsSoon);
    connect(&model, &QAbstractItemModel::layoutChanged, m_columns, &ColumnLayout::fitContentsSoon);
    connect(verticalScrollBar(), &QScrollBar::valueChanged, m_columns, &ColumnLayout::fitContentsSoon);
    connect(&model, &QAbstractItemModel::rowsInserted, this, &TableView::placeEmptyAction);
    connect(&model, &QAbstractItemModel::rowsRemoved, this, &TableView::placeEmptyAction);
}

void TableView::addKeys()
{
    const QString group = RowClipboard::tableKeys();
    addKey(*this, group, u"Show the detail of the row"_s, {Qt::Key_Return, Qt::Key_Enter}, [this] {
        if (currentViewRow() >= 0)
            Q_EMIT detailRequested();
    });
    addKey(*this, group, u"End the session; release the lock"_s, {QKeySequence::Delete},
        [this] { Q_EMIT deleteRequested(); });
    m_collapse = addKey(*this, group, u"Close the group, or go to its head"_s, {Qt::Key_Left},
        [this] { expandCurrent(false); });
    m_expand = addKey(*this, group, u"Open the group"_s, {Qt::Key_Right}, [this] { expandCurrent(true); });
    setOutlineColumn({});
}

void TableView::applyFontMetrics()
{
    verticalHeader()->setDefaultSectionSize(CellDelegate::rowHeight(fontMetrics()));
    m_columns->fitContents();
    m_columns->fit();
}

void TableView::setOutlineColumn(const QString& id)
{
    m_delegate->setOutlineColumn(m_model.columnOf(id));
    // Without groups these keys go from column to column.
    m_collapse->setEnabled(m_delegate->outlineColumn() >= 0);
    m_expand->setEnabled(m_delegate->outlineColumn() >= 0);
    viewport()->update();
}

void TableView::setEmptyState(const QString& title, const QString& hint)
{
    if (inOneLine(title) == m_emptyTitle && inLines(hint) == m_emptyHint)
        return;
    m_emptyTitle = inOneLine(title);
    m_emptyHint = inLines(hint);
    placeEmptyAction();
    viewport()->update();
}

void TableView::setEmptyAction(const QString& text, const QString& reasonAgainst)
{
    m_emptyAction->setText(text);
    m_emptyAction->setEnabled(reasonAgainst.isEmpty());
    m_emptyAction->setToolTip(inLines(reasonAgainst));
    placeEmptyAction();
}

void TableView::setFaded(bool faded)
{
    if (m_faded == faded)
        return;
    m_faded = faded;
    m_delegate->setFaded(faded);
    viewport()->update();
}

// --- columns ----------------------------------------------------------------------------------------

void TableView::setColumnOffered(const QString& id, bool offered)
{
    m_columns->setOffered(m_model.columnOf(id), offered);
}

void TableView::setColumnEmpty(const QString& id, bool empty)
{
    m_columns->setSilent(m_model.columnOf(id), ColumnLayout::Silent::Empty, empty);
}

void TableView::setColumnImplied(const QString& id, bool implied)
{
    m_columns->setSilent(m_model.columnOf(id), ColumnLayout::Silent::Implied, implied);
}

QList<int> TableView::visibleColumns() const
{
    return m_columns->visible();
}

QList<int> TableView::searchedColumns() const
{
    return m_columns->searched();
}

void TableView::saveLayout(QSettings& settings, const QString& group) const
{
    m_columns->save(settings, group);
    settings.beginGroup(group);
    const int sorted = m_model.sortColumn();
    settings.setValue(
        QStringLiteral("sort"), sorted < 0 ? QString() : m_model.columns()[static_cast<size_t>(sorted)].id);
    settings.setValue(QStringLiteral("descending"), m_model.sortOrder() == Qt::DescendingOrder);
    settings.endGroup();
}

void TableView::restoreLayout(QSettings& settings, const QString& group)
{
    m_columns->restore(settings, group);
    settings.beginGroup(group);
    if (settings.contains(QStringLiteral("sort"))) {
        const bool descending = settings.value(QStringLiteral("descending")).toBool();
        sortByColumn(m_model.columnOf(settings.value(QStringLiteral("sort")).toString()),
            descending ? Qt::DescendingOrder : Qt::AscendingOrder);
    }
    settings.endGroup();
}

// --- rows -------------------------------------------------------------------------------------------

int TableView::chosenViewRow() const
{
    const QModelIndex current = currentIndex();
    return current.isValid() && selectionModel()->isSelected(current) ? current.row() : -1;
}

void TableView::selectRow(int viewRow)
{
    const QList<int> columns = visibleColumns();
    if (columns.isEmpty() || viewRow < 0)
        return;
    QTableView::selectRow(viewRow);
    const QModelIndex index = m_model.index(viewRow, columns.first());
    selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
    const int sideways = horizontalScrollBar()->value();
    scrollTo(index, EnsureVisible);
    horizontalScrollBar()->setValue(sideways);
}

void TableView::currentChanged(const QModelIndex& current, const QModelIndex& previous)
{
    QTableView::currentChanged(current, previous);
    if (current.row() != previous.row() || current.isValid() != previous.isValid())
        Q_EMIT currentRowChanged();
}

/// Qt would make its neighbour the current row, and what is asked for next would be about another one.
void TableView::rowsAboutToBeRemoved(const QModelIndex& parent, int start, int end)
{
    const int current = currentViewRow();
    if (current >= start && current <= end)
        selectionModel()->clearCurrentIndex();
    QTableView::rowsAboutToBeRemoved(parent, start, end);
}

/// Lets new rows push in at the very top; further down the rows that the user reads stay in place.
void TableView::rememberTop()
{
    m_top = verticalScrollBar()->value() > 0 ? QPersistentModelIndex(indexAt(QPoint(4, 1)))
                                             : QPersistentModelIndex();
}

void TableView::restoreTop()
{
    if (!m_top.isValid())
        return;
    const int rowHeight = verticalHeader()->defaultSectionSize();
    const int within = verticalScrollBar()->value() % rowHeight;
    // Rows that came or went are laid out late; the range of the scroll bar must be right first.
    const int last = m_model.rowCount() * rowHeight - viewport()->height();
    verticalScrollBar()->setMaximum(std::max(0, last));
    verticalScrollBar()->setValue(m_top.row() * rowHeight + within);
    m_top = QPersistentModelIndex();
}

void TableView::expandCurrent(bool expanded)
{
    const int row = currentViewRow();
    if (row < 0)
        return;
    if (!expanded && m_model.index(row, 0).data(TableModel::DepthRole).toInt() > 0) {
        int parent = row;
        while (parent > 0 && m_model.index(parent, 0).data(TableModel::DepthRole).toInt() > 0)
            --parent;
        return selectRow(parent);
    }
    m_model.setExpanded(row, expanded);
}

bool TableView::clickedArrow(const QPoint& position)
{
    const QModelIndex index = indexAt(position);
    if (!index.isValid() || index.column() != m_delegate->outlineColumn())
        return false;
    const QVariant open = index.data(TableModel::ExpandedRole);
    QStyleOptionViewItem option;
    initViewItemOption(&option);
    option.rect = visualRect(index);
    if (!open.isValid()
        || !m_delegate->layoutOf(option, index).arrow.adjusted(-6, -6, 6, 6).contains(position))
        return false;
    m_model.setExpanded(index.row(), !open.toBool());
    return true;
}

void TableView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && clickedArrow(event->position().toPoint()))
        return;
    QTableView::mousePressEvent(event);
}

void TableView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (clickedArrow(event->position().toPoint()))
        return;
    QTableView::mouseDoubleClickEvent(event);
    if (indexAt(event->position().toPoint()).isValid())
        Q_EMIT detailRequested();
}

// --- menus and the clipboard ------------------------------------------------------------------------

void TableView::contextMenuEvent(QContextMenuEvent* event)
{
    RowClipboard::RowMenu parts{.columns = m_model.columns(), .fill = m_fillRowMenu};
    if (m_delegate->outlineColumn() >= 0)
        parts.setAllExpanded = [this](bool expanded) { m_model.setAllExpanded(expanded); };
    m_clipboard->openRowMenu(*event, parts);
}

QString TableView::toCsv() const
{
    return m_clipboard->allAsCsv();
}

// --- painting ---------------------------------------------------------------------------------------

void TableView::repaintAges()
{
    m_columns->fitContents(true);
    for (int column = 0; column < m_model.columnCount(); ++column) {
        if (m_model.columns()[static_cast<size_t>(column)].age && !isColumnHidden(column))
            viewport()->update(
                QRect(columnViewportPosition(column), 0, columnWidth(column), viewport()->height()));
    }
}

void TableView::paintEvent(QPaintEvent* event)
{
    QTableView::paintEvent(event);
    if (m_model.rowCount() > 0 || m_emptyTitle.isEmpty())
        return;
    QPainter painter(viewport());
    const EmptyLayout layout = emptyLayout();
    painter.setFont(emptyTitleFont());
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(layout.title, emptyTextFlags, m_emptyTitle);
    painter.setFont(font());
    painter.setPen(theme::colors(palette()).muted);
    painter.drawText(layout.hint, emptyTextFlags, m_emptyHint);
}

TableView::EmptyLayout TableView::emptyLayout() const
{
    const int width = std::min(560, viewport()->width() - 48);
    const QRect area(
        (viewport()->width() - width) / 2, viewport()->height() / 3, width, viewport()->height());
    EmptyLayout layout;
    layout.title = QFontMetrics(emptyTitleFont()).boundingRect(area, emptyTextFlags, m_emptyTitle);
    layout.hint = fontMetrics().boundingRect(
        area.translated(0, layout.title.height() + 10), emptyTextFlags, m_emptyHint);
    return layout;
}

void TableView::placeEmptyAction()
{
    const bool shown = m_model.rowCount() == 0 && !m_emptyAction->text().isEmpty();
    m_emptyAction->setVisible(shown);
    if (!shown)
        return;
    m_emptyAction->resize(m_emptyAction->sizeHint());
    m_emptyAction->move((viewport()->width() - m_emptyAction->width()) / 2, emptyLayout().hint.bottom() + 18);
}

void TableView::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    m_columns->fitContents();
    m_columns->fit();
    placeEmptyAction();
}

void TableView::changeEvent(QEvent* event)
{
    QTableView::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        applyFontMetrics();
}

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
