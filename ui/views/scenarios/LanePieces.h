// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/kit/charts/TimeScale.h"
#include "ui/views/scenarios/Timeline.h"

#include <span>
#include <vector>

namespace lockscope::ui {

/// A piece that is drawn in one go: spans shorter than a pixel are one piece together, in the state that they
/// had most of the time; a session that was there is never drawn as away.
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

/// The losses on view, counted by columns of some pixels. The columns begin at whole multiples of their
/// length, so that they stay the same while the view moves.
struct LossColumns {
    qint64 length = 1; ///< of a column, in microseconds
    qint64 first = 0; ///< the number of the first one: it begins at first * length
    std::vector<int> counts;
    int total() const;
    int maximum() const;
};
LossColumns lossColumnsOf(const Timeline& timeline, const TimelineLane& lane, const TimeScale& scale);

} // namespace lockscope::ui
