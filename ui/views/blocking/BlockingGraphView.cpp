// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/blocking/BlockingGraphView.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "ui/kit/delegates/BadgePainter.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QCursor>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPainter>
#include <QPainterPath>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QStringList>
#include <QStyleOptionGraphicsItem>
#include <QToolButton>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

struct Placer {
    LayeredLayout layout{};
    QSizeF node;
    QSizeF gap;
    double nextRow = 0;

    double place(const BlockingNode& one, int column)
    {
        const double x = column * (node.width() + gap.width());
        double y = 0;
        if (one.children.empty()) {
            y = nextRow;
            nextRow += node.height() + gap.height();
        } else {
            const double first = place(one.children.front(), column + 1);
            double last = first;
            for (size_t i = 1; i < one.children.size(); ++i)
                last = place(one.children[i], column + 1);
            y = (first + last) / 2;
        }
        layout.positions.insert(one.row.key.id, {x, y});
        layout.size = layout.size.expandedTo({x + node.width(), y + node.height()});
        return y;
    }
};

constexpr size_t minFolded = 3;

class Folder {
public:
    explicit Folder(const QSet<SessionId>& open)
        : m_open(open)
    {
    }

    BlockingNode fold(const BlockingNode& node)
    {
        BlockingNode drawn{node.row, {}};
        std::vector<const BlockingNode*> rest;
        size_t leaves = 0;
        for (const BlockingNode& child : node.children) {
            if (child.children.empty() && ++leaves > waitersBeforeFold)
                rest.push_back(&child);
        }
        const bool isLong = rest.size() >= minFolded;
        const bool isOpen = m_open.contains(node.row.key.id);
        leaves = 0;
        for (const BlockingNode& child : node.children) {
            if (!isLong || isOpen || !child.children.empty() || ++leaves <= waitersBeforeFold)
                drawn.children.push_back(fold(child));
        }
        if (isLong)
            drawn.children.push_back({extraNode(node.row.key.id, rest, isOpen), {}});
        return drawn;
    }

    QHash<SessionId, QueueFold> take() { return std::move(m_folds); }

private:
    BlockingRow extraNode(SessionId blocker, const std::vector<const BlockingNode*>& rest, bool isOpen)
    {
        BlockingRow row;
        row.key = {SessionId{std::numeric_limits<qint64>::min() + m_folds.size()}, {}};
        row.name = isOpen ? u"fold"_s : u"+%1"_s.arg(rest.size());
        row.program = isOpen ? u"%1 waiting"_s.arg(rest.size()) : u"waiting"_s;
        row.blockedBy = QString::number(blocker.value);
        row.since = rest.front()->row.since;
        row.sinceExact = rest.front()->row.sinceExact;
        row.byQueue = rest.front()->row.byQueue;
        QueueFold fold{blocker, {}, isOpen};
        for (const BlockingNode* one : rest)
            fold.sessions.push_back(one->row.key);
        m_folds.insert(row.key.id, fold);
        return row;
    }

    const QSet<SessionId>& m_open;
    QHash<SessionId, QueueFold> m_folds;
};

constexpr double nodeCorner = 13; // of a head's outline

/// Returns a font that looks as large at this scale as at 1; at larger scales it grows with the rest.
QFont firstFont(double scale)
{
    return theme::scaled(0.95 / std::min(scale, 1.0), QFont::DemiBold);
}

QFont secondFont(double scale)
{
    return theme::scaled(0.85 / std::min(scale, 1.0));
}

QString nodeTip(const BlockingRow& row)
{
    QStringList parts{row.diagnosis.summary, row.diagnosis.remedy};
    if (row.framework)
        parts.prepend(frameworkTip(*row.framework));
    return parts.join(QStringLiteral("\n\n"));
}

constexpr QSizeF boxGap{54, 12};
constexpr double graphZoomStep = 1.2;
constexpr double minFit = 0.75; ///< smaller than this only numbers can be read

bool chainHas(const BlockingNode& root, SessionKey key)
{
    return root.row.key == key || std::ranges::any_of(root.children, [key](const BlockingNode& child) {
        return chainHas(child, key);
    });
}

} // namespace

LayeredLayout layeredLayout(const std::vector<BlockingNode>& forest, QSizeF node, QSizeF gap)
{
    Placer placer{.node = node, .gap = gap};
    for (const BlockingNode& root : forest) {
        placer.place(root, 0);
        placer.nextRow += gap.height();
    }
    return placer.layout;
}

FoldedForest foldQueues(const std::vector<BlockingNode>& forest, const QSet<SessionId>& open)
{
    Folder folder(open);
    FoldedForest folded;
    for (const BlockingNode& root : forest)
        folded.forest.push_back(folder.fold(root));
    folded.folds = folder.take();
    return folded;
}

GraphNode::GraphNode()
{
    setFlag(ItemIsSelectable);
    setCursor(Qt::PointingHandCursor);
    setZValue(1);
}

void GraphNode::setContent(const BlockingRow& row, Shape shape, AgeLevel level, const QString& word)
{
    if (row == m_row && shape == m_shape && level == m_level && word == m_word)
        return;
    m_row = row;
    m_shape = shape;
    m_level = level;
    m_word = word;
    setToolTip(toolTipText(
        inLines(shape == Shape::Fold ? m_row.name + QLatin1Char(' ') + m_row.program : nodeTip(row))));
    update();
}

