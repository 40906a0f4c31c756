// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/shell/timetravel/TimeBarPainter.h"
#include "ui/shell/timetravel/TimeBarRecord.h"

#include <QPixmap>
#include <QTimer>
#include <QWidget>

#include <memory>

namespace lockscope::ui {

/// The drawn part of a time bar. A click or drag moves the position, on the axis it marks a range; the wheel
/// zooms where the pointer is, a drag with Ctrl zooms to what it passes, the right button or Shift moves what
/// is on view; a double click shows an incident as a whole.
class TimeBarStrip : public QWidget {
    Q_OBJECT

public:
    using Range = TimeBarPainter::Range;

    explicit TimeBarStrip(QWidget* parent = nullptr);

    // As those of TimeBar.
    void setData(const TimeBarData& answer);
    void setSpan(ServerTime first, ServerTime last);
    void clear();
    void setPosition(std::optional<ServerTime> position, std::optional<ServerTime> shown = {});
    void setLiveAvailable(bool available);
    void setRange(std::optional<Range> range);
    void setThresholds(const AgeThresholds& wait);
    void setIncidents(const QList<TimeBarIncident>& incidents);
    void setMessage(const QString& message);
    void refresh() { askAll(); }

    const std::optional<ServerTime>& position() const { return m_position; }
    const std::optional<Range>& range() const { return m_range; }
    const TimeBarRange& visibleRange() const { return m_visibleRange; }
    bool isLiveAvailable() const { return m_isLiveAvailable; }
    /// The one on view, or where live is.
    ServerTime shownTime() const { return m_position.value_or(m_visibleRange.last()); }
    QString positionWords() const; ///< for who can't see it
    QString shownWords() const; ///< the text at the position
    /// Returns the present places of its parts.
    TimeBarGeometry geometryNow() const { return {size(), font()}; }
    QRect rangeLabelNow() const;

    void zoom(double factor, std::optional<double> x = {}); ///< nothing: at the position
    void showRange(ServerTime from, ServerTime to) { showMoved(m_visibleRange.show(from, to)); }
    void showLast(std::optional<microseconds> length) { showMoved(m_visibleRange.showLast(length)); }
    void showEnd() { showMoved(m_visibleRange.showEnd()); }
    void showIncidentAt(ServerTime at); ///< as a whole, with a little of what was before and after; or closer
    bool isIncidentAt(ServerTime at) const { return m_known.incidentAt(at).has_value(); }
    void choose(ServerTime at); ///< by keys: within what there is
    void markRangeBegin(ServerTime at);
    void markRangeEnd(ServerTime at);

Q_SIGNALS:
    void visibleRangeChanged(lockscope::ServerTime from, lockscope::ServerTime to, int columns);
    void positionChosen(lockscope::ServerTime at);
    void liveRequested();
    void rangeChanged();
    void menuRequested(const QPoint& place, lockscope::ServerTime at); ///< on the screen; what was pointed at

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    QSize sizeHint() const override { return {600, TimeBarGeometry::height(font())}; }
    QSize minimumSizeHint() const override { return {160, TimeBarGeometry::height(font())}; }

private:
    enum class Drag : quint8 { None, Position, Move, NewRange, RangeBegin, RangeEnd, Zoom };
    struct Asked {
        ServerTime from;
        ServerTime to;
        qint64 perColumn = 0;
        ServerTime last; ///< that there was then
        bool isPart = false;
    };

    void showMoved(bool isOther); ///< asks for what is new on view, if anything is
    void ask(ServerTime from, bool isPart);
    void askAll();
    void askTail();
    void makeScene();
    void dirty(const QRect& area);
    void updatePosition(); ///< of the line, where it was and where it is
    void emitPosition();
    std::optional<double> shownX() const;
    double plotX(const QPointF& place) const;
    ServerTime timeAt(double x) const; ///< the worst of what is drawn there
    Drag dragAt(const QMouseEvent& event) const;
    void dragTo(double x);
    void choosePlace(double x);
    void showTip(const QPoint& place, const QPoint& onScreen);
    void showCursor(const QMouseEvent& event);
    QAction* actionOf(const QKeyEvent& event) const;

    TimeBarRange m_visibleRange;
    TimeBarRecord m_known;
    qint64 m_knownColumn = 0; ///< the width of its columns
    ServerTime m_knownLast; ///< complete until then
    QList<Asked> m_asked; ///< without an answer yet
    QTimer m_askAll;
    QTimer m_askTail;
    std::optional<ServerTime> m_position;
    std::optional<ServerTime> m_timeInText; ///< at the position
    std::optional<Range> m_range;
    std::optional<Range> m_zoom; ///< the range on view when the drag ends
    bool m_isLiveAvailable = true;
    AgeThresholds m_thresholds;
    QString m_message;

    TimeBarScene m_scene;
    std::unique_ptr<TimeBarPainter> m_painter;
    QPixmap m_still; ///< the scene as drawn
    QRect m_dirty; ///< the part that must be drawn again
    std::optional<double> m_positionDrawn; ///< the last place of the line
    QString m_wordsDrawn;
    QRect m_positionArea;

    Drag m_drag = Drag::None;
    QPointF m_pressed;
    TimeBarRange m_rangePressed;
    bool m_hasMoved = false;
};

} // namespace lockscope::ui
