// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/kit/charts/TimeLanesView.h"
#include "ui/views/scenarios/Timeline.h"

#include <QWidget>

#include <memory>

class QLabel;
class QPushButton;

namespace lockscope::ui {

class TimelineLegend;
class TimelinePainter;

/// A lane for each session. Keys go from span to span, session to session and loss to loss.
class TimelineView : public TimeLanesView {
    Q_OBJECT

public:
    explicit TimelineView(QWidget* parent = nullptr);
    ~TimelineView() override;
    Q_DISABLE_COPY_MOVE(TimelineView)

    /// Null = none, the reason is shown instead. The part on view stays if it is the same run.
    void show(TimelinePtr timeline);
    const TimelinePtr& timeline() const { return m_timeline; }

    /// Returns the actions for buttons beside it, disabled while there is no timeline: to the loss before,
    /// the next one, further away, closer, all of it.
    QList<QAction*> buttonActions() const
    {
        return QList<QAction*>{m_previousLoss, m_nextLoss} + zoomActions();
    }

    int neededHeight() const; ///< to see all lanes
    /// Marks the first loss, so near that the steps before it can be told apart. Nothing was lost: all stays.
    void openAtFirstLoss();
    /// Marks what a session did at that time, and scrolls to it.
    void choose(int lane, qint64 at);
    int chosenLane() const { return m_lane; } ///< −1 = none
    qint64 chosenAt() const { return m_at; }

Q_SIGNALS:
    void chosen(const QString& description);
    /// Enter or double click on what is marked: of session `number`.
    void locksRequested(int number, const QString& subject);

protected:
    QSize sizeHint() const override { return {600, 260}; }
    std::optional<Measures> measures() const override;
    void makePainter() override;
    void fitLanes(int space) override;
    std::optional<qint64> markedTime() const override;
    QString describe(const Place& place) const override;
    void clicked(const Place& place) override { choose(place.lane, place.at); }
    void paint(QPainter& painter, const QRect& axis, const QRect& lanes) const override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
    const TimelineLane& laneOf(int lane) const { return m_timeline->lanes[static_cast<std::size_t>(lane)]; }
    void addKeys();
    void goToLane(int lane);
    void goToSpan(int step);
    void goToLoss(int step);
    void requestLocks();
    void paintChosen(QPainter& painter) const;

    TimelinePtr m_timeline;
    std::unique_ptr<TimelinePainter> m_painter;
    int m_lane = -1;
    qint64 m_at = 0;
    QAction* m_previousLoss = nullptr;
    QAction* m_nextLoss = nullptr;
};

/// The timeline with its buttons, what is marked in words, and what the colours mean.
class TimelinePanel : public QWidget {
    Q_OBJECT

public:
    enum class Shape {
        Page,
        Strip
    }; ///< takes the space that there is, or just as much as its lanes need, without buttons
    explicit TimelinePanel(Shape shape, QWidget* parent = nullptr);

    void show(const TimelinePtr& timeline); ///< null = none
    /// Letters that much larger than usual, and no buttons, for a hall.
    void setMagnification(double factor);
    /// Sets a page's button below the words that are shown while there is no timeline; empty = none.
    void setEmptyAction(const QString& text);
    TimelineView& view() const { return *m_view; }

Q_SIGNALS:
    void emptyActionTriggered();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeFoot();
    void arrange();

    const Shape m_shape;
    bool m_hasTimeline = false;
    TimelineView* m_view;
    TimelineLegend* m_legend;
    QWidget* m_foot = nullptr; ///< of a page only, as what is in it
    QLabel* m_words = nullptr;
    QPushButton* m_emptyAction = nullptr; ///< of a page only
    double m_factor = 1;
};

} // namespace lockscope::ui
