// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/sqlserver/SqlServerRequests.h"

#include "core/domain/Snapshot.h"
#include "core/monitor/sqlserver/SqlServerResource.h"

#include <QCryptographicHash>
#include <QSet>

#include <algorithm>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 firstOrphanId = 1'000;

namespace lockColumn {
enum {
    Type,
    Subtype,
    Database,
    Entity,
    Description,
    Partition,
    Mode,
    Status,
    OwnerType,
    Session,
    OwnerId,
    OwnerGuid,
    Address,
    References,
    Count,
    InDetail,
    Total,
};
}

/// A status that the documentation does not list counts as waiting: else a lock would be shown that may not
/// be held.
RequestState requestState(const QString& status)
{
    if (status == u"GRANT"_s || status == u"GRANTED"_s)
        return RequestState::Granted;
    return status.contains(u"CONVERT"_s) ? RequestState::Converting : RequestState::Waiting;
}

LockOwner ownerOf(const QString& type)
{
    if (type == u"TRANSACTION"_s)
        return LockOwner::Transaction;
    return type == u"SESSION"_s ? LockOwner::Session : LockOwner::Other;
}

/// The server gives zeros where no distributed transaction is involved.
bool isNone(QStringView unitOfWork)
{
    return std::ranges::all_of(unitOfWork, [](QChar c) { return c == u'0' || c == u'-'; });
}

quint32 countOf(qint64 count)
{
    return static_cast<quint32>(std::clamp<qint64>(count, 1, std::numeric_limits<quint32>::max()));
}

using ShownLock = SqlServerLockRows::DecodedLock;

