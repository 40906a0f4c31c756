// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/LeaseKeeper.h"

#include "core/base/Mutex.h"
#include "core/locks/Grant.h"
#include "core/locks/LeaseKeeperState.h"

#include <algorithm>
#include <ctime>

namespace lockscope::locks {

using namespace Qt::StringLiterals;

namespace {

/// The keeper's thread that warns holders in time: it waits for nothing but the clock.
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
    /// Ends the releases that have taken too long.
    void endReleases(LeaseClock::time_point now) LOCKSCOPE_REQUIRES(m_shared.mutex);
    LeaseClock::time_point nextNotice(LeaseClock::time_point now) const LOCKSCOPE_REQUIRES(m_shared.mutex);
    bool tellOne() LOCKSCOPE_REQUIRES(m_shared.mutex);
    /// Calls that function of the grant's handler without the mutex.
    template <class Call, class... Values>
    void tell(const GrantPtr& grant, Call LossHandler::*call, Values... values)
        LOCKSCOPE_REQUIRES(m_shared.mutex);

    LeaseKeeper::Shared& m_shared;
    const std::stop_token m_stop;
};

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
    LeaseClock::time_point next = now + keeperChecksEvery;
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

/// Returns whether there was something to report.
bool LossWatch::tellOne()
{
    if (!m_shared.losses.empty()) {
        const auto [grant, reason] = m_shared.losses.front();
        m_shared.losses.erase(m_shared.losses.begin());
        tell(grant, &LossHandler::lost, reason);
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
            tell(grant, &LossHandler::renewed);
            return true;
        }
        if (!warnedSince && now >= confirmed + times.risk) {
            warnedSince = confirmed;
            tell(grant, &LossHandler::atRisk,
                std::chrono::duration_cast<milliseconds>(confirmed + times.loss - now));
            return true;
        }
    }
    return false;
}

template <class Call, class... Values>
void LossWatch::tell(const GrantPtr& grant, Call LossHandler::*call, Values... values)
{
    m_shared.telling = grant;
    m_shared.reportingThread = std::this_thread::get_id();
    m_shared.mutex.unlock();
    if (grant->handler.*call)
        (grant->handler.*call)(values...);
    m_shared.mutex.lock();
    m_shared.telling.reset();
    m_shared.changed.notifyAll();
}

} // namespace

bool mayTryAgain(const Error& error)
{
    return error.kind == ErrorKind::Connection || error.kind == ErrorKind::Timeout
        || error.kind == ErrorKind::Cancelled;
}

Error entryStays(const Error& reason, const WatchedGrant& grant)
{
    Error error = reason;
    error.what = u"The lock \"%1\" could not be given back."_s.arg(grant.name);
    error.hint =
        u"Its entry stays in the lock table until %1, by the server's clock, and a renewal that was not answered may have prolonged that by %2 s, unless the server still does what it was asked to. If nobody shall wait so long, release it by force."_s
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
        return !m_shared->telling || m_shared->reportingThread == std::this_thread::get_id();
    });
}

void LeaseKeeper::watch(std::shared_ptr<WatchedGrant> grant)
{
    const MutexLock lock(m_shared->mutex);
    const bool isShort = grant->kind == LockKind::Table && grant->times().renewal < keeperChecksEvery;
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
        return m_shared->telling != grant || m_shared->reportingThread == std::this_thread::get_id();
    });
}

void LeaseKeeper::reportLost(const std::shared_ptr<WatchedGrant>& grant, LossReason reason)
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
    m_shared->releases.push_back({.grant = grant,
        .begun = now,
        .from = now + Grant::releasePatience,
        .enough = std::move(enough),
        .giveUpAt = giveUpAt,
        .isSent = isSent});
    m_shared->wakeIdle();
}

Result<void> LeaseKeeper::endRelease(const std::shared_ptr<WatchedGrant>& grant, Result<void> ownResult,
    LeaseClock::time_point until, const std::stop_token& stop)
{
    const MutexLock lock(m_shared->mutex);
    const auto find = [&]() LOCKSCOPE_REQUIRES(m_shared->mutex) {
        return std::ranges::find_if(
            m_shared->releases, [&](const auto& release) { return release.grant == grant; });
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
            find()->isWaitedFor = false;
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

// --- The grants that it watches ----------------------------------------------------------------------------

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
