// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/sqlserver/SqlServerProbes.h"

#include "core/db/Statement.h"
#include "core/monitor/sqlserver/SqlServerResource.h"

#include <QStringList>

#include <algorithm>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;
using As = RunningCounters::As;

namespace {

constexpr std::chrono::seconds retryEvery{5};
constexpr int firstMajorWithSecurityState = 16;

constexpr auto allProbes = enumerators<SqlServerProbes::Probe>;

struct ProbeText {
    const char* statement;
    const char16_t* view;
    const char16_t* shows; ///< the part that is hidden without it
};

const ProbeText& textOf(SqlServerProbes::Probe probe)
{
    static constexpr EnumTable<SqlServerProbes::Probe, ProbeText> texts({
        {"sqlserver/monitor/lock_memory", u"sys.dm_os_memory_clerks", u"the size of the lock manager"},
        {"sqlserver/monitor/waiting_tasks", u"sys.dm_os_waiting_tasks", u"exact waits"},
        {"sqlserver/monitor/sessions", u"sys.dm_exec_sessions", u"sessions"},
        {"sqlserver/monitor/requests", u"sys.dm_exec_requests", u"running statements"},
        {"sqlserver/monitor/connections", u"sys.dm_exec_connections", u"last statements"},
        {"sqlserver/monitor/transactions", u"sys.dm_tran_session_transactions", u"ages of transactions"},
        {"sqlserver/monitor/locks", u"sys.dm_tran_locks", u"locks"},
    });
    return texts[probe];
}

QString viewOf(SqlServerProbes::Probe probe)
{
    return QString::fromUtf16(textOf(probe).view);
}

QString whatItShows(SqlServerProbes::Probe probe)
{
    return QString::fromUtf16(textOf(probe).shows);
}

QString sentence(QString words)
{
    if (!words.isEmpty())
        words[0] = words[0].toUpper();
    return words;
}

constexpr qint64 mostConnections = 32'767; ///< of any server: "user connections" is 0 then
constexpr quint32 lastSystemDatabase = 4; // master, tempdb, model, msdb: of each server alike

const QString activeSubject = u"active sessions and what they wait for"_s;
const QString counterSubject = u"transactions, batches, checkpoints and connections"_s;
const QString lockCountSubject = u"waits for locks that the server counts"_s;
const QString replicaSubject = u"how far replicas are behind"_s;
const QString roleSubject = u"whether it is a replica"_s;
const QString serverSubject = u"changed settings of the server"_s;
const QString databaseSubject = u"changed settings of the database"_s;
const QString clusterSubject = u"which database this is, wherever it is restored"_s;

struct Category {
    QStringView name;
    QStringView patterns; ///< wait types with | between; one with % at its end is how they begin
};

/// The categories in the documentation of sys.query_store_wait_stats; the first that matches counts.
constexpr std::array categories{
    Category{u"Lock", u"LCK_M_%"},
    Category{u"Buffer IO", u"PAGEIOLATCH_%"},
    Category{u"Buffer Latch", u"PAGELATCH_%"},
    Category{u"Latch", u"LATCH_%"},
    Category{u"Tran Log IO", u"WRITELOG|LOGBUFFER"},
    Category{u"Idle", u"LOGMGR_QUEUE"},
    Category{u"Tran Log IO", u"LOGMGR%|CHKPT"},
    Category{u"CPU", u"SOS_SCHEDULER_YIELD"},
    Category{u"Worker Thread", u"THREADPOOL"},
    Category{u"Parallelism", u"CXPACKET|CXCONSUMER|EXCHANGE|HT%|BMP%|BP%"},
    Category{
        u"Network IO", u"ASYNC_NETWORK_IO|NET_WAITFOR_PACKET|PROXY_NETWORK_IO|EXTERNAL_SCRIPT_NETWORK_IO%"},
    Category{u"User Wait", u"WAITFOR|WAIT_FOR_RESULTS|BROKER_RECEIVE_WAITFOR"},
    Category{u"Service Broker", u"BROKER_%"},
    Category{u"Compilation", u"RESOURCE_SEMAPHORE_QUERY_COMPILE"},
    Category{u"Memory",
        u"RESOURCE_SEMAPHORE|CMEMTHREAD|CMEMPARTITIONED|EE_PMOLOCK|MEMORY_ALLOCATION_EXT|RESERVED_MEMORY_ALLOCATION_EXT|MEMORY_GRANT_UPDATE"},
    Category{u"Other Disk IO",
        u"IO_COMPLETION|ASYNC_IO_COMPLETION|WRITE_COMPLETION|BACKUPIO|IO_QUEUE_LIMIT|IO_RETRY"},
    Category{u"Log Rate Governor",
        u"HADR_THROTTLE_LOG_RATE_GOVERNOR|LOG_RATE_GOVERNOR|POOL_LOG_RATE_GOVERNOR|INSTANCE_LOG_RATE_GOVERNOR"},
    Category{u"Replication", u"HADR_%|PWAIT_HADR%|SE_REPL_%|REPL_%|REPLICA_WRITES|FCB_REPLICA_%"},
    Category{u"Transaction", u"XACT%|DTC%|TRAN_MARKLATCH_%|MSQL_XACT_%|TRANSACTION_MUTEX"},
    Category{u"Preemptive", u"PREEMPTIVE_%"},
    Category{u"SQL CLR", u"CLR%|SQLCLR%"},
    Category{u"Mirroring", u"DBMIRROR%"},
    Category{u"Idle",
        u"SLEEP_%|LAZYWRITER_SLEEP|ONDEMAND_TASK_QUEUE|CHECKPOINT_QUEUE|REQUEST_FOR_DEADLOCK_SEARCH|SQLTRACE_BUFFER_FLUSH|SQLTRACE_INCREMENTAL_FLUSH_SLEEP|SQLTRACE_WAIT_ENTRIES|FT_IFTS_SCHEDULER_IDLE_WAIT|XE_DISPATCHER_WAIT|XE_TIMER_EVENT"},
    Category{u"Tracing", u"SQLTRACE_%|TRACEWRITE|TRACE_EVTNOTIF%|QUERY_TRACEOUT"},
    Category{u"Full Text Search",
        u"FT_%|FULLTEXT GATHERER|MSSEARCH|PWAIT_RESOURCE_SEMAPHORE_FT_PARALLEL_QUERY_SYNC"},
};

} // namespace

