// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

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
    using Lock = std::unique_lock<std::mutex>;

    void decide(LeaseClock::time_point now);
    LeaseClock::time_point nextNotice(LeaseClock::time_point now) const;
    bool tellOne(Lock& lock);
    template <class Tell> void tell(Lock& lock, const GrantPtr& grant, const Tell& tell);

    LeaseKeeper::Shared& m_shared;
    const std::stop_token m_stop;
};

} // namespace lockscope::locks
