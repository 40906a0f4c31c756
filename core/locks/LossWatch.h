// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "core/locks/LeaseKeeperState.h"

namespace lockscope::locks {

/// The keeper's thread that tells holders what they must know in time: it waits for nothing but the clock.
class LossWatch {
public:
    LossWatch(LeaseKeeper::Shared& shared, std::stop_token stop)
        : m_shared(shared)
        , m_stop(std::move(stop))
    {
    }
    void run();

private:
    void decide(LeaseClock::time_point now) LOCKSCOPE_REQUIRES(m_shared.mutex);
    /// Of those that have taken too long.
    void endReleases(LeaseClock::time_point now) LOCKSCOPE_REQUIRES(m_shared.mutex);
    LeaseClock::time_point nextNotice(LeaseClock::time_point now) const LOCKSCOPE_REQUIRES(m_shared.mutex);
    bool tellOne() LOCKSCOPE_REQUIRES(m_shared.mutex);
    /// Without the mutex while `tell` runs.
    template <class Tell>
    void tell(const GrantPtr& grant, const Tell& tell) LOCKSCOPE_REQUIRES(m_shared.mutex);

    LeaseKeeper::Shared& m_shared;
    const std::stop_token m_stop;
};

} // namespace lockscope::locks
