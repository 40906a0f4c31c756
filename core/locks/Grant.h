// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/AcquireRequest.h"

#include <memory>
#include <optional>
#include <stop_token>

namespace lockscope::locks {

struct AcquireResult;
class LockStrategy;

/// The lock that a grant holds, as the server named it when it granted it: nothing is granted without.
struct HeldThing {
    /// "'n' in lockscope.lock_entry, fencing 7"; of an application lock the name, of a locked key the key as
    /// its row has it, of a locked table its oid (SQL Server: its name).
    QString thing;
    SessionId session; ///< all but the lock table: whose end is its end; 0 behind a pooler
    QString transaction; ///< PostgreSQL, locked tables and keys: the one that holds it
};

/// A held lock. Releases itself when destroyed, without waiting for a server that can't be reached. Belongs
/// to the thread of its connection, as acquire did; the connection must outlive it.
///
/// A lock that ends with its session or its transaction is held by nobody else while that lives. If the
/// server ends the session (an administrator, a crash, a cut), it frees the lock right after it has said so,
/// and waits for nobody: the next one may have it before the holder has read that.  Work of the same
/// transaction is undone, so that committed work never overlaps, but work elsewhere (files, other
/// connections) may overlap with the next holder's until this one hears of it. LockHolder hears it from the
/// connection itself, as soon as the network brings it; others by `beat`, and from the keeper, which polls
/// each second. Where that is not enough, take an entry of the lock table:  its loss is reported before its
/// lease ends, and its fencing number lets the resource refuse a holder who is late.
///
/// On PostgreSQL a statement that fails ends what its transaction has locked, or what it has locked since the
/// latest savepoint: nothing counts as held then, until it is rolled back to a savepoint. A savepoint that is
/// rolled back takes the locks along that were taken in it: `beat` finds that out, `isHeld` does not.
class Grant {
public:
    Grant();
    ~Grant();
    Grant(Grant&&) noexcept;
    Grant& operator=(Grant&&) noexcept;

    bool isHeld() const; ///< false after release, loss, or of a default-constructed one; asks no server
    const QString& name() const;
    const HeldThing& holds() const;
    const QString& token() const; ///< lock table only
    qint64 fencing() const; ///< lock table only
    ServerTime acquiredAt() const; ///< lock table only
    std::optional<ServerTime> expiresAt() const;

    /// One round trip. Changed if the row is not ours any more: nobody else's lock is touched. Commits the
    /// transaction if locks::acquire began it for this lock; a grant that is only dropped rolls it back.
    ///
    /// Lock table: if the connection is gone, or does not answer within `releasePatience`, the keeper deletes
    /// the entry by its token, over its own connection, again and again until the lease ends. This returns as
    /// soon as either has done it, after `releaseLimit` or `stop` (later only if the server does not even
    /// answer to a cancel); the error then says until when the entry stays.
    Result<void> release(const std::stop_token& stop = {});
    static constexpr milliseconds releaseLimit{6'000};
    static constexpr milliseconds releasePatience{1'000};
    /// Asks the server whether the session is still there, for a lock that ends with it, and whether the
    /// transaction still has a lock of its own; else does nothing. Fails with Changed if not, which is
    /// reported as a loss, too. To be called each `beatEvery` by a holder that does nothing else on the
    /// connection: from the first time on, ConnectionGone is reported as soon as no answer came for
    /// `beatLimit` (WatchedGrant.h), even while this waits for one.
    Result<void> beat(const std::stop_token& stop = {});
    /// Prolongs the lease from now; Changed if it is lost. Lock table only.
    Result<ServerTime> renew();
    /// Gives the grant up without releasing the lock (the row stays until it is stale): for locks that
    /// outlive the program.
    void abandon();

    struct State;
    explicit Grant(std::unique_ptr<State> state);

private:
    friend class LockStrategy;
    friend Result<AcquireResult> acquire(
        LockStrategy& strategy, const AcquireRequest& request, const std::stop_token& stop, LossHandler lost);
    Result<void> letGo(milliseconds limit, const std::stop_token& stop);

    std::unique_ptr<State> m_state;
};

} // namespace lockscope::locks
