// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/blocking/BlockingGraphView.h"

#include "core/base/Sentences.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/KeyAction.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/blocking/GraphNode.h"

#include <QHBoxLayout>
#include <QPainterPath>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QToolButton>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr QSizeF boxGap{54, 12};
constexpr double graphZoomStep = 1.2;
constexpr double leastFit = 0.75; ///< smaller than this only numbers can be read

bool chainHas(const BlockingNode& root, SessionKey key)
{
    return root.row.key == key || std::ranges::any_of(root.children, [key](const BlockingNode& child) {
        return chainHas(child, key);
    });
}

} // namespace

BlockingGraphView::BlockingGraphView(QWidget* parent)
    : QGraphicsView(parent)
{
    setScene(new QGraphicsScene(this));
    setFrameShape(QFrame::NoFrame);
    setDragMode(QGraphicsView::ScrollHandDrag);
    setTransformationAnchor(QGraphicsView::AnchorUnderMouse);
    setAlignment(Qt::AlignLeft | Qt::AlignTop);
    setAccessibleName(u"Who waits for whom"_s);
    addTools();
    connect(scene(), &QGraphicsScene::selectionChanged, this, &BlockingGraphView::itemChosen);
    theme::whenRecolored(*this, [this] {
        drawEdges();
        scene()->update();
    });
}

/// The scene, a child, goes when nothing is left of this but its QWidget: it must not call it then.
BlockingGraphView::~BlockingGraphView()
{
    scene()->disconnect(this);
}

void BlockingGraphView::addTools()
{
    m_tools = new QWidget(this);
    auto* row = withoutMargins(new QHBoxLayout(m_tools), 2);
    const auto add = [&](const QString& text, const QString& what, const char* name, Qt::Key key, auto act) {
        auto* button = named(name, what, new QToolButton(m_tools));
        button->setText(text);
        button->setToolTip(u"%1 (%2)"_s.arg(what, QKeySequence(key).toString()));
        connect(button, &QToolButton::clicked, this, act);
        row->addWidget(button);
        addKey(*this, u"Drawing of chains"_s, what, {key}, act);
    };
    add(u"+"_s, u"Larger"_s, "graphLarger", Qt::Key_Plus,
        [this] { showAsLarge(shownScale() * graphZoomStep); });
    add(QStringLiteral("−"), u"Smaller"_s, "graphSmaller", Qt::Key_Minus,
        [this] { showAsLarge(shownScale() / graphZoomStep); });
    add(u"Fit"_s, u"Fit all into the view"_s, "graphFit", Qt::Key_0, [this] { fit(); });
    add(u"1:1"_s, u"As large as at first"_s, "graphReset", Qt::Key_1, [this] {
        showAsLarge(1);
        centerOn(0, 0);
    });
}

void BlockingGraphView::draw(const std::vector<BlockingNode>& forest, const std::vector<WaitEdge>& waits,
    ServerTime now, const LockThresholds& thresholds)
{
    m_forest = forest;
    m_waits = waits;
    m_now = now;
    m_thresholds = thresholds;
    redraw();
}

void BlockingGraphView::setNow(ServerTime now)
{
    if (!now.isValid() || now == m_now)
        return;
    m_now = now;
    for (const BlockingNode& root : m_shown)
        tell(root);
}

void BlockingGraphView::redraw()
{
    FoldedForest folded = foldQueues(m_forest, m_unfolded);
    m_folds = std::move(folded.folds);
    // The worst chains first, whole ones, until there are too many boxes to read; that of the selection
    // always.
    std::vector<BlockingNode> shown;
    int count = 0;
    m_hidden = 0;
    for (size_t i = 0; i < folded.forest.size(); ++i) {
        const int size = countOf({folded.forest[i]});
        if (count + size <= maxNodes || shown.empty() || chainHas(m_forest[i], m_selected)) {
            shown.push_back(std::move(folded.forest[i]));
            count += size;
        } else {
            m_hidden += countOf({m_forest[i]});
        }
    }
    const LayeredLayout layout = layeredLayout(shown, GraphNode::size, boxGap);

    m_quiet = true;
    m_parents.clear();
    for (auto it = m_nodes.begin(); it != m_nodes.end();) {
        if (layout.positions.contains(it.key())) {
            ++it;
            continue;
        }
        delete it.value();
        it = m_nodes.erase(it);
    }
    for (const BlockingNode& root : shown)
        put(root, layout, {});
    m_shown = std::move(shown);
    for (const BlockingNode& root : m_shown)
        tell(root);
    drawEdges();
    m_quiet = false;
    m_tools->setVisible(!m_shown.empty());
    if (m_size != layout.size) {
        m_size = layout.size;
        scene()->setSceneRect(QRectF(QPointF(0, 0), m_size).adjusted(-14, -14, 14, 14));
        if (m_fitted)
            fit();
    }
    viewport()->update();
}

