// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/order/OrderOfSnapshots.h"

#include "core/domain/BlockingGraph.h"

#include <algorithm>
#include <array>
#include <tuple>

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
    return std::ranges::any_of(before, [&rows](const SeenLock& lock) {
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

bool counts(const Session* session)
{
    return session && isClient(*session);
}

/// SQL Server gives shared locks back at the end of a statement unless the isolation keeps them.
bool isKept(const LockRequest& request, const Session& session)
{
    if (request.owner != LockOwner::Transaction)
        return false;
    if (request.mode.engine() != Engine::SqlServer)
        return true;
    return isWeak(request.mode) || request.mode.name().endsWith(u'X') || request.mode.name() == u"Sch-M"
        || request.mode.name().startsWith(u"Range") || session.isolation == u"repeatable read"
        || session.isolation == u"serializable";
}

class SnapshotLocksReader {
public:
    SnapshotLocksReader(LockNames& names, const Snapshot& snapshot, LockSnapshot& locksSeen)
        : m_names(names)
        , m_snapshot(snapshot)
        , m_locksSeen(locksSeen)
        , m_places(snapshot)
    {
    }

    void readRequests()
    {
        std::vector<LockNamePtr> names(m_snapshot.resources.size());
        for (std::size_t i = 0; i < names.size(); ++i)
            names[i] = m_names.of(m_snapshot.resources[i]);
        for (const LockRequest& request : m_snapshot.requests) {
            const Session* const session = m_snapshot.session(m_snapshot.leaderOf(request.session));
            if (!counts(session))
                continue;
            const ResourceKind kind = m_snapshot.resourceOf(request).key.kind;
            if (kind == ResourceKind::TransactionId) {
                if (request.isWaiting() && m_snapshot.engine == Engine::Postgres)
                    readRowWait(request, *session);
                continue;
            }
            const LockNamePtr& name = names[request.resource];
            if (name && !isPlaceInQueue(m_snapshot, request))
                add(request, *session, name);
        }
    }

    void readEntries()
    {
        for (const LockTableEntry& entry : m_snapshot.entries) {
            const Session* const session = m_snapshot.session(entry.party.session);
            if (!counts(session) || entry.isBad() || !entry.acquiredAt.isValid()
                || session->started > entry.acquiredAt)
                continue;
            SeenLock& lock = m_locksSeen.locks.emplace_back();
            lock.session = session->key();
            lock.name = m_names.of(LockTableKey{entry.table, entry.name});
            lock.mode = LockMode::exclusive(m_snapshot.engine);
            lock.since = entry.acquiredAt;
        }
        for (const LockTableWaiter& waiter : m_snapshot.entryWaiters) {
            const Session* const session = m_snapshot.session(waiter.party.session);
            if (!counts(session) || waiter.isBad() || session->started > waiter.registeredAt)
                continue;
            SeenLock& lock = m_locksSeen.locks.emplace_back();
            lock.session = session->key();
            lock.name = m_names.of(LockTableKey{waiter.table, waiter.name});
            lock.mode = LockMode::exclusive(m_snapshot.engine);
            lock.isWaitedFor = true;
        }
    }

private:
    void add(const LockRequest& request, const Session& session, const LockNamePtr& name)
    {
        SeenLock& lock = m_locksSeen.locks.emplace_back();
        lock.session = session.key();
        lock.name = name;
        lock.mode = request.mode;
        lock.isWaitedFor = request.isWaiting();
        lock.isOfTransaction = isKept(request, session);
        lock.isOfStatement = request.owner == LockOwner::Transaction && !lock.isOfTransaction;
        if (!lock.isWaitedFor && request.sinceExact)
            lock.since = request.since;
        const bool writes = m_snapshot.engine == Engine::Postgres && !lock.isWaitedFor
            && request.mode.name() == u"RowExclusiveLock" && name->grain == Grain::Whole
            && session.transactionId.has_value() && lock.isOfTransaction;
        if (!writes)
            return;
        SeenLock rows = lock;
        rows.standsForRows = true;
        rows.mode = LockMode::fromText(Engine::Postgres, u"ExclusiveLock");
        m_locksSeen.locks.push_back(rows);
    }

    /// It waits for the end of the transaction that has the row.
    void readRowWait(const LockRequest& request, const Session& session)
    {
        const LockRequest* const place = m_places.of(request.session);
        const LockNamePtr row = place ? m_names.of(m_snapshot.resourceOf(*place)) : nullptr;
        if (!row)
            return;
        SeenLock& awaited = m_locksSeen.locks.emplace_back();
        awaited.session = session.key();
        awaited.name = row;
        awaited.mode = place->mode;
        awaited.isWaitedFor = true;
        for (const LockRequest* held : holdersOf(request.resource)) {
            const Session* const holder = m_snapshot.session(m_snapshot.leaderOf(held->session));
            if (!counts(holder))
                continue;
            SeenLock& lock = m_locksSeen.locks.emplace_back();
            lock.session = holder->key();
            lock.name = row;
            lock.mode = LockMode::fromText(Engine::Postgres, u"ExclusiveLock");
            lock.isDeduced = true;
            lock.isOfTransaction = true;
        }
    }

    const std::vector<const LockRequest*>& holdersOf(quint32 transaction)
    {
        if (!m_holders) {
            m_holders.emplace();
            for (const LockRequest& held : m_snapshot.requests) {
                if (!held.isWaiting() && m_snapshot.resourceOf(held).key.kind == ResourceKind::TransactionId)
                    (*m_holders)[held.resource].push_back(&held);
            }
        }
        return (*m_holders)[transaction];
    }

    LockNames& m_names;
    const Snapshot& m_snapshot;
    LockSnapshot& m_locksSeen;
    const QueuePlaces m_places;
    /// The holders of each transaction's number; read when the first waiter is met.
    std::optional<QHash<quint32, std::vector<const LockRequest*>>> m_holders;
};

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
        const bool isThere = std::ranges::any_of(locksSeen.locks,
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

bool isClient(const Session& session)
{
    return !session.own && !session.system;
}

void LockSnapshot::sort()
{
    std::ranges::stable_sort(locks, [](const SeenLock& a, const SeenLock& b) {
        return std::tie(a.session, a.name->lock) < std::tie(b.session, b.name->lock);
    });
}

LockSnapshot LockSnapshotReader::read(const SnapshotPtr& snapshot)
{
    LockSnapshot locksSeen;
    locksSeen.engine = snapshot->engine;
    locksSeen.at = snapshot->takenAt;
    locksSeen.snapshot = snapshot;
    locksSeen.isComplete =
        std::ranges::none_of(snapshot->limitations, [](const Limitation& each) { return each.hidesLocks; });
    SnapshotLocksReader reading(m_names, *snapshot, locksSeen);
    reading.readRequests();
    reading.readEntries();
    locksSeen.sort();
    return locksSeen;
}

} // namespace lockscope::order
