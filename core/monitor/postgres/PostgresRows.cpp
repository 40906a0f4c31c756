// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/postgres/PostgresRows.h"

#include "core/domain/Snapshot.h"

#include <QStringList>

#include <algorithm>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

namespace heldColumn {
enum {
    LockType,
    Database,
    Relation,
    Page,
    Tuple,
    VirtualXid,
    TransactionId,
    ClassId,
    ObjectId,
    ObjectSubId,
    VirtualTransaction,
    Pid,
    Mode,
    Granted,
    WaitStart,
};
}

/// A type that came after us: all that it says about itself, so that equal things stay equal.
QString unknownText(const db::Row& row)
{
    static constexpr std::pair<int, const char16_t*> columns[] = {{heldColumn::Relation, u"relation"},
        {heldColumn::Page, u"page"}, {heldColumn::Tuple, u"tuple"},
        {heldColumn::VirtualXid, u"virtual transaction"}, {heldColumn::TransactionId, u"transaction"},
        {heldColumn::ClassId, u"class"}, {heldColumn::ObjectId, u"object"},
        {heldColumn::ObjectSubId, u"part"}};
    QStringList parts{row.text(heldColumn::LockType)};
    for (const auto& [column, label] : columns) {
        if (!row.isNull(column))
            parts << QString::fromUtf16(label) + u' ' + row.text(column);
    }
    return parts.join(u' ');
}

/// "3/45": backend and its local transaction, as one number; 0 outside of a transaction.
quint64 transactionNumber(std::string_view text)
{
    quint64 backend = 0;
    quint64 local = 0;
    quint64* number = &backend;
    for (const char c : text) {
        if (c == '/')
            number = &local;
        else if (c != '-')
            *number = *number * 10 + static_cast<quint64>(c - '0');
    }
    // A prepared transaction has the backend -1.
    return local == 0 ? 0 : (text.starts_with('-') ? ~backend : backend) << 32 | local;
}

namespace activityColumn {
enum {
    Pid,
    BackendStart,
    State,
    Role,
    Database,
    ApplicationName,
    ClientHostName,
    ClientAddress,
    ClientPort,
    Query,
    WaitEventType,
    WaitEvent,
    StateChange,
    TransactionStart,
    QueryStart,
    LeaderPid,
    BackendType,
    SafeSnapshotAfter,
    TransactionId,
    OldestSeen,
};
}

SessionState stateOf(const QString& text)
{
    static const QHash<QString, SessionState> states{
        {u"active"_s, SessionState::Active},
        {u"fastpath function call"_s, SessionState::Active},
        {u"idle"_s, SessionState::Idle},
        {u"idle in transaction"_s, SessionState::IdleInTransaction},
        {u"idle in transaction (aborted)"_s, SessionState::IdleInFailedTransaction},
    };
    return states.value(text, SessionState::Unknown);
}

/// The server has this text in place of the statements of those whose sessions we may not see.
bool isHidden(const db::Row& row)
{
    const auto utf8 = row.utf8(activityColumn::Query);
    return utf8 ? *utf8 == "<insufficient privilege>"
                : row.text(activityColumn::Query) == u"<insufficient privilege>";
}

/// Returns the name if the server looks names up, else the address.
QString hostOf(const db::Row& row)
{
    constexpr qint64 ofSocketFile = -1; // PostgreSQL documentation, view "pg_stat_activity": client_port
    if (!row.isNull(activityColumn::ClientPort) && row.int64(activityColumn::ClientPort) == ofSocketFile)
        return u"local"_s;
    return row.isNull(activityColumn::ClientHostName) ? row.text(activityColumn::ClientAddress)
                                                      : row.text(activityColumn::ClientHostName);
}

/// "{51,63}"
std::vector<SessionId> sessionsOf(const QString& array)
{
    std::vector<SessionId> sessions;
    const QString list = QString(array).remove(u'{').remove(u'}');
    for (const QString& part : list.split(u',')) {
        if (const qint64 id = part.toLongLong(); id != 0)
            sessions.push_back(SessionId{id});
    }
    return sessions;
}

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
        if (!std::ranges::is_sorted(m_chosen, before))
            std::ranges::stable_sort(m_chosen, before);
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

