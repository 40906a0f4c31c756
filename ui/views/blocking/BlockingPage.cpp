// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/blocking/BlockingPage.h"

#include "core/base/Sentences.h"
#include "core/domain/WaitTotals.h"
#include "ui/kit/delegates/CellDelegate.h"
#include "ui/kit/help/OwnPages.h"
#include "ui/kit/models/TableExport.h"
#include "ui/kit/tables/ColumnLayout.h"
#include "ui/kit/tables/RowClipboard.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/blocking/BlockingGraphView.h"
#include "ui/views/blocking/BlockingTreeModel.h"
#include "ui/views/page/SessionActs.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPersistentModelIndex>
#include <QScrollBar>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

/// The tree of chains, with what every table of ours can do: columns to choose, order and size, copying as
/// text and CSV, everything by keyboard.
class ChainView : public QTreeView {
public:
    explicit ChainView(BlockingTreeModel& model, QWidget* parent = nullptr)
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
        connect(&model, &QAbstractItemModel::rowsInserted, m_columns, &ColumnLayout::fitContentsSoon);
        connect(&model, &QAbstractItemModel::rowsMoved, m_columns, &ColumnLayout::fitContentsSoon);
        connect(&model, &QAbstractItemModel::dataChanged, m_columns, &ColumnLayout::fitContentsSoon);
        connect(this, &QTreeView::expanded, m_columns, &ColumnLayout::fitContentsSoon);
        connect(verticalScrollBar(), &QScrollBar::valueChanged, m_columns, &ColumnLayout::fitContentsSoon);
        connect(m_columns, &ColumnLayout::visibleChanged, this, [this] {
            setTreePosition(m_columns->visible().constFirst()); // the arrows stand where the row begins
        });
    }

    ColumnLayout& columns() const { return *m_columns; }
    RowClipboard& clipboard() const { return *m_clipboard; }
    /// Sets the function that adds the page's entries to the context menu of rows.
    void setRowMenu(std::function<void(QMenu&)> fill) { m_fillRowMenu = std::move(fill); }
    void setFaded(bool faded) ///< the data is old
    {
        m_delegate->setFaded(faded);
        viewport()->update();
    }
    void setAllExpanded(bool expanded) ///< emits the signals, as if the user had done it
    {
        for (const QModelIndex& index : allRows(*model()))
            if (model()->rowCount(index) > 0)
                setExpanded(index, expanded);
    }

    /// Round a refresh: at the very top new rows may push in; further down what the user reads stays where it
    /// is.
    void rememberTop()
    {
        const QModelIndex top = verticalScrollBar()->value() > 0 ? indexAt(QPoint(4, 1)) : QModelIndex();
        m_top = QPersistentModelIndex(top);
        m_cutOff = top.isValid() ? -visualRect(top).y() : 0;
    }
    void restoreTop()
    {
        const QModelIndex top = std::exchange(m_top, QPersistentModelIndex());
        if (!top.isValid() || !isOpen(top.parent()))
            return;
        const int sideways = horizontalScrollBar()->value();
        scrollTo(top, PositionAtTop);
        verticalScrollBar()->setValue(verticalScrollBar()->value() + m_cutOff);
        horizontalScrollBar()->setValue(sideways);
    }

protected:
    void contextMenuEvent(QContextMenuEvent* event) override
    {
        m_clipboard->openRowMenu(*event,
            {.columns = m_model.columns(), .fill = m_fillRowMenu, .setAllExpanded = [this](bool expanded) {
                 setAllExpanded(expanded);
             }});
    }
    void resizeEvent(QResizeEvent* event) override
    {
        QTreeView::resizeEvent(event);
        m_columns->fitContents();
        m_columns->fit();
    }
    void changeEvent(QEvent* event) override
    {
        QTreeView::changeEvent(event);
        if (event->type() == QEvent::FontChange)
            m_columns->fit();
    }

private:
    /// True if it is open, and all that it stands below.
    bool isOpen(const QModelIndex& parent) const
    {
        return !parent.isValid() || (isExpanded(parent) && isOpen(parent.parent()));
    }

    BlockingTreeModel& m_model;
    CellDelegate* m_delegate;
    ColumnLayout* m_columns = nullptr;
    RowClipboard* m_clipboard = nullptr;
    std::function<void(QMenu&)> m_fillRowMenu;
    QPersistentModelIndex m_top;
    int m_cutOff = 0; ///< pixels of that row that are above the view
};

