// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/OwnLock.h"
#include "core/order/PotentialDeadlock.h"

#include <memory>

namespace lockscope::order {

/// The order in which the threads of this program take their locks, noted by the library as it takes them:
///
/// - A lock that a thread has when it asks for another came before it, on whatever connection it is: the
///   thread waits with all that it has. So it is known of each step, and a ring over two servers is found,
///   which no server sees.
/// - A lock that is given back before the next one is asked for has no order with it. One that is asked for
///   without waiting comes after nothing: nobody waits for it so.
/// - Names count by their pattern, see namePattern(): "order:17" and "order:4" are locks of one class.
///
/// Opposite orders are potential deadlocks, with a witness for each, though none has happened; not if both
/// had a third lock meanwhile that keeps them apart.
///
/// Unknown are the locks of other programs, those that statements take by themselves, and other threads that
/// work under a lock which one has taken and handed on. Any thread; copies share what they know. Bounded as
/// LockOrder is.
class OrderOfGrants {
public:
    /// Returns what the thread that takes a lock is doing, called on that thread for each step: the
    /// `statement` of a witness. Empty = unknown.
    using Activity = std::function<QString()>;
    explicit OrderOfGrants(Activity activity = {});

    /// To be given to each strategy and each lock that is to count: LockStrategy::setStepListener,
    /// LockOptions::stepListener. May outlive this object.
    OwnStepListener listener() const;
    void note(const OwnStep& step);

    /// Computes, at each call, the potential deadlocks of all steps so far.
    Findings potentialDeadlocks(Guarded guarded = Guarded::LeftOut) const;
    /// A copy.
    LockOrder order() const;

private:
    struct Shared;
    std::shared_ptr<Shared> m_shared;
};

} // namespace lockscope::order
