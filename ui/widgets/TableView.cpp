// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/TableView.h"

#include "ui/delegates/CellDelegate.h"
#include "ui/models/TableExport.h"
#include "ui/models/TableModel.h"
#include "ui/theme/Theme.h"
#include "ui/widgets/ColumnFit.h"
#include "ui/widgets/HeaderStyle.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QSettings>

#include <numeric>

namespace lockscope::ui {

namespace {

constexpr int shortestColumn = 48;

constexpr int emptyTextFlags = static_cast<int>(Qt::AlignHCenter | Qt::AlignTop) | Qt::TextWordWrap;

QFont emptyTitleFont()
{
    return theme::scaled(1.5, QFont::DemiBold);
}

int scaledWidth(const ColumnInfo& info, const QFontMetrics& metrics)
{
    return static_cast<int>(info.width * std::max(1.0, metrics.height() / 15.0));
}

bool isCopyAsCsv(const QKeyEvent& event)
{
    return event.key() == Qt::Key_C && event.modifiers() == (Qt::ControlModifier | Qt::ShiftModifier);
}

} // namespace

TableView::TableView(TableModel& model, QWidget* parent)
    : QTableView(parent)
    , m_model(model)
    , m_delegate(new CellDelegate(this))
    , m_emptyAction(new QPushButton(viewport()))
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
    HeaderStyle::applyTo(*header);
    header->setSectionsMovable(true);
    header->setHighlightSections(false);
    header->setMinimumSectionSize(shortestColumn);
    header->setSortIndicatorClearable(true);
    header->setSortIndicator(-1, Qt::AscendingOrder);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(header, &QHeaderView::customContextMenuRequested, this,
        [this](const QPoint& position) { showColumnMenu(horizontalHeader()->mapToGlobal(position)); });
    connect(header, &QHeaderView::sectionResized, this, [this](int, int before, int after) {
        if (!m_arranging && before > 0 && after > 0) // neither hidden nor shown
            m_fitted = false;
    });
    setSortingEnabled(true);
    m_emptyAction->setObjectName(QStringLiteral("emptyAction"));
    m_emptyAction->hide();
    connect(m_emptyAction, &QPushButton::clicked, this, &TableView::emptyActionTriggered);
    applyFontMetrics();
    resetLayout();
    connect(&model, &TableModel::refreshAboutToStart, this, &TableView::rememberTop);
    connect(&model, &TableModel::refreshed, this, &TableView::restoreTop);
    connect(&model, &QAbstractItemModel::rowsInserted, this, &TableView::placeEmptyAction);
    connect(&model, &QAbstractItemModel::rowsRemoved, this, &TableView::placeEmptyAction);
}

TableView::~TableView() = default;

void TableView::applyFontMetrics()
{
    verticalHeader()->setDefaultSectionSize(CellDelegate::rowHeight(fontMetrics()));
    horizontalHeader()->setFixedHeight(HeaderStyle::heightFor(fontMetrics()));
    fitColumns();
}

void TableView::setOutlineColumn(const QString& id)
{
    m_delegate->setOutlineColumn(m_model.columnOf(id));
    viewport()->update();
}

void TableView::setEmptyState(const QString& title, const QString& hint)
{
    if (title == m_emptyTitle && hint == m_emptyHint)
        return;
    m_emptyTitle = title;
    m_emptyHint = hint;
    placeEmptyAction();
    viewport()->update();
}

