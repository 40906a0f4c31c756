// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/TimeScale.h"
#include "ui/scenario/Timeline.h"

#include <QAbstractScrollArea>

#include <memory>

namespace lockscope::ui {

class TimelinePainter;

/// A lane for each session. Wheel zooms where the mouse is, dragging moves, Shift+wheel scrolls in time; all
/// of it, and going from span to span, session to session and loss to loss, by keys too.
class TimelineView : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit TimelineView(QWidget* parent = nullptr);
    ~TimelineView() override;
    Q_DISABLE_COPY_MOVE(TimelineView)

    /// Null = none, the reason is shown instead. The part on view stays if it is the same run.
    void show(TimelinePtr timeline);
    void setEmptyText(const QString& title, const QString& hint);
    const TimelinePtr& timeline() const { return m_timeline; }

    /// What buttons beside it do, disabled while there is no timeline: to the loss before, the next one,
    /// further away, closer, all of it.
    QList<QAction*> buttonActions() const { return {m_previousLoss, m_nextLoss, m_further, m_closer, m_all}; }

    const TimeScale& scale() const { return m_scale; }
    void showAll();
    int neededHeight() const; ///< to see all lanes
    /// Marks what a session did at that moment, and scrolls to it.
    void choose(int lane, qint64 at);
    int chosenLane() const { return m_lane; } ///< −1 = none
    qint64 chosenAt() const { return m_at; }

Q_SIGNALS:
    void chosen(const QString& description);
    /// Enter or double click on what is marked: of session `number`.
    void locksRequested(int number, const QString& subject);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    QSize sizeHint() const override { return {600, 260}; }

private:
    struct Place {
        int lane = -1;
        qint64 at = 0;
    };
    Place placeAt(const QPointF& position) const;
    void setScale(const TimeScale& scale);
    void zoom(double factor, double x);
    void layOut();
    void makePainter();
    void addKeys();
    void zoomAtChosen(double factor);
    void goToLane(int lane);
    void turnPage(int step);
    void goToSpan(int step);
    void goToLoss(int step);
    void requestLocks();
    int top() const; ///< where lane 0 begins
    QString descriptionOfChosen() const;
    void paintChosen(QPainter& painter) const;
    void paintEmpty(QPainter& painter) const;

    TimelinePtr m_timeline;
    std::unique_ptr<TimelinePainter> m_painter;
    TimeScale m_scale;
    bool m_showsAll = true; ///< until the user zooms
    int m_lane = -1;
    qint64 m_at = 0;
    std::optional<QPoint> m_drag; ///< where the mouse was last
    bool m_hasMoved = false;
    bool m_isSettingBars = false;
    QList<QAction*> m_actions;
    QAction* m_previousLoss = nullptr;
    QAction* m_nextLoss = nullptr;
    QAction* m_further = nullptr;
    QAction* m_closer = nullptr;
    QAction* m_all = nullptr;
    QString m_emptyTitle;
    QString m_emptyHint;
};

} // namespace lockscope::ui
