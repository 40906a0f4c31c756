// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/sqlserver/SqlServerSnapshotSource.h"

#include "core/monitor/sqlserver/SqlServerResource.h"

#include <algorithm>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

/// With more memory than this, listing the locks would take the server seconds. The memory is a cheap first
/// test: it may have been kept from earlier.
constexpr qint64 maxLockMemoryKb = 131'072; // 128 MB
constexpr qint64 maxLocks = 500'000;
/// After an enumeration that took longer than the statement time-out it is left for so long.
constexpr std::chrono::seconds dearFor{60};
constexpr size_t maxTextsAtOnce = 50;

} // namespace

/// One poll under way.
struct SqlServerSnapshotSource::Reading {
    Reading(Snapshot& into, bool only)
        : snapshot(into)
        , locksOnly(only)
    {
    }

    Snapshot& snapshot;
    const bool locksOnly; ///< and sessions and waits: lock tables and names were read before
    ServerTime began;
    SqlServerLockRows locks;
    SqlServerSessions sessions;
    std::vector<SqlServerWait> waits;
    std::vector<std::pair<QString, bool>> testedAppLocks; ///< name, and whether it could be had shared
    qint64 lockMemoryKb = 0;
    std::optional<qint64> locksInUse; ///< asked only where the memory is much
    std::vector<ResourceKey> renewed; ///< per item of renewals()
    size_t renewalsFirst = 0;
    bool locksAsked = false;

    std::vector<db::BatchItem> items;
    std::vector<Role> roles; // per item
    std::vector<SqlServerProbes::Probe> probes; // per item of Role::Probe, in order
    size_t lockTablesFirst = 0;
    size_t lockTablesCount = 0;
    size_t frameworksFirst = 0;
    size_t frameworksCount = 0;
    size_t surroundingsFirst = 0;
    size_t surroundingsCount = 0;

    void add(db::BatchItem item, Role role)
    {
        items.push_back(std::move(item));
        roles.push_back(role);
    }
};

SqlServerSnapshotSource::Link::Link(db::Connection& connection, const db::ServerProfile& profile)
    : lockTables(connection)
    , frameworks(connection, profile)
{
}

SqlServerSnapshotSource::SqlServerSnapshotSource(db::Server server, const ProbeSelection& probes)
    : ServerSnapshotSource(std::move(server), probes)
    , m_probes(probes)
{
}

/// Asks for our user, the server's version and our rights.
std::vector<db::BatchItem> SqlServerSnapshotSource::questionsAboutUs()
{
    Link& link = *m_link;
    const db::Dialect& dialect = connection().dialect();
    std::vector<db::BatchItem> items;
    items.push_back({.statement = &db::Statement::get("sqlserver/session/facts"),
        .sink = [&link](const db::Row& row) { link.probes.setFacts(db::SqlServerFacts::fromRow(row)); }});
    items.push_back({.statement = &db::Statement::get("sqlserver/monitor/identity"),
        .sink = [&link, &dialect](const db::Row& row) {
            link.probes.setNames(dialect.quoted(row.text(0)), dialect.quoted(row.text(1)));
            link.lockTables.setRole(row.text(1));
            link.frameworks.setRole(row.text(1));
            if (!link.names)
                link.names.emplace(dialect, static_cast<quint32>(row.int64(2)), row.text(3),
                    !link.probes.facts().isAzureDatabase());
        }});
    return items;
}

Result<void> SqlServerSnapshotSource::probeServer(const std::stop_token& stop)
{
    m_link.emplace(connection(), profile());
    m_locksTurn.beginAgain();
    m_surroundings.begin();
    std::vector<db::BatchItem> items;
    m_link->lockTables.addSearch(items); // Babelfish 4.3 stumbles over it behind the question that follows
    for (db::BatchItem& item : questionsAboutUs())
        items.push_back(std::move(item));
    const QString what = u"Can't find out what may be seen here."_s;
    for (const auto& result : connection().executeBatch(items, stop)) {
        if (!result)
            return pollFailure(result.error(), what);
    }
    // By themselves: Babelfish 4.3 stumbles over them behind the others.
    const auto searched = connection().executeBatch(m_link->frameworks.catalogueSearch(), stop);
    for (const auto& result : searched) {
        if (!result && concernsTheConnection(result.error()))
            return pollFailure(result.error(), what);
    }
    m_link->frameworks.judgeSearch(searched);
    if (!m_link->names)
        return failure(ErrorKind::Server, what);
    return {};
}