QPainterPath GraphNode::outline() const
{
    QPainterPath path;
    const QRectF box(QPointF(0, 0), size);
    if (m_shape == Shape::Head) {
        const double middle = box.height() / 2;
        path.addPolygon(QPolygonF{QPointF(nodeCorner, 0), QPointF(box.width() - nodeCorner, 0),
            QPointF(box.width(), middle), QPointF(box.width() - nodeCorner, box.height()),
            QPointF(nodeCorner, box.height()), QPointF(0, middle), QPointF(nodeCorner, 0)});
    } else {
        path.addRoundedRect(box, 6, 6);
    }
    return path;
}

QRectF GraphNode::textArea() const
{
    const double beside = m_shape == Shape::Head ? nodeCorner + 2 : 8;
    return QRectF(QPointF(0, 0), size).adjusted(beside, 3, -beside, -3);
}

QStringList GraphNode::linesAt(double scale) const
{
    const QFontMetricsF first(firstFont(scale));
    const QFontMetricsF second(secondFont(scale));
    const QRectF area = textArea();
    // The lock's framework says more than the program's own name.
    const QString beside = m_row.framework ? m_row.framework->badge() : m_row.program;
    const QString whole = beside.isEmpty() ? m_row.name : m_row.name + QLatin1Char(' ') + beside;
    // The number identifies it: the program goes first.
    const bool fits = first.horizontalAdvance(m_row.name + QStringLiteral(" abc…")) <= area.width();
    QStringList lines{first.elidedText(inOneLine(fits ? whole : m_row.name), Qt::ElideRight, area.width())};
    if (m_word.isEmpty() || first.height() + second.height() > area.height() + 4)
        return lines;
    // The number and the age are never cut: the word before them goes, then the age's smaller unit.
    const QString sign = theme::levelSign(m_level) + QLatin1Char(' ');
    QString word = m_word;
    const auto isTooWide = [&] { return second.horizontalAdvance(sign + word) > area.width(); };
    if (isTooWide())
        word = word.section(
            QLatin1Char(' '), word.section(QLatin1Char(' '), 1, 1) == QStringLiteral("·") ? 2 : 1);
    if (isTooWide() && word.count(QLatin1Char(' ')) >= 3)
        word = word.section(QLatin1Char(' '), 0, -3);
    lines << second.elidedText(sign + word, Qt::ElideRight, area.width());
    return lines;
}

void GraphNode::paintNameAndBadge(QPainter& painter, const QRectF& area, Qt::AlignmentFlag upper) const
{
    const QFontMetricsF metrics(painter.font());
    painter.drawText(area, static_cast<int>(Qt::AlignLeft | upper) | Qt::TextDontClip, inOneLine(m_row.name));
    QRectF space = area;
    space.setLeft(area.left() + metrics.horizontalAdvance(inOneLine(m_row.name) + QLatin1Char(' ')));
    if (upper == Qt::AlignTop)
        space.setHeight(metrics.height());
    const QPalette palette = QGuiApplication::palette();
    paintBadge(painter, space, m_row.framework->badge(), m_row.framework->certain, badgeColors(palette));
}

void GraphNode::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    const ThemeColors& colors = theme::colors();
    const QPalette palette = QGuiApplication::palette();
    const QColor ink = colors.text(m_level, palette);
    const double scale = QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
    painter->setRenderHint(QPainter::Antialiasing);
    const QColor edge = m_level == AgeLevel::Normal ? colors.border : ink;
    const double width = m_shape == Shape::Head ? 2.0 : 1.2;
    painter->setPen(QPen(isSelected() ? colors.accent : edge, isSelected() ? 2.8 : width));
    painter->setBrush(colors.fill(m_level));
    if (m_shape == Shape::Fold) {
        for (const double offset : {6.0, 3.0})
            painter->drawPath(outline().translated(offset, offset));
    }
    painter->drawPath(outline());

    const QStringList lines = linesAt(scale);
    const QRectF text = textArea();
    painter->setFont(firstFont(scale));
    painter->setPen(palette.color(QPalette::Text));
    const auto upper = lines.size() == 1 ? Qt::AlignVCenter : Qt::AlignTop;
    if (m_row.framework && lines.first().size() > m_row.name.size())
        paintNameAndBadge(*painter, text, upper);
    else
        painter->drawText(text, static_cast<int>(Qt::AlignLeft | upper) | Qt::TextDontClip, lines.first());
    if (lines.size() == 1)
        return;
    painter->setFont(secondFont(scale));
    painter->setPen(m_level == AgeLevel::Normal ? colors.muted : ink);
    painter->drawText(
        text, static_cast<int>(Qt::AlignLeft | Qt::AlignBottom) | Qt::TextDontClip, inOneLine(lines.last()));
}

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
    const double scale = std::clamp(factor, minFit, 1.0); // larger than life is ugly
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
    m_tools->adjustSize();
    m_tools->move(viewport()->geometry().right() - m_tools->width() - 6,
        viewport()->geometry().bottom() - m_tools->height() - 6);
    if (m_fitted)
        fit();
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
