// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/BlockingPage.h"

#include "ui/delegates/CellDelegate.h"
#include "ui/graph/BlockingGraphView.h"
#include "ui/models/BlockingTreeModel.h"
#include "ui/pages/SessionActs.h"
#include "ui/theme/Theme.h"
#include "ui/widgets/ColumnFit.h"
#include "ui/widgets/HeaderStyle.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QScopedValueRollback>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace lockscope::ui {

namespace {
// Below this width tree and drawing stand on top of each other.
constexpr int wideEnough = 1'200;

} // namespace

BlockingPage::BlockingPage(AppContext& appContext, QWidget* parent)
    : Page(QStringLiteral("blocking"), tr("Blocking"), appContext, parent)
    , m_model(new BlockingTreeModel(appContext, this))
    , m_tree(new QTreeView(this))
    , m_delegate(new CellDelegate(m_tree))
    , m_graph(new BlockingGraphView(this))
    , m_splitter(new QSplitter(Qt::Vertical, this))
    , m_stack(new QStackedWidget(this))
    , m_empty(new QLabel(this))
{
    m_tree->setObjectName(QStringLiteral("blockingTree"));
    m_tree->setModel(m_model);
    m_tree->setItemDelegate(m_delegate);
    m_tree->setUniformRowHeights(true);
    m_tree->setAlternatingRowColors(true);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setAllColumnsShowFocus(true);
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    m_tree->setTextElideMode(Qt::ElideRight);
    m_tree->installEventFilter(this);
    QHeaderView* header = m_tree->header();
    HeaderStyle::applyTo(*header);
    header->setStretchLastSection(false);
    connect(header, &QHeaderView::sectionResized, this, [this] { m_fitted = m_fitted && m_arranging; });
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setTextFormat(Qt::RichText);
    m_empty->setObjectName(QStringLiteral("blockingEmpty"));

    m_splitter->addWidget(m_tree);
    m_splitter->addWidget(m_graph);
    m_splitter->setStretchFactor(0, 3);
    m_splitter->setStretchFactor(1, 2);
    m_splitter->setHandleWidth(1);
    m_splitter->setChildrenCollapsible(false);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_splitter);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_stack);

    connect(m_tree->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
        [this](const QModelIndex& at) {
            const BlockingRow* row = m_model->rowAt(at);
            if (row && !m_applying) {
                m_graph->select(row->key);
                Q_EMIT selectionDetail(row->key);
            }
        });
    connect(m_tree, &QAbstractItemView::clicked, this, [this] { m_touched = true; });
    connect(m_tree, &QAbstractItemView::activated, this, &Page::detailRequested);
    connect(m_tree, &QWidget::customContextMenuRequested, this, &BlockingPage::showMenu);
    connect(m_graph, &BlockingGraphView::chosen, this, [this](SessionKey key) {
        m_touched = true;
        select(key);
    });
    connect(m_model, &QAbstractItemModel::rowsInserted, this, &BlockingPage::expandNew);
    connect(m_model, &QAbstractItemModel::rowsMoved, this,
        [this](const QModelIndex&, int, int, const QModelIndex& to) { expandNew(to); });
    const auto note = [this](const QModelIndex& at, bool closed) {
        if (const BlockingRow* row = m_model->rowAt(at); row && closed)
            m_closed.insert(row->key);
        else if (row)
            m_closed.remove(row->key);
    };
    connect(m_tree, &QTreeView::collapsed, this, [note](const QModelIndex& at) { note(at, true); });
    connect(m_tree, &QTreeView::expanded, this, [note](const QModelIndex& at) { note(at, false); });
    m_tree->viewport()->installEventFilter(this);
    connect(&appContext, &AppContext::tick, this, [this] {
        if (isVisible())
            m_tree->viewport()->update();
    });
    const QString group = QStringLiteral("pages/blocking/");
    m_fitted = context().settings().value(group + QStringLiteral("fitted"), true).toBool();
    if (!m_fitted)
        header->restoreState(context().settings().value(group + QStringLiteral("header")).toByteArray());
    m_splitter->restoreState(context().settings().value(group + QStringLiteral("splitter")).toByteArray());
    showSnapshot(nullptr);
}