void BlockingGraphView::put(const BlockingNode& node, const LayeredLayout& layout, SessionId parent)
{
    const SessionId id = node.row.key.id;
    GraphNode*& item = m_nodes[id];
    if (!item) {
        item = new GraphNode;
        scene()->addItem(item);
    }
    if (parent.isValid())
        m_parents.insert(id, parent);
    item->setPos(layout.positions.value(id));
    for (const BlockingNode& child : node.children)
        put(child, layout, id);
}

/// Sets the texts in the boxes, ages as of m_now.
void BlockingGraphView::tell(const BlockingNode& node)
{
    const BlockingRow& row = node.row;
    const SessionId id = row.key.id;
    const bool isFold = m_folds.contains(id);
    const bool head = row.isHead();
    // The wait is what hurts, that of the longest waiter.
    const auto since = head ? row.longestSince : row.since;
    const milliseconds age = since ? ageOf(*since, m_now) : milliseconds(0);
    AgeLevel level = m_thresholds.wait.levelOf(age);
    if (head && row.harm.victims > 0) {
        Harm harm = row.harm;
        harm.longestWait = age;
        level = std::max(levelOf(harm, m_thresholds.wait), AgeLevel::Amber);
    }
    QString word = head ? u"blocks %1"_s.arg(row.harm.victims) : isFold ? u"longest"_s : u"waits"_s;
    if (since)
        word += QStringLiteral(" · ") + Age{age, head ? row.harm.longestExact : row.sinceExact}.toString();
    m_nodes[id]->setContent(row,
        isFold     ? GraphNode::Shape::Fold
            : head ? GraphNode::Shape::Head
                   : GraphNode::Shape::Waiter,
        level, isFold && m_folds[id].open ? QString() : word);
    for (const BlockingNode& child : node.children)
        tell(child);
}

void BlockingGraphView::drawEdges()
{
    qDeleteAll(m_edges);
    m_edges.clear();
    QSet<SessionId> connected;
    for (const WaitEdge& wait : m_waits) {
        // Places in the queue follow from the order of the boxes; lines for all of them would hide the rest.
        const GraphNode* waiter = m_nodes.value(wait.waiter);
        const GraphNode* blocker = m_nodes.value(wait.blocker);
        if (!waiter || !blocker || waiter == blocker || wait.kind == WaitEdge::Kind::Queue)
            continue;
        drawEdge(*blocker, *waiter, Qt::SolidLine);
        connected.insert(wait.waiter);
    }
    for (auto it = m_parents.cbegin(); it != m_parents.cend(); ++it) {
        const GraphNode* waiter = m_nodes.value(it.key());
        if (!connected.contains(it.key()))
            drawEdge(
                *m_nodes.value(it.value()), *waiter, waiter->row().byQueue ? Qt::DashLine : Qt::SolidLine);
    }
}

void BlockingGraphView::drawEdge(const GraphNode& blocker, const GraphNode& waiter, Qt::PenStyle style)
{
    const ThemeColors& colors = theme::colors();
    const QPointF from = blocker.pos() + QPointF(GraphNode::size.width(), GraphNode::size.height() / 2);
    const QPointF to = waiter.pos() + QPointF(0, GraphNode::size.height() / 2);
    QPainterPath path(from);
    const double bend = std::max(24.0, std::abs(to.x() - from.x()) / 2);
    path.cubicTo(from + QPointF(bend, 0), to - QPointF(bend, 0), to);
    QPen pen(colors.muted, 1.4, style);
    pen.setCosmetic(true);
    m_edges.append(scene()->addPath(path, pen));
    const QPolygonF arrow{from, from + QPointF(8, -4), from + QPointF(8, 4)};
    m_edges.append(scene()->addPolygon(arrow, Qt::NoPen, colors.muted));
}

void BlockingGraphView::itemChosen()
{
    const QList<QGraphicsItem*> items = scene()->selectedItems();
    if (m_quiet || items.isEmpty())
        return;
    const SessionKey key = static_cast<GraphNode*>(items.first())->row().key;
    const auto fold = m_folds.constFind(key.id);
    if (fold == m_folds.cend()) {
        const QScopedValueRollback clicked(m_clicked, true);
        Q_EMIT chosen(key);
        return;
    }
    if (fold->open)
        m_unfolded.remove(fold->blocker);
    else
        m_unfolded.insert(fold->blocker);
    // The item that was clicked may go: not before its event is over.
    QMetaObject::invokeMethod(this, &BlockingGraphView::redraw, Qt::QueuedConnection);
}

