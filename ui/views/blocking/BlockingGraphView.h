// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/BlockingForest.h"
#include "core/domain/Thresholds.h"

#include <QGraphicsItem>
#include <QGraphicsView>
#include <QHash>
#include <QPointF>
#include <QSet>
#include <QSizeF>

namespace lockscope::ui {

/// The place of each session in the drawing: heads on the left, each wait one column further right; a blocker
/// is centred beside its waiters. Positions are those of the top left corners. O(n).
struct LayeredLayout {
    QHash<SessionId, QPointF> positions;
    QSizeF size;
};

LayeredLayout layeredLayout(const std::vector<BlockingNode>& forest, QSizeF node, QSizeF gap);

/// Stands in a drawing for the rest of a long queue.
struct QueueFold {
    SessionId blocker; ///< the session that they wait for
    std::vector<SessionKey> sessions; ///< those that are not drawn; of an open fold, those that would not be
    bool open = false;
};

/// The forest as it is drawn: of waiters of one blocker that nobody waits for, only the first few; a node of
/// its own says how many more there are. `open`: blockers whose queues are drawn whole; their extra node
/// folds them again.
struct FoldedForest {
    std::vector<BlockingNode> forest;
    QHash<SessionId, QueueFold> folds; ///< by the id of the extra node, which no session has
};

FoldedForest foldQueues(const std::vector<BlockingNode>& forest, const QSet<SessionId>& open);

inline constexpr size_t waitersBeforeFold = 6; ///< so many are drawn; a fold stands for three or more

/// One session in the drawing: number and program, below them a sign and a word. Head blockers have six
/// corners, waiters four, the rest of a folded queue is a pile. A framework that the
/// session works for stands in place of the program. Its text keeps its size when it is made smaller: then
/// there is less of it.
class GraphNode : public QGraphicsItem {
public:
    enum class Shape : quint8 { Head, Waiter, Fold };
    static constexpr QSizeF size{168, 46};

    GraphNode();

    void setContent(const BlockingRow& row, Shape shape, AgeLevel level, const QString& word);
    const BlockingRow& row() const { return m_row; }
    Shape nodeShape() const { return m_shape; }
    /// Returns the readable texts at a scale, a line each: all that fit.
    QStringList linesAt(double scale) const;

    QRectF boundingRect() const override { return QRectF(QPointF(0, 0), size).adjusted(-2, -2, 8, 8); }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    QPainterPath outline() const;
    void paintNameAndBadge(QPainter& painter, const QRectF& area, Qt::AlignmentFlag upper) const;
    QRectF textArea() const;

    BlockingRow m_row;
    Shape m_shape = Shape::Waiter;
    AgeLevel m_level = AgeLevel::Normal;
    QString m_word;
};

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