void BlockingPage::showSnapshot(const SnapshotPtr& snapshot)
{
    m_snapshot = snapshot;
    if (!snapshot) {
        apply({});
        m_graph->draw({}, {}, {}, context().thresholds());
        m_empty->clear();
        m_stack->setCurrentWidget(m_empty);
        m_countText.clear();
        m_closed.clear();
        m_touched = false;
        return;
    }
    const BlockingGraph graph(*snapshot);
    const std::vector<BlockingNode> forest = blockingForest(*snapshot, graph);
    m_graph->draw(forest, snapshot->waits, snapshot->takenAt, context().thresholds());
    m_countText = tr("%1 sessions in %2 chains").arg(graph.sessions().size()).arg(forest.size());
    const bool wasEmpty = m_model->rowCount() == 0;
    apply(forest);
    if (forest.empty()) {
        const ThemeColors& colors = theme::colors(palette());
        const auto inQueues = std::ranges::count_if(snapshot->entryWaiters,
            [&](const LockTableWaiter& one) { return !one.isExpired(snapshot->takenAt); });
        m_empty->setText(
            QStringLiteral(
                "<p style='font-size:x-large;color:%1'>● %2</p><p>%5</p><p style='color:%3'>%4</p>")
                .arg(colors.ok.name(), tr("No session blocks another one"), colors.muted.name(),
                    tr("As soon as a session waits for a lock of another one, its chain stands here, the "
                       "head blocker on top."),
                    inQueues == 0 ? QString()
                                  : tr("Waiting for a name of a lock table: %n. See page Lock table.",
                                      nullptr, static_cast<int>(inQueues))));
        m_stack->setCurrentWidget(m_empty);
        return;
    }
    m_stack->setCurrentWidget(m_splitter);
    if (wasEmpty || (!m_touched && !m_tree->currentIndex().isValid()))
        select(forest.front().row.key);
}

/// A row that goes hands the current one to a neighbour; the detail pane stays with what was chosen.
void BlockingPage::apply(std::vector<BlockingNode> forest)
{
    const BlockingRow* row = m_model->rowAt(m_tree->currentIndex());
    const std::optional<SessionKey> before = row ? std::optional(row->key) : std::nullopt;
    m_applying = true;
    m_model->apply(std::move(forest));
    if (before && !m_model->indexOf(*before).isValid())
        m_tree->setCurrentIndex({});
    m_applying = false;
}

void BlockingPage::showHealth(monitor::Health health, const std::optional<Error>&, milliseconds)
{
    const bool old = health == monitor::Health::Failed || health == monitor::Health::Silent;
    m_delegate->setFaded(old);
    m_tree->viewport()->update();
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
    const QString group = QStringLiteral("pages/blocking/");
    context().settings().setValue(group + QStringLiteral("header"), m_tree->header()->saveState());
    context().settings().setValue(group + QStringLiteral("fitted"), m_fitted);
    context().settings().setValue(group + QStringLiteral("splitter"), m_splitter->saveState());
}

void BlockingPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    m_splitter->setOrientation(width() >= wideEnough ? Qt::Horizontal : Qt::Vertical);
}

bool BlockingPage::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_tree && event->type() == QEvent::KeyPress
        && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Delete) {
        askToEnd();
        return true;
    }
    if (watched == m_tree->viewport() && event->type() == QEvent::Resize)
        fitColumns();
    return Page::eventFilter(watched, event);
}

void BlockingPage::select(SessionKey key)
{
    const QModelIndex at = m_model->indexOf(key);
    if (at.isValid())
        m_tree->setCurrentIndex(at);
}

/// Chains stand open, however they came about.
void BlockingPage::expandNew(const QModelIndex& parent)
{
    const BlockingRow* row = m_model->rowAt(parent);
    if (row && !m_closed.contains(row->key))
        m_tree->expand(parent);
}

void BlockingPage::fitColumns()
{
    if (!m_fitted)
        return;
    const QScopedValueRollback arranging(m_arranging, true);
    const double em = fontMetrics().horizontalAdvance(QLatin1Char('m'));
    const auto wide = [em](double width) { return static_cast<int>(width * em); };
    const std::vector<int> widths = ui::fitColumns(
        {{wide(16), 2}, {wide(23), 6}, {wide(7.5), 0}, {wide(6), 0}, {wide(7.5), 1}, {wide(10), 3}},
        m_tree->viewport()->width());
    for (size_t i = 0; i < widths.size(); ++i)
        m_tree->header()->resizeSection(static_cast<int>(i), widths[i]);
}

void BlockingPage::showMenu(const QPoint& at)
{
    m_tree->setCurrentIndex(m_tree->indexAt(at));
    const Session* session = selectedSession();
    if (!session)
        return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    addSessionActs(*menu, *this, *session);
    menu->addSeparator();
    menu->addAction(tr("Its locks"), this, [this, id = session->id.value] {
        Q_EMIT openPage(QStringLiteral("locks"), QStringLiteral("session:%1").arg(id));
    });
    menu->popup(m_tree->viewport()->mapToGlobal(at));
}

void BlockingPage::askToEnd()
{
    if (const Session* session = selectedSession())
        Q_EMIT requestAct(EndSessionAction{*session});
}

const Session* BlockingPage::selectedSession() const
{
    const BlockingRow* row = m_model->rowAt(m_tree->currentIndex());
    return row && m_snapshot ? m_snapshot->session(row->key.id) : nullptr;
}

} // namespace lockscope::ui