void SqlServerSnapshotSource::addProbe(
    Reading& reading, SqlServerProbes::Probe probe, std::vector<db::Param> params, db::RowSink sink)
{
    if (!m_link->probes.isOpen(probe))
        return;
    reading.probes.push_back(probe);
    reading.add({.statement = &db::Statement::get(SqlServerProbes::statementOf(probe)),
                    .params = std::move(params),
                    .sink = std::move(sink)},
        Role::Probe);
}

/// The cheap ones first.
void SqlServerSnapshotSource::addProbes(Reading& reading)
{
    using Probe = SqlServerProbes;
    if (reading.snapshot.locksRead)
        addProbe(reading, Probe::LockMemory, {maxLockMemoryKb}, [&reading](const db::Row& row) {
            reading.lockMemoryKb = row.int64(0);
            if (!row.isNull(1))
                reading.locksInUse = row.int64(1);
        });
    addProbe(reading, Probe::WaitingTasks, {}, [&reading](const db::Row& row) {
        reading.waits.push_back({.session = SessionId{row.int64(0)},
            .blocker = SessionId{row.int64(3)},
            .lasting = milliseconds(row.int64(1)),
            .type = row.text(2),
            .address = row.int64(4),
            .description = row.text(5)});
    });
    addProbe(
        reading, Probe::Sessions, {}, [&reading](const db::Row& row) { reading.sessions.addSession(row); });
    addProbe(
        reading, Probe::Requests, {}, [&reading](const db::Row& row) { reading.sessions.addRequest(row); });
    if (m_probes.statements)
        addProbe(reading, Probe::Connections, {},
            [&reading](const db::Row& row) { reading.sessions.addConnection(row); });
    addProbe(reading, Probe::Transactions, {},
        [&reading](const db::Row& row) { reading.sessions.addTransaction(row); });
}

void SqlServerSnapshotSource::addLockTables(Reading& reading)
{
    reading.lockTablesFirst = reading.items.size();
    m_link->lockTables.addTo(reading.items, reading.snapshot);
    reading.lockTablesCount = reading.items.size() - reading.lockTablesFirst;
    reading.roles.resize(reading.items.size(), Role::LockTables);
    reading.frameworksFirst = reading.items.size();
    m_link->frameworks.setReadsRows(readsFrameworkRows());
    m_link->frameworks.addTo(reading.items);
    reading.frameworksCount = reading.items.size() - reading.frameworksFirst;
    reading.roles.resize(reading.items.size(), Role::Frameworks);
    m_link->names->setAppLockNamesReadable(m_link->lockTables.appLockNamesReadable());
}

void SqlServerSnapshotSource::addLocks(Reading& reading)
{
    if (!m_link->probes.isOpen(SqlServerProbes::Locks) && m_link->lockTables.appLockNamesReadable())
        reading.add({.statement = &db::Statement::get("sqlserver/monitor/app_locks_tested"),
                        .sink =
                            [&reading](const db::Row& row) {
                                reading.testedAppLocks.emplace_back(row.text(0), row.boolean(1));
                            }},
            Role::Optional);
    // The expensive one: what a time-out of it cuts off is nothing but itself.
    if (!locksAreTooDear()) {
        reading.locksAsked = m_link->probes.isOpen(SqlServerProbes::Locks);
        addProbe(reading, SqlServerProbes::Locks,
            {m_probes.internalLocks, std::max<qint64>(m_probes.maxRequests, 0), maxLockMemoryKb, maxLocks},
            [&reading](const db::Row& row) { reading.locks.add(row); });
    }
}