const char* SqlServerProbes::statementOf(Probe probe)
{
    return textOf(probe).statement;
}

void SqlServerProbes::setNames(const QString& quotedLogin, const QString& quotedUser)
{
    m_login = quotedLogin;
    m_user = quotedUser;
}

void SqlServerProbes::setFacts(const db::SqlServerFacts& facts)
{
    m_facts = facts;
    closeWhatIsKnownToBeMissing();
}

void SqlServerProbes::closeWhatIsKnownToBeMissing()
{
    for (const Probe probe : allProbes)
        if (!m_facts.mayName(viewOf(probe).section(u'.', 1)))
            m_states[probe] = State::Missing;
}

bool SqlServerProbes::isOpen(Probe probe) const
{
    return m_states[probe] == State::Open || m_states[probe] == State::FailedOnce;
}

QStringList SqlServerProbes::viewsRead() const
{
    QStringList views;
    for (const Probe probe : allProbes) {
        if (m_states[probe] == State::Open)
            views << viewOf(probe);
    }
    return views;
}

bool SqlServerProbes::isTimeToRetry()
{
    const bool allWell =
        std::ranges::all_of(allProbes, [this](Probe p) { return isOpen(p); }) && m_facts.maySeeOthers();
    const auto now = Clock::now();
    if (allWell || now - m_retriedAt < retryEvery)
        return false;
    m_retriedAt = now;
    m_states.fill(State::Open);
    closeWhatIsKnownToBeMissing();
    return true;
}

bool SqlServerProbes::judge(Probe probe, const Result<qint64>& result)
{
    m_states[probe] = State::Open;
    if (result)
        return true;
    const Error& error = result.error();
    switch (error.kind) {
    case ErrorKind::Permission:
        m_states[probe] = State::Forbidden;
        return true;
    case ErrorKind::MissingObject:
    case ErrorKind::Unsupported:
        m_states[probe] = State::Missing;
        return true;
    case ErrorKind::Connection:
    case ErrorKind::Cancelled:
        return false;
    default:
        break;
    }
    // Without these the snapshot would appear empty.
    if (probe == Locks || probe == WaitingTasks || probe == Sessions)
        return false;
    m_states[probe] = State::FailedOnce;
    m_failures[probe] = error.reason();
    return true;
}

QString SqlServerProbes::listed(State state, QString (*text)(Probe)) const
{
    QStringList parts;
    for (const Probe probe : allProbes) {
        // What the lock manager's size is good for, nobody misses.
        if (m_states[probe] == state && (probe != LockMemory || state == State::Missing))
            parts << text(probe);
    }
    if (parts.size() < 2)
        return parts.join(QString());
    const QString last = parts.takeLast();
    return parts.join(u", "_s) + u" and "_s + last;
}

QString SqlServerProbes::grantOf(const QString& right) const
{
    return m_facts.grantOf(right, m_facts.isAzureDatabase() ? m_user : m_login) + u';';
}

