// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/LeaseKeeper.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace lockscope::locks {

/// How often the keeper looks at what it watches, if nothing is more urgent.
inline constexpr milliseconds keeperLooksEvery{1'000};

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
        LeaseClock::time_point from; ///< when the keeper joins in
        bool isAwaited = true; ///< else nobody asks for the result
        std::optional<Result<void>> result{}; ///< the keeper's
    };

    const db::Server server;

    std::mutex mutex;
    std::condition_variable_any changed;
    // guarded by mutex
    std::vector<Watch> watches;
    std::vector<Loss> losses; ///< decided, but not told
    std::vector<Release> releases;
    GrantPtr telling; ///< whose handler runs right now
    std::thread::id tellingThread;
    quint64 news = 0; ///< counts what the threads must not sleep over
    int idleThreads = 0; ///< that sleep until there is something to do at all

    explicit Shared(db::Server itsServer)
        : server(std::move(itsServer))
    {
    }

    /// Under the mutex.
    void hurry()
    {
        ++news;
        changed.notify_all();
    }
    /// Under the mutex: somebody came; who looks each second anyway need not know at once.
    void wakeIdle()
    {
        if (idleThreads > 0)
            changed.notify_all();
    }
    /// Under the mutex. False if nobody watches it any more.
    bool decideLoss(const GrantPtr& grant, LossReason reason)
    {
        if (std::erase_if(watches, [&](const Watch& each) { return each.grant == grant; }) == 0)
            return false;
        grant->isLost = true;
        losses.push_back({grant, reason});
        return true;
    }
    void noteLost(const GrantPtr& grant, LossReason reason)
    {
        const std::lock_guard lock(mutex);
        if (decideLoss(grant, reason))
            hurry();
    }
};

/// Waits, holding `lock` of the keeper's mutex, until there is something to do; false if to stop.
template <class HasWork>
bool waitForWork(LeaseKeeper::Shared& shared, std::unique_lock<std::mutex>& lock, const std::stop_token& stop,
    const HasWork& hasWork)
{
    ++shared.idleThreads;
    shared.changed.wait(lock, stop, hasWork);
    --shared.idleThreads;
    return !stop.stop_requested();
}

} // namespace lockscope::locks
