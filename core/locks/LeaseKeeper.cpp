// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/LeaseKeeper.h"

#include "core/base/Mutex.h"
#include "core/locks/LossWatch.h"
#include "core/locks/RenewalRounds.h"

#include <algorithm>

namespace lockscope::locks {

bool mayTryAgain(const Error& error)
{
    return error.kind == ErrorKind::Connection || error.kind == ErrorKind::Timeout
        || error.kind == ErrorKind::Cancelled;
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

Error entryStays(const Error& reason, const WatchedGrant& grant)
{
    Error error = reason;
    error.what = QStringLiteral("The lock \"%1\" could not be given back.").arg(grant.name);
    error.hint = QStringLiteral("Its entry stays in the lock table until %1, by the server's clock, and a "
                                "renewal that was not answered may have prolonged that by %2 s, unless the "
                                "server still does what it was asked to. If nobody shall wait so long, "
                                "release it by force.")
                     .arg(ServerTime{grant.expiresAtUs}.toIsoString())
                     .arg(std::chrono::duration_cast<std::chrono::seconds>(grant.lease).count());
    return error;
}

std::shared_ptr<LeaseKeeper> LeaseKeeper::create(db::Server server)
{
    return std::shared_ptr<LeaseKeeper>(new LeaseKeeper(std::make_shared<Shared>(std::move(server))));
}

LeaseKeeper::LeaseKeeper(std::shared_ptr<Shared> shared)
    : m_shared(std::move(shared))
    , m_rounds([state = m_shared](std::stop_token stop) { RenewalRounds(*state, std::move(stop)).run(); })
    , m_clock([state = m_shared](std::stop_token stop) { LossWatch(*state, std::move(stop)).run(); })
{
}

LeaseKeeper::~LeaseKeeper()
{
    const MutexLock lock(m_shared->mutex);
    m_shared->watches.clear();
    m_shared->losses.clear();
    m_shared->releases.clear();
    m_shared->changed.wait(m_shared->mutex, [this]() LOCKSCOPE_REQUIRES(m_shared->mutex) {
        return !m_shared->telling || m_shared->tellingThread == std::this_thread::get_id();
    });
}

void LeaseKeeper::watch(std::shared_ptr<WatchedGrant> grant)
{
    const MutexLock lock(m_shared->mutex);
    const bool isShort = grant->kind == LockKind::Table && grant->times().renewal < keeperLooksEvery;
    m_shared->watches.push_back({std::move(grant), {}});
    if (isShort)
        m_shared->hurry();
    else
        m_shared->wakeIdle();
}

void LeaseKeeper::forget(const std::shared_ptr<WatchedGrant>& grant)
{
    const MutexLock lock(m_shared->mutex);
    std::erase_if(m_shared->watches, [&](const auto& watch) { return watch.grant == grant; });
    std::erase_if(m_shared->losses, [&](const auto& loss) { return loss.grant == grant; });
    m_shared->changed.wait(m_shared->mutex, [&]() LOCKSCOPE_REQUIRES(m_shared->mutex) {
        return m_shared->telling != grant || m_shared->tellingThread == std::this_thread::get_id();
    });
}

void LeaseKeeper::tellLost(const std::shared_ptr<WatchedGrant>& grant, LossReason reason)
{
    m_shared->noteLost(grant, reason);
}

void LeaseKeeper::beginRelease(const std::shared_ptr<WatchedGrant>& grant, std::stop_source enough,
    LeaseClock::time_point giveUpAt, bool isSent)
{
    forget(grant);
    const MutexLock lock(m_shared->mutex);
    std::erase_if(m_shared->releases, [&](const auto& release) { return release.grant == grant; });
    const auto now = LeaseClock::now();
    m_shared->releases.push_back(
        {grant, now, now + Grant::releasePatience, std::move(enough), giveUpAt, isSent});
    m_shared->wakeIdle();
}

Result<void> LeaseKeeper::endRelease(const std::shared_ptr<WatchedGrant>& grant, Result<void> ownResult,
    LeaseClock::time_point until, const std::stop_token& stop)
{
    const MutexLock lock(m_shared->mutex);
    const auto find = [&]() LOCKSCOPE_REQUIRES(m_shared->mutex) {
        return std::find_if(m_shared->releases.begin(), m_shared->releases.end(),
            [&](const auto& release) { return release.grant == grant; });
    };
    const auto isDone = [&]() LOCKSCOPE_REQUIRES(m_shared->mutex) {
        const auto found = find();
        return found == m_shared->releases.end() || found->result.has_value();
    };
    const bool isUnanswered = !ownResult && mayTryAgain(ownResult.error());
    bool mayBeKeepers = false; // whose DELETE may be the one that found the entry
    if (const auto found = find(); found != m_shared->releases.end()) {
        found->isAnswered = true;
        mayBeKeepers = !ownResult && ownResult.error().kind == ErrorKind::Changed && found->isUnderWay;
    }
    if ((isUnanswered || mayBeKeepers) && !isDone()) {
        find()->from = LeaseClock::now();
        m_shared->hurry();
        // After its end the entry is stale, and keeps nobody away.
        const LeaseClock::time_point leaseEnd = grant->confirmed() + grant->lease;
        m_shared->changed.waitFor(
            m_shared->mutex, stop, std::min(until, leaseEnd) - LeaseClock::now(), isDone);
        if (!isDone()) {
            find()->isAwaited = false;
            return ownResult;
        }
    }
    const auto found = find();
    if (found == m_shared->releases.end())
        return ownResult;
    std::optional<Result<void>> keepers = std::move(found->result);
    if (isUnanswered && found->isDoneByHolder())
        keepers.emplace();
    m_shared->releases.erase(found);
    return keepers && !ownResult ? *keepers : ownResult; // the keeper may have been quicker
}

} // namespace lockscope::locks
