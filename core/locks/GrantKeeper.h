// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/BackgroundThread.h"
#include "core/locks/LockStrategy.h"

#include <atomic>

namespace lockscope::locks {

/// What the keeper watches for one grant. The strategies make these.
struct WatchedGrant {
    using Steady = std::chrono::steady_clock;

    LockKind kind = LockKind::Table;
    QString name;
    QString token; ///< lock table only
    milliseconds lease{0}; ///< lock table only
    SessionId session; ///< all but the lock table: the session that holds it
    ServerTime sessionStarted;
    QString mark; ///< SQL Server: of the session (see SessionMark); empty = nothing tells whether it lives
    LossHandler lost;

    std::atomic<bool> isLost{false};
    std::atomic<qint64> expiresAtUs{0}; ///< server time; moves with each renewal
    /// The lease's end on our own clock, reckoned from before the request was sent: never later than the
    /// server's.
    std::atomic<Steady::rep> leaseEnd{0};

    bool isLeaseOver() const;
    void noteRenewal(Steady::time_point sent, ServerTime expiresAt);
};

class GrantKeeper {
public:
    /// Returns at once; connects with the first grant. An unreachable server is tried again with back-off:
    /// meanwhile leases that run out are told as lost.
    static std::shared_ptr<GrantKeeper> create(const db::ServerUrl& url, db::PasswordProvider passwords);
    /// No handler runs any more when it returns. Does not wait for the server.
    ~GrantKeeper();
    Q_DISABLE_COPY_MOVE(GrantKeeper)

    void watch(std::shared_ptr<WatchedGrant> grant);
    /// When it returns, the grant's handler is not running and never will (except if called from the handler
    /// itself).
    void forget(const std::shared_ptr<WatchedGrant>& grant);

    struct Shared;

private:
    explicit GrantKeeper(std::shared_ptr<Shared> shared);

    const std::shared_ptr<Shared> m_shared;
    db::BackgroundThread m_thread;
};

} // namespace lockscope::locks
