// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/order/OrderOfSnapshots.h"

#include <algorithm>
#include <array>

namespace lockscope::order {

using namespace Qt::StringLiterals;

namespace {

/// Further new locks of a session at one poll are not paired, unless they are waited for.
constexpr std::size_t maxPairs = 200'000;

std::span<const SeenLock> ofNextSession(const std::vector<SeenLock>& locks, std::size_t& at)
{
    const std::size_t from = at;
    while (at < locks.size() && locks[at].session == locks[from].session)
        ++at;
    return {locks.data() + from, at - from};
}

const SeenLock* find(std::span<const SeenLock> locks, const SeenLock& lock)
{
    const auto known = std::lower_bound(locks.begin(), locks.end(), lock,
        [](const SeenLock& a, const SeenLock& b) { return a.name->lock < b.name->lock; });
    for (auto each = known; each != locks.end() && each->name->lock == lock.name->lock; ++each)
        if (each->isSameAs(lock))
            return &*each;
    return nullptr;
}

const Session* sessionOf(const LockSnapshot& locksSeen, SessionKey key)
{
    const Session* const session = locksSeen.snapshot ? locksSeen.snapshot->session(key.id) : nullptr;
    return session && session->started == key.started ? session : nullptr;
}

/// SQL Server gives the start of a transaction in steps of 3⅓ ms: two that began within one have one start.
constexpr PerEngine<microseconds> stepOfStarts{
    .postgres = microseconds(0), .sqlServer = microseconds(4'000), .sqlite = microseconds(0)};

/// Returns whether the session has been in one transaction since before the poll `before` began. One that
/// began during that poll may have come after the locks that the poll shows.
bool isOneTransaction(const LockSnapshot& before, const LockSnapshot& now, SessionKey key)
{
    const Session* const earlier = sessionOf(before, key);
    const Session* const later = sessionOf(now, key);
    if (!earlier || !later || !later->transactionStarted
        || earlier->transactionStarted != later->transactionStarted)
        return false;
    const ServerTime began = before.at - before.snapshot->cost.server;
    // On PostgreSQL all transactions of one message have one start; each that writes has its own number.
    return *later->transactionStarted + stepOfStarts[now.engine] <= began
        && (!earlier->transactionId || earlier->transactionId == later->transactionId);
}

/// A session that locked rows by SELECT … FOR UPDATE may have had those that it changes now.
bool mayHaveHadRows(std::span<const SeenLock> before, const SeenLock& rows)
{
    return std::any_of(before.begin(), before.end(), [&rows](const SeenLock& lock) {
        return lock.name->lock == rows.name->lock && lock.mode.name() == u"RowShareLock";
    });
}

bool isNew(std::span<const SeenLock> before, const SeenLock& lock)
{
    if (lock.isDeduced || lock.isTried)
        return false;
    const SeenLock* const known = find(before, lock);
    if (!known && lock.standsForRows && mayHaveHadRows(before, lock))
        return false;
    if (lock.isWaitedFor)
        return !known || !known->isWaitedFor;
    // A lock with another time is another one; a lock that was waited for was counted then.
    return !known || (!known->isWaitedFor && lock.since && known->since && *lock.since != *known->since);
}

} // namespace

void OrderOfSnapshots::add(LockSnapshot locksSeen, const StepName& step)
{
    m_last = locksSeen.at;
    m_first = m_polls++ == 0 ? m_last : m_first;
    if (m_before.at.isValid() && (m_before.engine != locksSeen.engine || locksSeen.at < m_before.at))
        markGap();
    keepDeduced(locksSeen);
    std::size_t earlier = 0;
    for (std::size_t at = 0; at < locksSeen.locks.size();) {
        const Locks now = ofNextSession(locksSeen.locks, at);
        const SessionKey session = now.front().session;
        while (earlier < m_before.locks.size() && m_before.locks[earlier].session < session)
            ++earlier;
        const bool isKnown = earlier < m_before.locks.size() && m_before.locks[earlier].session == session;
        const Session* const seen = sessionOf(locksSeen, session);
        addSession(locksSeen,
            {.now = now,
                .before = isKnown ? ofNextSession(m_before.locks, earlier) : Locks(),
                .isOneTransaction = isKnown && isOneTransaction(m_before, locksSeen, session),
                .hasTransaction = seen && seen->transactionStarted},
            step);
    }
    countTransactions(locksSeen);
    if (locksSeen.isComplete)
        m_before = std::move(locksSeen);
    else
        markGap();
}

void OrderOfSnapshots::countTransactions(const LockSnapshot& locksSeen)
{
    if (!locksSeen.snapshot)
        return;
    QHash<SessionKey, Running> running;
    for (const Session& session : locksSeen.snapshot->sessions) {
        if (!isClient(session) || !session.transactionStarted)
            continue;
        Running now{*session.transactionStarted};
        const auto before = m_running.constFind(session.key());
        const bool isSame = before != m_running.constEnd() && before->began == now.began;
        m_transactions.seen += isSame ? 0 : 1;
        m_transactions.followed += isSame && !before->isFollowed ? 1 : 0;
        now.isFollowed = isSame;
        running.insert(session.key(), now);
    }
    m_running = std::move(running);
}

void OrderOfSnapshots::noteServerCount(qint64 perMinute)
{
    m_transactions.serverSum += perMinute;
    ++m_transactions.serverTimes;
}

std::optional<qint64> TransactionCounts::counted(ServerTime from, ServerTime to) const
{
    if (serverTimes == 0)
        return {};
    const double minutes = double((to - from).count()) / 60e6;
    return std::max(seen, qint64(double(serverSum) / double(serverTimes) * minutes));
}

/// A deduced lock stays true while the transaction lasts.
void OrderOfSnapshots::keepDeduced(LockSnapshot& locksSeen) const
{
    std::vector<SeenLock> kept;
    for (const SeenLock& lock : m_before.locks)
        if (lock.isDeduced && isOneTransaction(m_before, locksSeen, lock.session))
            kept.push_back(lock);
    if (kept.empty())
        return;
    for (const SeenLock& lock : kept) {
        const bool isThere = std::any_of(locksSeen.locks.begin(), locksSeen.locks.end(),
            [&lock](const SeenLock& each) { return each.session == lock.session && each.isSameAs(lock); });
        if (!isThere)
            locksSeen.locks.push_back(lock);
    }
    locksSeen.sort();
}

void OrderOfSnapshots::addSession(
    const LockSnapshot& locksSeen, const OfSession& session, const StepName& step)
{
    for (const SeenLock& lock : session.now)
        if (lock.isWaitedFor && lock.name->grain == Grain::Row)
            m_order.noteRowWait(lock.name->lockClass);
    if (session.now.size() < 2)
        return;
    std::size_t pairs = 0;
    for (const SeenLock& second : session.now) {
        if (!isNew(session.before, second))
            continue;
        if (pairs > maxPairs && !second.isWaitedFor)
            continue;
        pairs += session.now.size();
        // The earlier ones, by the evidence for it.
        std::array<std::vector<Taken>, 4> firsts;
        LockOrder::Step found = stepTo(locksSeen, second);
        for (const SeenLock& first : session.now) {
            if (&first == &second || first.isWaitedFor)
                continue;
            const auto evidence = evidenceOf(locksSeen, session, first, second);
            if (!evidence)
                continue;
            firsts[std::size_t(*evidence)].push_back({first.name, first.mode, first.standsForRows});
            found.held.push_back(firsts[std::size_t(*evidence)].back());
        }
        if (found.held.empty() && !session.before.empty() && !session.hasTransaction)
            ++m_transactions.unknown;
        if (step)
            found.witness.step = step(second.session);
        for (std::size_t i = 0; i < firsts.size(); ++i) {
            found.firsts = std::move(firsts[i]);
            found.witness.evidence = Evidence(i);
            if (!found.firsts.empty())
                m_order.note(found);
        }
    }
}

LockOrder::Step OrderOfSnapshots::stepTo(const LockSnapshot& locksSeen, const SeenLock& second)
{
    LockOrder::Step step;
    step.second = {second.name, second.mode, second.standsForRows};
    step.witness.session = second.session;
    step.witness.at = locksSeen.at;
    if (const Session* const session = sessionOf(locksSeen, second.session)) {
        step.witness.user = session->user;
        step.witness.program = session->program;
        step.witness.host = session->host;
        step.witness.statement = session->statement;
    }
    return step;
}

/// Returns the evidence that `first` was there before `second`; nothing: unknown.
std::optional<Evidence> OrderOfSnapshots::evidenceOf(const LockSnapshot& locksSeen, const OfSession& session,
    const SeenLock& first, const SeenLock& second) const
{
    if (second.isWaitedFor)
        return Evidence::Waiting;
    if (first.since && second.since)
        return *first.since < *second.since ? std::optional(Evidence::Exact) : std::nullopt;
    // Locks that an incomplete poll newly shows may have been there before.
    if (!locksSeen.isComplete || find(session.before, first) == nullptr || isNew(session.before, first))
        return std::nullopt;
    if (m_isEveryStep || (first.since && *first.since <= m_before.at))
        return Evidence::Exact;
    if (!session.isOneTransaction || first.isOfStatement)
        return std::nullopt;
    // What does not belong to the transaction may have been given back in it.
    return first.isOfTransaction || first.isDeduced ? Evidence::Transaction : Evidence::Polls;
}

} // namespace lockscope::order