namespace {
constexpr int minDrawing = 260; ///< width beside the tree

const QString treeGroup = QStringLiteral("pages/blocking/tree");
const QString blockingSplitterKey = QStringLiteral("pages/blocking/splitter");

bool anyHasFramework(const std::vector<BlockingNode>& forest)
{
    return std::ranges::any_of(forest,
        [](const BlockingNode& node) { return node.row.framework || anyHasFramework(node.children); });
}

} // namespace

BlockingPage::BlockingPage(AppContext& appContext, QWidget* parent)
    : Page(pageName, appContext, parent)
    , m_model(new BlockingTreeModel(appContext, this))
    , m_across(named("acrossServers", new NoticeBar(NoticeBar::Shape::Strip, this)))
    , m_tree(named("blockingTree", new ChainView(*m_model, this)))
    , m_filterBox(new FilterBox(*m_tree, this))
    , m_graph(new BlockingGraphView(this))
    , m_splitter(new QSplitter(Qt::Vertical, this))
    , m_stack(new QStackedWidget(this))
    , m_empty(named("blockingEmpty", new QLabel(this)))
{
    m_tree->setAccessibleName(title());
    setFocusProxy(m_tree);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setTextFormat(Qt::RichText);

    divide(*m_splitter, {{m_tree, 3}, {m_graph, 2}});
    m_splitter->setHandleWidth(1);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_splitter);
    connect(m_across, &NoticeBar::actionTriggered, this, &BlockingPage::otherServerRequested);
    QHBoxLayout* top = withMargins(rowOf({{m_filterBox, 2}, stretch(3)}), {12, 12, 12, 8});
    addAll(*withoutMargins(new QVBoxLayout(this), 0), {m_across, top, {m_stack, 1}});

    connectTree();
    m_filterBox->keepIn(context().settings(), QStringLiteral("pages/blocking/filters"));
    connect(m_filterBox, &FilterBox::said, this, &Page::statusMessage);
    connect(m_filterBox, &QLineEdit::textChanged, this, &BlockingPage::applyFilter);
    connect(m_graph, &BlockingGraphView::chosen, this, [this](SessionKey key) {
        m_touched = true;
        select(key);
    });
    connect(m_model, &QAbstractItemModel::rowsInserted, this, &BlockingPage::expandNew);
    connect(m_model, &QAbstractItemModel::rowsMoved, this,
        [this](const QModelIndex&, int, int, const QModelIndex& to) { expandNew(to); });
    connect(&appContext, &AppContext::tick, this, [this] {
        if (!isVisible())
            return;
        m_tree->columns().fitContents(true);
        m_tree->viewport()->update();
        m_graph->setNow(context().serverNow());
    });
    connect(&appContext, &AppContext::thresholdsChanged, this, [this] {
        if (!m_snapshot)
            return;
        showSnapshot(m_snapshot); // a past time gets no other
        m_tree->viewport()->update();
    });
    m_tree->columns().restore(context().settings(), treeGroup);
    for (const int rare : {BlockingTreeModel::JoinedColumn, BlockingTreeModel::FrameworkColumn})
        m_tree->columns().setSilent(rare, ColumnLayout::Silent::Empty, true);
    m_sized = m_splitter->restoreState(context().settings().value(blockingSplitterKey).toByteArray());
    connect(m_splitter, &QSplitter::splitterMoved, this, [this] { m_sized = true; });
    showSnapshot(nullptr);
}