/// Lengths of waits are read in milliseconds while the poll runs: what differs by less is the same beginning.
constexpr milliseconds sameTime{2'000};

/// Ranks holders first, then sessions that wait for more of what they have, then waiters by arrival, at the
/// end those that block nobody.
int rankOf(const ShownLock& lock)
{
    if (lock.state == RequestState::Granted)
        return 0;
    if (lock.lowPriority)
        return 3;
    return lock.state == RequestState::Converting ? 1 : 2;
}

class LockRequestBuilder {
public:
    LockRequestBuilder(
        Snapshot& snapshot, const SqlServerReadings& readings, SqlServerSeen& seen, SqlServerNames& names)
        : m_snapshot(snapshot)
        , m_readings(readings)
        , m_seen(seen)
        , m_names(names)
    {
        for (const SqlServerWait& wait : readings.waits) {
            if (wait.address != 0)
                m_waitAt.insert(wait.address, &wait);
            const SqlServerWait*& longest = m_longestWait[wait.session];
            if (!longest || wait.lasting > longest->lasting)
                longest = &wait;
        }
    }

    void addLocks()
    {
        m_seen.begin();
        std::vector<const ShownLock*> locks;
        locks.reserve(m_readings.locks.locks().size());
        for (const ShownLock& lock : m_readings.locks.locks())
            locks.push_back(&lock);
        const auto arrival = [this](const ShownLock* lock) {
            const SqlServerWait* wait = lock->state == RequestState::Granted ? nullptr : waitOf(*lock);
            return wait ? -wait->lasting.count() : 0;
        };
        std::ranges::stable_sort(locks, [&](const ShownLock* a, const ShownLock* b) {
            return std::tuple(a->resource, rankOf(*a), arrival(a))
                < std::tuple(b->resource, rankOf(*b), arrival(b));
        });
        m_seen.locks.begin(locks.size(), m_snapshot.takenAt);
        for (const ShownLock* lock : locks)
            m_seen.locks.note(m_readings.locks.resources()[lock->resource],
                {.session = lock->session,
                    .transaction = static_cast<quint64>(lock->transaction),
                    .mode = lock->mode.strength(),
                    .state = lock->state});
        m_seen.locks.settle();
        m_snapshot.requests.reserve(locks.size());
        // A waiter at low priority is overtaken: such a wait proves nothing about when the others came.
        QSet<quint32> overtaking;
        for (const ShownLock* lock : locks) {
            if (lock->lowPriority)
                overtaking.insert(lock->resource);
        }
        std::vector<ServerTime> notBefore;
        for (size_t i = 0; i < locks.size(); ++i) {
            m_snapshot.requests.push_back(requestFrom(*locks[i], i));
            notBefore.push_back(
                overtaking.contains(locks[i]->resource) ? m_snapshot.takenAt : m_seen.locks.notBefore(i));
        }
        boundAgesByWaiters(m_snapshot, notBefore);
    }

    /// Waits for locks that the lock view did not show us, and waits for anything else that a session holds
    /// up.
    void addOtherWaits()
    {
        QSet<SessionId> waiting;
        for (const LockRequest& request : m_snapshot.requests) {
            if (request.isWaiting())
                waiting.insert(request.session);
        }
        for (const SqlServerWait* wait : longestWaits()) {
            if (waiting.contains(wait->session))
                continue;
            LockRequest request;
            request.session = wait->session;
            request.sessionStarted = startOf(wait->session);
            request.resource = waitedResource(*wait);
            const QString mode = modeOfWaitType(wait->type);
            request.mode = LockMode::fromText(Engine::SqlServer, mode.isEmpty() ? wait->type : mode);
            request.state = RequestState::Waiting;
            request.owner = mode.isEmpty() ? LockOwner::Other : LockOwner::Transaction;
            setWaitStart(request, *wait);
            m_snapshot.requests.push_back(request);
        }
    }

    void nameTransactions()
    {
        for (auto each = m_underlying.cbegin(); each != m_underlying.cend(); ++each)
            m_names.nameTransaction(m_snapshot.resources[each.key()], *each);
    }

    void addEdges()
    {
        addWaits(m_snapshot);
        QSet<std::pair<SessionId, SessionId>> seenBefore;
        QSet<SessionId> behindOrphan;
        for (const WaitEdge& edge : m_snapshot.waits) {
            seenBefore.insert({edge.waiter, edge.blocker});
            if (m_readings.locks.unitsOfWork().contains(edge.blocker))
                behindOrphan.insert(edge.waiter);
        }
        QHash<SessionId, quint32> target;
        for (const LockRequest& request : m_snapshot.requests) {
            if (request.isWaiting())
                target.insert(request.session, request.resource);
        }
        for (const SqlServerWait& wait : m_readings.waits) {
            const bool namedAlready =
                wait.blocker.value == orphanedSession && behindOrphan.contains(wait.session);
            if (!wait.blocker.isValid() || wait.blocker == wait.session || namedAlready
                || !target.contains(wait.session) || seenBefore.contains({wait.session, wait.blocker}))
                continue;
            seenBefore.insert({wait.session, wait.blocker});
            m_snapshot.waits.push_back({.waiter = wait.session,
                .blocker = wait.blocker,
                .resource = target.value(wait.session),
                .kind = WaitEdge::Kind::Holder});
        }
    }

private:
    ServerTime startOf(SessionId id) const
    {
        const Session* session = m_snapshot.session(id);
        return session ? session->started : ServerTime();
    }

    const SqlServerWait* waitOf(const ShownLock& lock) const
    {
        const SqlServerWait* byAddress = lock.address == 0 ? nullptr : m_waitAt.value(lock.address);
        return byAddress ? byAddress : m_longestWait.value(lock.session);
    }

    /// Ordered, so that the same state gives the same snapshot.
    std::vector<const SqlServerWait*> longestWaits() const
    {
        std::vector<const SqlServerWait*> waits(m_longestWait.cbegin(), m_longestWait.cend());
        std::ranges::sort(waits, [](const SqlServerWait* a, const SqlServerWait* b) {
            return std::pair(-a->lasting.count(), a->session) < std::pair(-b->lasting.count(), b->session);
        });
        return waits;
    }

    quint32 resourceFor(const ResourceKey& key)
    {
        const auto known = m_resources.constFind(key);
        if (known != m_resources.cend())
            return *known;
        const quint32 index = newResource(key);
        m_resources.insert(key, index);
        return index;
    }

    quint32 newResource(const ResourceKey& key)
    {
        m_snapshot.resources.push_back(m_names.resource(key));
        const auto index = static_cast<quint32>(m_snapshot.resources.size() - 1);
        if (const auto known = m_readings.locks.underlying().constFind(key);
            known != m_readings.locks.underlying().cend())
            m_underlying[index] = *known;
        return index;
    }

    /// Waiters for resources that may be different ones get a resource each: there is no queue between
    /// strangers.
    quint32 waitedResource(const SqlServerWait& wait)
    {
        const WaitTarget thing = m_readings.target.of(wait);
        const quint32 index = thing.exact ? resourceFor(thing.key) : newResource(thing.key);
        if (thing.underlying)
            m_underlying[index].push_back(*thing.underlying);
        return index;
    }

    LockRequest requestFrom(const ShownLock& lock, size_t place)
    {
        const ResourceKey& key = m_readings.locks.resources()[lock.resource];
        LockRequest request;
        request.session = lock.session;
        request.sessionStarted = startOf(lock.session);
        request.resource = resourceFor(key);
        request.mode = lock.mode;
        request.state = lock.state;
        request.owner = lock.owner;
        request.count = lock.count;
        const ServerTime seen = m_seen.locks.since(place);
        request.ordinal = m_seen.locks.ordinal(place);
        if (request.isWaiting()) {
            if (const SqlServerWait* wait = waitOf(lock))
                setWaitStart(request, *wait);
            else
                request.since = seen;
        } else {
            setGrantBound(request, lock, seen);
        }
        return request;
    }

    void setWaitStart(LockRequest& request, const SqlServerWait& wait)
    {
        request.since = m_seen.noteWait(
            wait.session, m_snapshot.resourceOf(request).key, m_snapshot.takenAt - wait.lasting);
        request.sinceExact = true;
    }

    /// Sets the latest time at which the lock must have been there: a session that does nothing, or waits for
    /// another lock, took it before. The earliest is the start of its transaction; where both meet, the age
    /// is known.
    void setGrantBound(LockRequest& request, const ShownLock& lock, ServerTime seen) const
    {
        ServerTime bound = seen;
        if (const SqlServerWait* wait = m_longestWait.value(lock.session))
            bound = std::min(bound, m_snapshot.takenAt - wait->lasting);
        const Session* session = m_snapshot.session(lock.session);
        const bool idle = session
            && (session->state == SessionState::Idle || session->state == SessionState::IdleInTransaction);
        if (idle && session->stateSince)
            bound = std::min(bound, *session->stateSince);
        const auto begin =
            lock.transaction != 0 ? m_readings.sessions.transactionBegin(lock.transaction) : std::nullopt;
        if (begin && *begin >= bound) {
            bound = *begin;
            request.sinceExact = true;
        }
        request.since = std::min(bound, m_snapshot.takenAt);
    }

    Snapshot& m_snapshot;
    const SqlServerReadings& m_readings;
    SqlServerSeen& m_seen;
    SqlServerNames& m_names;
    QHash<qint64, const SqlServerWait*> m_waitAt; // by address
    QHash<SessionId, const SqlServerWait*> m_longestWait;
    QHash<ResourceKey, quint32> m_resources;
    QHash<quint32, std::vector<ResourceKey>> m_underlying; // by resource
};

/// Both mean a place of one heap or B-tree; the request has the place, the task its object.
bool agree(const ResourceKey& task, const ResourceKey& request)
{
    return task.kind == request.kind && task.database == request.database
        && (task.entity == request.entity || task.entity == 0 || request.entity == 0);
}

} // namespace

