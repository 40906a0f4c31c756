// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/order/LockSnapshot.h"

#include "core/domain/WaitTargets.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace lockscope::order {

using namespace Qt::StringLiterals;

namespace {

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

bool isClient(const Session& session)
{
    return !session.own && !session.system;
}

void LockSnapshot::sort()
{
    std::stable_sort(locks.begin(), locks.end(), [](const SeenLock& a, const SeenLock& b) {
        return std::tie(a.session, a.name->lock) < std::tie(b.session, b.name->lock);
    });
}

LockSnapshot LockSnapshotReader::read(const SnapshotPtr& snapshot)
{
    LockSnapshot locksSeen;
    locksSeen.engine = snapshot->engine;
    locksSeen.at = snapshot->takenAt;
    locksSeen.snapshot = snapshot;
    locksSeen.isComplete = std::none_of(snapshot->limitations.begin(), snapshot->limitations.end(),
        [](const Limitation& each) { return each.hidesLocks; });
    SnapshotLocksReader reading(m_names, *snapshot, locksSeen);
    reading.readRequests();
    reading.readEntries();
    locksSeen.sort();
    return locksSeen;
}

} // namespace lockscope::order
