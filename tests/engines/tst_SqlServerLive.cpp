// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The monitor shows sessions that hold and wait for locks of each kind, and actions end them, on the server
// that LOCKSCOPE_TEST_SQLSERVER names. A server without SQL Server's views can be given tables in their place
// (LOCKSCOPE_TEST_SQLSERVER_VIEWS=create): the test then writes into them what SQL Server would show, and the
// server executes the monitor's statements. See resources/help/sqlserver-verified.md.

#include "core/admin/ByHand.h"
#include "core/admin/ServerAdmin.h"
#include "core/db/sqlserver/SqlServerConnection.h"
#include "core/frameworks/TableSearch.h"
#include "core/monitor/SnapshotSource.h"
#include "tests/support/FrameworkRows.h"
#include "tests/support/SqlServerRig.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_SqlServerLive {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;

/// Those that take arguments.
static QString argumentsOf(const QString& view)
{
    if (view == u"sys.dm_exec_sql_text")
        return u"@handle varbinary(64)"_s;
    if (view == u"sys.dm_exec_input_buffer")
        return u"@session int, @request int"_s;
    if (view == u"sys.dm_db_page_info")
        return u"@database int, @file int, @page int, @mode nvarchar(64)"_s;
    return {};
}

static QString textThatMakes(const QString& view, const QJsonArray& columns)
{
    const QString arguments = argumentsOf(view);
    QStringList parts;
    for (const auto column : columns) {
        const QString name = u'[' + column[u"name"].toString() + u']';
        const QString type = column[u"type"].toString();
        if (!arguments.isEmpty())
            parts << u"CAST(NULL AS %1) AS %2"_s.arg(type, name);
        else
            parts << name + u' ' + type + (column[u"nullable"].toBool(true) ? u" NULL"_s : u" NOT NULL"_s);
    }
    if (arguments.isEmpty())
        return u"CREATE TABLE %1 (%2)"_s.arg(view, parts.join(u", "));
    return u"CREATE FUNCTION %1 (%2) RETURNS TABLE AS RETURN (SELECT %3 WHERE 1 = 0)"_s.arg(
        view, arguments, parts.join(u", "));
}

/// SQL Server's views on a server that executes T-SQL but lacks them: tables, empty at first, and functions
/// without rows, with the columns that tests/support/sqlserver/dmv-columns.json documents. Only if the
/// environment says LOCKSCOPE_TEST_SQLSERVER_VIEWS=create; what the server has is left as it is. They are
/// there as long as this is: for all of the server, so one test at a time.
class CatalogueViews {
public:
    /// `connection` must outlive this.
    explicit CatalogueViews(db::Connection& connection);
    ~CatalogueViews();
    Q_DISABLE_COPY_MOVE(CatalogueViews)

    static bool isWished();
    /// Says why they can't be made; empty: they are.
    const QString& failure() const { return m_failure; }
    const QStringList& made() const { return m_made; }

private:
    bool isThere(const QString& name);
    void remove();

    db::Connection& m_connection;
    QStringList m_made;
    QString m_failure;
};

CatalogueViews::CatalogueViews(db::Connection& connection)
    : m_connection(connection)
{
    if (!isWished())
        return;
    const QJsonObject views =
        QJsonDocument::fromJson(readFile(u":/schema/test/sqlserver/dmv-columns.json"_s))[u"views"].toObject();
    for (const QString& name : views.keys()) {
        if (!name.startsWith(u"sys.dm_") || isThere(name))
            continue;
        const auto made =
            m_connection.executeScript(textThatMakes(name, views[name][u"columns"].toArray()).toUtf8());
        if (!made) {
            m_failure = u"%1 can't be made: %2"_s.arg(name, made.error().toString());
            remove();
            return;
        }
        m_made << name;
    }
}

CatalogueViews::~CatalogueViews()
{
    remove();
}

bool CatalogueViews::isWished()
{
    return qEnvironmentVariable("LOCKSCOPE_TEST_SQLSERVER_VIEWS") == u"create";
}

bool CatalogueViews::isThere(const QString& name)
{
    return ask(m_connection, u"SELECT CASE WHEN OBJECT_ID(@P1) IS NULL THEN 0 ELSE 1 END"_s, {name}) == u"1";
}