SessionId orphanId(const QString& unitOfWork)
{
    const QByteArray hash =
        QCryptographicHash::hash(unitOfWork.toUpper().toUtf8(), QCryptographicHash::Sha256).left(4);
    quint32 number = 0;
    for (const char byte : hash)
        number = number << 8 | static_cast<quint8>(byte);
    return SessionId{-(firstOrphanId + static_cast<qint64>(number & 0x3fffffff))};
}

void SqlServerLockRows::add(const db::Row& row)
{
    const ResourceColumns thing{.type = row.text(lockColumn::Type),
        .subtype = row.text(lockColumn::Subtype),
        .database = row.int64(lockColumn::Database),
        .entity = row.int64(lockColumn::Entity),
        .description = row.text(lockColumn::Description),
        .partition = row.int64(lockColumn::Partition)};
    const ResourceKey key = resourceKey(thing);
    if (const auto underlying = underlyingKey(thing))
        m_underlying[key].push_back(*underlying);
    const qint64 locks = std::max<qint64>(1, row.int64(lockColumn::Count));
    ResourceKey shown = key;
    if (!row.boolean(lockColumn::InDetail) && locks > 1) {
        // Many rows, pages or keys in one: what only one of them has does not name it.
        const bool isHeap = key.kind == ResourceKind::Row && row.text(lockColumn::Type) == u"RID"_s;
        shown.part = 0;
        shown.text = isHeap ? u"RID"_s : row.text(lockColumn::Subtype);
    }
    auto resource = m_index.constFind(shown);
    if (resource == m_index.cend()) {
        resource = m_index.insert(shown, static_cast<quint32>(m_resources.size()));
        m_resources.push_back(shown);
    }
    const QString modeText =
        row.isNull(lockColumn::Mode) ? u"NL"_s : row.text(lockColumn::Mode); // a placeholder without access
    auto mode = m_modes.constFind(modeText);
    if (mode == m_modes.cend())
        mode = m_modes.insert(modeText, LockMode::fromText(Engine::SqlServer, modeText));

    const QString status = row.text(lockColumn::Status);
    DecodedLock lock;
    lock.resource = *resource;
    lock.session = SessionId{row.int64(lockColumn::Session)};
    const QString unitOfWork = row.text(lockColumn::OwnerGuid);
    if (lock.session.value == orphanedSession && !isNone(unitOfWork)) {
        lock.session = orphanId(unitOfWork);
        m_unitsOfWork.insert(lock.session, unitOfWork);
    }
    lock.mode = *mode;
    lock.state = requestState(status);
    lock.lowPriority = status.startsWith(u"LOW_PRIORITY"_s);
    lock.owner = ownerOf(row.text(lockColumn::OwnerType));
    lock.transaction = lock.owner == LockOwner::Transaction ? row.int64(lockColumn::OwnerId) : 0;
    lock.address = row.int64(lockColumn::Address);
    lock.count = countOf(locks > 1 ? locks : row.int64(lockColumn::References));
    m_locks.push_back(lock);
    m_shown += locks;
    m_total = std::max(m_total, row.int64(lockColumn::Total));
}