ResourceKind resourceKindOf(std::string_view lockType)
{
    // Nearly all rows are of the first few.
    static constexpr std::pair<std::string_view, ResourceKind> kinds[] = {
        {"relation", ResourceKind::Relation}, {"advisory", ResourceKind::ApplicationLock},
        {"transactionid", ResourceKind::TransactionId}, {"virtualxid", ResourceKind::VirtualTransaction},
        {"tuple", ResourceKind::Row}, {"object", ResourceKind::Object}, {"page", ResourceKind::Page},
        {"extend", ResourceKind::Extend}, {"spectoken", ResourceKind::SpeculativeToken},
        {"userlock", ResourceKind::UserLock}, {"frozenid", ResourceKind::Metadata}};
    const auto known = std::find_if(
        std::begin(kinds), std::end(kinds), [&](const auto& kind) { return lockType == kind.first; });
    return known != std::end(kinds) ? known->second : ResourceKind::Unknown;
}

ResourceKey PostgresLockRows::resourceOf(const db::Row& row)
{
    ResourceKey key;
    key.kind = resourceKindOf(utf8(row, heldColumn::LockType));
    key.database = static_cast<quint32>(row.int64(heldColumn::Database));
    const auto number = [&row](int column) { return static_cast<quint64>(row.int64(column)); };
    switch (key.kind) {
    case ResourceKind::Relation:
    case ResourceKind::Extend:
        key.entity = number(heldColumn::Relation);
        break;
    case ResourceKind::Page:
        key.entity = number(heldColumn::Relation);
        key.part = number(heldColumn::Page);
        break;
    case ResourceKind::Row:
        key.entity = number(heldColumn::Relation);
        key.part = number(heldColumn::Page) << 16 | number(heldColumn::Tuple);
        break;
    case ResourceKind::TransactionId:
        key.entity = number(heldColumn::TransactionId);
        break;
    case ResourceKind::VirtualTransaction:
        key.text = row.text(heldColumn::VirtualXid);
        break;
    case ResourceKind::SpeculativeToken:
        key.entity = number(heldColumn::TransactionId);
        key.part = number(heldColumn::ObjectId);
        break;
    case ResourceKind::Object:
        key.entity = number(heldColumn::ClassId);
        key.part = number(heldColumn::ObjectId) << 16 | number(heldColumn::ObjectSubId);
        break;
    case ResourceKind::UserLock:
    case ResourceKind::ApplicationLock:
        key.entity = number(heldColumn::ClassId) << 32 | number(heldColumn::ObjectId);
        key.part = number(heldColumn::ObjectSubId); // 1: one 64-bit key, 2: two of 32 bits
        break;
    case ResourceKind::Metadata:
        key.text = row.text(heldColumn::LockType);
        break;
    default:
        key.text = unknownText(row);
    }
    return key;
}

/// Valid until the next call. Names and numbers, hardly any twice in a row, as texts would cost more than all
/// the rest of a row.
std::string_view PostgresLockRows::utf8(const db::Row& row, int column)
{
    if (const auto at = row.utf8(column))
        return *at;
    m_utf8 = row.text(column).toUtf8();
    return {m_utf8.constData(), static_cast<size_t>(m_utf8.size())};
}

const LockMode& PostgresLockRows::modeOf(std::string_view name)
{
    const auto known = std::ranges::find_if(m_modes, [&](const auto& mode) { return name == mode.first; });
    if (known != m_modes.end())
        return known->second;
    const QString text = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    return m_modes.emplace_back(name, LockMode::fromText(Engine::Postgres, text)).second;
}

void PostgresLockRows::expect(size_t rows)
{
    m_locks.reserve(rows);
    m_index.reserve(static_cast<qsizetype>(rows));
}

void PostgresLockRows::add(const db::Row& row)
{
    const ResourceKey key = resourceOf(row);
    auto resource = m_index.constFind(key);
    if (resource == m_index.cend()) {
        resource = m_index.insert(key, static_cast<quint32>(m_resources.size()));
        m_resources.push_back(key);
    }
    m_locks.push_back({.resource = *resource,
        .session = SessionId{row.int64(heldColumn::Pid)},
        .mode = modeOf(utf8(row, heldColumn::Mode)),
        .transaction = transactionNumber(utf8(row, heldColumn::VirtualTransaction)),
        .waitStart = row.optionalTime(heldColumn::WaitStart),
        .granted = row.boolean(heldColumn::Granted)});
}

