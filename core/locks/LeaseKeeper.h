// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/BackgroundThread.h"
#include "core/locks/LeaseTimes.h"
#include "core/locks/LockStrategy.h"

#include <atomic>

namespace lockscope::locks {

/// The data that the keeper watches for one grant. The strategies make these.
struct WatchedGrant {
    LockKind kind = LockKind::Table;
    QString name;
    QString token; ///< lock table only
    milliseconds lease{0}; ///< lock table only
    SessionId session; ///< all but the lock table: the session that holds it
    ServerTime sessionStarted;
    QString mark; ///< SQL Server: of the session (see SessionLivenessLock); empty = nothing tells whether it
                  ///< lives
    LossHandler handler;

    std::atomic<bool> isLost{false};
    std::atomic<qint64> expiresAtUs{0}; ///< server time; moves with each renewal

    // By our own clock; any thread.
    /// When the last request was sent that the server confirmed.
    LeaseClock::time_point confirmed() const { return timeOf(m_confirmed); }
    LeaseTimes times() const { return LeaseTimes::of(lease, handler.stopTime); }
    bool isLeaseOver() const;
    void noteRenewal(LeaseClock::time_point sent, ServerTime expiresAt);
    /// For a lock that ends with its session: notes that a request was sent at that time and was answered.
    void noteBeat(LeaseClock::time_point sent);
    void noteAnswer(LeaseClock::time_point sent) { m_answered = sent.time_since_epoch().count(); }
    /// Returns when the last answered request was sent; nothing if none was ever sent.
    std::optional<LeaseClock::time_point> answered() const;

private:
    using Count = std::atomic<LeaseClock::rep>;
    static LeaseClock::time_point timeOf(const Count& count)
    {
        return LeaseClock::time_point(LeaseClock::duration(count));
    }
    Count m_confirmed{0};
    Count m_answered{0}; ///< 0 = no question was sent
};

using GrantPtr = std::shared_ptr<WatchedGrant>;

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
