// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph/BlockingGraphView.h"

#include "core/base/Duration.h"
#include "ui/theme/Theme.h"

#include <QCursor>
#include <QEvent>
#include <QGraphicsItem>
#include <QGuiApplication>
#include <QPainterPath>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr QSizeF boxSize{168, 46};
constexpr QSizeF boxGap{54, 12};

} // namespace

/// One session: number and program, below them a sign and a word.
class GraphNode : public QGraphicsItem {
public:
    GraphNode()
    {
        setFlag(ItemIsSelectable);
        setCursor(Qt::PointingHandCursor);
        setZValue(1);
    }

    void setContent(const BlockingRow& row, AgeLevel level, const QString& word)
    {
        if (row == m_row && level == m_level && word == m_word)
            return;
        m_row = row;
        m_level = level;
        m_word = word;
        setToolTip(row.diagnosis.summary + QStringLiteral("\n\n") + row.diagnosis.remedy);
        update();
    }
    const BlockingRow& row() const { return m_row; }

    QRectF boundingRect() const override { return QRectF(QPointF(0, 0), boxSize).adjusted(-2, -2, 2, 2); }

    void paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) override
    {
        const ThemeColors& colors = theme::colors();
        const QPalette palette = QGuiApplication::palette();
        const QColor ink = colors.text(m_level, palette);
        painter->setRenderHint(QPainter::Antialiasing);
        const QColor edge = m_level == AgeLevel::Normal ? colors.border : ink;
        painter->setPen(QPen(isSelected() ? colors.accent : edge, isSelected() ? 2.5 : 1.2));
        painter->setBrush(colors.fill(m_level));
        painter->drawRoundedRect(QRectF(QPointF(0, 0), boxSize), 6, 6);
        const QRectF text = QRectF(QPointF(0, 0), boxSize).adjusted(9, 4, -7, -4);
        const QFont bold = theme::scaled(0.95, QFont::DemiBold);
        painter->setFont(bold);
        painter->setPen(palette.color(QPalette::Text));
        const QString name = m_row.key.id.isValid()
            ? QStringLiteral("%1 %2").arg(m_row.key.id.value).arg(m_row.program)
            : QStringLiteral("prepared transaction");
        painter->drawText(text, Qt::AlignLeft | Qt::AlignTop,
            QFontMetricsF(bold).elidedText(name, Qt::ElideRight, text.width()));
        const QFont small = theme::scaled(0.85);
        painter->setFont(small);
        painter->setPen(m_level == AgeLevel::Normal ? colors.muted : ink);
        painter->drawText(text, Qt::AlignLeft | Qt::AlignBottom,
            QFontMetricsF(small).elidedText(
                theme::levelSign(m_level) + QLatin1Char(' ') + m_word, Qt::ElideRight, text.width()));
    }

private:
    BlockingRow m_row;
    AgeLevel m_level = AgeLevel::Normal;
    QString m_word;
};

BlockingGraphView::BlockingGraphView(QWidget* parent)
    : QGraphicsView(parent)
{
    setScene(new QGraphicsScene(this));
    setFrameShape(QFrame::NoFrame);
    setDragMode(QGraphicsView::ScrollHandDrag);
    setTransformationAnchor(QGraphicsView::AnchorUnderMouse);
    setAlignment(Qt::AlignLeft | Qt::AlignTop);
    setAccessibleName(u"Who waits for whom"_s);
    connect(scene(), &QGraphicsScene::selectionChanged, this, [this] {
        const QList<QGraphicsItem*> items = scene()->selectedItems();
        if (!m_quiet && !items.isEmpty())
            Q_EMIT chosen(static_cast<GraphNode*>(items.first())->row().key);
    });
}

/// The scene, a child, goes when nothing is left of this but its QWidget: it must not tell it anything then.
BlockingGraphView::~BlockingGraphView()
{
    scene()->disconnect(this);
}