void BlockingPage::connectTree()
{
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
        [this](const QModelIndex& at) {
            const BlockingRow* row = m_model->rowAt(at);
            updateChapter();
            if (row && !m_applying) {
                m_graph->select(row->key);
                Q_EMIT selectionDetail(row->key);
            }
        });
    connect(m_tree, &QAbstractItemView::clicked, this, [this] { m_touched = true; });
    connect(m_tree, &QAbstractItemView::activated, this, &Page::detailRequested);
    addKey(*m_tree, RowClipboard::tableKeys(), u"End the session; release the lock"_s, {QKeySequence::Delete},
        [this] { askToEnd(*this, selectedSession()); });
    connect(&m_tree->columns(), &ColumnLayout::visibleChanged, this, [this] {
        if (!m_filter.isEmpty())
            showForest();
    });
    connect(&m_tree->clipboard(), &RowClipboard::said, this, &Page::statusMessage);
    connect(&m_tree->clipboard(), &RowClipboard::exportRequested, this, &Page::exportCsv);
    const auto histories = [this] {
        const Session* session = selectedSession();
        return session ? historiesOf(session->key(), m_snapshot.get()) : HistorySubjects();
    };
    m_tree->setRowMenu([this, histories](QMenu& menu) {
        fillRowMenu(menu);
        addHistories(menu, *this, histories());
    });
    addHistoryKeys(*m_tree, *this, histories);
    connect(&m_tree->clipboard(), &RowClipboard::filterRequested, this,
        [this](const QString& id, const QString& value, bool excluded) {
            m_filterBox->setText(RowFilter::with(m_filterBox->text(), id, value, excluded));
        });
    const auto note = [this](const QModelIndex& at, bool isClosed) {
        if (const BlockingRow* row = m_model->rowAt(at); row && isClosed)
            closed().insert(row->key);
        else if (row)
            closed().remove(row->key);
    };
    connect(m_tree, &QTreeView::collapsed, this, [note](const QModelIndex& at) { note(at, true); });
    connect(m_tree, &QTreeView::expanded, this, [note](const QModelIndex& at) { note(at, false); });
}

void BlockingPage::showSnapshot(const SnapshotPtr& snapshot)
{
    m_snapshot = snapshot;
    m_forest.clear();
    if (snapshot) {
        m_forest = blockingForest(*snapshot, context().thresholds().hold.amber);
        if (std::ranges::any_of(m_forest, [](const BlockingNode& head) { return head.row.harm.joined > 0; }))
            m_tree->columns().setSilent(BlockingTreeModel::JoinedColumn, ColumnLayout::Silent::Empty, false);
        if (anyHasFramework(m_forest))
            m_tree->columns().setSilent(
                BlockingTreeModel::FrameworkColumn, ColumnLayout::Silent::Empty, false);
    } else {
        m_closed.clear();
        m_closedWhileFiltered.clear();
        m_touched = false;
    }
    showForest();
}

void BlockingPage::applyFilter()
{
    const bool wasFiltered = !m_filter.isEmpty();
    m_filter = RowFilter::parse(m_filterBox->text(),
        [this](const QString& prefix) { return columnNamed(m_model->columns(), prefix); });
    const QString unknown = unknownColumnText(m_filter, m_model->columns());
    if (unknown != m_unknownColumn && !unknown.isEmpty())
        Q_EMIT statusMessage(unknown);
    m_unknownColumn = unknown;
    m_closedWhileFiltered.clear();
    showForest();
    if (!m_filter.isEmpty()) {
        m_tree->setAllExpanded(true); // or what matches might not be seen
    } else if (wasFiltered) {
        const QSet<SessionKey> asBefore = m_closed;
        m_tree->setAllExpanded(true);
        for (const SessionKey& key : asBefore)
            m_tree->collapse(m_model->indexOf(key));
    }
    Q_EMIT countTextChanged();
}

