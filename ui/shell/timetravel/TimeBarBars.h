// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Thresholds.h"
#include "ui/kit/charts/TimeScale.h"
#include "ui/shell/timetravel/TimeBarRecord.h"

#include <vector>

namespace lockscope::ui {

/// Pixels beside each other that are alike.
struct TimeBarPiece {
    int x = 0;
    int width = 1;
    int waiting = 0;
    milliseconds longest{0};
    bool operator==(const TimeBarPiece&) const = default;
};

/// Returns the worst of each pixel in which something was seen, in order of x: a snapshot lasts until the
/// next poll, unless that came later than `slowest` or there is a gap between. Where nothing was seen there
/// is no piece.
std::vector<TimeBarPiece> piecesOf(const TimeBarRecord& known, const TimeScale& scale, microseconds slowest);

/// Returns the height of a wait, 0 … 1, where `longest` is on view: in proportion, with a little space above
/// the longest one. What does not matter yet fills the height in no case.
double waitHeight(milliseconds wait, milliseconds longest, const AgeThresholds& thresholds);
/// The same of a number of waiters.
double waitersHeight(int waiting, int maxWaiting);

} // namespace lockscope::ui
