// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/postgres/PostgresRequests.h"

#include "core/domain/Snapshot.h"

#include <algorithm>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

using HeldLock = PostgresLockRows::DecodedLock;

RequestState stateOf(const HeldLock& lock)
{
    return lock.granted ? RequestState::Granted : RequestState::Waiting;
}

class RequestBuilder {
public:
    RequestBuilder(Snapshot& snapshot, const PostgresLockRows& rows, FirstSeen& firstSeen)
        : m_snapshot(snapshot)
        , m_rows(rows)
        , m_firstSeen(firstSeen)
        , m_waited(rows.resources().size(), false)
        , m_holder(rows.resources().size())
    {
        for (const HeldLock& lock : rows.locks()) {
            if (lock.granted) {
                m_holder[lock.resource] = lock.session;
            } else {
                m_waited[lock.resource] = true;
                if (lock.waitStart && !isOfWaitBefore(lock))
                    m_waitsSince.insert(lock.session, *lock.waitStart);
            }
        }
    }

    void choose(const ProbeSelection& probes)
    {
        std::vector<const HeldLock*> contended;
        std::vector<const HeldLock*> rest;
        for (const HeldLock& lock : m_rows.locks()) {
            if (m_waited[lock.resource])
                contended.push_back(&lock);
            else if (probes.internalLocks || !isInternal(lock))
                rest.push_back(&lock);
        }
        const size_t total = contended.size() + rest.size();
        const size_t room = static_cast<size_t>(std::max<qint64>(probes.maxRequests, 0));
        rest.resize(std::min(rest.size(), room - std::min(room, contended.size())));
        m_chosen = std::move(contended);
        m_chosen.insert(m_chosen.end(), rest.begin(), rest.end());
        if (m_chosen.size() < total)
            m_snapshot.limitations.push_back(
                cappedLocks(static_cast<qint64>(m_chosen.size()), static_cast<qint64>(total)));
    }

    /// Rows of one resource stand together: holders, then waiters by arrival.
    void order()
    {
        const auto arrival = [](const HeldLock* lock) {
            return lock->granted  ? 0
                : lock->waitStart ? lock->waitStart->us
                                  : std::numeric_limits<qint64>::max();
        };
        const auto before = [&](const HeldLock* a, const HeldLock* b) {
            return a->resource != b->resource ? a->resource < b->resource : arrival(a) < arrival(b);
        };
        if (!std::is_sorted(m_chosen.begin(), m_chosen.end(), before))
            std::stable_sort(m_chosen.begin(), m_chosen.end(), before);
    }

    void write(PostgresNames& names)
    {
        m_snapshot.requests.reserve(m_chosen.size());
        m_firstSeen.begin(m_chosen.size(), m_snapshot.takenAt);
        for (const HeldLock* lock : m_chosen)
            m_firstSeen.note(m_rows.resources()[lock->resource],
                {.session = lock->session,
                    .transaction = lock->transaction,
                    .mode = lock->mode.strength(),
                    .state = stateOf(*lock)});
        m_firstSeen.settle();
        constexpr quint32 none = std::numeric_limits<quint32>::max();
        quint32 before = none;
        for (size_t i = 0; i < m_chosen.size(); ++i) {
            const HeldLock* lock = m_chosen[i];
            if (lock->resource != before) {
                before = lock->resource;
                m_snapshot.resources.push_back(names.resource(m_rows.resources()[before], m_holder[before]));
            }
            m_snapshot.requests.push_back(
                requestFrom(*lock, i, static_cast<quint32>(m_snapshot.resources.size() - 1)));
            m_notBefore.push_back(m_firstSeen.notBefore(i));
        }
        boundAgesByWaiters(m_snapshot, m_notBefore);
    }

private:
    /// Nobody learns anything from a transaction's lock on its own id, unless somebody waits for it.
    bool isInternal(const HeldLock& lock) const
    {
        const ResourceKind kind = m_rows.resources()[lock.resource].kind;
        return kind == ResourceKind::TransactionId || kind == ResourceKind::VirtualTransaction;
    }

    /// Until a session has written when its wait began, pg_locks may show the start of its wait before. This
    /// one can't have begun before its statement.
    bool isOfWaitBefore(const HeldLock& lock) const
    {
        const Session* session = m_snapshot.session(lock.session);
        return session && session->waitEvent.startsWith(u"Lock: "_s) && session->statementStarted
            && *session->statementStarted > *lock.waitStart;
    }

