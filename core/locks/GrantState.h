// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/AcquireRequest.h"
#include "core/locks/Grant.h"
#include "core/locks/LeaseKeeper.h"
#include "core/locks/LockBackend.h"

#include <atomic>

namespace lockscope::locks {

/// The data of a Grant. The duration of its lock decides how it is released: an entry of the lock table up to
/// its lease, an application lock up to its session, any other up to its transaction.
struct Grant::State {
    State(LockKind kind, const AcquireRequest& theRequest, std::shared_ptr<LockBackend> lockBackend,
        std::shared_ptr<LeaseKeeper> leaseKeeper);
    ~State() { unwatch(); }
    Q_DISABLE_COPY_MOVE(State)

    bool isEntry() const { return watched->kind == LockKind::Table; }
    bool isOfTransaction() const { return !isEntry() && request.owner == LockOwner::Transaction; }
    /// True if there is nothing to do at the server when the grant is dropped.
    bool endsByItself() const { return isOfTransaction() && !ownsTransaction; }
    /// True as far as is known without asking the server.
    bool isAlive() const;
    /// Its transaction is open, be it failed.
    bool isInTransaction() const;
    Result<void> release(const std::stop_token& stop);
    Result<ServerTime> renew();
    Result<void> beat(const std::stop_token& stop);
    /// Notes by what the server tells that it is held: asks whose lock it is, where the connection does not
    /// know and a keeper is to.
    Result<void> noteHolder();

    /// Makes it known to the keeper if there is one.
    void watch(LossHandler lost);
    void unwatch()
    {
        if (keeper)
            keeper->forget(watched);
    }

    const AcquireRequest request;
    const std::shared_ptr<LockBackend> backend; ///< a grant may outlive its strategy, not the connection
    const std::shared_ptr<WatchedGrant> watched;
    const std::shared_ptr<LeaseKeeper> keeper;
    const quint64 transaction; ///< in which it was taken
    ServerTime transactionBegan; ///< behind a pooler, if a keeper watches it
    QString mark; ///< see LockBackend::mark
    HeldThing holds;
    qint64 fencing = 0;
    ServerTime acquiredAt;
    bool ownsTransaction = false; ///< which ends with the lock
    bool isGone = false; ///< an entry that a renewal did not find, another lock that `beat` did not find
    bool isReleaseSent = false; ///< which may have done it, even if no answer came
    bool isReleased = false;

private:
    Result<void> releaseOfTransaction();
    Result<void> releaseOfSession();
    Result<void> askForLife(const std::stop_token& stop);
};

} // namespace lockscope::locks
