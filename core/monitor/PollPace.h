// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"
#include "core/domain/Snapshot.h"

#include <algorithm>
#include <chrono>

namespace lockscope::monitor {

/// True with a waiter for a lock of the server's, or in the queue of a lock table.
inline bool isSomebodyWaiting(const Snapshot& snapshot)
{
    return !snapshot.waits.empty() || !snapshot.entryWaiters.empty();
}

/// Returns the longest time between two polls that follow on each other, as in recordings: one that comes
/// later leaves a gap.
inline milliseconds longestStep(milliseconds interval)
{
    return std::max(interval * 5 / 2, milliseconds(1'000));
}

/// Computes the pause between polls: a poll fills no more than a share of the time. A single slow poll proves
/// nothing about what a poll costs the server, so the quicker one of the last two counts. While somebody
/// waits for a lock the pause is three seconds at most: then is when it matters.
class PollPace {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr milliseconds maxWhileWaited{3'000};

    /// Sets the share of the time that polls may fill, a quarter by default; while somebody waits for a lock
    /// they may fill more.
    void setShare(double share) { m_pollsPerPause = 1 / share; }
    /// A poll was answered: how long the server took, and whether somebody waits. Connecting, writing and
    /// pruning are no part of it.
    void note(Clock::duration poll, bool isSomebodyWaiting)
    {
        m_before = m_last;
        m_last = poll;
        m_isSomebodyWaiting = isSomebodyWaiting;
    }
    /// Returns the pause from one poll to the next.
    milliseconds pause(milliseconds interval) const
    {
        return std::max(
            interval, bounded(std::chrono::ceil<milliseconds>(m_pollsPerPause * std::min(m_last, m_before))));
    }
    /// Returns true if a poll takes more than a quarter of the interval, whatever the budget is.
    bool isSlow(milliseconds interval) const { return 4 * std::min(m_last, m_before) > interval; }
    /// A pause that is longer for another reason, as after a poll that was not answered in time.
    milliseconds bounded(milliseconds pause) const
    {
        return m_isSomebodyWaiting ? std::min(pause, maxWhileWaited) : pause;
    }

private:
    double m_pollsPerPause = 4;
    Clock::duration m_last{0};
    Clock::duration m_before{0};
    bool m_isSomebodyWaiting = false;
};

} // namespace lockscope::monitor
