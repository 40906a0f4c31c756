// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Server.h"
#include "core/locks/AcquireRequest.h"

namespace lockscope::locks {

/// The reason why a lock was not obtained: an error of the server or the network, or, with an outcome, that
/// somebody else has it. `kind` is Timeout for Denied and TimedOut, Deadlock for DeadlockVictim, Cancelled.
struct AcquireError : Error {
    std::optional<Outcome> outcome{}; ///< none = an error
    std::optional<LockOwnerInfo> heldBy{}; ///< the holder, where known
    milliseconds waited{0};
};

class LockHolder;

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
    milliseconds waited() const;
    /// Lock table only, else empty and 0: what the protected resource needs to refuse a late writer.
    const QString& token() const;
    qint64 fencing() const;
    std::optional<ServerTime> expiresAt() const; ///< moves with each renewal; by the server's clock

    /// False after release, and from the time on when a loss is reported.
    bool isHeld() const;
    /// Sets the handler that is called when the lock is lost, before anybody else can have it: at once if it
    /// is lost already. Called from a thread that talks to no server; must return soon, and not destroy the
    /// lock. Replaces the handler before, and does not wait for it.
    void onLost(const LossHandler& handler);

    /// Waits for the server as Grant::release does. The error of a lock-table entry that can't be given back
    /// says until when it stays. Changed if it was not held any more.
    Result<void> release();
    /// Leaves the entry of a lock table until its lease ends, for a holder of its token; other locks end.
    void abandon();

private:
    struct State;
    explicit Lock(std::unique_ptr<State> state);
    friend tl::expected<Lock, AcquireError> acquire(
        const db::Server& server, LockOptions options, const std::stop_token& stop);

    std::unique_ptr<State> m_state;
};

/// Connects, takes the lock and keeps it. Blocks up to the connect time-out and the wait; `stop` ends both
/// soon. Any thread.
tl::expected<Lock, AcquireError> acquire(
    const db::Server& server, LockOptions options, const std::stop_token& stop = {});

} // namespace lockscope::locks
