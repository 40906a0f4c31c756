// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"
#include "core/locks/AcquireRequest.h"

#include <atomic>
#include <memory>
#include <optional>

namespace lockscope::locks {

/// The clock by which a holder judges its own lease: steady, and on Linux it goes on while the machine
/// sleeps, as the server's does.
struct LeaseClock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<LeaseClock>;
    static constexpr bool is_steady = true;

    static time_point now() noexcept;
};

/// The times of a lease that is not renewed, counted from just before the last request was sent that
/// the server confirmed. The server's lease began later than that, so it ends later than `lease` says.
///
/// - `renewal`, a third of the lease: it is renewed, and tried again until that is confirmed.
/// - `risk`, two thirds: the holder is warned.
/// - `loss`: the holder hears that it is lost. Before the lease ends by a margin for the round trip and
///   for clocks that don't go alike: a tenth of the lease, but at most 2 s, and at least a five-hundredth.
///   Earlier still for a holder that needs time to stop what the lock protects, but not before `risk`.
struct LeaseTimes {
    LeaseClock::duration renewal;
    LeaseClock::duration risk;
    LeaseClock::duration loss;
    LeaseClock::duration stop; ///< as much of the requested time to stop as there is

    static LeaseTimes of(milliseconds lease, milliseconds requestedStop = milliseconds(0));
};

/// For a lock that ends with its session: the interval at which the holder asks the server whether it is
/// still there (Grant::beat), and the age of the last answered request after which the lock counts as lost.
inline constexpr milliseconds beatEvery{3'000};
inline constexpr milliseconds beatLimit{10'000};

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