QString SqlServerProbes::stateGrant() const
{
    const QString grant = grantOf(m_facts.viewStateRight());
    return m_facts.isAzureDatabase() ? grant
            + u" (on the small service tiers: ALTER SERVER ROLE ##MS_ServerStateReader## ADD MEMBER %1;)"_s
                  .arg(m_login)
                                     : grant;
}

QString SqlServerProbes::grant() const
{
    QString grant = stateGrant();
    if (m_facts.isAzureDatabase())
        return grant;
    if (m_states[Connections] == State::Forbidden && m_facts.major() >= firstMajorWithSecurityState)
        grant += u" GRANT VIEW SERVER SECURITY STATE TO %1;"_s.arg(m_login);
    return grant;
}

QString SqlServerProbes::namesGrant() const
{
    if (m_facts.isAzureDatabase())
        return u"GRANT VIEW DEFINITION TO %1;"_s.arg(m_user);
    return u"GRANT CONNECT ANY DATABASE TO %1; GRANT VIEW ANY DEFINITION TO %1;"_s.arg(m_login);
}

void SqlServerProbes::limit(Snapshot& snapshot) const
{
    const QString missing = listed(State::Missing, viewOf);
    if (!missing.isEmpty())
        snapshot.limitations.push_back({.kind = Limitation::Kind::Unsupported,
            .what = u"This server has no %1: %2 can't be shown."_s.arg(
                missing, listed(State::Missing, whatItShows)),
            .remedy = u"Lock tables and the sessions that it shows are here all the same."_s});
    QString hidden = listed(State::Forbidden, whatItShows);
    const bool othersHidden = !m_facts.maySeeOthers() && !m_facts.isOtherEngine();
    if (othersHidden)
        hidden += (hidden.isEmpty() ? QString() : u"; "_s) + u"other logins' sessions"_s;
    if (!hidden.isEmpty())
        snapshot.limitations.push_back({.kind = Limitation::Kind::MissingPermission,
            .what = sentence(hidden) + u" are hidden from this login."_s,
            .remedy = grant(),
            .hidesLocks = m_states[Locks] == State::Forbidden});
    for (const Probe probe : allProbes) {
        if (m_states[probe] == State::FailedOnce)
            snapshot.limitations.push_back({.kind = Limitation::Kind::Failed,
                .what = u"%1 could not be read this time: %2"_s.arg(
                    sentence(whatItShows(probe)), m_failures[probe])});
    }
}

QString waitCategoryOf(const QString& waitType)
{
    for (const Category& category : categories)
        for (const QStringView pattern : qTokenize(category.patterns, u'|'))
            if (pattern.endsWith(u'%') ? waitType.startsWith(pattern.chopped(1)) : waitType == pattern)
                return category.name.toString();
    return u"Unknown"_s;
}

void SqlServerSurroundings::begin()
{
    m_questions.begin();
    m_facts = {};
    m_cluster.clear();
    m_knowsCluster = false;
}

void SqlServerSurroundings::addTo(std::vector<db::BatchItem>& items, const SqlServerProbes& probes)
{
    if (probes.facts().isOtherEngine() || !m_questions.isDue())
        return;
    if (m_facts != probes.facts()) { // rights were given or taken
        m_facts = probes.facts();
        m_questions.begin();
    }
    m_present.clear();
    m_lockCounter.begin();
    m_serverRead.clear();
    m_databaseRead.clear();
    m_questions.ask(items, {counterSubject, probes.stateGrant()},
        db::Statement::get("sqlserver/monitor/surroundings"), [this](const db::Row& row) {
            const QString name = row.text(0).trimmed();
            if (name == u"Transactions/sec")
                m_counters.read(measures::transactions, As::PerMinute, row.int64(1));
            else if (name == u"Batch Requests/sec")
                m_counters.read(measures::batches, As::PerMinute, row.int64(1));
            else if (name == u"Checkpoint pages/sec")
                m_counters.read(measures::checkpointPages, As::Count, row.int64(1));
            else if (name == u"User Connections")
                m_present.push_back({.kind = measures::connections, .value = row.int64(1)});
        });
    m_questions.ask(items, {lockCountSubject, probes.stateGrant()},
        db::Statement::get("sqlserver/monitor/lock_counts"),
        [this](const db::Row& row) { addLockCount(row); });
    askDatabase(items, probes);
    if (!m_facts.isAzureDatabase())
        askServer(items, probes);
}