ServerTime SqlServerSeen::noteWait(SessionId session, const ResourceKey& resource, ServerTime began)
{
    const WaitKey key{session, resource};
    const auto before = m_waitsBefore.constFind(key);
    const bool same = before != m_waitsBefore.cend() && std::chrono::abs(began - *before) < sameTime;
    const ServerTime since = same ? *before : began;
    m_waitsNow.insert(key, since);
    return since;
}

void addRequests(
    Snapshot& snapshot, const SqlServerReadings& readings, SqlServerSeen& seen, SqlServerNames& names)
{
    LockRequestBuilder assembly(snapshot, readings, seen, names);
    assembly.addLocks();
    assembly.addOtherWaits();
    assembly.nameTransactions();
    assembly.addEdges();
}

SqlServerWaitTargets::SqlServerWaitTargets(const std::vector<SqlServerWait>& waits,
    const SqlServerSessions& sessions, const SqlServerLockRows& locks)
    : m_sessions(sessions)
    , m_locks(locks)
{
    QHash<SessionId, QString> first;
    for (const SqlServerWait& wait : waits) {
        const QString lock = wait.fromTask ? parseWaitingTask(wait.description).lockId : QString();
        if (lock.isEmpty())
            continue;
        if (first.value(wait.session, lock) != lock)
            m_ofSeveral.insert(wait.session);
        first.insert(wait.session, lock);
    }
    for (const SqlServerWait& wait : waits) {
        const WaitTarget thing = shownTarget(wait);
        if (thing.exact && !thing.lockId.isEmpty())
            m_byLock.insert({thing.key.database, thing.lockId}, thing.key);
    }
}

/// Returns the resource by the task and the request of its session.
WaitTarget SqlServerWaitTargets::shownTarget(const SqlServerWait& wait) const
{
    if (!wait.fromTask)
        return parseWaitResource(wait.description);
    WaitTarget thing = parseWaitingTask(wait.description);
    if (m_ofSeveral.contains(wait.session))
        return thing;
    const WaitTarget request = parseWaitResource(m_sessions.waitResource(wait.session));
    if (!request.exact || !agree(thing.key, request.key))
        return thing;
    // The task has the hash of an application lock, the request the name, too.
    const bool isNamed = !thing.appLockHash.isEmpty() && request.appLockHash == thing.appLockHash;
    if (!thing.exact || isNamed) {
        const quint64 entity = thing.key.entity;
        thing.key = request.key;
        thing.key.entity = entity != 0 ? entity : request.key.entity;
        thing.exact = true;
    }
    if (request.underlying)
        thing.underlying = request.underlying;
    return thing;
}

/// The hash of an application lock, the place of a page or row: its holder's row has the rest.
void SqlServerWaitTargets::complete(WaitTarget& thing) const
{
    const auto isMeant = [&thing](const ResourceKey& known) {
        if (known.kind != thing.key.kind || known.database != thing.key.database)
            return false;
        if (thing.appLockHash.isEmpty())
            return thing.key.entity == 0 && thing.key.part != 0 && known.part == thing.key.part
                && known.text == thing.key.text;
        const auto text = parseAppLockText(known.text);
        return text && text->hash == thing.appLockHash;
    };
    if (thing.appLockHash.isEmpty() && (thing.key.entity != 0 || thing.key.part == 0))
        return;
    const auto& known = m_locks.resources();
    if (const auto found = std::ranges::find_if(known, isMeant); found != known.end())
        thing.key = *found;
}

WaitTarget SqlServerWaitTargets::of(const SqlServerWait& wait) const
{
    WaitTarget thing = shownTarget(wait);
    if (!thing.exact && !thing.lockId.isEmpty()) {
        const auto known = m_byLock.constFind({thing.key.database, thing.lockId});
        if (known != m_byLock.cend()) {
            thing.key = *known;
        } else {
            thing.key.text += (thing.key.text.isEmpty() ? QString() : u" "_s) + thing.lockId;
        }
        thing.exact = true;
    }
    if (thing.key.text.isEmpty() && thing.key.kind == ResourceKind::Unknown)
        thing.key.text = wait.type;
    complete(thing);
    return thing;
}

} // namespace lockscope::monitor
