// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/scenario/Timeline.h"

#include <span>

namespace lockscope::ui {

/// Which part of a run is on view, and how wide. A value; pure arithmetic.
struct TimeScale {
    qint64 from = 0;
    qint64 to = 1;
    int width = 1; ///< pixels

    double xOf(qint64 at) const { return double(at - from) * width / double(to - from); }
    qint64 at(double x) const { return from + qint64(x * double(to - from) / width); }
    /// Closer by `factor`, the moment at `x` stays where it is; within 0 … `end`.
    TimeScale zoomed(double factor, double x, qint64 end) const;
    TimeScale moved(qint64 by, qint64 end) const;
    /// Round moments for the axis, at least `pixels` apart.
    std::vector<qint64> ticks(int pixels) const;
    /// What stands at such a moment: with as many figures as neighbours need to differ.
    QString tickText(qint64 at, int pixels) const;
    bool operator==(const TimeScale&) const = default;

    static constexpr qint64 shortest = 200; ///< microseconds on view

private:
    qint64 tickStep(int pixels) const;
};

/// What is drawn in one go: spans shorter than a pixel are one piece together, as what they were most of the
/// time; a session that was there is never drawn as away.
struct LanePiece {
    int x = 0;
    int width = 0;
    LaneState state = LaneState::Away;
    const LaneSpan* span = nullptr; ///< null if it stands for several
    bool operator==(const LanePiece&) const = default;
};
std::vector<LanePiece> piecesOf(std::span<const LaneSpan> spans, const TimeScale& scale);
/// The pixels that sections cover, [x, x + width), each once.
struct PixelRun {
    int x = 0;
    int width = 0;
    bool operator==(const PixelRun&) const = default;
};
std::vector<PixelRun> pixelsOf(std::span<const SectionSpan> sections, const TimeScale& scale);

} // namespace lockscope::ui
