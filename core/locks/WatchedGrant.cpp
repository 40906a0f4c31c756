// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/WatchedGrant.h"

namespace lockscope::locks {

bool WatchedGrant::isLeaseOver() const
{
    return kind == LockKind::Table && LeaseClock::now() >= confirmed() + times().loss;
}

void WatchedGrant::noteRenewal(LeaseClock::time_point sent, ServerTime expiresAt)
{
    m_confirmed = sent.time_since_epoch().count();
    expiresAtUs = expiresAt.us;
}

void WatchedGrant::noteBeat(LeaseClock::time_point sent)
{
    LeaseClock::rep never = 0;
    m_answered.compare_exchange_strong(never, sent.time_since_epoch().count());
}

std::optional<LeaseClock::time_point> WatchedGrant::answered() const
{
    if (m_answered == 0)
        return std::nullopt;
    return timeOf(m_answered);
}

} // namespace lockscope::locks
