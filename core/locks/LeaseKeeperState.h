// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Backoff.h"
#include "core/base/Mutex.h"
#include "core/db/Connection.h"
#include "core/locks/LeaseKeeper.h"

#include <thread>

namespace lockscope::locks {

/// The interval at which the keeper checks its grants, if nothing is more urgent.
inline constexpr milliseconds keeperChecksEvery{1'000};

/// Between the keeper's two threads and everybody else.
struct LeaseKeeper::Shared {
    struct Watch {
        GrantPtr grant;
        /// The renewal after which the holder was warned; none if it was not, or knows that all is well
        /// again.
        std::optional<LeaseClock::time_point> warnedSince;
    };
    struct Loss {
        GrantPtr grant;
        LossReason reason;
    };
    /// An entry that is being given back.
    struct Release {
        GrantPtr grant;
        LeaseClock::time_point begun;
        LeaseClock::time_point from; ///< when the keeper joins in
        std::stop_source enough; ///< ends the holder's own attempt
        LeaseClock::time_point giveUpAt; ///< when that has taken too long
        bool isSent; ///< the holder's own attempt: it may have deleted the entry, be it answered or not
        bool isAnswered = false; ///< it has ended, one way or another
        bool isWaitedFor = true; ///< else nobody asks for the result
        bool isUnderWay = false; ///< the keeper is deleting the entry
        std::optional<Result<void>> result{}; ///< the keeper's
        /// The keeper has found no entry although its lease still ran, or one that is younger than the
        /// release.
        bool isFoundGone = false;

        /// Returns true if only the answer is missing, as far as is known.
        bool isDoneByHolder() const { return isSent && isFoundGone; }
    };

    const db::Server server;

    Mutex mutex;
    ConditionVariable changed;
    std::vector<Watch> watches LOCKSCOPE_GUARDED_BY(mutex);
    std::vector<Loss> losses LOCKSCOPE_GUARDED_BY(mutex); ///< decided, but not reported
    std::vector<Release> releases LOCKSCOPE_GUARDED_BY(mutex);
    GrantPtr telling LOCKSCOPE_GUARDED_BY(mutex); ///< the handler that runs right now is this grant's
    std::thread::id reportingThread LOCKSCOPE_GUARDED_BY(mutex);
    quint64 news LOCKSCOPE_GUARDED_BY(mutex) = 0; ///< counts what the threads must not sleep over
    int idleThreads LOCKSCOPE_GUARDED_BY(mutex) = 0; ///< that sleep until there is something to do at all

    explicit Shared(db::Server itsServer)
        : server(std::move(itsServer))
    {
    }

    void hurry() LOCKSCOPE_REQUIRES(mutex)
    {
        ++news;
        changed.notifyAll();
    }
    /// Somebody came; a thread that checks each second anyway need not know at once.
    void wakeIdle() LOCKSCOPE_REQUIRES(mutex)
    {
        if (idleThreads > 0)
            changed.notifyAll();
    }
    /// False if nobody watches it any more.
    bool decideLoss(const GrantPtr& grant, LossReason reason) LOCKSCOPE_REQUIRES(mutex)
    {
        if (std::erase_if(watches, [&](const Watch& each) { return each.grant == grant; }) == 0)
            return false;
        grant->isLost = true;
        losses.push_back({grant, reason});
        return true;
    }
    void noteLost(const GrantPtr& grant, LossReason reason) LOCKSCOPE_EXCLUDES(mutex)
    {
        const MutexLock lock(mutex);
        if (decideLoss(grant, reason))
            hurry();
    }
    /// Waits until there is something to do; false if to stop.
    template <class HasWork>
    bool waitForWork(const std::stop_token& stop, const HasWork& hasWork) LOCKSCOPE_REQUIRES(mutex)
    {
        ++idleThreads;
        changed.wait(mutex, stop, hasWork);
        --idleThreads;
        return !stop.stop_requested();
    }
};

/// The keeper's thread that talks to the server: renews leases, deletes entries whose holders can't, and
/// checks whether rows and sessions are still there. Everything here is its own but `m_shared`.
class RenewalRounds {
public:
    RenewalRounds(LeaseKeeper::Shared& shared, std::stop_token stop)
        : m_shared(shared)
        , m_stop(std::move(stop))
    {
    }
    void run();

private:
    enum class Holder { Row, Session };
    std::vector<GrantPtr> grants(Holder holder);
    std::vector<GrantPtr> dueReleases();
    bool waitForGrants();
    void pause();
    LeaseClock::duration timeToNextRound(LeaseClock::time_point now) const LOCKSCOPE_REQUIRES(m_shared.mutex);

    bool connect();
    void noteRefusal(const Error& error);
    // False if the connection failed.
    bool renewLeases();
    bool deleteEntries();
    bool reportLosses(Holder holder);
    void noteUnderWay(const GrantPtr& grant);
    bool isRenewalDue();
    void noteDeleted(const GrantPtr& grant, const Result<void>& deleted, std::optional<microseconds> age);

    LeaseKeeper::Shared& m_shared;
    const std::stop_token m_stop;
    std::unique_ptr<db::Connection> m_connection;
    milliseconds m_statementTimeout{0}; ///< of m_connection
    Backoff m_backoff;
    Backoff m_loginBackoff{milliseconds(60'000), milliseconds(600'000)};
    LeaseClock::time_point m_nextAttempt{};
    Backoff m_renewalBackoff{milliseconds(100), milliseconds(2'000)};
    LeaseClock::time_point m_nextRenewal{}; ///< after one that the server refused for another reason
};

} // namespace lockscope::locks
