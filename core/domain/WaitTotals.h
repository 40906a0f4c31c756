// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Harm.h"
#include "core/domain/Snapshot.h"

namespace lockscope {

/// A session that waits for a lock, or a waiter in the queue of a lock table. Points into the snapshot.
struct SessionWait {
    SessionId session; ///< of a waiter in a queue as its row says; invalid: unknown
    std::optional<Age> age; ///< nothing: unknown
    const LockRequest* request = nullptr; ///< that it has waited longest for; null: it is only in a queue
    const LockTableWaiter* queued = nullptr; ///< its place in the queue of a lock table
};

/// Snapshot::waitingSessions(), added up.
struct WaitTotals {
    int waiters = 0;
    Age longestWait; ///< not exact: at least that long; zero if nobody waits
    SessionId longestWaiter; ///< invalid if nobody waits or the waiter has no known session

    bool operator==(const WaitTotals&) const = default;
};
WaitTotals waitTotals(const Snapshot& snapshot);

/// Returns the harm that is done to those in a queue.
Harm harmOf(const LockTableQueue& queue, ServerTime now);
/// Returns the worst queue (isWorse); empty if nobody waits in one.
LockTableQueue worstQueue(const Snapshot& snapshot);

/// Returns what is said of waits of which no blocker is seen.
QString textWithoutBlocker(int waiters);
QString reasonWithoutBlocker(); ///< a sentence below that

/// Returns how bad the waits of a server are, for all that shows one level for it. A deadlock is red. Waits
/// behind a head blocker that inherited its queue are as bad as that head: levelOf(Harm). All others
/// together are judged by their number and the longest of them.
AgeLevel levelOf(const Snapshot& snapshot, const AgeThresholds& wait);

} // namespace lockscope
