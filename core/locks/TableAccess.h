// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/LockStrategy.h"

#include <limits>

namespace lockscope::locks {

/// The lock table of one engine, one step at a time. Bound to the thread of its connection.
class TableAccess {
public:
    /// The ticket of somebody who has none yet: behind everybody who waits.
    static constexpr qint64 newcomer = std::numeric_limits<qint64>::max();

    struct Taken {
        qint64 fencing = 0;
        ServerTime acquiredAt;
        ServerTime expiresAt;
    };
    struct Answer {
        std::optional<Taken> taken;
        qint64 ticket = newcomer; ///< our place in the queue, if we wait
        microseconds obstacleLasts{0}; ///< until the holder's lease or the first waiter's registration ends
        std::optional<LockOwnerInfo> heldBy;
        bool hadToWait = false; ///< of one who waited within the attempt
        bool isVictim = false; ///< the server broke a circle of waiters here
    };
    struct Attempt {
        const AcquireRequest& request;
        const QString& token;
        bool waits = false;
        qint64 ticket = newcomer;
        /// How much longer it may wait, for servers that wait within the attempt (−1 = for ever).
        milliseconds patience{0};
    };

    static std::unique_ptr<TableAccess> create(db::Connection& connection);
    virtual ~TableAccess() = default;

    /// Atomic: takes the name if nobody has it and no live waiter is ahead; else queues us, or keeps our
    /// place, if we wait.
    virtual Result<Answer> attempt(const Attempt& attempt, const std::stop_token& stop) = 0;
    /// Gives back whatever an attempt may have left: registration and grant. The next waiter gets its turn.
    virtual Result<void> leave(const QString& name, const QString& token, qint64 ticket) = 0;
    /// Returns when it may be our turn, after `longest`, or soon after `stop`.
    virtual Result<void> waitForTurn(
        const QString& name, qint64 ticket, milliseconds longest, const std::stop_token& stop) = 0;
    /// Changed if the row is not ours any more.
    virtual Result<void> release(const QString& name, const QString& token) = 0;
    /// The new end of the lease. Changed if the row is not ours any more.
    Result<ServerTime> renew(const QString& name, const QString& token, milliseconds lease);

protected:
    explicit TableAccess(db::Connection& connection);
    /// Asked once per connection, before anything in the schema is called.
    Result<void> trustSchema();
    const db::Statement& statement(const char* file) const; ///< of this engine
    /// Who is in the way, from the columns obstacle lasts, owner, host, program, process, session on; all
    /// NULL if nobody is.
    static void readObstacle(Answer& answer, const db::Row& row, int first);

    db::Connection& m_connection;

private:
    const db::Statement& m_renew;
};

/// The row of `name` is not ours any more.
Failure lockIsGone(const QString& name);

} // namespace lockscope::locks