void CatalogueViews::remove()
{
    for (const QString& name : std::as_const(m_made)) {
        const QString kind = argumentsOf(name).isEmpty() ? u"TABLE"_s : u"FUNCTION"_s;
        if (const auto gone = m_connection.executeScript(u"DROP %1 %2"_s.arg(kind, name).toUtf8()); !gone)
            qWarning("%s", qPrintable(gone.error().toString()));
    }
    m_made.clear();
}

/// Two sessions and the resource that they meet at.
struct Meeting {
    QString hold; ///< within a transaction
    QString want;
    ResourceKind kind = ResourceKind::Unknown;
    // Columns of sys.dm_tran_locks, for a server that doesn't have it:
    QString type;
    QString description;
    qint64 entity = 0;
    QString held;
    QString requestedMode;
};

constexpr int enough = 15'000; ///< ms; nobody waits longer for a lock

static QString textOf(const Snapshot& snapshot)
{
    QStringList lines;
    for (const LockRequest& request : snapshot.requests) {
        const Resource& resource = snapshot.resourceOf(request);
        lines << u"%1 %2 %3 %4 '%5'"_s.arg(request.session.value)
                     .arg(request.isWaiting() ? u"waits"_s : u"holds"_s, request.mode.name(),
                         resourceKindName(resource.key.kind), resource.name);
    }
    for (const WaitEdge& edge : snapshot.waits)
        lines << u"%1 behind %2"_s.arg(edge.waiter.value).arg(edge.blocker.value);
    for (const Limitation& limitation : snapshot.limitations)
        lines << limitation.what;
    return lines.join(u'\n');
}

/// Returns the resource that `holder` holds and `waiter` waits for.
static const Resource* meetingPlace(const Snapshot& snapshot, SessionId holder, SessionId waiter)
{
    for (const LockRequest& waiting : snapshot.requests) {
        if (waiting.session != waiter || !waiting.isWaiting())
            continue;
        const bool isHeld = std::ranges::any_of(snapshot.requests, [&](const LockRequest& each) {
            return each.session == holder && !each.isWaiting() && each.resource == waiting.resource;
        });
        const bool isEdge = std::ranges::any_of(snapshot.waits, [&](const WaitEdge& edge) {
            return edge.waiter == waiter && edge.blocker == holder && edge.resource == waiting.resource;
        });
        if (isHeld && isEdge)
            return &snapshot.resourceOf(waiting);
    }
    return nullptr;
}