void BlockingGraphView::select(SessionKey key)
{
    const bool isDrawn =
        std::ranges::any_of(m_shown, [&](const BlockingNode& root) { return chainHas(root, key); });
    m_selected = key;
    if (!isDrawn && m_hidden > 0)
        redraw();
    m_quiet = true;
    for (GraphNode* node : std::as_const(m_nodes)) {
        const auto fold = m_folds.constFind(node->row().key.id);
        const bool folded = fold != m_folds.cend() && !fold->open
            && std::ranges::find(fold->sessions, key) != fold->sessions.end();
        node->setSelected(node->row().key == key || folded);
    }
    m_quiet = false;
    if (!m_clicked) // else it would move away from below the pointer
        showSelected();
}

/// Scrolls to the selection and the head of its chain; if not both fit, to the selection.
void BlockingGraphView::showSelected()
{
    const QList<QGraphicsItem*> items = scene()->selectedItems();
    if (items.isEmpty()) {
        horizontalScrollBar()->setValue(horizontalScrollBar()->minimum());
        verticalScrollBar()->setValue(verticalScrollBar()->minimum());
        return;
    }
    const auto* selected = static_cast<const GraphNode*>(items.first());
    const GraphNode* head = selected;
    for (auto at = m_parents.constFind(selected->row().key.id); at != m_parents.cend();
         at = m_parents.constFind(*at))
        head = m_nodes.value(*at);
    const QRectF both = selected->sceneBoundingRect().united(head->sceneBoundingRect());
    const QSizeF space = QSizeF(viewport()->size()) / shownScale();
    const bool fits = both.width() <= space.width() && both.height() <= space.height();
    horizontalScrollBar()->setValue(horizontalScrollBar()->minimum());
    ensureVisible(fits ? both : selected->sceneBoundingRect(), 14, 14);
}

int BlockingGraphView::neededWidth() const
{
    constexpr double readable = 0.75;
    return m_nodes.isEmpty() ? 0 : static_cast<int>(scene()->sceneRect().width() * readable);
}

void BlockingGraphView::fit()
{
    m_fitted = true;
    const QRectF all = scene()->sceneRect();
    if (all.isEmpty() || viewport()->width() < 20)
        return;
    const double factor = std::min(viewport()->width() / all.width(), viewport()->height() / all.height());
    const double scale = std::clamp(factor, leastFit, 1.0); // larger than life is ugly
    setTransform(QTransform::fromScale(scale, scale));
    if (!viewport()->underMouse())
        showSelected();
}

void BlockingGraphView::showAsLarge(double scale)
{
    const double bounded = std::clamp(scale, smallestScale, largestScale);
    setTransform(QTransform::fromScale(bounded, bounded));
    m_fitted = false;
}

void BlockingGraphView::wheelEvent(QWheelEvent* event)
{
    const double after = std::clamp(
        shownScale() * std::pow(graphZoomStep, event->angleDelta().y() / 120.0), smallestScale, largestScale);
    const double factor = after / shownScale();
    scale(factor, factor); // what is under the pointer stays there
    m_fitted = false;
}

void BlockingGraphView::mouseDoubleClickEvent(QMouseEvent* event)
{
    QGraphicsView::mouseDoubleClickEvent(event);
    fit();
}

void BlockingGraphView::resizeEvent(QResizeEvent* event)
{
    QGraphicsView::resizeEvent(event);
    placeTools();
    if (m_fitted)
        fit();
}

void BlockingGraphView::placeTools()
{
    m_tools->adjustSize();
    m_tools->move(viewport()->geometry().right() - m_tools->width() - 6,
        viewport()->geometry().bottom() - m_tools->height() - 6);
}

void BlockingGraphView::drawForeground(QPainter* painter, const QRectF&)
{
    if (m_hidden == 0)
        return;
    painter->save();
    painter->resetTransform();
    painter->setPen(theme::colors(palette()).muted);
    painter->drawText(viewport()->rect().adjusted(10, 6, -10, -6), Qt::AlignLeft | Qt::AlignBottom,
        counted(m_hidden, u"more session in the tree", u"more sessions in the tree"));
    painter->restore();
}

} // namespace lockscope::ui