void SqlServerSnapshotSource::addSurroundings(Reading& reading)
{
    reading.surroundingsFirst = reading.items.size();
    if (m_probes.surroundings)
        m_surroundings.addTo(reading.items, m_link->probes);
    reading.surroundingsCount = reading.items.size() - reading.surroundingsFirst;
    reading.roles.resize(reading.items.size(), Role::Surroundings);
}

Result<void> SqlServerSnapshotSource::read(Reading& reading, const std::stop_token& stop)
{
    const db::Statement& clock = db::Statement::get("sqlserver/monitor/clock");
    reading.add(
        {.statement = &clock, .sink = [&reading](const db::Row& row) { reading.began = row.time(0); }},
        Role::Needed);
    if (!reading.locksOnly && m_link->probes.isTimeToRetry()) {
        for (db::BatchItem& item : questionsAboutUs())
            reading.add(std::move(item), Role::Optional);
    }
    addProbes(reading);
    if (!reading.locksOnly)
        addLockTables(reading);
    if (reading.snapshot.locksRead)
        addLocks(reading);
    if (!reading.locksOnly)
        addSurroundings(reading);
    // Ages are measured from here: everything above was seen before this time.
    reading.add({.statement = &clock,
                    .sink = [&reading](const db::Row& row) { reading.snapshot.takenAt = row.time(0); }},
        Role::Needed);
    // Names come last: they may have to wait for a short time.
    reading.renewalsFirst = reading.items.size();
    if (!reading.locksOnly) {
        for (SqlServerNames::LookUp& lookUp : m_link->names->renewals()) {
            reading.renewed.push_back(lookUp.of);
            reading.add(std::move(lookUp.item), Role::Optional);
        }
    }
    LOCKSCOPE_TRY(judge(reading, ask(reading.items, stop), stop));
    reading.snapshot.cost.server += reading.snapshot.takenAt - reading.began;
    return {};
}

/// Returns whether the waiting tasks list all waiters for a lock. The server refuses that view to logins that
/// may see only themselves; other views show them less without a word.
bool SqlServerSnapshotSource::mayLeaveLocks() const
{
    const SqlServerProbes& probes = m_link->probes;
    return probes.isOpen(SqlServerProbes::Locks) && probes.isOpen(SqlServerProbes::WaitingTasks)
        && probes.facts().maySeeOthers();
}

/// Reads locks, sessions and waits by one batch, as any other poll has them.
Result<void> SqlServerSnapshotSource::readAgain(
    std::unique_ptr<Reading>& reading, const std::stop_token& stop)
{
    Snapshot& snapshot = reading->snapshot;
    snapshot.locksRead = true;
    reading = std::make_unique<Reading>(snapshot, true);
    ++snapshot.cost.roundTrips;
    return read(*reading, stop);
}

Result<void> SqlServerSnapshotSource::judge(
    Reading& reading, std::span<const Result<qint64>> results, const std::stop_token& stop)
{
    size_t probe = 0;
    for (size_t i = 0; i < results.size(); ++i) {
        const Result<qint64>& result = results[i];
        const Role role = reading.roles[i];
        bool mayGoOn = result.has_value() || (role != Role::Needed && !concernsTheConnection(result.error()));
        if (role == Role::Probe) {
            const SqlServerProbes::Probe which = reading.probes[probe++];
            mayGoOn = m_link->probes.judge(which, result) && mayGoOn;
            if (!result && which == SqlServerProbes::Locks && result.error().kind == ErrorKind::Timeout)
                m_locksTooDearUntil = Clock::now() + dearFor;
        }
        if (!mayGoOn)
            return pollFailure(result.error(), u"Can't read the locks."_s);
        if (result)
            reading.snapshot.cost.rows += *result;
        if (i >= reading.renewalsFirst)
            m_link->names->judge(reading.renewed[i - reading.renewalsFirst], result);
    }
    if (!reading.locksOnly) {
        const auto again = [&](std::span<const db::BatchItem> more) { return ask(more, stop); };
        m_link->lockTables.judge(
            results.subspan(reading.lockTablesFirst, reading.lockTablesCount), reading.snapshot, again);
        m_link->frameworks.judge(
            results.subspan(reading.frameworksFirst, reading.frameworksCount), reading.snapshot, again);
        m_surroundings.judge(results.subspan(reading.surroundingsFirst, reading.surroundingsCount));
    }
    if (!m_link->probes.isOpen(SqlServerProbes::WaitingTasks))
        reading.waits = reading.sessions.waitsOfRequests();
    return {};
}

