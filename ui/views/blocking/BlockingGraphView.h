// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Thresholds.h"
#include "ui/views/blocking/LayeredLayout.h"

#include <QGraphicsView>

namespace lockscope::ui {

class GraphNode;

/// The waits as a drawing: boxes are sessions, six-sided ones head blockers, lines lead from each waiter to
/// whom it waits for; a dashed one to who is only ahead of it in the queue, where nobody else holds it up.
/// The rest of a long queue is one box, which a click opens. Wheel and buttons zoom, dragging moves, double
/// click fits. Boxes stay the same items over refreshes, so the selection does, too.
class BlockingGraphView : public QGraphicsView {
    Q_OBJECT

public:
    explicit BlockingGraphView(QWidget* parent = nullptr);
    ~BlockingGraphView() override;
    Q_DISABLE_COPY_MOVE(BlockingGraphView)

    void draw(const std::vector<BlockingNode>& forest, const std::vector<WaitEdge>& waits, ServerTime now,
        const LockThresholds& thresholds);
    /// Ages go on; nothing else changes.
    void setNow(ServerTime now);
    /// Scrolls to it and the head of its chain, which is drawn whatever else there is.
    void select(SessionKey key);
    void fit(); ///< all of it, as far as it can be read then
    void showAsLarge(double scale); ///< within smallestScale and largestScale
    double shownScale() const { return transform().m11(); }
    /// The width in which it could be read well; 0 if nothing is drawn.
    int neededWidth() const;

    static constexpr int maxNodes = 400; ///< beyond, only the worst chains are drawn
    static constexpr double smallestScale = 0.45;
    static constexpr double largestScale = 2.0;

Q_SIGNALS:
    void chosen(lockscope::SessionKey key);

protected:
    void wheelEvent(QWheelEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;

private:
    void addTools();
    void placeTools();
    void redraw();
    void put(const BlockingNode& node, const LayeredLayout& layout, SessionId parent);
    void tell(const BlockingNode& node);
    void drawEdges();
    void drawEdge(const GraphNode& blocker, const GraphNode& waiter, Qt::PenStyle style);
    void itemChosen();
    void showSelected();

    std::vector<BlockingNode> m_forest; ///< whole
    std::vector<BlockingNode> m_shown; ///< of these, queues folded
    std::vector<WaitEdge> m_waits;
    ServerTime m_now;
    LockThresholds m_thresholds;
    QSet<SessionId> m_unfolded;
    QHash<SessionId, QueueFold> m_folds;
    QHash<SessionId, GraphNode*> m_nodes;
    QHash<SessionId, SessionId> m_parents; ///< of those drawn
    QList<QGraphicsItem*> m_edges;
    QWidget* m_tools = nullptr;
    QSizeF m_size;
    SessionKey m_selected;
    int m_hidden = 0;
    bool m_fitted = true; ///< until the user zooms
    bool m_quiet = false;
    bool m_clicked = false; ///< what is chosen is below the pointer
};

} // namespace lockscope::ui
