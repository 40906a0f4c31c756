// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/Recording.h"

#include <QString>

#include <optional>

namespace lockscope::record {

/// Judges the time between two polls: whether it is a gap, and why. One that a slow server explains goes on
/// in the same segment: Poll::isLate() finds it there.
class PollPauses {
public:
    struct Times {
        ServerTime taken;
        ServerTime noted; ///< by this machine's clock
        PollTiming timing;
    };
    /// Returns why the segment ends before the poll `now`, for Segment::endReason; nothing: it goes on.
    std::optional<QString> segmentEnd(const Times& now) const;
    /// Returns the longest intended pause between the poll before and the one `now`; 0: not known.
    microseconds interval(const Times& now) const;
    void note(const Times& now);

private:
    Times m_last;
    microseconds m_lastPause{0};
};

} // namespace lockscope::record
