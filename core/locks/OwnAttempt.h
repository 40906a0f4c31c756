// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/ServerUrl.h"
#include "core/locks/AcquireRequest.h"

#include <atomic>

namespace lockscope::locks {

/// A lock that a thread of this program took and whose steps have a listener. Kept by the holder of the lock;
/// once destroyed, it counts no more.
struct OwnHolding {
    OwnLock lock;
    std::function<bool()> isHeld; ///< asked on the thread that took the lock
    std::atomic<bool> isOver = false; ///< any thread
};
using OwnHoldingPtr = std::shared_ptr<OwnHolding>;

/// The lock's name for listeners.
OwnLock ownLock(
    const db::ServerUrl& url, LockKind kind, const AcquireRequest& request, const Surrogates& surrogates);

/// One acquire, for listeners: made before it, so that it knows what the thread has by then. Of one thread.
class OwnAttempt {
public:
    explicit OwnAttempt(OwnLock lock);

    /// The part of a grant beside its lock.
    struct Granted {
        SessionKey session;
        ServerTime at;
        std::function<bool()> isHeld;
    };
    /// To be kept as long as the lock is held; null if it was not granted. The listener is not called for a
    /// lock that was requested only if it is free: nobody waits for such a one. It counts as held, though.
    OwnHoldingPtr end(
        const OwnStepListener& listener, const AcquireRequest& request, Outcome outcome, Granted granted);

private:
    OwnStep m_step;
};

} // namespace lockscope::locks
