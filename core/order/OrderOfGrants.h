// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/LockTable.h"
#include "core/order/PotentialDeadlock.h"

#include <memory>

namespace lockscope::order {

/// The order in which the threads of this program take their locks, noted by the library as it takes them:
///
/// - A lock that a thread holds when it requests another one came before it, on any connection, because the
///   thread holds all its locks while it waits. So each step is known, and a ring over two servers is found,
///   which no server sees.
/// - A lock that is released before the next request has no order with it. A request without waiting has no
///   predecessors, because it can't wait.
/// - Names count by their pattern, see namePattern(): "order:17" and "order:4" are locks of one class.
///
/// Opposite orders are a potential deadlock, with a witness for each, even if none has happened. They are not
/// if both threads held a third lock that keeps them apart.
///
/// Not known are the locks of other programs, those that statements take by themselves, and threads that work
/// under a lock which another thread has taken. Any thread; copies share their data. Bounded as LockOrder is.
class OrderOfGrants {
public:
    /// Returns the present work of the calling thread, which becomes the `statement` of a witness; empty =
    /// unknown. Called for each step, on the thread that takes the lock.
    using Activity = std::function<QString()>;
    explicit OrderOfGrants(Activity activity = {});

    /// Returns a function to pass to each lock that is to count, as LockOptions::stepListener. It may outlive
    /// this object.
    OwnStepListener listener() const;
    void note(const OwnStep& step); ///< adds one step; the listener calls it

    /// Returns the potential deadlocks in all steps so far. Computed at each call.
    Findings potentialDeadlocks(Guarded guarded = Guarded::LeftOut) const;
    /// Returns a copy of the orders seen so far.
    LockOrder order() const;

private:
    struct Shared;
    std::shared_ptr<Shared> m_shared;
};

} // namespace lockscope::order
