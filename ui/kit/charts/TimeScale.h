// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ServerTime.h"

#include <QString>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

class QPainter;
class QRect;

namespace lockscope::ui {

inline constexpr double zoomStep = 1.4; ///< of one notch of the wheel
inline constexpr double moveStep = 0.15; ///< of what is on view, the same
inline constexpr double stillPixels = 4; ///< the mouse moves that little in a click

/// Returns the multiple of `step` at `value` or before.
constexpr qint64 floorTo(qint64 value, qint64 step)
{
    return value - (value % step + step) % step;
}

/// The range of time on view, in microseconds, and its width. All that is drawn over time takes its places
/// and its round times from here. A value; pure arithmetic.
struct TimeScale {
    qint64 from = 0;
    qint64 to = 1;
    int width = 1; ///< pixels

    qint64 length() const { return to - from; }
    double xOf(qint64 at) const { return double(at - from) * width / double(to - from); }
    qint64 at(double x) const { return from + qint64(x * double(length()) / width); }
    /// Returns the pixel that a time is in, without the errors of rounding: 0 … width.
    int pixelOf(qint64 at) const { return int((std::clamp(at, from, to) - from) * width / length()); }
    /// The place of a range.
    struct Pixels {
        double left = 0;
        double right = 0;
        double width() const { return right - left; }
    };
    /// Returns the visible part of a range, cut off `beyond` pixels outside; nothing if it is off view.
    std::optional<Pixels> visible(qint64 begin, qint64 end, double beyond = 0) const;
    /// Returns a scale that is closer by `factor`, with the same time at `x`; within `begin` … `end`, and
    /// `least` at the closest.
    TimeScale zoomed(double factor, double x, qint64 end, qint64 begin = 0, qint64 least = shortest) const;
    TimeScale moved(qint64 by, qint64 end, qint64 begin = 0) const;
    bool operator==(const TimeScale&) const = default;

    static constexpr qint64 shortest = 200; ///< microseconds on view
};

/// A round time on an axis.
struct AxisTick {
    qint64 at = 0; ///< microseconds, as those of the scale
    QString text;
    bool isDay = false; ///< a day begins there
    bool operator==(const AxisTick&) const = default;
};
/// Returns times of day, UTC, at least `pixels` apart: "12:04", "12:04:30"; where a day begins "22 Nov".
std::vector<AxisTick> axisTicks(const TimeScale& scale, int pixels);
/// Returns times since a run began, with as many figures as neighbours need to differ: "1.25 s".
std::vector<AxisTick> runTicks(const TimeScale& scale, int pixels);
/// Returns times before the end of what is shown, at 0, and its two ends: "−5", "−4 min", "−2", `endText`.
std::vector<AxisTick> ticksBefore(std::chrono::seconds shown, const QString& endText);
/// Paints ticks at the bottom of `area`, whose scale begins behind `gutter`, and their texts, which never
/// stick out, with the painter's font and pen.
void paintTicks(QPainter& painter, const QRect& area, int gutter, const TimeScale& scale,
    const std::vector<AxisTick>& ticks);

QString dayText(ServerTime at); ///< "Sun 22 Nov"

} // namespace lockscope::ui
