// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/BackgroundThread.h"
#include "core/db/Server.h"
#include "core/locks/AcquireRequest.h"

namespace lockscope::locks {

class LeaseKeeper;

/// The result of a request, without the grant: that belongs to its thread.
struct Obtained {
    Outcome outcome = Outcome::Denied;
    milliseconds waited{0};
    std::optional<LockOwnerInfo> heldBy;
    QString token; ///< this and the rest: lock table only
    qint64 fencing = 0;
    ServerTime acquiredAt;
    std::optional<ServerTime> expiresAt;

    bool isGranted() const { return locks::isGranted(outcome); }
};

/// Called on the holder's thread. Empty ones are not called.
struct LockEvents {
    /// Somebody else has it; the request goes on waiting.
    std::function<void(const std::optional<LockOwnerInfo>&)> waiting;
    std::function<void(const Result<Obtained>&)> answered;
    std::function<void(const Result<void>&)> ended; ///< of a lock that was obtained
    /// A loss is the end: nothing works under the lock that would have to be stopped first.
    bool endsWithLoss = false;
};

/// A lock that is requested, held and released by a thread and a connection of its own, so that no caller
/// waits for the network longer than its limit: under Lock, HeldLock and the commands of lockctl.
class LockHolder {
public:
    /// Asks for the lock at once. An empty `keeper` = one of its own.
    LockHolder(db::Server server, LockOptions options, LossHandler lost, LockEvents events = {},
        std::shared_ptr<LeaseKeeper> keeper = {});
    /// Lets the thread go. It gives back what it still has, if there is time for it.
    ~LockHolder();
    Q_DISABLE_COPY_MOVE(LockHolder)

    const LockOptions& options() const;
    /// Returns the result of the request; nothing if the server did not answer soon after cancel().
    std::optional<Result<Obtained>> waitForAnswer();
    /// Ends the wait for the lock. Any thread.
    void cancel();

    /// Gives it back, and waits for that as long as Grant::release does, or for `limit` if that is less.
    Result<void> release(milliseconds limit = maxRelease());
    /// release() ends soon. Any thread.
    void hurryRelease();
    /// Leaves the entry there.
    void abandon();

    /// Returns the end by the server's clock, as far as it was confirmed.
    std::optional<ServerTime> expiresAt() const;

    static milliseconds maxRelease();

private:
    struct Worker;
    const std::shared_ptr<Worker> m_worker;
    BackgroundThread m_thread;
};

} // namespace lockscope::locks
