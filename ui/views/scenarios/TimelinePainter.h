// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/scenarios/Timeline.h"

#include <QFont>
#include <QPalette>
#include <QRect>

#include <optional>
#include <vector>

class QPainter;

namespace lockscope::ui {

/// Draws a timeline onto anything: the window, a picture. Red is what was lost, and nothing else. Colour is
/// never alone: waiting is hatched, working is thin, dead is crossed out, and marks are letters.
class TimelinePainter {
public:
    TimelinePainter(const Timeline& timeline, const QPalette& palette, const QFont& font);

    int gutter() const { return m_gutter; } ///< the width of the names
    int axisHeight() const { return m_axis; }
    int laneHeight() const { return m_lane; }
    /// Sets the lanes' height to fill that space, within reason.
    void fitLanes(int space);
    int legendHeight(int width) const;
    /// Counts the losses of each lane, where more of them are on view than marks have space. Nothing: each is
    /// marked.
    struct Density {
        std::vector<LossColumns> lanes;
        int maximum = 0; ///< of a column
    };
    std::optional<Density> densityOn(const TimeScale& scale) const;

    /// The names of sessions and their lanes. `top` is where lane 0 begins; only what meets `area` is drawn.
    void paintLanes(QPainter& painter, const QRect& area, int top, const TimeScale& scale) const;
    /// Paints a red edge where something was lost.
    void paintAxis(QPainter& painter, const QRect& area, const TimeScale& scale) const;
    void paintLegend(QPainter& painter, const QRect& area) const;
    enum class Head { WithTitle, None };
    /// Paints everything on paper: title and verdict, axis, all lanes, legend.
    void paintWhole(QPainter& painter, const TimeScale& scale, Head head = Head::WithTitle) const;
    QSize wholeSize(int width, Head head = Head::WithTitle) const;

private:
    struct Swatch;
    QList<Swatch> swatches() const;
    template <class Place> int placeSwatches(int width, Place place) const;
    QColor colorOf(LaneState state) const;
    enum class Losses { Marked, Counted };
    void paintLane(QPainter& painter, const TimelineLane& lane, const QRect& area, const TimeScale& scale,
        Losses losses) const;
    void paintPiece(QPainter& painter, const QRect& lane, int x, int width, LaneState state) const;
    void paintLabel(
        QPainter& painter, const QRect& lane, const TimelineLane& of, const LanePiece& piece) const;
    void paintSections(QPainter& painter, const TimelineLane& lane, const QRect& area, const TimeScale& scale,
        Losses losses) const;
    void paintDensity(QPainter& painter, const LossColumns& columns, int maximum, const QRect& area,
        const TimeScale& scale) const;
    void paintLossEdge(QPainter& painter, const QRect& area, const TimeScale& scale) const;
    void paintSection(QPainter& painter, const QRect& lane, int x, int width, bool overlaps) const;
    void paintMarks(QPainter& painter, const TimelineLane& lane, const QRect& area, const TimeScale& scale,
        Losses losses) const;
    void paintMark(QPainter& painter, const QRect& lane, double x, MarkKind kind) const;
    void paintSteps(QPainter& painter, const QRect& area, int top, const TimeScale& scale) const;
    void paintStepAxis(QPainter& painter, const QRect& area, const TimeScale& scale) const;
    double markSize() const;
    int titleHeight(int width, Head head) const;

    const Timeline& m_timeline;
    const QPalette m_palette;
    const QFont m_font;
    const QFont m_small;
    int m_gutter = 0;
    int m_axis = 0;
    int m_leastLane = 0;
    int m_lane = 0;
};

} // namespace lockscope::ui
