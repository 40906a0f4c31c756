// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/AcquireRequest.h"
#include "core/locks/LeaseTimes.h"

#include <atomic>
#include <memory>
#include <optional>

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

} // namespace lockscope::locks
