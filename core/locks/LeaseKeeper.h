// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/BackgroundThread.h"
#include "core/db/Server.h"
#include "core/locks/WatchedGrant.h"

namespace lockscope::locks {

/// Watches the grants of this process. One thread, with a connection of its own, renews leases at a third of
/// their length and checks each second whether rows and sessions are still there; if its own connection
/// breaks, that is no loss: it connects again, with back-off. Another thread, which talks to nobody, warns
/// and reports losses by the holder's own clock, always before the lease ends on the server (see LeaseTimes).
/// One per server; thread-safe.
///
/// No keeper can help a process that is stopped or swapped out: it hears nothing before it runs again. A
/// resource that must not be written by a late holder checks the fencing number.
class LeaseKeeper {
public:
    /// Returns at once; connects with the first grant. An unreachable server is tried again with back-off,
    /// one that refuses the login after a minute at the earliest: meanwhile leases that run out are reported
    /// as lost.
    static std::shared_ptr<LeaseKeeper> create(db::Server server);
    /// No handler runs any more when it returns. Does not wait for the server.
    ~LeaseKeeper();
    Q_DISABLE_COPY_MOVE(LeaseKeeper)

    void watch(std::shared_ptr<WatchedGrant> grant);
    /// When it returns, the grant's handler is not running and never will (except if called from the handler
    /// itself).
    void forget(const std::shared_ptr<WatchedGrant>& grant);

    /// The holder has found out by itself. Returns before the handler runs.
    void reportLost(const std::shared_ptr<WatchedGrant>& grant, LossReason reason);

    /// Does the same as forget() for an entry of the lock table that its holder is about to delete. If that
    /// takes longer than Grant::releasePatience, the keeper deletes it. Once it has, or from `giveUpAt` on,
    /// the holder has had `enough`. `isSent`: the holder has, or had, a connection to ask for it.
    void beginRelease(const std::shared_ptr<WatchedGrant>& grant, std::stop_source enough,
        LeaseClock::time_point giveUpAt, bool isSent);
    /// Returns the result of the release. If the holder's connection failed, waits for the keeper: until it
    /// has deleted the entry, until `until`, until the lease ends, or until `stop`. The keeper goes on until
    /// the lease ends. An entry that it does not find any more was deleted by an attempt of the holder's that
    /// got no answer.
    Result<void> endRelease(const std::shared_ptr<WatchedGrant>& grant, Result<void> ownResult,
        LeaseClock::time_point until, const std::stop_token& stop);

    struct Shared;

private:
    explicit LeaseKeeper(std::shared_ptr<Shared> shared);

    const std::shared_ptr<Shared> m_shared;
    BackgroundThread m_rounds;
    BackgroundThread m_clock;
};

/// Deleting the entry by another connection, or later, may help.
bool mayTryAgain(const Error& error);
/// The error of an entry that could not be given back, because the server can't be reached: the entry stays.
Error entryStays(const Error& reason, const WatchedGrant& grant);

} // namespace lockscope::locks
