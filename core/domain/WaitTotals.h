// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Harm.h"
#include "core/domain/Snapshot.h"

#include <span>

namespace lockscope {

/// A session that waits for a lock, or a waiter in the queue of a lock table. Points into the snapshot.
struct SessionWait {
    SessionId session; ///< of a waiter in a queue as its row says; invalid: unknown
    std::optional<Age> age; ///< nothing: unknown
    const LockRequest* request = nullptr; ///< that it has waited longest for; null: it is only in a queue
    const LockTableWaiter* queued = nullptr; ///< its place in the queue of a lock table
};

/// Returns who waits, in the order of the snapshot: the one definition for all that counts or times waits.
/// Each session counts once, and a parallel worker as its leader. Each waiter in the queue of a lock table
/// counts, unless it has expired or its row is bad (LockTableWaiter::isWaiting). Waits of the monitor's own
/// sessions are left out. One pass over the requests.
std::vector<SessionWait> waitingSessions(const Snapshot& snapshot);

/// The waits of one snapshot, added up.
struct WaitTotals {
    int waiters = 0; ///< the number of waitingSessions()
    Age longestWait; ///< not exact: at least that long; zero if nobody waits
    SessionId longestWaiter; ///< invalid if nobody waits or the waiter has no known session

    bool operator==(const WaitTotals&) const = default;
};
WaitTotals waitTotals(std::span<const SessionWait> waits);
WaitTotals waitTotals(const Snapshot& snapshot); ///< of waitingSessions()

/// Returns the harm that is done to those in a queue.
Harm harmOf(const LockTableQueue& queue, ServerTime now);
/// Returns the worst queue (isWorse); empty if nobody waits in one.
LockTableQueue worstQueue(const Snapshot& snapshot);

/// Returns what is said of waits of which no blocker is seen.
QString textWithoutBlocker(int waiters);

/// Returns how bad the waits of a server are, for all that shows one level for it. A deadlock is red. Waits
/// behind a head blocker that inherited its queue are as bad as that head: levelOf(Harm). All others
/// together are judged by their number and the longest of them.
AgeLevel levelOf(const Snapshot& snapshot, const AgeThresholds& wait);

} // namespace lockscope