    LockRequest requestFrom(const HeldLock& lock, size_t place, quint32 resource)
    {
        const ResourceKey& key = m_rows.resources()[lock.resource];
        const Session* session = m_snapshot.session(lock.session);
        const ServerTime seen = m_firstSeen.since(place);
        LockRequest request;
        request.session = lock.session;
        request.sessionStarted = session ? session->started : ServerTime();
        request.resource = resource;
        request.mode = lock.mode;
        request.state = stateOf(lock);
        // pg_locks doesn't show whether an advisory lock is the session's or the transaction's.
        request.owner = key.kind == ResourceKind::ApplicationLock || key.kind == ResourceKind::UserLock
            ? LockOwner::Other
            : LockOwner::Transaction;
        request.ordinal = m_firstSeen.ordinal(place);
        const bool isNew = seen == m_snapshot.takenAt;
        if (!lock.granted && lock.waitStart && !(isNew && isOfWaitBefore(lock))) {
            request.since = lock.waitStart;
            request.sinceExact = true;
        } else {
            request.since = lock.granted ? grantedBy(lock, session, seen) : seen;
            // Of another transaction than the last poll saw, even if that poll went on when it got the lock.
            if (isNew && lock.transaction != 0)
                request.since =
                    std::max(*request.since, std::min(seen, m_firstSeen.notBefore(place) + microseconds(1)));
        }
        return request;
    }

    /// Returns the latest time at which the lock must have been there: a session that does nothing, or waits
    /// for another lock, took it before.
    ServerTime grantedBy(const HeldLock& lock, const Session* session, ServerTime seen) const
    {
        ServerTime bound = seen;
        const auto waits = m_waitsSince.constFind(lock.session);
        if (waits != m_waitsSince.cend())
            bound = std::min(bound, *waits);
        const bool idle = session
            && (session->state == SessionState::Idle || session->state == SessionState::IdleInTransaction
                || session->state == SessionState::IdleInFailedTransaction);
        if (idle && session->stateSince)
            bound = std::min(bound, *session->stateSince);
        return bound;
    }

    Snapshot& m_snapshot;
    const PostgresLockRows& m_rows;
    FirstSeen& m_firstSeen;
    std::vector<bool> m_waited; // by resource
    std::vector<SessionId> m_holder; // by resource; the last one seen
    QHash<SessionId, ServerTime> m_waitsSince;
    std::vector<const HeldLock*> m_chosen;
    std::vector<ServerTime> m_notBefore; // by request
};

} // namespace

void addRequests(Snapshot& snapshot, const PostgresLockRows& rows, FirstSeen& firstSeen, PostgresNames& names,
    const ProbeSelection& probes)
{
    RequestBuilder assembly(snapshot, rows, firstSeen);
    assembly.choose(probes);
    assembly.order();
    assembly.write(names);
    addWaits(snapshot);
}

void addSafeSnapshotWait(Snapshot& snapshot, SessionId waiter, const std::vector<SessionId>& before)
{
    const Session* session = snapshot.session(waiter);
    Resource resource;
    resource.key.kind = ResourceKind::SafeSnapshot;
    resource.key.entity = static_cast<quint64>(waiter.value);
    resource.name = u"safe snapshot for session %1"_s.arg(waiter.value);
    resource.named = true;
    const auto place = static_cast<quint32>(snapshot.resources.size());
    snapshot.resources.push_back(std::move(resource));
    LockRequest request;
    request.session = waiter;
    request.resource = place;
    request.mode = LockMode::fromText(Engine::Postgres, u"SafeSnapshot");
    request.state = RequestState::Waiting;
    if (session) {
        request.sessionStarted = session->started;
        // Its first statement asks for the snapshot before anything else.
        request.since = session->statementStarted;
        request.sinceExact = request.since.has_value();
    }
    snapshot.requests.push_back(std::move(request));
    for (const SessionId blocker : before)
        snapshot.waits.push_back(
            {.waiter = waiter, .blocker = blocker, .resource = place, .kind = WaitEdge::Kind::Holder});
}

} // namespace lockscope::monitor
