// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/LeaseKeeperState.h"

#include "core/db/Statement.h"
#include "core/locks/LockBackend.h"

#include <algorithm>

namespace lockscope::locks {

using namespace Qt::StringLiterals;

namespace {

/// A connection that doesn't answer must be given up early enough for another try within the lease.
constexpr milliseconds maxStatementTime{5'000};
constexpr milliseconds minStatement{1'000};
constexpr LeaseClock::duration minPause = milliseconds(20);

LeaseClock::time_point renewalDue(const WatchedGrant& grant)
{
    return grant.confirmed() + grant.times().renewal;
}

bool hasFailed(const db::Connection& connection, const Error& error)
{
    return !connection.isOpen() || error.kind == ErrorKind::Connection || error.kind == ErrorKind::Cancelled;
}

} // namespace

void RenewalRounds::run()
{
    while (waitForGrants()) {
        pause();
        if (m_stop.stop_requested())
            return;
        if (connect()
            && !(renewLeases() && deleteEntries() && reportLosses(Holder::Row)
                && reportLosses(Holder::Session)))
            m_connection.reset();
    }
}

std::vector<GrantPtr> RenewalRounds::grants(Holder holder)
{
    const MutexLock lock(m_shared.mutex);
    std::vector<GrantPtr> found;
    for (const auto& watch : m_shared.watches)
        if ((watch.grant->kind == LockKind::Table) == (holder == Holder::Row))
            found.push_back(watch.grant);
    return found;
}

std::vector<GrantPtr> RenewalRounds::dueReleases()
{
    const auto now = LeaseClock::now();
    const MutexLock lock(m_shared.mutex);
    std::vector<GrantPtr> due;
    for (const auto& release : m_shared.releases)
        if (!release.result && release.from <= now)
            due.push_back(release.grant);
    return due;
}

bool RenewalRounds::waitForGrants()
{
    const MutexLock lock(m_shared.mutex);
    // Expired entries need no deleting. A server that stays away must not be tried for them.
    std::erase_if(m_shared.releases, [now = LeaseClock::now()](const auto& release) {
        return !release.isWaitedFor && now >= release.grant->confirmed() + release.grant->lease;
    });
    return m_shared.waitForWork(m_stop, [this]() LOCKSCOPE_REQUIRES(m_shared.mutex) {
        return !m_shared.watches.empty()
            || std::ranges::any_of(m_shared.releases, [](const auto& release) { return !release.result; });
    });
}

void RenewalRounds::pause()
{
    const MutexLock lock(m_shared.mutex);
    m_shared.changed.waitFor(m_shared.mutex, m_stop, timeToNextRound(LeaseClock::now()),
        [this, seen = m_shared.news]() LOCKSCOPE_REQUIRES(m_shared.mutex) { return m_shared.news != seen; });
}

LeaseClock::duration RenewalRounds::timeToNextRound(LeaseClock::time_point now) const
{
    LeaseClock::duration pause = keeperChecksEvery;
    const bool isConnected = m_connection && m_connection->isOpen();
    const LeaseClock::time_point earliest = isConnected ? m_nextRenewal : m_nextAttempt;
    const auto shorten = [&](LeaseClock::time_point due) {
        pause = std::min(pause, std::max(due, earliest) - now);
    };
    for (const auto& watch : m_shared.watches)
        if (watch.grant->kind == LockKind::Table)
            shorten(renewalDue(*watch.grant));
    for (const auto& release : m_shared.releases)
        if (!release.result)
            shorten(release.from);
    return std::max(pause, minPause);
}

bool RenewalRounds::connect()
{
    milliseconds statementTimeout = maxStatementTime;
    for (const GrantPtr& grant : grants(Holder::Row))
        statementTimeout = std::min(statementTimeout, grant->lease / 6);
    statementTimeout = std::max(statementTimeout, minStatement);
    if (m_connection && m_connection->isOpen() && m_statementTimeout <= statementTimeout)
        return true;
    m_connection.reset();
    if (LeaseClock::now() < m_nextAttempt)
        return false;
    db::ConnectOptions options;
    options.programSuffix = u"keeper"_s;
    options.statementTimeout = statementTimeout;
    options.connectTimeout = statementTimeout;
    auto opened = m_shared.server.connect(options);
    if (!opened) {
        noteRefusal(opened.error());
        return false;
    }
    m_backoff.reset();
    m_loginBackoff.reset();
    m_connection = std::move(*opened);
    m_statementTimeout = statementTimeout;
    return true;
}

/// A wrong password that is tried every few seconds locks an account.
void RenewalRounds::noteRefusal(const Error& error)
{
    Backoff& backoff = error.kind == ErrorKind::Login ? m_loginBackoff : m_backoff;
    m_nextAttempt = LeaseClock::now() + backoff.next();
}

bool RenewalRounds::renewLeases()
{
    const auto now = LeaseClock::now();
    if (now < m_nextRenewal)
        return true;
    std::vector<GrantPtr> due = grants(Holder::Row);
    std::erase_if(due, [now](const GrantPtr& grant) { return renewalDue(*grant) > now; });
    if (due.empty())
        return true;

    std::vector<qint64> ends(due.size(), 0);
    std::vector<db::BatchItem> items;
    const db::Statement& renew = db::schemaStatement(m_connection->dialect(), "locks/renew");
    for (std::size_t i = 0; i < due.size(); ++i)
        items.push_back({.statement = &renew,
            .params = {due[i]->name, due[i]->token, qint64(microseconds(due[i]->lease).count())},
            .sink = [&end = ends[i]](const db::Row& row) { end = row.int64(0); }});
    const auto results = m_connection->executeBatch(items, m_stop);
    bool isRefused = false;
    for (std::size_t i = 0; i < due.size(); ++i) {
        if (!results[i]) { // one that can't be renewed now must not keep the others from it
            if (hasFailed(*m_connection, results[i].error()))
                return false;
            isRefused = true;
        } else if (ends[i] == 0) {
            m_shared.noteLost(due[i], LossReason::RowGone);
        } else {
            due[i]->noteRenewal(now, {ends[i]});
        }
    }
    if (isRefused)
        m_nextRenewal = LeaseClock::now() + m_renewalBackoff.next();
    else
        m_renewalBackoff.reset();
    return true;
}

/// Each may wait for a session that has its row locked: that must keep nobody's lease from being renewed.
bool RenewalRounds::deleteEntries()
{
    for (const GrantPtr& grant : dueReleases()) {
        if (isRenewalDue())
            return true;
        noteUnderWay(grant);
        const auto backend = LockBackend::create(*m_connection);
        auto deleted = backend->release(grant->name, grant->token, {});
        std::optional<microseconds> age; // of somebody else's entry
        if (!deleted && deleted.error().kind == ErrorKind::Changed) {
            if (const auto found = backend->ageOfEntry(grant->name))
                age = *found;
            else
                deleted = Failure(found.error());
        }
        const bool isBroken = !deleted && hasFailed(*m_connection, deleted.error());
        noteDeleted(grant, deleted, age);
        if (isBroken)
            return false;
    }
    return true;
}

void RenewalRounds::noteUnderWay(const GrantPtr& grant)
{
    const MutexLock lock(m_shared.mutex);
    for (auto& release : m_shared.releases)
        release.isUnderWay = release.isUnderWay || release.grant == grant;
}

bool RenewalRounds::isRenewalDue()
{
    const auto now = LeaseClock::now();
    const std::vector<GrantPtr> held = grants(Holder::Row);
    return now >= m_nextRenewal
        && std::ranges::any_of(held, [now](const GrantPtr& grant) { return renewalDue(*grant) <= now; });
}

/// An entry of somebody else's that is older than the release was there before it: then the lock was lost.
void RenewalRounds::noteDeleted(
    const GrantPtr& grant, const Result<void>& deleted, std::optional<microseconds> age)
{
    const auto now = LeaseClock::now();
    const bool isGone = deleted || deleted.error().kind == ErrorKind::Changed;
    const MutexLock lock(m_shared.mutex);
    for (auto& release : m_shared.releases) {
        if (release.grant != grant)
            continue;
        release.from = now + keeperChecksEvery; // behind the others
        release.isUnderWay = false;
        if (!isGone)
            continue;
        release.result = deleted;
        release.isFoundGone =
            !deleted && now < grant->confirmed() + grant->lease && (!age || *age <= now - release.begun);
        if (!deleted && !release.isDoneByHolder())
            continue;
        release.enough.request_stop();
        if (release.isWaitedFor && !(release.isAnswered && !deleted) && grant->handler.gone)
            grant->handler.gone();
    }
    std::erase_if(
        m_shared.releases, [](const auto& release) { return release.result && !release.isWaitedFor; });
    m_shared.hurry();
}

bool RenewalRounds::reportLosses(Holder holder)
{
    const std::vector<GrantPtr> watched = grants(holder);
    if (watched.empty())
        return true;
    const auto backend = LockBackend::create(*m_connection);
    const bool isRow = holder == Holder::Row;
    const auto lost = isRow ? backend->lostEntries(watched, m_stop) : backend->lostSessions(watched, m_stop);
    if (!lost)
        return false;
    for (const GrantPtr& grant : *lost)
        m_shared.noteLost(grant, isRow ? LossReason::RowGone : LossReason::ConnectionGone);
    return true;
}

} // namespace lockscope::locks