void TableView::setEmptyAction(const QString& text, const QString& reasonAgainst)
{
    m_emptyAction->setText(text);
    m_emptyAction->setEnabled(reasonAgainst.isEmpty());
    m_emptyAction->setToolTip(reasonAgainst);
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

void TableView::setColumnOffered(const QString& id, bool offered)
{
    if (offered)
        m_notOffered.remove(id);
    else
        m_notOffered.insert(id);
    toggleColumn(m_model.columnOf(id), offered);
}

// --- columns ----------------------------------------------------------------------------------------

QList<int> TableView::visibleColumns() const
{
    QList<int> columns;
    for (int visual = 0; visual < m_model.columnCount(); ++visual) {
        const int column = horizontalHeader()->logicalIndex(visual);
        if (!isColumnHidden(column))
            columns << column;
    }
    return columns;
}

void TableView::toggleColumn(int column, bool visible)
{
    if (column < 0 || isColumnHidden(column) != visible)
        return;
    setColumnHidden(column, !visible);
    fitColumns();
    Q_EMIT visibleColumnsChanged();
}

void TableView::resetLayout()
{
    const QScopedValueRollback arranging(m_arranging, true);
    for (int column = 0; column < m_model.columnCount(); ++column) {
        const ColumnInfo& info = m_model.columns()[static_cast<size_t>(column)];
        horizontalHeader()->moveSection(horizontalHeader()->visualIndex(column), column);
        setColumnWidth(column, scaledWidth(info, fontMetrics()));
        setColumnHidden(column, m_notOffered.contains(info.id) || !info.shown);
    }
    m_fitted = true;
    fitColumns();
    Q_EMIT visibleColumnsChanged();
}

void TableView::fitColumns()
{
    if (!m_fitted)
        return;
    const QScopedValueRollback arranging(m_arranging, true);
    const QList<int> columns = visibleColumns();
    std::vector<ColumnShare> shares;
    for (const int column : columns) {
        const ColumnInfo& info = m_model.columns()[static_cast<size_t>(column)];
        shares.push_back({scaledWidth(info, fontMetrics()), info.stretch});
    }
    const std::vector<int> widths = ui::fitColumns(shares, viewport()->width());
    for (qsizetype i = 0; i < columns.size(); ++i)
        setColumnWidth(columns[i], widths[static_cast<size_t>(i)]);
}

void TableView::saveLayout(QSettings& settings, const QString& group) const
{
    QStringList order;
    settings.beginGroup(group);
    for (int visual = 0; visual < m_model.columnCount(); ++visual) {
        const int column = horizontalHeader()->logicalIndex(visual);
        const QString& id = m_model.columns()[static_cast<size_t>(column)].id;
        order << id;
        if (m_notOffered.contains(id))
            continue;
        settings.setValue(id + QStringLiteral("/shown"), !isColumnHidden(column));
        if (!isColumnHidden(column))
            settings.setValue(id + QStringLiteral("/width"), columnWidth(column));
    }
    settings.setValue(QStringLiteral("order"), order);
    settings.setValue(QStringLiteral("fitted"), m_fitted);
    const int sorted = m_model.sortColumn();
    settings.setValue(
        QStringLiteral("sort"), sorted < 0 ? QString() : m_model.columns()[static_cast<size_t>(sorted)].id);
    settings.setValue(QStringLiteral("descending"), m_model.sortOrder() == Qt::DescendingOrder);
    settings.endGroup();
}

void TableView::restoreLayout(QSettings& settings, const QString& group)
{
    const QScopedValueRollback arranging(m_arranging, true);
    settings.beginGroup(group);
    m_fitted = settings.value(QStringLiteral("fitted"), true).toBool();
    int visual = 0;
    for (const QString& id : settings.value(QStringLiteral("order")).toStringList()) {
        const int column = m_model.columnOf(id);
        if (column < 0)
            continue; // of another version
        horizontalHeader()->moveSection(horizontalHeader()->visualIndex(column), visual++);
    }
    for (int column = 0; column < m_model.columnCount(); ++column) {
        const QString& id = m_model.columns()[static_cast<size_t>(column)].id;
        if (const int width = settings.value(id + QStringLiteral("/width")).toInt(); width >= shortestColumn)
            setColumnWidth(column, width);
        if (const QVariant shown = settings.value(id + QStringLiteral("/shown"));
            shown.isValid() && !m_notOffered.contains(id))
            setColumnHidden(column, !shown.toBool());
    }
    if (settings.contains(QStringLiteral("sort"))) {
        const bool descending = settings.value(QStringLiteral("descending")).toBool();
        sortByColumn(m_model.columnOf(settings.value(QStringLiteral("sort")).toString()),
            descending ? Qt::DescendingOrder : Qt::AscendingOrder);
    }
    settings.endGroup();
    fitColumns();
    Q_EMIT visibleColumnsChanged();
}

void TableView::showColumnMenu(const QPoint& position)
{
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const qsizetype visible = visibleColumns().size();
    for (int column = 0; column < m_model.columnCount(); ++column) {
        const ColumnInfo& info = m_model.columns()[static_cast<size_t>(column)];
        if (m_notOffered.contains(info.id))
            continue;
        QAction* action = menu->addAction(info.title);
        action->setCheckable(true);
        action->setChecked(!isColumnHidden(column));
        action->setEnabled(isColumnHidden(column) || visible > 1);
        connect(action, &QAction::toggled, this, [this, column](bool on) { toggleColumn(column, on); });
    }
    menu->addSeparator();
    connect(menu->addAction(tr("Columns as at first")), &QAction::triggered, this, &TableView::resetLayout);
    menu->popup(position);
}

// --- rows -------------------------------------------------------------------------------------------

QList<int> TableView::selectedViewRows() const
{
    QList<int> rows;
    for (const QModelIndex& index : selectionModel()->selectedRows())
        rows << index.row();
    std::sort(rows.begin(), rows.end());
    return rows;
}

int TableView::currentViewRow() const
{
    return currentIndex().isValid() ? currentIndex().row() : -1;
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

/// At the very top new rows may push in; further down what the user reads stays where it is.
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

bool TableView::expandCurrent(bool expanded)
{
    const int row = currentViewRow();
    if (m_delegate->outlineColumn() < 0 || row < 0)
        return false;
    if (!expanded && m_model.index(row, 0).data(TableModel::DepthRole).toInt() > 0) {
        int parent = row;
        while (parent > 0 && m_model.index(parent, 0).data(TableModel::DepthRole).toInt() > 0)
            --parent;
        selectRow(parent);
        return true;
    }
    m_model.setExpanded(row, expanded);
    return true;
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

void TableView::keyPressEvent(QKeyEvent* event)
{
    if (isCopyAsCsv(*event)) {
        copyAsCsv();
    } else if (event->matches(QKeySequence::Copy)) {
        copyAsText();
    } else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && currentViewRow() >= 0) {
        Q_EMIT detailRequested();
    } else if (event->matches(QKeySequence::Delete)) {
        Q_EMIT deleteRequested();
    } else if ((event->key() == Qt::Key_Left || event->key() == Qt::Key_Right)
        && expandCurrent(event->key() == Qt::Key_Right)) {
        event->accept();
    } else {
        QTableView::keyPressEvent(event);
    }
}

// --- menus and the clipboard ------------------------------------------------------------------------

void TableView::contextMenuEvent(QContextMenuEvent* event)
{
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (m_fillRowMenu) {
        m_fillRowMenu(*menu);
        if (!menu->isEmpty())
            menu->addSeparator();
    }
    addCopyActions(*menu);
    if (m_delegate->outlineColumn() >= 0) {
        menu->addSeparator();
        connect(menu->addAction(tr("Expand all")), &QAction::triggered, this,
            [this] { m_model.setAllExpanded(true); });
        connect(menu->addAction(tr("Collapse all")), &QAction::triggered, this,
            [this] { m_model.setAllExpanded(false); });
    }
    menu->addSeparator();
    connect(menu->addAction(tr("Columns…")), &QAction::triggered, this,
        [this] { showColumnMenu(horizontalHeader()->mapToGlobal(QPoint(8, horizontalHeader()->height()))); });
    const bool byKeyboard = event->reason() == QContextMenuEvent::Keyboard;
    const QPoint row = viewport()->mapToGlobal(visualRect(currentIndex()).bottomLeft() + QPoint(8, 0));
    menu->popup(byKeyboard ? row : event->globalPos());
}

void TableView::addCopyActions(QMenu& menu)
{
    const bool any = !selectedViewRows().isEmpty();
    QAction* text = menu.addAction(tr("&Copy rows"));
    text->setShortcut(QKeySequence::Copy);
    text->setEnabled(any);
    connect(text, &QAction::triggered, this, &TableView::copyAsText);
    QAction* csv = menu.addAction(tr("Copy rows as CS&V"));
    csv->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_C);
    csv->setEnabled(any);
    connect(csv, &QAction::triggered, this, &TableView::copyAsCsv);
    QAction* all = menu.addAction(tr("&Export all rows on view…"));
    all->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_E);
    all->setEnabled(m_model.rowCount() > 0);
    connect(all, &QAction::triggered, this, &TableView::exportRequested);
}

void TableView::copy(const QString& text)
{
    const qsizetype rows = selectedViewRows().size();
    if (rows == 0)
        return;
    QApplication::clipboard()->setText(text);
    Q_EMIT statusMessage(rows == 1 ? tr("One row copied.") : tr("%1 rows copied.").arg(rows));
}

void TableView::copyAsText()
{
    copy(rowsAsText(m_model, selectedViewRows(), visibleColumns()));
}

void TableView::copyAsCsv()
{
    copy(rowsAsCsv(m_model, selectedViewRows(), visibleColumns()));
}

QString TableView::toCsv() const
{
    QList<int> rows(m_model.rowCount());
    std::iota(rows.begin(), rows.end(), 0);
    return rowsAsCsv(m_model, rows, visibleColumns());
}

// --- painting ---------------------------------------------------------------------------------------

void TableView::repaintAges()
{
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
    fitColumns();
    placeEmptyAction();
}

void TableView::changeEvent(QEvent* event)
{
    QTableView::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        applyFontMetrics();
}

} // namespace lockscope::ui