void PostgresLockRows::attributePrepared()
{
    QHash<quint64, SessionId> owners;
    for (const DecodedLock& lock : m_locks) {
        const ResourceKey& key = m_resources[lock.resource];
        if (!lock.session.isValid() && lock.granted && key.kind == ResourceKind::TransactionId)
            owners.insert(lock.transaction, SessionId{-static_cast<qint64>(key.entity)});
    }
    for (DecodedLock& lock : m_locks) {
        if (!lock.session.isValid())
            lock.session = owners.value(lock.transaction);
    }
}

PostgresSession PostgresSession::fromRow(const db::Row& row, bool withStatements, SessionId own)
{
    PostgresSession result;
    result.role = static_cast<quint32>(row.int64(activityColumn::Role));
    result.database = static_cast<quint32>(row.int64(activityColumn::Database));
    Session& session = result.session;
    session.id = result.id = SessionId{row.int64(activityColumn::Pid)};
    session.started = row.time(activityColumn::BackendStart);
    session.program = row.text(activityColumn::ApplicationName);
    session.host = hostOf(row);
    session.address =
        row.isNull(activityColumn::ClientHostName) ? session.host : row.text(activityColumn::ClientAddress);
    session.own = session.id == own || session.program.startsWith(u"lockscope monitor")
        || session.program.startsWith(u"lockscope admin");
    if (isHidden(row)) {
        session.state = SessionState::Hidden;
        session.statementVisible = false;
        session.system = result.role == 0;
        return result;
    }
    // A server process shows its type where a client shows its program.
    session.system = !row.isNull(activityColumn::BackendType);
    if (session.system && session.program.isEmpty())
        session.program = row.text(activityColumn::BackendType);
    session.state = session.system && row.isNull(activityColumn::State)
        ? SessionState::Background
        : stateOf(row.text(activityColumn::State));
    if (withStatements)
        session.statement = row.text(activityColumn::Query);
    if (!row.isNull(activityColumn::WaitEvent)) {
        const QString event = row.text(activityColumn::WaitEvent);
        session.waitEvent = row.text(activityColumn::WaitEventType) + u": "_s + event;
        result.waitsForSafeSnapshot = event == u"SafeSnapshot";
    }
    session.stateSince = row.optionalTime(activityColumn::StateChange);
    session.transactionStarted = row.optionalTime(activityColumn::TransactionStart);
    session.statementStarted = row.optionalTime(activityColumn::QueryStart);
    session.leader = SessionId{row.int64(activityColumn::LeaderPid)};
    if (!row.isNull(activityColumn::TransactionId))
        session.transactionId = row.int64(activityColumn::TransactionId);
    if (!row.isNull(activityColumn::OldestSeen))
        result.oldestSeen = static_cast<quint32>(row.int64(activityColumn::OldestSeen));
    if (!row.isNull(activityColumn::SafeSnapshotAfter))
        result.safeSnapshotAfter = sessionsOf(row.text(activityColumn::SafeSnapshotAfter));
    return result;
}

/// Computes it as the server's age(): transaction ids go round in a circle.
std::optional<qint64> PostgresSession::snapshotAge(quint32 next) const
{
    return oldestSeen ? std::optional<qint64>(static_cast<qint32>(next - *oldestSeen)) : std::nullopt;
}

Session preparedSession(SessionId id, const PostgresNames::Prepared* known)
{
    Session session;
    session.id = id;
    session.state = SessionState::IdleInTransaction;
    session.program = u"prepared transaction"_s;
    if (known) {
        session.started = known->at;
        session.user = known->owner;
        session.database = known->database;
        session.statement = u"PREPARE TRANSACTION '%1'"_s.arg(QString(known->gid).replace(u'\'', u"''"_s));
        session.stateSince = known->at;
    }
    return session;
}

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