void BlockingGraphView::draw(const std::vector<BlockingNode>& forest, const std::vector<WaitEdge>& waits,
    ServerTime now, const LockThresholds& thresholds)
{
    // The worst chains first, whole ones, until there are too many boxes to read.
    std::vector<BlockingNode> shown;
    int count = 0;
    int all = 0;
    for (const BlockingNode& root : forest) {
        const int size = countOf({root});
        all += size;
        if (count + size <= mostNodes || shown.empty()) {
            shown.push_back(root);
            count += size;
        }
    }
    m_hidden = all - count;
    const LayeredLayout layout = layeredLayout(shown, boxSize, boxGap);

    m_quiet = true;
    for (auto it = m_nodes.begin(); it != m_nodes.end();) {
        if (layout.positions.contains(it.key())) {
            ++it;
            continue;
        }
        delete it.value();
        it = m_nodes.erase(it);
    }
    const auto put = [&](const BlockingNode& node, auto&& self) -> void {
        const SessionId id = node.row.key.id;
        GraphNode*& item = m_nodes[id];
        if (!item) {
            item = new GraphNode;
            scene()->addItem(item);
        }
        const milliseconds age = node.row.since
            ? std::chrono::duration_cast<milliseconds>(now - *node.row.since)
            : milliseconds(0);
        const bool head = node.row.isHead();
        AgeLevel level = (head ? thresholds.hold : thresholds.wait).levelOf(age);
        if (head && node.row.victims > 0)
            level = std::max(level, AgeLevel::Amber);
        QString word = head ? u"blocks %1"_s.arg(node.row.victims) : u"waits"_s;
        if (node.row.since)
            word += QStringLiteral(" · ") + formatDuration(std::max(milliseconds(0), age));
        item->setContent(node.row, level, word);
        item->setPos(layout.positions.value(id));
        for (const BlockingNode& child : node.children)
            self(child, self);
    };
    for (const BlockingNode& root : shown)
        put(root, put);
    drawEdges(waits);
    m_quiet = false;
    if (m_size != layout.size) {
        m_size = layout.size;
        scene()->setSceneRect(QRectF(QPointF(0, 0), m_size).adjusted(-14, -14, 14, 14));
        if (m_fitted)
            fit();
    }
    viewport()->update();
}

void BlockingGraphView::drawEdges(const std::vector<WaitEdge>& waits)
{
    qDeleteAll(m_edges);
    m_edges.clear();
    const ThemeColors& colors = theme::colors();
    for (const WaitEdge& wait : waits) {
        // Places in the queue follow from the order of the boxes; lines for them would hide the rest.
        const GraphNode* waiter = m_nodes.value(wait.waiter);
        const GraphNode* blocker = m_nodes.value(wait.blocker);
        if (!waiter || !blocker || wait.kind == WaitEdge::Kind::Queue)
            continue;
        const QPointF from = blocker->pos() + QPointF(boxSize.width(), boxSize.height() / 2);
        const QPointF to = waiter->pos() + QPointF(0, boxSize.height() / 2);
        QPainterPath path(from);
        const double bend = std::max(24.0, std::abs(to.x() - from.x()) / 2);
        path.cubicTo(from + QPointF(bend, 0), to - QPointF(bend, 0), to);
        m_edges.append(scene()->addPath(path, QPen(colors.muted, 1.4)));
        const QPolygonF arrow{from, from + QPointF(8, -4), from + QPointF(8, 4)};
        m_edges.append(scene()->addPolygon(arrow, Qt::NoPen, colors.muted));
    }
}

void BlockingGraphView::select(SessionKey key)
{
    m_quiet = true;
    for (GraphNode* node : std::as_const(m_nodes))
        node->setSelected(node->row().key == key);
    m_quiet = false;
}

void BlockingGraphView::fit()
{
    resetTransform();
    const QRectF all = scene()->sceneRect();
    if (all.isEmpty() || viewport()->width() < 20)
        return;
    const double factor = std::min(viewport()->width() / all.width(), viewport()->height() / all.height());
    // Smaller than this nobody can read; larger than life is ugly.
    scale(std::clamp(factor, 0.55, 1.0), std::clamp(factor, 0.55, 1.0));
    m_fitted = true;
}

void BlockingGraphView::wheelEvent(QWheelEvent* event)
{
    const double factor = std::pow(1.2, event->angleDelta().y() / 120.0);
    const double after = transform().m11() * factor;
    if (after < 0.1 || after > 4)
        return;
    scale(factor, factor);
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
    painter->drawText(viewport()->rect().adjusted(10, 6, -10, -6), Qt::AlignRight | Qt::AlignBottom,
        u"%1 more sessions in the tree"_s.arg(m_hidden));
    painter->restore();
}

void BlockingGraphView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange)
        scene()->update();
    QGraphicsView::changeEvent(event);
}

} // namespace lockscope::ui
