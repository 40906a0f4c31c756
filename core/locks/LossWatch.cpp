// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/LossWatch.h"

#include <algorithm>

namespace lockscope::locks {

void LossWatch::run()
{
    const MutexLock lock(m_shared.mutex);
    while (m_shared.waitForWork(m_stop, [this]() LOCKSCOPE_REQUIRES(m_shared.mutex) {
        return !m_shared.watches.empty() || !m_shared.losses.empty() || !m_shared.releases.empty();
    })) {
        decide(LeaseClock::now());
        endReleases(LeaseClock::now());
        if (tellOne())
            continue;
        // Never longer than a second: the clock goes on while the machine sleeps, this wait does not.
        const auto now = LeaseClock::now();
        m_shared.changed.waitFor(m_shared.mutex, m_stop, nextNotice(now) - now,
            [this, seen = m_shared.news]()
                LOCKSCOPE_REQUIRES(m_shared.mutex) { return m_shared.news != seen; });
    }
}

void LossWatch::decide(LeaseClock::time_point now)
{
    std::vector<LeaseKeeper::Shared::Loss> found;
    for (const auto& [grant, warnedSince] : m_shared.watches) {
        if (grant->isLeaseOver())
            found.push_back({grant, LossReason::LeaseExpired});
        else if (const auto answered = grant->answered(); answered && now >= *answered + beatLimit)
            found.push_back({grant, LossReason::ConnectionGone});
    }
    for (const auto& [grant, reason] : found)
        m_shared.decideLoss(grant, reason);
}

void LossWatch::endReleases(LeaseClock::time_point now)
{
    for (auto& release : m_shared.releases)
        if (now >= release.giveUpAt)
            release.enough.request_stop();
}

LeaseClock::time_point LossWatch::nextNotice(LeaseClock::time_point now) const
{
    LeaseClock::time_point next = now + keeperLooksEvery;
    for (const auto& release : m_shared.releases)
        if (!release.enough.stop_requested())
            next = std::min(next, release.giveUpAt);
    for (const auto& [grant, warnedSince] : m_shared.watches) {
        if (grant->kind != LockKind::Table)
            continue;
        const auto confirmed = grant->confirmed();
        const LeaseTimes times = grant->times();
        next = std::min(next, confirmed + (warnedSince ? times.loss : times.risk));
    }
    return next;
}

/// Whether there was something to tell.
bool LossWatch::tellOne()
{
    if (!m_shared.losses.empty()) {
        const auto [grant, reason] = m_shared.losses.front();
        m_shared.losses.erase(m_shared.losses.begin());
        tell(grant, [lost = grant, why = reason] {
            if (lost->handler.lost)
                lost->handler.lost(why);
        });
        return true;
    }
    const auto now = LeaseClock::now();
    for (auto& [watched, warnedSince] : m_shared.watches) {
        if (watched->kind != LockKind::Table)
            continue;
        const auto confirmed = watched->confirmed();
        const LeaseTimes times = watched->times();
        const GrantPtr grant = watched;
        if (warnedSince && *warnedSince != confirmed) {
            warnedSince.reset();
            tell(grant, [&] {
                if (grant->handler.renewed)
                    grant->handler.renewed();
            });
            return true;
        }
        if (!warnedSince && now >= confirmed + times.risk) {
            warnedSince = confirmed;
            tell(grant, [&] {
                if (grant->handler.atRisk)
                    grant->handler.atRisk(
                        std::chrono::duration_cast<milliseconds>(confirmed + times.loss - now));
            });
            return true;
        }
    }
    return false;
}

template <class Tell> void LossWatch::tell(const GrantPtr& grant, const Tell& tell)
{
    m_shared.telling = grant;
    m_shared.tellingThread = std::this_thread::get_id();
    m_shared.mutex.unlock();
    tell();
    m_shared.mutex.lock();
    m_shared.telling.reset();
    m_shared.changed.notifyAll();
}

} // namespace lockscope::locks