/// The part that passes the filter, in the tree and in the drawing.
void BlockingPage::showForest()
{
    const QList<int> visible = m_tree->columns().searched();
    std::vector<BlockingNode> shown =
        m_filter.isEmpty() ? m_forest : matchingPart(m_forest, [&](const BlockingRow& row) {
            return matches(m_filter, m_model->columns(), visible,
                [&](int column) { return m_model->text(row, column); });
        });
    const int total = countOf(m_forest);
    m_filteredOut = total - countOf(shown);
    m_countText = !m_snapshot  ? QString()
        : m_forest.size() == 1 ? u"%1 sessions in one chain"_s.arg(total)
                               : u"%1 sessions in %2 chains"_s.arg(total).arg(m_forest.size());
    if (m_filteredOut > 0)
        m_countText += QStringLiteral(" · ") + u"%1 filtered out"_s.arg(m_filteredOut);
    m_graph->draw(shown, m_snapshot ? m_snapshot->waits : std::vector<WaitEdge>(),
        m_snapshot ? m_snapshot->takenAt : ServerTime(), context().thresholds());
    const bool wasEmpty = m_model->rowCount() == 0;
    const SessionKey first = shown.empty() ? SessionKey() : shown.front().row.key;
    const bool isEmpty = shown.empty();
    m_tree->rememberTop();
    apply(std::move(shown));
    m_tree->columns().fitContents();
    m_stack->setCurrentWidget(isEmpty ? static_cast<QWidget*>(m_empty) : m_splitter);
    // A drawing that has grown gets the space; one that shrinks moves nothing.
    const int drawing = isEmpty ? 0 : std::max(m_widestDrawing, m_graph->neededWidth());
    if (std::exchange(m_widestDrawing, drawing) < drawing)
        arrange();
    if (isEmpty)
        m_empty->setText(emptyText());
    else if (wasEmpty || (!m_touched && !m_tree->currentIndex().isValid()))
        select(first);
    m_tree->restoreTop(); // also if what is chosen by itself is somewhere else
}

QString BlockingPage::emptyText() const
{
    if (!m_snapshot)
        return {};
    const ThemeColors& colors = theme::colors(palette());
    if (m_filteredOut > 0) {
        return QStringLiteral("<p style='font-size:x-large'>%1</p><p style='color:%2'>%4 %3</p>")
            .arg(u"No session matches the filter"_s, colors.muted.name(),
                u"%1 filtered out. Press Esc in the filter box to see all again."_s.arg(
                    counted(m_filteredOut, u"is", u"are")),
                htmlText(m_unknownColumn));
    }
    const std::vector<SessionWait>& waits = m_snapshot->waitingSessions();
    // The others wait for names of lock tables.
    const auto unexplained = static_cast<int>(
        std::ranges::count_if(waits, [](const SessionWait& wait) { return wait.request && !wait.queued; }));
    const AgeLevel level =
        unexplained == 0 ? AgeLevel::Normal : levelOf(*m_snapshot, context().thresholds().wait);
    const bool isPartial = unexplained == 0 && m_snapshot->mayHideLocks();
    const QColor ink = isPartial ? colors.muted
        : unexplained == 0       ? colors.ok
                                 : colors.text(level, palette());
    const auto inQueues = std::ranges::count_if(m_snapshot->entryWaiters,
        [this](const LockTableWaiter& one) { return one.isWaiting(m_snapshot->takenAt); });
    return QStringLiteral(
        "<p style='font-size:x-large;color:%1'>%6 %2</p><p>%5</p><p style='color:%3'>%4</p>")
        .arg(ink.name(),
            unexplained > 0 ? textWithoutBlocker(unexplained)
                : isPartial ? u"No session is seen blocking another one"_s
                            : u"No session blocks another one"_s,
            colors.muted.name(),
            unexplained > 0 ? reasonWithoutBlocker() + u" Page Locks has the waits: filter state:waiting."_s
                : isPartial
                ? u"A part could not be read, so one may all the same. The missing parts and the remedies stand below."_s
                : u"As soon as a session waits for a lock of another one, its chain stands here, the head blocker on top."_s,
            inQueues == 0 ? QString()
                          : u"Waiting for a name of a lock table: %1. See page Lock table."_s.arg(
                              static_cast<int>(inQueues)),
            theme::levelSign(level));
}

/// F1 on a session that works for a framework explains its locks.
void BlockingPage::updateChapter()
{
    const BlockingRow* row = m_model->rowAt(m_tree->currentIndex());
    const QString chapter = row && row->framework ? frameworkChapter(*row->framework) : QString();
    setChapter(*m_splitter, chapter);
}

/// A row that goes hands the current one to a neighbour; the detail pane stays with what was chosen.
void BlockingPage::apply(std::vector<BlockingNode> forest)
{
    const BlockingRow* row = m_model->rowAt(m_tree->currentIndex());
    const std::optional<SessionKey> before = row ? std::optional(row->key) : std::nullopt;
    m_applying = true;
    m_model->apply(std::move(forest), m_snapshot ? m_snapshot->takenAt : ServerTime());
    if (before && !m_model->indexOf(*before).isValid())
        m_tree->setCurrentIndex({});
    m_applying = false;
    updateChapter();
}

