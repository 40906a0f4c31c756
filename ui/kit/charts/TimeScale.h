// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ServerTime.h"

#include <QString>

#include <vector>

class QPainter;
class QRect;

namespace lockscope::ui {

inline constexpr double zoomStep = 1.4; ///< of one notch of the wheel
inline constexpr double stillPixels = 4; ///< the mouse moves that little in a click

/// The range of time on view, in microseconds, and its width. A value; pure arithmetic.
struct TimeScale {
    qint64 from = 0;
    qint64 to = 1;
    int width = 1; ///< pixels

    double xOf(qint64 at) const { return double(at - from) * width / double(to - from); }
    qint64 at(double x) const { return from + qint64(x * double(to - from) / width); }
    /// Returns a scale that is closer by `factor`, with the same time at `x`; within `begin` … `end`, and
    /// `least` at the closest.
    TimeScale zoomed(double factor, double x, qint64 end, qint64 begin = 0, qint64 least = shortest) const;
    TimeScale moved(qint64 by, qint64 end, qint64 begin = 0) const;
    /// All multiples of that on view.
    std::vector<qint64> multiplesOf(qint64 stride) const;
    /// Returns the least distance of round times with so many pixels between them.
    double leastStride(int pixels) const;
    /// Returns round times for an axis that begins with a run, at least `pixels` apart.
    std::vector<qint64> ticks(int pixels) const { return multiplesOf(tickStep(pixels)); }
    /// Returns the text at such a time: with as many figures as neighbours need to differ.
    QString tickText(qint64 at, int pixels) const;
    bool operator==(const TimeScale&) const = default;

    static constexpr qint64 shortest = 200; ///< microseconds on view

private:
    qint64 tickStep(int pixels) const;
};

/// A place on the axis of times of day, UTC.
struct AxisTick {
    qint64 at = 0; ///< microseconds since 1970
    QString text; ///< "12:04", "12:04:30"; where a day begins "22 Nov"
    bool isDay = false;
    bool operator==(const AxisTick&) const = default;
};
/// Round times of day on view, at least `pixels` apart.
std::vector<AxisTick> axisTicks(const TimeScale& scale, int pixels);
/// Paints ticks at the bottom of `area`, whose scale begins behind `gutter`, and their texts, which never
/// stick out, with the painter's font and pen.
void paintTicks(QPainter& painter, const QRect& area, int gutter, const TimeScale& scale,
    const std::vector<AxisTick>& ticks);

QString dayText(ServerTime at); ///< "Sun 22 Nov"

} // namespace lockscope::ui