class SqlServerLive : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!SqlServerRig::isReal())
            QSKIP("The double has no locks of its own: this needs a server that executes T-SQL.");
        m_rig = std::make_unique<SqlServerRig>();
        m_owner = m_rig->connect();
        m_views = std::make_unique<CatalogueViews>(*m_owner);
        QVERIFY2(m_views->failure().isEmpty(), qPrintable(m_views->failure()));
        const auto made = m_owner->executeScript(
            "CREATE TABLE dbo.live (id int NOT NULL PRIMARY KEY, note int NULL)\nGO\n"
            "CREATE TABLE dbo.live_heap (id int NOT NULL, note int NULL)\nGO\n"
            "CREATE TABLE dbo.live_names (Name varchar(50) NULL, SetTime datetime NULL)\nGO\n"
            "INSERT INTO dbo.live (id) VALUES (1), (2)\nINSERT INTO dbo.live_heap (id) VALUES (1)");
        VERIFY_DONE(made);
        m_profile.url = m_rig->url();
        m_profile.attached = {{u"dbo"_s, u"live_names"_s}};
        m_source = monitor::makeSnapshotSource({m_profile, m_rig->passwords()});
        const auto session = m_rig->connect(); // sees the views that were made
        m_facts = SqlServerConnection::factsOf(*session);
    }
    void cleanupTestCase()
    {
        m_source.reset();
        m_views.reset();
        m_owner.reset();
    }
    void cleanup()
    {
        if (!m_owner)
            return;
        for (const QString& view : m_views->made())
            if (view == u"sys.dm_tran_locks" || view == u"sys.dm_os_waiting_tasks")
                QVERIFY(runSql(*m_owner, u"DELETE FROM "_s + view));
        for (const char* table : {"lock_entry", "lock_waiter", "audit_log"})
            QVERIFY(runSql(*m_owner, u"DELETE FROM lockscope.%1"_s.arg(QLatin1StringView(table))));
        QVERIFY(runSql(*m_owner, u"DELETE FROM dbo.live_names"_s));
    }

    /// Each of the monitor's statements is understood, and a session has the same name in all of them.
    void everyProbeIsAnswered()
    {
        const SnapshotPtr snapshot = takeSnapshot();
        QVERIFY2(snapshot, qPrintable(m_failure));
        QVERIFY2(!snapshot->isIncomplete(), qPrintable(textOf(*snapshot)));
        const lockscope::Session* const ours = snapshot->session(m_owner->sessionId());
        QVERIFY2(ours, qPrintable(textOf(*snapshot)));
        QCOMPARE(ours->started, m_owner->sessionStarted());
    }

    void whoHoldsAndWhoWaitsIsShown_data()
    {
        QTest::addColumn<Meeting>("meeting");
        const QString row = u"UPDATE dbo.live SET note = 1 WHERE id = 1"_s;
        QTest::newRow("row of an index") << Meeting{row, row, ResourceKind::Row, u"KEY"_s,
            u"(8194443284a0)"_s, 72'057'594'045'595'648, u"X"_s, u"U"_s};
        const QString heap = u"UPDATE dbo.live_heap SET note = 1 WHERE id = 1"_s;
        QTest::newRow("row of a heap") << Meeting{
            heap, heap, ResourceKind::Row, u"RID"_s, u"1:240:0"_s, 72'057'594'045'661'184, u"X"_s, u"U"_s};
        const QString page = u"UPDATE dbo.live WITH (PAGLOCK) SET note = 1 WHERE id = 1"_s;
        QTest::newRow("page") << Meeting{
            page, page, ResourceKind::Page, u"PAGE"_s, u"1:240"_s, 72'057'594'045'595'648, u"X"_s, u"U"_s};
        const QString table = u"UPDATE dbo.live WITH (TABLOCKX) SET note = 1 WHERE id = 1"_s;
        QTest::newRow("table") << Meeting{
            table, table, ResourceKind::Relation, u"OBJECT"_s, QString(), 1'977'058'079, u"X"_s, u"X"_s};
        QTest::newRow("definition of a table")
            << Meeting{u"ALTER TABLE dbo.live ADD extra int NULL"_s, u"SELECT COUNT(*) FROM dbo.live"_s,
                   ResourceKind::Relation, u"OBJECT"_s, QString(), 1'977'058'079, u"Sch-M"_s, u"Sch-S"_s};
        QTest::newRow("application lock") << Meeting{
            u"EXECUTE sys.sp_getapplock @Resource = N'live', @LockMode = 'Exclusive', @LockOwner = 'Transaction'"_s,
            u"EXECUTE sys.sp_getapplock @Resource = N'live', @LockMode = 'Shared', @LockOwner = 'Session', @LockTimeout = 15000"_s,
            ResourceKind::ApplicationLock, u"APPLICATION"_s, u"0:[live]:(ea53e177)"_s, 0, u"X"_s, u"S"_s};
    }
    void whoHoldsAndWhoWaitsIsShown()
    {
        QFETCH(Meeting, meeting);
        if (!m_facts.hasView(u"dm_tran_locks"_s))
            QSKIP("The server has no view of locks: LOCKSCOPE_TEST_SQLSERVER_VIEWS=create makes one.");
        const auto holder = worker();
        const auto waiter = worker();
        QVERIFY(holder->begin());
        VERIFY_DONE(runSql(*holder, meeting.hold));
        SnapshotPtr snapshot;
        const Resource* place = nullptr;
        {
            std::jthread waiting;
            // A wait for an application lock that is given up crashes Babelfish before long.
            if (!m_rig->isBabelfish() || meeting.kind != ResourceKind::ApplicationLock)
                waiting = std::jthread([&] { std::ignore = runSql(*waiter, meeting.want); });
            if (!m_views->made().isEmpty())
                write(meeting, holder->sessionId(), waiter->sessionId());
            std::ignore = waitUntil([&] {
                snapshot = takeSnapshot();
                place =
                    snapshot ? meetingPlace(*snapshot, holder->sessionId(), waiter->sessionId()) : nullptr;
                return place != nullptr;
            });
            std::ignore = holder->rollback();
        }
        QVERIFY2(snapshot, qPrintable(m_failure));
        QVERIFY2(place, qPrintable(textOf(*snapshot)));
        // With optimized locking a waiter for a row waits for the lock of a transaction.
        const bool isRow = meeting.kind == ResourceKind::Row || meeting.kind == ResourceKind::Page;
        QVERIFY2(place->key.kind == meeting.kind || (isRow && place->key.kind == ResourceKind::TransactionId),
            qPrintable(textOf(*snapshot)));
        if (!m_views->made().isEmpty())
            return;
        VERIFY_CONTAINS(place->name, u"live"_s);
        const lockscope::Session* const seen = snapshot->session(waiter->sessionId());
        QVERIFY(seen);
        VERIFY_CONTAINS(seen->statement, meeting.want.left(20));
    }

    void theLockTableIsShown()
    {
        const auto holder = worker();
        const auto waiter = worker();
        QVERIFY(ask(*holder, acquire(u"nightly"_s, u"t1"_s)).toLongLong() > 0);
        SnapshotPtr snapshot;
        {
            const std::jthread waiting([&] {
                std::ignore =
                    runSql(*waiter, acquire(u"nightly"_s, u"t2"_s) + u", @WaitMs = %1"_s.arg(enough));
            });
            const bool isSeen = waitUntil([&] {
                snapshot = takeSnapshot();
                return !snapshot || !snapshot->entryWaiters.empty();
            });
            std::ignore = runSql(*holder, u"EXECUTE lockscope.ReleaseLock N'nightly', N't1'"_s);
            QVERIFY2(snapshot, qPrintable(m_failure));
            QVERIFY2(isSeen, qPrintable(textOf(*snapshot)));
        }
        QCOMPARE(snapshot->entries.size(), size_t(1));
        QCOMPARE(snapshot->entries[0].name, u"nightly"_s);
        QCOMPARE(snapshot->entries[0].party.session, holder->sessionId());
        QCOMPARE(snapshot->entryWaiters[0].party.session, waiter->sessionId());
    }

    void anEntryIsReleasedAndOnRecord()
    {
        const auto holder = worker();
        QVERIFY(ask(*holder, acquire(u"nightly"_s, u"t1"_s)).toLongLong() > 0);
        const auto connection = administrator();
        admin::ServerAdmin acts(*connection, m_profile);
        const LockTableEntry shown = entry(u"nightly"_s);
        VERIFY_DONE(acts.releaseEntry(shown, u"stuck since 9"_s));
        QCOMPARE(ask(*m_owner, u"SELECT COUNT(*) FROM lockscope.lock_entry"_s), u"0"_s);
        VERIFY_FAILS(ErrorKind::Changed, acts.releaseEntry(shown, u"stuck since 9"_s));
        const auto audit = acts.audit();
        VERIFY_DONE(audit);
        QCOMPARE(audit->size(), 2);
        QCOMPARE(audit->at(1).outcome, u"done"_s);
        QCOMPARE(audit->at(1).reason, u"stuck since 9"_s);
        VERIFY_CONTAINS(audit->at(1).before, u"nightly"_s);
        VERIFY_STARTS(audit->at(0).outcome, u"changed meanwhile"_s);
    }

    void staleEntriesArePurgedAndOnRecord()
    {
        const QString insert =
            u"INSERT INTO lockscope.lock_entry (name, token, acquired_at, expires_at) VALUES (@P1, N't', DATEADD(SECOND, -60, SYSUTCDATETIME()), DATEADD(SECOND, @P2, SYSUTCDATETIME()))"_s;
        QVERIFY(runSql(*m_owner, insert, {u"old"_s, qint64(-1)}));
        QVERIFY(runSql(*m_owner, insert, {u"young"_s, qint64(60)}));
        const auto connection = administrator();
        admin::ServerAdmin acts(*connection, m_profile);
        const auto shown = acts.previewPurge();
        VERIFY_DONE(shown);
        QCOMPARE(shown->size(), 1);
        VERIFY_DONE(acts.purgeStale(*shown, u"Monday"_s));
        QCOMPARE(ask(*m_owner, u"SELECT name FROM lockscope.lock_entry"_s), u"young"_s);
        QCOMPARE(acts.audit()->at(0).outcome, u"done"_s);
    }

    void onlyTheRowThatWasShownGoes()
    {
        QVERIFY(runSql(*m_owner,
            u"INSERT INTO dbo.live_names VALUES ('A', '20260101'), ('a', '20260101'), ('A ', '20260101'), ('twice', '20260101'), ('twice', '20260101'), ('C', NULL)"_s));
        const auto connection = administrator();
        admin::ServerAdmin acts(*connection, m_profile);
        const LockTableEntry shown = attachedEntry(u"A"_s);
        VERIFY_DONE(acts.releaseEntry(shown, u"stuck"_s));
        QCOMPARE(ask(*m_owner, u"SELECT COUNT(*) FROM dbo.live_names"_s), u"5"_s);
        VERIFY_FAILS(ErrorKind::Changed, acts.releaseEntry(shown, u"stuck"_s));
        LockTableEntry twice = shown;
        twice.stored[0] = u"twice"_s;
        VERIFY_FAILS(ErrorKind::BadInput, acts.releaseEntry(twice, u"stuck"_s));
        QCOMPARE(ask(*m_owner, u"SELECT COUNT(*) FROM dbo.live_names"_s), u"5"_s);
    }

    void rowsOfFrameworksAreFreedAsTheyWereShown_data()
    {
        addColumns<QString, QString, QString>("type", "value", "other");
        const auto add = [](const char* type, const QString& value, const QString& other) {
            QTest::newRow(type) << QString::fromLatin1(type) << value << other;
        };
        add("int", u"7"_s, u"8"_s);
        add("bigint", u"9007199254740993"_s, u"9007199254740992"_s);
        add("bit", u"1"_s, u"0"_s);
        add("nvarchar", u"N'a'"_s, u"N'A'"_s);
        add("varchar", u"'a'"_s, u"'a '"_s);
        add("char", u"'a'"_s, u"'b'"_s);
        add("datetime", u"'2026-11-22T22:40:19.123'"_s, u"'2026-11-22T22:40:19.127'"_s);
        add("datetime2", u"'2026-11-22T22:40:19.123456'"_s, u"'2026-11-22T22:40:19.123457'"_s);
        add("datetimeoffset", u"'2026-11-22T22:40:19.123+01:00'"_s, u"'2026-11-22T21:40:19.124+00:00'"_s);
        add("date", u"'2026-11-22'"_s, u"'2026-11-23'"_s);
        add("uniqueidentifier", u"'D5499C66-E398-45CA-BF7E-DC9C194B48CF'"_s,
            u"'D5499C66-E398-45CA-BF7E-DC9C194B48CE'"_s);
        add("money", u"1.2345"_s, u"1.2346"_s);
        add("decimal", u"11"_s, u"12"_s);
        QTest::newRow("a value that becomes NULL") << u"int"_s << u"7"_s << u"NULL"_s;
        QTest::newRow("NULL that becomes a text") << u"nvarchar"_s << u"NULL"_s << u"N''"_s;
    }
    void rowsOfFrameworksAreFreedAsTheyWereShown()
    {
        FETCH(QString, type, QString, value, QString, other);
        const auto run = [this](const QString& sql) {
            const auto done = runSql(*m_owner, sql);
            QVERIFY2(done, done ? "" : qPrintable(sql + u": "_s + done.error().toString()));
        };
        const QString length = type.contains(u"char"_s) ? u"(20)"_s : QString();
        run(u"DROP TABLE IF EXISTS dbo.live_turns"_s);
        run(u"CREATE TABLE dbo.live_turns (id int NOT NULL, held bit NOT NULL, revision int, value %1%2 NULL)"_s
                .arg(type, length));
        run(u"INSERT INTO dbo.live_turns VALUES (1, 1, 7, %1), (2, 1, 7, %1)"_s.arg(value));
        auto table = std::make_shared<LockRowTable>();
        *table = {u"dbo"_s, u"live_turns"_s,
            {{u"id"_s, u"int"_s}, {u"held"_s, u"bit"_s}, {u"revision"_s, u"int"_s}, {u"value"_s, type}}};
        const auto match = matchOf(rowLock({u"id"_s, u"value"_s},
            {{u"held"_s, false}, {u"value"_s, std::monostate()}, {u"revision"_s, u"{revision}+1"_s}}));
        const LockTableEntry shown = shownRow(*m_owner, match, table, u"id = 1"_s);
        const auto connection = administrator();
        admin::ServerAdmin acts(*connection, m_profile);
        const auto count = [this](const QString& condition) {
            return ask(*m_owner, u"SELECT COUNT(*) FROM dbo.live_turns WHERE "_s + condition);
        };

        run(u"UPDATE dbo.live_turns SET value = %1 WHERE id = 1"_s.arg(other));
        const auto changed = acts.releaseEntry(shown, u"stuck"_s);
        VERIFY_FAILS(ErrorKind::Changed, changed);
        VERIFY_CONTAINS(changed.error().what, u"value is "_s);
        QVERIFY(runSql(*m_owner, admin::releaseByHand(m_profile, shown).remove(u"\nGO"_s)));
        QCOMPARE(count(u"held = 1 AND revision = 7"_s), u"2"_s);

        run(u"UPDATE dbo.live_turns SET value = %1 WHERE id = 1"_s.arg(value));
        run(u"INSERT INTO dbo.live_turns SELECT * FROM dbo.live_turns WHERE id = 1"_s);
        VERIFY_FAILS(ErrorKind::BadInput, acts.releaseEntry(shown, u"stuck"_s));
        QCOMPARE(count(u"held = 1 AND revision = 7"_s), u"3"_s);
        run(u"DELETE FROM dbo.live_turns WHERE id = 1"_s);

        for (const bool isByHand : {false, true}) {
            run(u"DELETE FROM dbo.live_turns WHERE id = 1"_s);
            run(u"INSERT INTO dbo.live_turns VALUES (1, 1, 7, %1)"_s.arg(value));
            if (isByHand) {
                run(admin::releaseByHand(m_profile, shown).remove(u"\nGO"_s));
            } else {
                VERIFY_DONE(acts.releaseEntry(shown, u"stuck"_s));
                VERIFY_CONTAINS(acts.audit()->at(0).before, u"\"revision\""_s);
            }
            QCOMPARE(count(u"id = 1 AND held = 0 AND value IS NULL AND revision = 8"_s), u"1"_s);
            QCOMPARE(count(u"id = 2 AND held = 1 AND revision = 7"_s), u"1"_s);
        }
    }

    void aSessionIsEndedAndOnRecord()
    {
        const auto victim = worker();
        QVERIFY(victim->begin());
        QVERIFY(runSql(*victim, u"UPDATE dbo.live SET note = 2 WHERE id = 2"_s));
        lockscope::Session shown;
        shown.id = victim->sessionId();
        shown.started = victim->sessionStarted();
        const auto connection = administrator();
        admin::ServerAdmin acts(*connection, m_profile);
        lockscope::Session later = shown;
        later.started = later.started + std::chrono::seconds(1);
        VERIFY_FAILS(ErrorKind::Changed, acts.endSession(later, u"stuck"_s));
        VERIFY_DONE(acts.endSession(shown, u"stuck"_s));
        QVERIFY(waitUntil([&] { return !runSql(*victim, u"SELECT 1"_s); }));
        QCOMPARE(ask(*m_owner, u"SELECT COUNT(*) FROM dbo.live WHERE note = 2"_s), u"0"_s);
        const auto audit = acts.audit();
        VERIFY_DONE(audit);
        QCOMPARE(audit->size(), 3); // the other session, the intention, the act
        QCOMPARE(audit->at(0).outcome, u"done"_s);
        VERIFY_CONTAINS(audit->at(0).before, u"\"found\":{"_s);
    }

private:
    static QString acquire(const QString& name, const QString& token)
    {
        return u"EXECUTE lockscope.AcquireLock @Name = N'%1', @Token = N'%2', @LeaseUs = 60000000"_s.arg(
            name, token);
    }
    std::unique_ptr<Connection> worker() const
    {
        auto connection = m_rig->connect({.purpose = Purpose::Workload});
        orDie(runSql(*connection, u"SET LOCK_TIMEOUT %1"_s.arg(enough)));
        return connection;
    }
    std::unique_ptr<Connection> administrator() const { return m_rig->connect({.purpose = Purpose::Admin}); }
    /// Null, and m_failure says why.
    SnapshotPtr takeSnapshot()
    {
        auto taken = m_source->take();
        m_failure = taken ? QString() : taken.error().toString();
        return taken ? *taken : nullptr;
    }
    /// The entry as a list shows it, though not from one: the acts don't need the monitor.
    LockTableEntry entry(const QString& name) const
    {
        LockTableEntry shown;
        shown.table = u"lockscope.lock_entry"_s;
        shown.name = name;
        shown.fencing = ask(*m_owner, u"SELECT fencing FROM lockscope.lock_entry WHERE name = @P1"_s, {name})
                            .toLongLong();
        return shown;
    }
    LockTableEntry attachedEntry(const QString& name) const
    {
        auto table = std::make_shared<LockRowTable>();
        *table = {u"dbo"_s, u"live_names"_s, {{u"Name"_s, u"varchar"_s}, {u"SetTime"_s, u"datetime"_s}}};
        const FrameworkPtr framework = frameworks::ofAttached(m_profile.attached.first());
        return shownRow(*m_owner, matchOf(framework->locks.front(), u"Attached"_s), table,
            u"Name = '%1' AND CONVERT(varbinary(20), Name) = CONVERT(varbinary(20), '%1')"_s.arg(name));
    }
    /// Writes the rows that SQL Server's views would show.
    void write(const Meeting& meeting, SessionId holder, SessionId waiter)
    {
        const QString lock =
            u"INSERT INTO sys.dm_tran_locks (resource_type, resource_subtype, resource_database_id, resource_description, resource_associated_entity_id, resource_lock_partition, request_mode, request_type, request_status, request_reference_count, request_lifetime, request_session_id, "
            "request_exec_context_id, request_request_id, request_owner_type, request_owner_id, request_owner_guid, lock_owner_address) VALUES (N'%1', N'', DB_ID(), N'%2', %3, 0, N'%4', N'LOCK', N'%5', 1, 0, %6, 0, 0, N'TRANSACTION', %6, '00000000-0000-0000-0000-000000000000', %7)"_s;
        const auto add = [&](const QString& mode, const QString& status, SessionId session,
                             const QString& address) {
            VERIFY_DONE(runSql(*m_owner,
                lock.arg(meeting.type, meeting.description, QString::number(meeting.entity), mode, status,
                    QString::number(session.value), address)));
        };
        add(meeting.held, u"GRANT"_s, holder, u"0x00000000000000A1"_s);
        add(meeting.requestedMode, u"WAIT"_s, waiter, u"0x00000000000000B2"_s);
        VERIFY_DONE(runSql(*m_owner,
            u"INSERT INTO sys.dm_os_waiting_tasks (waiting_task_address, session_id, exec_context_id, wait_duration_ms, wait_type, resource_address, blocking_session_id, resource_description) VALUES (0x01, %1, 0, 1500, N'LCK_M_%2', 0x00000000000000B2, %3, N'')"_s
                .arg(waiter.value)
                .arg(QString(meeting.requestedMode).replace(u'-', u'_').toUpper())
                .arg(holder.value)));
    }

    std::unique_ptr<SqlServerRig> m_rig;
    std::unique_ptr<Connection> m_owner;
    std::unique_ptr<CatalogueViews> m_views;
    ServerProfile m_profile;
    std::unique_ptr<monitor::SnapshotSource> m_source;
    QString m_failure;
    SqlServerFacts m_facts;
};

LOCKSCOPE_TEST(SqlServerLive)

} // namespace tst_SqlServerLive
#include "tst_SqlServerLive.moc"