void BlockingPage::showHealth(monitor::Health health, const std::optional<Error>&, milliseconds)
{
    m_tree->setFaded(isDataOld(health));
}

void BlockingPage::showAcross(const QString& text, const QString& other)
{
    if (text.isEmpty()) {
        m_across->clear();
        return;
    }
    m_across->say({.level = AgeLevel::Amber, .text = inLines(text)});
    m_across->setAction(other.isEmpty() ? QString() : u"Show %1"_s.arg(inOneLine(other)));
}

bool BlockingPage::reveal(const DetailSubject& subject)
{
    const auto* key = std::get_if<SessionKey>(&subject);
    if (!key || !m_model->indexOf(*key).isValid())
        return false;
    select(*key);
    return true;
}

void BlockingPage::saveLayout()
{
    m_tree->columns().save(context().settings(), treeGroup);
    if (m_sized)
        context().settings().setValue(blockingSplitterKey, m_splitter->saveState());
}

void BlockingPage::focusFilter()
{
    m_filterBox->focus();
}

void BlockingPage::setFilter(const QString& filter)
{
    m_filterBox->setText(filter);
}

bool BlockingPage::canExportCsv() const
{
    return m_model->rowCount() > 0;
}

Page::Csv BlockingPage::csv() const
{
    return {m_tree->clipboard().allAsCsv(), countOf(m_forest) - m_filteredOut};
}

void BlockingPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    arrange();
}

void BlockingPage::arrange()
{
    const int drawing = std::max(minDrawing, m_widestDrawing);
    const int tree = m_tree->columns().neededWidth();
    const auto orientation = tree + drawing <= width() ? Qt::Horizontal : Qt::Vertical;
    const bool turned = m_splitter->orientation() != orientation;
    m_splitter->setOrientation(orientation);
    if (!m_sized || turned) {
        m_splitter->setSizes(orientation == Qt::Horizontal ? QList{width() - drawing, drawing}
                                                           : QList{height() * 3 / 5, height() * 2 / 5});
    }
}

void BlockingPage::select(SessionKey key)
{
    const QModelIndex at = m_model->indexOf(key);
    if (at.isValid()) // whatever keys are held down
        m_tree->selectionModel()->setCurrentIndex(
            at, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

/// Chains stand open, however they came about.
void BlockingPage::expandNew(const QModelIndex& parent)
{
    const BlockingRow* row = m_model->rowAt(parent);
    if (row && !closed().contains(row->key))
        m_tree->expand(parent);
}

void BlockingPage::fillRowMenu(QMenu& menu)
{
    const Session* session = selectedSession();
    if (!session)
        return;
    if (const LockRequest* wait = waitOf(session->id))
        addRowSearch(menu, *this, *m_snapshot, *wait);
    addSessionActs(menu, *this, *session);
    QList<Session> selected;
    for (const QModelIndex& each : m_tree->selectionModel()->selectedRows()) {
        const BlockingRow* row = m_model->rowAt(each);
        if (const Session* one = row ? m_snapshot->session(row->key.id) : nullptr)
            selected << *one;
    }
    addCancelAll(menu, *this, selected);
    menu.addSeparator();
    menu.addAction(u"Its locks"_s, this, [this, id = session->id.value] {
        Q_EMIT openPage(QStringLiteral("locks"), QStringLiteral("session:%1").arg(id));
    });
}

const LockRequest* BlockingPage::waitOf(SessionId session) const
{
    const auto found = std::ranges::find_if(m_snapshot->requests,
        [session](const LockRequest& request) { return request.session == session && request.isWaiting(); });
    return found == m_snapshot->requests.end() ? nullptr : &*found;
}

const Session* BlockingPage::selectedSession() const
{
    const BlockingRow* row = m_model->rowAt(m_tree->currentIndex());
    return row && m_snapshot ? m_snapshot->session(row->key.id) : nullptr;
}

} // namespace lockscope::ui
