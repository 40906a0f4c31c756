// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Server.h"
#include "core/locks/AcquireRequest.h"

namespace lockscope::locks {

/// The reason why a lock was not obtained. With an `outcome`, somebody else has the lock, or the wait ended:
/// `kind` is then Timeout for Denied and TimedOut, Deadlock for DeadlockVictim, Cancelled for Cancelled.
/// Without one, it is an error of the request, the server or the network.
struct AcquireError : Error {
    std::optional<Outcome> outcome{}; ///< none = an error
    std::optional<LockOwnerInfo> heldBy{}; ///< the holder, where known
    milliseconds waited{0}; ///< from the request to the outcome, steady clock
};

/// A lock with a thread and a connection of its own, which keep it alive: the lease is renewed, the session
/// asked for signs of life. Released when it goes out of scope, which waits for the server for at most
/// three seconds. Movable; one thread at a time, except that `isHeld` may be called by any.
class Lock {
public:
    ~Lock();
    Lock(Lock&&) noexcept;
    Lock& operator=(Lock&&) noexcept;

    const QString& name() const;
    Outcome outcome() const; ///< Granted, or GrantedAfterWait: the work may be done already
    milliseconds waited() const; ///< before it was granted, steady clock
    /// Lock table only, else empty and 0. A resource that keeps the highest fencing number seen can refuse a
    /// former holder, which has a lower one.
    const QString& token() const;
    qint64 fencing() const;
    std::optional<ServerTime> expiresAt() const; ///< moves with each renewal; by the server's clock

    /// False after release, and from the time on when a loss is reported.
    bool isHeld() const;
    /// Sets the handler that is called when the lock is lost, before anybody else can have it: at once if it
    /// is lost already. Called from a thread that talks to no server; must return soon, and not destroy the
    /// lock. Replaces the handler before, and does not wait for it.
    void onLost(const LossHandler& handler);

    /// Releases the lock, and waits for the server for about six seconds at most. Changed if it was not held
    /// any more. If an entry of the lock table can't be deleted, the error says until when it stays.
    Result<void> release();
    /// Stops renewing an entry of the lock table, which stays until its lease expires or somebody with its
    /// token releases it. Other locks are released.
    void abandon();

private:
    struct State;
    explicit Lock(std::unique_ptr<State> state);
    friend tl::expected<Lock, AcquireError> acquire(
        const db::Server& server, LockOptions options, const std::stop_token& stop);

    std::unique_ptr<State> m_state;
};

/// Connects, takes the lock and keeps it. Blocks for at most the connect time-out and LockOptions::wait;
/// after a request of `stop` it soon returns Cancelled. Any thread.
tl::expected<Lock, AcquireError> acquire(
    const db::Server& server, LockOptions options, const std::stop_token& stop = {});

} // namespace lockscope::locks
