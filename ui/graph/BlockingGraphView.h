// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/AgeThresholds.h"
#include "ui/graph/LayeredLayout.h"

#include <QGraphicsView>

namespace lockscope::ui {

class GraphNode;

/// The waits as a drawing: boxes are sessions, lines lead from each waiter to whom it waits for. Wheel zooms,
/// dragging moves, double click fits. Boxes stay the same items over refreshes, so the selection does, too.
class BlockingGraphView : public QGraphicsView {
    Q_OBJECT

public:
    explicit BlockingGraphView(QWidget* parent = nullptr);
    ~BlockingGraphView() override;
    Q_DISABLE_COPY_MOVE(BlockingGraphView)

    void draw(const std::vector<BlockingNode>& forest, const std::vector<WaitEdge>& waits, ServerTime now,
        const LockThresholds& thresholds);
    void select(SessionKey key);
    static constexpr int mostNodes = 400; ///< beyond, only the worst chains are drawn

Q_SIGNALS:
    void chosen(lockscope::SessionKey key);

protected:
    void wheelEvent(QWheelEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;
    void changeEvent(QEvent* event) override;

private:
    void fit();
    void drawEdges(const std::vector<WaitEdge>& waits);

    QHash<SessionId, GraphNode*> m_nodes;
    QList<QGraphicsItem*> m_edges;
    QSizeF m_size;
    int m_hidden = 0;
    bool m_fitted = true; ///< until the user zooms
    bool m_quiet = false;
};

} // namespace lockscope::ui
