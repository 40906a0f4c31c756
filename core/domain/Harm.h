// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"

namespace lockscope {

/// The harm that a head blocker does to others, as far as one poll can show.
struct Harm {
    int victims = 0; ///< sessions that wait for it, directly or not
    /// The waiters that began to wait within the last `joinedWithin`: how fast it grows. Only waits with an
    /// exactly known start are counted.
    int joined = 0;
    milliseconds longestWait{0}; ///< of the victims
    bool longestExact = true; ///< else it is a lower bound

    Age longest() const { return {longestWait, longestExact}; }
    bool operator==(const Harm&) const = default;
};

inline constexpr milliseconds joinedWithin{60'000};

/// Returns the weight by which heads are ranked: what hurts now. Each victim counts, and once more if it came
/// within the last minute; that is multiplied by the longest wait, of which no more than a minute counts (and
/// no less than a second). So a long wait of few is not worse than a short one of many, and what grows goes
/// before what stands.
milliseconds weightOf(const Harm& harm);

/// Returns whether `a` is more urgent than `b`: by weightOf(), then victims, then the longest wait.
bool isWorse(const Harm& a, const Harm& b);

} // namespace lockscope