void SqlServerSurroundings::addLockCount(const db::Row& row)
{
    const QString counter = row.text(0).trimmed();
    const QString name = row.text(1).trimmed();
    // The counters call two things otherwise than the view of locks.
    const QString type = name == u"AllocUnit"_s ? u"ALLOCATION_UNIT"_s
        : name == u"Heap/BTree"_s               ? u"HOBT"_s
                                                : name.toUpper();
    LockCount& count = m_lockCounter.of(sqlServerResourceKind(type), name);
    if (counter == u"Lock Waits/sec")
        count.waits += row.int64(2);
    else if (counter == u"Lock Wait Time (ms)")
        count.waited += milliseconds(row.int64(2));
    else
        count.deadlocks = count.deadlocks.value_or(0) + row.int64(2);
}

void SqlServerSurroundings::askDatabase(std::vector<db::BatchItem>& items, const SqlServerProbes& probes)
{
    m_questions.ask(items, {databaseSubject, probes.namesGrant()},
        db::Statement::get("sqlserver/monitor/database_settings"), [this](const db::Row& row) {
            int column = 0;
            for (const auto& name : {u"READ_COMMITTED_SNAPSHOT"_s, u"ALLOW_SNAPSHOT_ISOLATION"_s,
                     u"RECOVERY"_s, u"DELAYED_DURABILITY"_s, u"COMPATIBILITY_LEVEL"_s})
                m_databaseRead[name] = row.text(column++);
        });
}

/// Asks for the figures of a server that has more than one database.
void SqlServerSurroundings::askServer(std::vector<db::BatchItem>& items, const SqlServerProbes& probes)
{
    m_questions.ask(items, {serverSubject, {}}, db::Statement::get("sqlserver/monitor/settings"),
        [this](const db::Row& row) { m_serverRead.emplace(row.text(0), row.text(1)); });
    m_questions.ask(items, {replicaSubject, probes.stateGrant() + u' ' + probes.namesGrant()},
        db::Statement::get("sqlserver/monitor/replication"), [this](const db::Row& row) {
            m_present.push_back(
                {.kind = measures::replicationLag, .name = row.text(0), .value = row.int64(1)});
        });
    m_questions.ask(items, {roleSubject, probes.stateGrant()}, db::Statement::get("sqlserver/monitor/role"),
        [this](const db::Row& row) {
            if (!row.isNull(0))
                m_present.push_back({.kind = measures::replica, .value = row.int64(0) == 0 ? 1 : 0});
        });
    if (!m_knowsCluster)
        m_questions.ask(items, {clusterSubject, probes.grantOf(u"VIEW ANY DATABASE"_s)},
            db::Statement::get("sqlserver/monitor/cluster"), [this](const db::Row& row) {
                m_cluster = row.text(0).toLower();
                m_knowsCluster = true;
            });
}

/// Azure has limits of its service, which no setting tells.
void SqlServerSurroundings::addMaxConnections()
{
    const auto setting = m_serverRead.find(u"user connections"_s);
    if (setting == m_serverRead.end() || m_facts.engineEdition == db::SqlServerFacts::azureManagedInstance)
        return;
    const qint64 most = setting->second.toLongLong();
    m_present.push_back({.kind = measures::maxConnections, .value = most > 0 ? most : mostConnections});
}

Surroundings SqlServerSurroundings::finish(
    Snapshot& snapshot, const SqlServerProbes& probes, quint32 ownDatabase)
{
    m_questions.end(snapshot);
    Surroundings result;
    const bool seesSessions = m_facts.maySeeOthers() && probes.isOpen(SqlServerProbes::Sessions)
        && probes.isOpen(SqlServerProbes::Requests);
    if (m_questions.hasAsked()) {
        if (seesSessions)
            addActiveSessions(snapshot, waitCategoryOf, result.measures);
        else
            m_questions.lack({activeSubject, probes.stateGrant()});
        if (m_questions.isAnswered(clusterSubject) && !m_knowsCluster)
            m_questions.lack({clusterSubject, probes.grantOf(u"VIEW ANY DATABASE"_s)});
        if (m_questions.isAnswered(lockCountSubject)) {
            result.lockCounts = m_lockCounter.counts();
            m_counters.read(result.lockCounts);
        }
        m_counters.addTo(result.measures, snapshot.takenAt);
        addMaxConnections();
        result.measures.insert(result.measures.end(), m_present.begin(), m_present.end());
        if (m_questions.isAnswered(serverSubject))
            m_serverSettings.compare(m_serverRead, result);
        if (m_questions.isAnswered(databaseSubject) && !m_databaseRead.empty())
            m_databaseSettings.compare(m_databaseRead, result);
    }
    m_questions.limit(snapshot);
    if (ownDatabase > lastSystemDatabase)
        result.cluster = m_cluster;
    return result;
}

} // namespace lockscope::monitor