/// Says to the names what is going to be shown.
void SqlServerSnapshotSource::requestNames(const Reading& reading, const SqlServerWaitTargets& target)
{
    SqlServerNames& names = *m_link->names;
    for (const ResourceKey& key : reading.locks.resources())
        names.request(key);
    for (const auto& underlying : reading.locks.underlying())
        std::ranges::for_each(underlying, [&names](const ResourceKey& key) { names.request(key); });
    for (const SqlServerWait& wait : reading.waits) {
        const WaitTarget thing = target.of(wait);
        names.request(thing.key);
        if (thing.underlying)
            names.request(*thing.underlying);
    }
    for (const quint32 number : reading.sessions.databases())
        names.requestDatabase(number);
    if (m_probes.statements) {
        reading.sessions.requestTexts(m_texts);
        m_link->details.request(m_link->probes.facts(), reading.sessions, reading.waits);
    }
}

Result<void> SqlServerSnapshotSource::lookUpNames(
    Reading& reading, const SqlServerWaitTargets& target, const std::stop_token& stop)
{
    requestNames(reading, target);
    std::vector<db::BatchItem> items;
    std::vector<ResourceKey> names;
    for (SqlServerNames::LookUp& lookUp : m_link->names->firstLookUps()) {
        names.push_back(lookUp.of);
        items.push_back(std::move(lookUp.item));
    }
    const size_t texts = m_link->probes.facts().mayName(u"dm_exec_sql_text"_s) ? maxTextsAtOnce : 0;
    for (const QString& piece : m_texts.toFetch(texts)) {
        const StatementTexts::Piece parts = StatementTexts::partsOf(piece);
        items.push_back({.statement = &db::Statement::get("sqlserver/details/statement_text"),
            .params = {parts.handle, parts.first},
            .sink = [this, piece](const db::Row& row) { m_texts.set(piece, row.text(0)); }});
    }
    for (db::BatchItem& item : m_link->details.lookUps())
        items.push_back(std::move(item));
    return lookUp(reading.snapshot, items, stop, [&](size_t item, const Result<qint64>& result) {
        if (item < names.size())
            m_link->names->judge(names[item], result);
    });
}

void SqlServerSnapshotSource::addSessions(Reading& reading)
{
    Snapshot& snapshot = reading.snapshot;
    snapshot.sessions = reading.sessions.sessions(
        connection().sessionId(), m_link->names->databases(), m_probes.statements ? &m_texts : nullptr);
    m_link->details.fillIn(snapshot.sessions);
    m_texts.endPoll();

    // Holders and blockers that are no sessions.
    std::vector<SessionId> parties;
    const auto& unitsOfWork = reading.locks.unitsOfWork();
    for (const auto& lock : reading.locks.locks()) {
        if (lock.session.value < 0)
            parties.push_back(lock.session);
    }
    for (const SqlServerWait& wait : reading.waits) {
        const bool knownByName = wait.blocker.value == -2 && !unitsOfWork.isEmpty();
        if (wait.blocker.value < 0 && !knownByName)
            parties.push_back(wait.blocker);
    }
    if (!reading.testedAppLocks.empty())
        parties.push_back(unidentifiedHolder);
    std::ranges::sort(parties);
    parties.erase(std::unique(parties.begin(), parties.end()), parties.end());
    for (const SessionId id : parties)
        snapshot.sessions.push_back(SqlServerSessions::serverParty(id, unitsOfWork.value(id)));
    snapshot.index();
}

