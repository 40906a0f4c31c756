// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/postgres/PostgresSnapshotSource.h"

#include "core/db/postgres/PostgresDialect.h"
#include "core/monitor/ServerCheck.h"

#include <algorithm>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;
using As = RunningCounters::As;

namespace {

constexpr int firstWithCheckpointer = 170'000;

const QString postgresFigures = u"commits, checkpoints and how far this standby is behind"_s;
const QString postgresLags = u"how far standbys are behind"_s;
const QString postgresLockCounts = u"waits for locks that the server counts"_s;
const QString postgresSettings = u"changed settings"_s;

constexpr qsizetype maxFaultsShown = 3;

db::ConnectOptions readerOptions()
{
    return {.purpose = db::Purpose::Monitor,
        .programSuffix = u"reader"_s,
        .statementTimeout = milliseconds(5'000)};
}

constexpr int firstWithLeaderPid = 130'000;
constexpr int firstWithWaitStart = 140'000;
constexpr qsizetype maxRemedies = 5;
/// age() counts from this one; PostgreSQL's sources, src/include/access/transam.h: FirstNormalTransactionId.
constexpr quint32 firstTransaction = 3;

db::Statement versioned(
    const char* path, const char* placeholder, const QString& expression, int version, int since)
{
    return db::Statement::filled(
        path, {{QLatin1StringView(placeholder), version >= since ? expression : u"NULL"_s}})
        .withBinaryResults();
}

/// True if the server hides where such a session comes from.
bool hidesDetails(const Session& session)
{
    return session.state == SessionState::Hidden && !session.system;
}

/// Or may wait for one, for all that we may see of it.
bool waitsForLock(const PostgresSession& seen)
{
    return seen.waitsForSafeSnapshot || hidesDetails(seen.session)
        || seen.session.waitEvent.startsWith(u"Lock: "_s);
}

bool isOfTable(ResourceKind kind)
{
    return kind == ResourceKind::Relation || kind == ResourceKind::Row || kind == ResourceKind::Page
        || kind == ResourceKind::Extend;
}

} // namespace

void PostgresSurroundings::begin(int serverVersion, const QString& role, bool countsWaits)
{
    const bool isNew = serverVersion >= firstWithCheckpointer;
    m_checkpointer = isNew ? u"pg_stat_checkpointer"_s : u"pg_stat_bgwriter"_s;
    m_figures = db::Statement::filled("postgres/monitor/surroundings",
        {{"checkpoints"_L1,
             isNew ? u"num_timed + num_requested"_s : u"checkpoints_timed + checkpoints_req"_s},
            {"checkpoint_ms"_L1, isNew ? u"write_time"_s : u"checkpoint_write_time"_s},
            {"checkpointer"_L1, m_checkpointer}});
    m_role = role;
    m_countsWaits = countsWaits;
    m_questions.begin();
    m_wantsSettings = true;
}

void PostgresSurroundings::addTo(std::vector<db::BatchItem>& items)
{
    if (!m_figures || !m_questions.isDue())
        return;
    m_ownLag.reset();
    m_connections.clear();
    m_lags.clear();
    m_settingsRead.clear();
    m_lockCounter.begin();
    const auto grant = [this](const QString& views) {
        return u"GRANT SELECT ON %1 TO %2;"_s.arg(views, m_role);
    };
    // Settings are many: only once the server has read them again.
    if (m_wantsSettings || m_settingsOf != m_loaded)
        m_questions.ask(items, {postgresSettings, grant(u"pg_catalog.pg_settings"_s)},
            db::Statement::get("postgres/monitor/settings"),
            [this](const db::Row& row) { m_settingsRead.emplace(row.text(0), row.text(1)); });
    m_questions.ask(items, {postgresLags, grant(u"pg_catalog.pg_stat_replication"_s)},
        db::Statement::get("postgres/monitor/replication"), [this](const db::Row& row) {
            m_lags.push_back({.kind = measures::replicationLag, .name = row.text(0), .value = row.int64(1)});
        });
    if (m_countsWaits)
        m_questions.ask(items, {postgresLockCounts, grant(u"pg_catalog.pg_stat_lock"_s)},
            db::Statement::get("postgres/monitor/lock_counts"), [this](const db::Row& row) {
                const QString type = row.text(0);
                LockCount& count = m_lockCounter.of(resourceKindOf(type.toStdString()), type);
                count.waits += row.int64(1);
                count.waited += milliseconds(row.int64(2));
                count.fastPathExceeded = count.fastPathExceeded.value_or(0) + row.int64(3);
                count.reset = row.int64(4);
            });
    m_questions.ask(items,
        {postgresFigures, grant(u"pg_catalog.pg_stat_database, pg_catalog."_s + m_checkpointer)}, *m_figures,
        [this](const db::Row& row) {
            m_counters.read(measures::commits, As::PerMinute, row.int64(0));
            m_counters.read(measures::rollbacks, As::PerMinute, row.int64(1));
            m_counters.read(measures::checkpoints, As::Count, row.int64(2));
            m_counters.read(measures::checkpointTime, As::Count, row.int64(3));
            if (!row.isNull(4))
                m_ownLag = row.int64(4);
            m_loaded = row.text(5);
            m_connections = {{measures::connections, {}, row.int64(6)},
                {measures::maxConnections, {}, row.int64(7)}, {measures::replica, {}, row.int64(8)}};
        });
}

Surroundings PostgresSurroundings::finish(Snapshot& snapshot)
{
    m_questions.end(snapshot);
    m_questions.limit(snapshot);
    Surroundings result;
    if (!m_questions.hasAsked())
        return result;
    addActiveSessions( // of "IO: DataFileRead" the first word
        snapshot, [](const QString& waitEvent) { return waitEvent.section(u": "_s, 0, 0); }, result.measures);
    const auto workers = std::ranges::count_if(snapshot.sessions,
        [](const Session& session) { return session.system && session.program == u"autovacuum worker"_s; });
    result.measures.push_back({.kind = measures::autovacuum, .value = workers});
    if (m_questions.isAnswered(postgresLockCounts)) {
        result.lockCounts = m_lockCounter.counts();
        m_counters.read(result.lockCounts);
    }
    m_counters.addTo(result.measures, snapshot.takenAt);
    result.measures.insert(result.measures.end(), m_lags.begin(), m_lags.end());
    result.measures.insert(result.measures.end(), m_connections.begin(), m_connections.end());
    if (m_ownLag)
        result.measures.push_back({.kind = measures::replicationLag, .value = *m_ownLag});
    if (m_questions.isAnswered(postgresSettings)) {
        m_wantsSettings = false;
        m_settingsOf = m_loaded;
        m_settings.compare(m_settingsRead, result);
    }
    return result;
}

std::unique_ptr<PostgresReader> PostgresReader::of(const db::Server& server)
{
    std::optional<db::Server> reader = db::readerOf(server);
    return reader ? std::make_unique<PostgresReader>(std::move(*reader)) : nullptr;
}

PostgresReader::PostgresReader(db::Server server)
    : m_connection(std::move(server), readerOptions())
    , m_role(m_connection.server().profile.url.user)
{
}

/// Somebody may give the role more at any time.
Result<void> PostgresReader::checkRights(const std::stop_token& stop)
{
    constexpr int parametersHaveRightsFrom = 150'000;
    QStringList faults;
    const auto note = [&faults](const db::Row& row) { faults << row.text(0); };
    std::vector<db::BatchItem> check{
        {.statement = &db::Statement::get("postgres/frameworks/reader"), .sink = note}};
    if (m_connection->serverVersionNumber() >= parametersHaveRightsFrom)
        check.push_back(
            {.statement = &db::Statement::get("postgres/frameworks/reader_parameters"), .sink = note});
    for (const auto& checked : m_connection->executeBatch(check, stop))
        LOCKSCOPE_TRY(checked);
    if (!faults.isEmpty())
        return failure(ErrorKind::Permission,
            u"The role %1 has rights that somebody could gain by it: %2"_s.arg(
                m_role, faults.first(std::min(faults.size(), maxFaultsShown)).join(u"; "_s)),
            u"Name a role that is a member of pg_monitor at most, owns nothing and may write nowhere."_s);
    return {};
}

Result<void> PostgresReader::makeReady(const std::stop_token& stop)
{
    LOCKSCOPE_TRY_GET(const bool opened, m_connection.ensureOpen());
    const bool isNew = opened || !m_probe;
    if (!isNew && !m_probe->isSearchDue())
        return {};
    if (auto harmless = checkRights(stop); !harmless) {
        m_probe.reset();
        return harmless;
    }
    if (!isNew)
        return {};
    m_probe.emplace(*m_connection, m_connection.server().profile);
    m_probe->setByReader(true);
    m_probe->setRole(m_role);
    m_probe->judgeSearch(m_connection->executeBatch(m_probe->catalogueSearch(), stop), stop);
    return {};
}

void PostgresReader::poll(Snapshot& snapshot, bool readsRows, const std::stop_token& stop)
{
    m_failure.reset();
    const auto fail = [&](const Error& error) {
        m_connection.noteFailure(error);
        m_failure = error;
        snapshot.limitations.push_back(readerLimitation(error));
    };
    if (const Result<void> ready = makeReady(stop); !ready)
        return fail(ready.error());
    std::vector<db::BatchItem> items;
    m_probe->setReadsRows(readsRows);
    m_probe->addTo(items);
    const auto results = m_connection->executeBatch(items, stop);
    ++snapshot.cost.roundTrips;
    for (const auto& result : results) {
        if (!result && result.error().kind == ErrorKind::Connection)
            return fail(result.error());
    }
    m_probe->judge(
        results, snapshot,
        [&](std::span<const db::BatchItem> more) { return m_connection->executeBatch(more, stop); }, stop);
}

bool PostgresReader::finish(Snapshot& snapshot, SessionsSeen seen)
{
    if (!m_probe || m_failure)
        return false;
    m_probe->finish(snapshot, seen);
    return true;
}

/// One poll under way.
struct PostgresSnapshotSource::Reading {
    explicit Reading(Snapshot& into)
        : snapshot(into)
    {
    }

    Snapshot& snapshot;
    ServerTime began;
    quint32 nextTransaction = 0;
    PostgresLockRows locks;
    std::vector<PostgresSession> sessions;
    bool asksSafeSnapshots = false;
    QSet<qint64> prepared; ///< transaction ids of prepared transactions that hold a lock or wait for one
};

PostgresSnapshotSource::Link::Link(db::Connection& connection, const db::ServerProfile& profile)
    : locks(versioned("postgres/monitor/locks", "waitstart", u"waitstart"_s, connection.serverVersionNumber(),
        firstWithWaitStart))
    , sessions(versioned("postgres/monitor/sessions", "leader", u"leader_pid"_s,
          connection.serverVersionNumber(), firstWithLeaderPid))
    , end(db::Statement::get("postgres/monitor/poll_end").withBinaryResults())
    , lockTables(connection)
    , frameworks(connection, profile)
{
}

PostgresSnapshotSource::PostgresSnapshotSource(db::Server server, const ProbeSelection& probes)
    : ServerSnapshotSource(std::move(server), probes)
    , m_probes(probes)
    , m_reader(PostgresReader::of(this->server()))
{
}

Result<void> PostgresSnapshotSource::probeServer(const std::stop_token& stop)
{
    m_link.emplace(connection(), profile());
    m_locksTurn.beginAgain();
    bool mayKnowCluster = false;
    bool countsWaits = false;
    std::vector<db::BatchItem> items{
        {.statement = &db::Statement::get("postgres/monitor/identity"), .sink = [&](const db::Row& row) {
             m_link->role = row.text(0);
             mayKnowCluster = row.boolean(2);
             countsWaits = row.boolean(3);
             m_link->names = PostgresNames(static_cast<quint32>(row.int64(1)));
         }}};
    m_link->lockTables.addSearch(items);
    const size_t needed = items.size();
    for (db::BatchItem& item : m_link->frameworks.catalogueSearch())
        items.push_back(std::move(item));
    const auto results = connection().executeBatch(items, stop);
    for (size_t i = 0; i < results.size(); ++i) {
        if (!results[i] && (i < needed || concernsTheConnection(results[i].error())))
            return pollFailure(results[i].error(), u"Can't find out what may be seen here."_s);
    }
    m_link->frameworks.judgeSearch(std::span(results).subspan(needed), stop);
    m_link->lockTables.setRole(m_link->role);
    m_link->frameworks.setRole(m_link->role);
    m_surroundings.begin(
        connection().serverVersionNumber(), connection().dialect().quoted(m_link->role), countsWaits);
    m_link->hidesCluster = !mayKnowCluster;
    // By itself: it may fail all the same, and nothing else must fail with it.
    if (mayKnowCluster)
        static_cast<void>(connection().execute(
            db::Statement::get("postgres/monitor/cluster"), {},
            [this](const db::Row& row) { m_link->cluster = row.text(0); }, stop));
    return {};
}

std::vector<db::BatchItem> PostgresSnapshotSource::itemsFor(Reading& reading)
{
    std::vector<db::BatchItem> items;
    items.push_back({.statement = &db::Statement::get("postgres/monitor/clock"),
        .sink = [&reading](const db::Row& row) { reading.began = row.time(0); }});
    if (reading.snapshot.locksRead)
        items.push_back({.statement = &m_link->locks,
            .params = {m_probes.internalLocks},
            .sink = [&reading](const db::Row& row) { reading.locks.add(row); }});
    items.push_back({.statement = &m_link->sessions,
        .params = {m_probes.statements, reading.asksSafeSnapshots},
        .sink = [this, own = connection().sessionId(), &reading](const db::Row& row) {
            reading.sessions.push_back(PostgresSession::fromRow(row, m_probes.statements, own));
        }});
    for (db::BatchItem& item : items)
        item.withNext = true;
    // Ages are measured from there: everything else was seen before that time.
    items.push_back({.statement = &m_link->end, .sink = [&reading](const db::Row& row) {
                         reading.snapshot.takenAt = row.time(0);
                         reading.nextTransaction = firstTransaction + static_cast<quint32>(row.int64(1));
                     }});
    return items;
}

/// Reads locks, sessions and all waits by one statement, as any other poll has them.
Result<void> PostgresSnapshotSource::readAgain(Reading& reading, const std::stop_token& stop)
{
    Snapshot& snapshot = reading.snapshot;
    snapshot.locksRead = true;
    reading.asksSafeSnapshots = true;
    reading.locks = {};
    reading.sessions.clear();
    const std::vector<db::BatchItem> items = itemsFor(reading);
    const microseconds before = snapshot.cost.server;
    const auto results = ask(items, stop);
    ++snapshot.cost.roundTrips;
    for (const auto& result : results) {
        if (!result)
            return pollFailure(result.error(), u"Can't read the locks."_s);
        snapshot.cost.rows += *result;
    }
    reading.locks.attributePrepared();
    snapshot.cost.server = before + (snapshot.takenAt - reading.began);
    return {};
}

Result<void> PostgresSnapshotSource::read(Reading& reading, const std::stop_token& stop)
{
    std::vector<db::BatchItem> items = itemsFor(reading);
    // It stays last, and what may fail stays out of what is needed.
    const db::BatchItem end = items.back();
    items.pop_back();
    const size_t mandatory = items.size();
    m_link->lockTables.addTo(items, reading.snapshot);
    const size_t frameworksFirst = items.size();
    m_link->frameworks.setReadsRows(readsFrameworkRows());
    if (!m_reader)
        m_link->frameworks.addTo(items);
    const size_t optional = items.size();
    m_link->names.setAppLockNamesReadable(m_link->lockTables.appLockNamesReadable());
    for (db::BatchItem& item : m_link->names.renewals())
        items.push_back(std::move(item));
    const size_t surroundingsFirst = items.size();
    if (m_probes.surroundings)
        m_surroundings.addTo(items);
    const size_t surroundingsCount = items.size() - surroundingsFirst;
    items[mandatory - 1].withNext = items.size() == mandatory;
    items.push_back(end);

    const auto results = ask(items, stop);
    for (size_t i = 0; i < results.size(); ++i) {
        const bool needed = i < mandatory || i + 1 == results.size();
        if (!results[i] && (needed || concernsTheConnection(results[i].error())))
            return pollFailure(results[i].error(), u"Can't read the locks."_s);
        if (results[i])
            reading.snapshot.cost.rows += *results[i];
    }
    m_surroundings.judge(std::span(results).subspan(surroundingsFirst, surroundingsCount));
    reading.locks.attributePrepared();
    const auto again = [&](std::span<const db::BatchItem> more) { return ask(more, stop); };
    m_link->lockTables.judge(
        std::span(results).subspan(mandatory, frameworksFirst - mandatory), reading.snapshot, again);
    if (m_reader)
        onTheWire([&] { m_reader->poll(reading.snapshot, readsFrameworkRows(), stop); });
    else
        m_link->frameworks.judge(std::span(results).subspan(frameworksFirst, optional - frameworksFirst),
            reading.snapshot, again, stop);
    return {};
}

Result<void> PostgresSnapshotSource::lookUpNames(Reading& reading, const std::stop_token& stop)
{
    PostgresNames::RequestedNames requested;
    for (const ResourceKey& key : reading.locks.resources())
        m_link->names.request(requested, key);
    for (const PostgresSession& session : reading.sessions) {
        if (session.role != 0)
            requested.roles.insert(session.role);
        if (session.database != 0)
            requested.databases.insert(session.database);
    }
    for (const auto& lock : reading.locks.locks()) {
        if (lock.session.value < 0)
            reading.prepared.insert(-lock.session.value);
    }
    requested.prepared = reading.prepared;
    return lookUp(reading.snapshot, m_link->names.firstLookUps(requested), stop);
}

bool PostgresSnapshotSource::isPooled()
{
    return !connection().sessionId().isValid() || profile().url.options.contains(u"pooler"_s);
}

bool PostgresSnapshotSource::isForeign(const ResourceKey& key) const
{
    return key.database != 0 && key.database != m_link->names.ownDatabase() && isOfTable(key.kind);
}

/// Asks only for tables of other databases that somebody waits for, and only of one database in a poll;
/// behind a pooler for none: which databases it leads to, and how, is its own matter.
Result<void> PostgresSnapshotSource::lookUpForeignNames(Reading& reading, const std::stop_token& stop)
{
    PostgresForeignNames& foreign = m_link->names.foreign();
    if (isPooled())
        return {};
    QSet<PostgresForeignNames::Key> requested;
    for (const PostgresLockRows::DecodedLock& lock : reading.locks.locks()) {
        const ResourceKey& key = reading.locks.resources()[lock.resource];
        if (!lock.granted && isForeign(key))
            requested.insert({key.database, static_cast<quint32>(key.entity)});
    }
    const quint32 database = foreign.next(requested);
    if (database == 0)
        return {};
    QString name;
    const std::vector<db::BatchItem> items{{.statement = &db::Statement::get("postgres/names/open_databases"),
        .params = {db::arrayLiteral(std::vector{database})},
        .sink = [&name](const db::Row& row) { name = row.text(1); }}};
    LOCKSCOPE_TRY(lookUp(reading.snapshot, items, stop));
    if (name.isEmpty()) {
        foreign.leaveAlone(database);
        return {};
    }
    reading.snapshot.cost.visited = name;
    onTheWire([&] { foreign.ask(server(), database, name, requested); });
    return {};
}

void PostgresSnapshotSource::addSessions(Reading& reading)
{
    Snapshot& snapshot = reading.snapshot;
    snapshot.sessions.reserve(reading.sessions.size() + static_cast<size_t>(reading.prepared.size()));
    for (PostgresSession& seen : reading.sessions) {
        if (seen.role != 0)
            seen.session.user = m_link->names.role(seen.role);
        if (seen.database != 0)
            seen.session.database = m_link->names.database(seen.database);
        seen.session.snapshotAge = seen.snapshotAge(reading.nextTransaction);
        snapshot.sessions.push_back(std::move(seen.session));
    }
    limitHiddenSessions(reading);
    addPrepared(reading);
    snapshot.index();
}

void PostgresSnapshotSource::addPrepared(Reading& reading)
{
    Snapshot& snapshot = reading.snapshot;
    QStringList remedies;
    for (const qint64 transaction : std::as_const(reading.prepared)) {
        const auto* known = m_link->names.prepared(transaction);
        snapshot.sessions.push_back(preparedSession(SessionId{-transaction}, known));
        remedies << (known ? u"ROLLBACK PREPARED '%1';"_s.arg(QString(known->gid).replace(u'\'', u"''"_s))
                           : u"SELECT * FROM pg_prepared_xacts;"_s);
    }
    remedies.sort();
    if (!remedies.isEmpty())
        snapshot.limitations.push_back({.kind = Limitation::Kind::Unsupported,
            .what =
                u"Locks are held by prepared transactions: no session is left that could be ended. Finish them with COMMIT PREPARED or ROLLBACK PREPARED."_s,
            .remedy = remedies.join(u' ')});
}

/// Adds the limitation for recorders only: nobody else compares it.
void PostgresSnapshotSource::limitCluster(Snapshot& snapshot)
{
    if (m_probes.surroundings && m_link->hidesCluster)
        snapshot.limitations.push_back({.kind = Limitation::Kind::MissingPermission,
            .what =
                u"This role may not read which cluster this is: another one at the same address goes unnoticed."_s,
            .remedy = u"GRANT EXECUTE ON FUNCTION pg_catalog.pg_control_system() TO %1;"_s.arg(
                connection().dialect().quoted(m_link->role))});
}

void PostgresSnapshotSource::limitHiddenSessions(const Reading& reading)
{
    const auto& sessions = reading.snapshot.sessions;
    const auto ofUsers = std::ranges::count_if(sessions, [](const Session& s) { return !s.system; });
    const auto hidden = std::ranges::count_if(sessions, hidesDetails);
    if (hidden > 0)
        reading.snapshot.limitations.push_back({.kind = Limitation::Kind::MissingPermission,
            .what = u"Statements and states of other roles' sessions are hidden."_s,
            .remedy = u"GRANT pg_read_all_stats TO %1;"_s.arg(connection().dialect().quoted(m_link->role)),
            .shown = ofUsers - hidden,
            .total = ofUsers});
}

/// Adds it only for names that somebody waits for: a server with many databases has locks in them all the
/// time.
void PostgresSnapshotSource::limitForeignNames(Snapshot& snapshot) const
{
    QStringList remedies;
    for (const WaitEdge& edge : snapshot.waits) {
        const Resource& resource = snapshot.resources[edge.resource];
        if (isForeign(resource.key) && !resource.named && remedies.size() < maxRemedies)
            remedies << u"In database %1: SELECT %2::regclass;"_s.arg(
                resource.database, QString::number(resource.key.entity));
        remedies.removeDuplicates();
    }
    if (!remedies.isEmpty())
        snapshot.limitations.push_back({.kind = Limitation::Kind::Unsupported,
            .what =
                u"Tables of other databases are shown by their numbers: PostgreSQL gives their names only there, and they could not be asked for. Connect to that database to see them, and the rows behind locks."_s,
            .remedy = remedies.join(u' ')});
}

Result<void> PostgresSnapshotSource::poll(Snapshot& snapshot, const std::stop_token& stop)
{
    Reading reading(snapshot);
    reading.locks.expect(m_rowsLastTime);
    snapshot.locksRead = m_locksTurn.isDue();
    snapshot.isPooled = isPooled();
    reading.asksSafeSnapshots = m_asksSafeSnapshots;
    LOCKSCOPE_TRY(read(reading, stop));
    snapshot.cost.server = snapshot.takenAt - reading.began;
    const bool somebodyWaits = std::ranges::any_of(reading.sessions, waitsForLock);
    m_asksSafeSnapshots =
        std::ranges::any_of(reading.sessions, [](const auto& seen) { return seen.waitsForSafeSnapshot; });
    if ((somebodyWaits && !snapshot.locksRead) || (m_asksSafeSnapshots && !reading.asksSafeSnapshots))
        LOCKSCOPE_TRY(readAgain(reading, stop));
    LOCKSCOPE_TRY(lookUpNames(reading, stop));
    LOCKSCOPE_TRY(lookUpForeignNames(reading, stop));
    addSessions(reading);
    m_around = m_surroundings.finish(snapshot);
    m_around.cluster = m_link->cluster;
    limitCluster(snapshot);
    if (snapshot.locksRead)
        addRequests(snapshot, reading.locks, m_firstSeen, m_link->names, m_probes);
    else
        m_firstSeen = {}; // a lock may have come and gone: what was seen before says nothing of the next one
    limitForeignNames(snapshot);
    for (const PostgresSession& session : reading.sessions) {
        if (session.safeSnapshotAfter)
            addSafeSnapshotWait(snapshot, session.id, *session.safeSnapshotAfter);
    }
    const bool hidesSessions = std::ranges::any_of(snapshot.sessions, hidesDetails);
    const SessionsSeen seen = hidesSessions ? SessionsSeen::Some : SessionsSeen::All;
    if (!m_reader || !m_reader->finish(snapshot, seen))
        m_link->frameworks.finish(snapshot, seen);
    reportBadRows(snapshot);
    if (snapshot.locksRead)
        m_rowsLastTime = reading.locks.locks().size();
    // A prepared transaction is known by its locks only.
    m_locksTurn.note(snapshot, somebodyWaits || !snapshot.waits.empty() || !reading.prepared.isEmpty());
    return {};
}

} // namespace lockscope::monitor
