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

std::optional<ServerTime> transactionOf(const LockSnapshot& locksSeen, SessionKey key)
{
    const Session* const session = locksSeen.snapshot ? locksSeen.snapshot->session(key.id) : nullptr;
    return session && session->started == key.started ? session->transactionStarted : std::nullopt;
}

bool isNew(std::span<const SeenLock> before, const SeenLock& lock)
{
    if (lock.isDeduced || lock.isTried)
        return false;
    const SeenLock* const known = find(before, lock);
    if (lock.isWaitedFor)
        return !known || !known->isWaitedFor;
    // A lock with another time is another one; a lock that was waited for was counted then.
    return !known || (!known->isWaitedFor && lock.since && known->since && *lock.since != *known->since);
}

} // namespace

void OrderOfSnapshots::add(LockSnapshot locksSeen, const StepName& step)
{
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
        const auto transaction = transactionOf(locksSeen, session);
        addSession(locksSeen,
            {now, isKnown ? ofNextSession(m_before.locks, earlier) : Locks(),
                transaction.has_value() && transaction == transactionOf(m_before, session)},
            step);
    }
    if (locksSeen.isComplete)
        m_before = std::move(locksSeen);
    else
        markGap();
}

/// A deduced lock stays true while the transaction lasts.
void OrderOfSnapshots::keepDeduced(LockSnapshot& locksSeen) const
{
    std::vector<SeenLock> kept;
    for (const SeenLock& lock : m_before.locks) {
        const auto transaction = lock.isDeduced ? transactionOf(locksSeen, lock.session) : std::nullopt;
        if (transaction && transaction == transactionOf(m_before, lock.session))
            kept.push_back(lock);
    }
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
    const Session* const session =
        locksSeen.snapshot ? locksSeen.snapshot->session(second.session.id) : nullptr;
    if (session) {
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
    // What does not belong to the transaction may have been given back in it.
    if (!first.isOfTransaction && !first.isDeduced)
        return Evidence::Polls;
    return session.isOneTransaction ? std::optional(Evidence::Transaction) : std::nullopt;
}

} // namespace lockscope::order
