// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"
#include "core/domain/StrongComponents.h"
#include "core/domain/Thresholds.h"

#include <QString>

namespace lockscope {

/// The harm that a head blocker does to others, as far as one poll can show.
struct Harm {
    int victims = 0; ///< sessions that wait for it, directly or not
    /// The waiters that began to wait within the last `joinedWithin`: how fast it grows. Only waits with an
    /// exactly known start are counted.
    int joined = 0;
    milliseconds longestWait{0}; ///< of the victims
    bool longestExact = true; ///< else it is a lower bound
    /// A head that waited itself before, as polls saw, has been the head for this long at most. The
    /// queue is older, and was made by others. Nothing: it was the head all the time, as far as is known.
    std::optional<milliseconds> inheritedWithin{};
    bool hasWhatItWaitedFor = false; ///< others wait for the same; else it held that before

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

/// From so many on, blocked sessions are trouble however short they have waited so far.
inline constexpr int manyBlocked = 100;

/// Returns how bad it is: by the longest wait, red at once if many are blocked. A head that inherited its
/// queue is amber at most until its own time is as long as a wait that is red.
AgeLevel levelOf(const Harm& harm, const AgeThresholds& wait);

/// "has had it for at most 4 s", of a head that inherited its queue; else empty.
QString inheritedText(const Harm& harm);
/// "blocks 13 for 11 min", "blocks 13, has had it for at most 4 s; the queue is 11 min old".
QString blocksText(const Harm& harm);
QString blocksText(const Harm& harm, const QString& longest); ///< the same, `longest` for the longest wait

/// The sessions that wait for one component of the blocking graph, directly or not. Each session counts once,
/// however many ways lead to it.
struct Victims {
    int count = 0;
    int depth = 0; ///< longest chain
    Age longestWait{milliseconds(0), false};
    int joined = 0; ///< of `count`; only for components that nobody blocks
};

/// The wait of one node.
struct NodeWait {
    Age age{milliseconds(0), false};
    bool joined = false; ///< it began to wait a short time ago
    bool isOwn = false; ///< of the monitor itself
};

/// Returns the victims by component. `waiters` and `waits` are by node. A forest takes linear time; where
/// chains meet again, sets of bits are joined, in portions that bound the memory.
std::vector<Victims> countVictims(
    const StrongComponents& components, const Adjacency& waiters, const std::vector<NodeWait>& waits);

} // namespace lockscope
