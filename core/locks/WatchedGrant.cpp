// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/WatchedGrant.h"

#include <algorithm>
#include <ctime>

namespace lockscope::locks {

LeaseClock::time_point LeaseClock::now() noexcept
{
#ifdef Q_OS_LINUX
    timespec time{};
    if (clock_gettime(CLOCK_BOOTTIME, &time) == 0)
        return time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
#endif
    return time_point(
        std::chrono::duration_cast<duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

LeaseTimes LeaseTimes::of(milliseconds lease, milliseconds requestedStop)
{
    const LeaseClock::duration whole = lease;
    const LeaseClock::duration margin = std::max<LeaseClock::duration>(
        std::min<LeaseClock::duration>(whole / 10, std::chrono::seconds(2)), whole / 500);
    LeaseTimes times{};
    times.renewal = whole / 3;
    times.risk = whole * 2 / 3;
    times.stop =
        std::clamp<LeaseClock::duration>(requestedStop, milliseconds(0), whole - margin - times.risk);
    times.loss = whole - margin - times.stop;
    return times;
}

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
