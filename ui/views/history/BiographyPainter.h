// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/kit/charts/TimeScale.h"
#include "ui/views/history/BiographyLanes.h"

#include <QFont>
#include <QPalette>
#include <QRect>

class QPainter;

namespace lockscope::ui {

/// Draws the history of a lock or a session: holders above, waiters below. Colour is never alone: waiting is
/// hatched, what nobody saw is crossed, hand-overs are arrows.
class BiographyPainter {
public:
    BiographyPainter(const record::Biography& biography, const std::vector<BiographyLane>& lanes,
        const QPalette& palette, const QFont& font);

    int gutter() const { return m_gutter; } ///< the width of the names
    int axisHeight() const { return m_axis; }
    int laneHeight() const { return m_lane; }

    /// Names and lanes; `top` is where lane 0 begins; only what meets `area` is drawn.
    void paintLanes(QPainter& painter, const QRect& area, int top, const TimeScale& scale) const;
    /// Paints a mark at `around`, where the history was requested.
    void paintAxis(QPainter& painter, const QRect& area, const TimeScale& scale, ServerTime around) const;
    /// The place of a line in its lane.
    QRectF barOf(const record::HistoryLine& line, int laneTop, const TimeScale& scale) const;

private:
    void paintGaps(QPainter& painter, const QRect& area, const TimeScale& scale) const;
    void paintLine(
        QPainter& painter, const record::HistoryLine& line, int laneTop, const TimeScale& scale) const;
    void paintHandOvers(QPainter& painter, const QRect& area, int top, const TimeScale& scale) const;

    const record::Biography& m_biography;
    const std::vector<BiographyLane>& m_lanes;
    const QPalette m_palette;
    const QFont m_font;
    const QFont m_small;
    QHash<qsizetype, int> m_laneOf; ///< by line
    int m_gutter = 0;
    int m_axis = 0;
    int m_lane = 0;
};

} // namespace lockscope::ui