/// Names can't be had: such a server only shows that locks are held.
void SqlServerSnapshotSource::addTestedAppLocks(Reading& reading) const
{
    Snapshot& snapshot = reading.snapshot;
    for (const auto& [name, mayBeShared] : reading.testedAppLocks) {
        Resource resource;
        resource.key.kind = ResourceKind::ApplicationLock;
        resource.key.database = m_link->names->ownDatabase();
        resource.key.text = name;
        resource.database = m_link->names->databases().value(resource.key.database);
        resource.name = u"app lock '%1'"_s.arg(name);
        resource.named = true;
        LockRequest request;
        request.session = unidentifiedHolder;
        request.resource = static_cast<quint32>(snapshot.resources.size());
        request.mode = LockMode::fromText(Engine::SqlServer, mayBeShared ? u"S or U"_s : u"X"_s);
        request.owner = LockOwner::Other;
        snapshot.resources.push_back(std::move(resource));
        snapshot.requests.push_back(request);
    }
}

void SqlServerSnapshotSource::limit(Reading& reading) const
{
    Snapshot& snapshot = reading.snapshot;
    m_link->probes.limit(snapshot);
    if (const QString hidden = m_link->names->hidden(m_link->probes.facts()); !hidden.isEmpty())
        snapshot.limitations.push_back({.kind = Limitation::Kind::MissingPermission,
            .what = hidden,
            .remedy = m_link->probes.namesGrant()});
    const bool tooMany = reading.locksAsked && reading.locks.locks().empty()
        && reading.lockMemoryKb >= maxLockMemoryKb && reading.locksInUse.value_or(maxLocks) >= maxLocks;
    if (tooMany || locksAreTooDear()) {
        snapshot.limitations.push_back({.kind = Limitation::Kind::CappedRows,
            .what = tooMany
                ? u"The server's lock manager uses %1 MB: to list its locks would slow it down. Only waits are shown."_s
                      .arg(reading.lockMemoryKb / 1'024)
                : u"Listing the locks took the server too long. For a minute only waits are shown."_s,
            .remedy =
                u"Look for sessions that hold very many locks: a table lock or smaller transactions help."_s});
    } else if (reading.locks.shown() < reading.locks.total()) {
        snapshot.limitations.push_back(cappedLocks(reading.locks.shown(), reading.locks.total()));
    }
}

Result<void> SqlServerSnapshotSource::poll(Snapshot& snapshot, const std::stop_token& stop)
{
    snapshot.locksRead = m_locksTurn.isDue() || !mayLeaveLocks();
    auto reading = std::make_unique<Reading>(snapshot, false);
    LOCKSCOPE_TRY(read(*reading, stop));
    const auto requests = reading->sessions.waitsOfRequests();
    const bool somebodyWaits = !reading->waits.empty()
        || std::ranges::any_of(requests, [](const auto& wait) { return wait.type.startsWith(u"LCK_"); });
    if (!snapshot.locksRead && (somebodyWaits || !mayLeaveLocks()))
        LOCKSCOPE_TRY(readAgain(reading, stop));
    const SqlServerWaitTargets target(reading->waits, reading->sessions, reading->locks);
    LOCKSCOPE_TRY(lookUpNames(*reading, target, stop));
    addSessions(*reading);
    m_link->names->completeOwnLocks(reading->locks, snapshot);
    if (snapshot.locksRead)
        addRequests(snapshot,
            {.locks = reading->locks,
                .waits = reading->waits,
                .sessions = reading->sessions,
                .target = target},
            m_seen, *m_link->names);
    else
        m_seen = {}; // a lock may have come and gone: what was seen before says nothing of the next one
    addTestedAppLocks(*reading);
    if (m_probes.surroundings)
        m_around = m_surroundings.finish(snapshot, m_link->probes, m_link->names->ownDatabase());
    const bool seesAll =
        m_link->probes.facts().maySeeOthers() && m_link->probes.isOpen(SqlServerProbes::Sessions);
    m_link->frameworks.finish(snapshot, seesAll ? SessionsSeen::All : SessionsSeen::Some);
    reportBadRows(snapshot);
    limit(*reading);
    // A holder that is no session is known by its locks only.
    const bool hasParties =
        std::ranges::any_of(reading->locks.locks(), [](const auto& lock) { return lock.session.value < 0; });
    m_locksTurn.note(snapshot, somebodyWaits || !snapshot.waits.empty() || hasParties);
    return {};
}

} // namespace lockscope::monitor
