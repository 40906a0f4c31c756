// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A snapshot of SQL Server whose rights, views or names have limits, or which shows what is rare.

#include "core/domain/BlockingGraph.h"
#include "core/monitor/DetailQueries.h"
#include "tests/support/TestProgram.h"
#include "tests/support/WireSuite.h"
#include "tests/support/tds/SnapshotBench.h"

namespace tst_SqlServerSnapshotLimits {

using namespace lockscope;
using namespace lockscope::monitor;
using namespace lockscope::test;
using namespace lockscope::test::tds;

class tst_SqlServerSnapshotLimits : public WireSuiteByBoth {
    Q_OBJECT

private Q_SLOTS:
    void whoeverIsOnAnAwaitedDatabaseIsShown()
    {
        Picture picture;
        picture.session(71, "shop");
        picture.session(72, "other database");
        picture.session(63, "dba");
        for (const int session : {71, 72})
            picture.lock(session, "DATABASE", 0, "S").owner = u"SHARED_TRANSACTION_WORKSPACE"_s;
        picture.locks[1].database = 1;
        picture.waitingLock(picture.locks.front(), 63, "X", 5'000, 0);
        const SnapshotPtr snapshot = snapshotOf(picture);
        QCOMPARE(snapshot->requests.size(), size_t(2));
        QCOMPARE(edgesOf(*snapshot), u"63->71"_s);
    }

    void strangersInOneIndexDoNotQueue()
    {
        // Only the tasks name it: of two keys only the index is known.
        Picture picture;
        picture.lockMemoryKb = 900'000;
        for (const int session : {63, 64})
            picture.session(session, "shop");
        picture.tasks.push_back({63, 5'000, u"LCK_M_X"_s, 71, 0x100,
            u"keylock hobtid=72057594038910976 dbid=5 id=lock1 mode=X"_s});
        picture.tasks.push_back({64, 4'000, u"LCK_M_X"_s, 72, 0x200,
            u"keylock hobtid=72057594038910976 dbid=5 id=lock2 mode=X"_s});
        QCOMPARE(edgesOf(*snapshotOf(picture)), u"63->71 64->72"_s);
        for (auto& task : picture.tasks)
            task.description = u"keylock hobtid=72057594038910976 dbid=5"_s;
        QCOMPARE(edgesOf(*snapshotOf(picture)), u"63->71 64->72"_s);
        // A request says that one of its threads waits for something, and not which one: 63 waits for two
        // keys.
        picture.tasks[0].description = u"keylock hobtid=72057594038910976 dbid=5 id=lock1 mode=X"_s;
        picture.tasks[1].description = u"keylock hobtid=72057594038910976 dbid=5 id=lock2 mode=X"_s;
        Picture threads = picture;
        threads.tasks.push_back({63, 4'900, u"LCK_M_X"_s, 71, 0x300,
            u"keylock hobtid=72057594038910976 dbid=5 id=lock3 mode=X"_s});
        for (const int session : {63, 64}) {
            threads.request(session, "UPDATE", 9'000).waitResource = u"KEY: 5:72057594038910976 (0a)"_s;
            threads.requests.back().waitType = u"LCK_M_X"_s;
        }
        QCOMPARE(edgesOf(*snapshotOf(threads)), u"63->71 64->72"_s);
        // The same lock is the same key, and then there is a queue.
        for (auto& task : picture.tasks)
            task.description = u"keylock hobtid=72057594038910976 dbid=5 id=lock1 mode=X"_s;
        QCOMPARE(edgesOf(*snapshotOf(picture)), u"63->71 64->63 64->72"_s);
    }

    void loginTimesStayWhenTheClocksAreChanged()
    {
        Picture picture = sleepingHead();
        SnapshotBench bench(picture);
        const SnapshotPtr before = bench.take();
        picture.zoneMinutes -= 60;
        for (auto& session : picture.sessions)
            session.loginAge -= 3'600'000; // the same local time as before
        bench.answers.show(picture);
        const SnapshotPtr after = bench.take();
        QCOMPARE(after->session({71})->key(), before->session({71})->key());
        QCOMPARE(before->session({71})->loggedIn(), ServerTime{picture.nowUs - 3'600'000'000});
    }

    void whatNeverHappenedHasNoTime()
    {
        Picture picture;
        ViewRows rows{u"sys.dm_exec_sessions"_s,
            {u"session_id"_s, u"login_time"_s, u"status"_s, u"last_request_end_time"_s, u"is_user_process"_s},
            {}};
        const QDateTime none(QDate(1900, 1, 1), QTime(0, 0), Qt::UTC);
        rows.rows.push_back({84, none, u"preconnect"_s, none, true});
        picture.more = {rows};
        const SnapshotPtr snapshot = snapshotOf(picture);
        const lockscope::Session* session = snapshot->session({84});
        QVERIFY(session);
        QVERIFY(!session->loggedIn().isValid());
        QVERIFY(!session->stateSince);
        QVERIFY(!session->statementStarted);
    }

    void databasesThatLetUsNotInAreLeftAlone()
    {
        Picture picture = sleepingHead();
        picture.databases[9] = u"secret"_s;
        picture.closedDatabases[u"[secret]"_s] = 916;
        picture.lock(71, "OBJECT", 42, "IX").of(7'001).database = 9;
        picture.databases[10] = u"open"_s; // its name is not known either
        picture.lock(71, "OBJECT", 42, "IX").of(7'001).database = 10;
        SnapshotBench bench(picture);
        (void)bench.take(); // learns the database's name
        (void)bench.take();
        const SnapshotPtr snapshot = bench.take();
        const Limitation* hidden = limitation(*snapshot, Limitation::Kind::MissingPermission);
        QVERIFY(hidden);
        VERIFY_CONTAINS(hidden->what, u"secret"_s);
        QCOMPARE(
            hidden->remedy, u"GRANT CONNECT ANY DATABASE TO [ann]; GRANT VIEW ANY DEFINITION TO [ann];"_s);
        QVERIFY(bench.waitUntilAskedAgain(u"[open]"_s));
        (void)bench.take();
        (void)bench.take();
        int asked = 0;
        for (const auto& message : bench.server.seen()) {
            for (const QString& text : message.texts)
                asked += text.contains(u"[secret]"_s) ? 1 : 0;
        }
        QCOMPARE(asked, 1);
    }

    void namesThatAreNotShownAreSaidToBe()
    {
        Picture picture = sleepingHead();
        picture.databases[9] = u"other"_s;
        picture.lock(71, "OBJECT", 42, "IX").of(7'001).database = 9;
        for (const bool mayRead : {true, false}) {
            if (!mayRead)
                picture.rights.remove(u"VIEW ANY DEFINITION"_s);
            SnapshotBench bench(picture);
            (void)bench.take();
            (void)bench.take();
            const SnapshotPtr snapshot = bench.take();
            const Limitation* hidden = limitation(*snapshot, Limitation::Kind::MissingPermission);
            QCOMPARE(hidden != nullptr, !mayRead);
            QVERIFY(mayRead || hidden->what.contains(u"other"_s));
        }
    }

    void namesAreAskedForLastAndShortly()
    {
        Picture picture = sleepingHead();
        picture.lock(71, "OBJECT", 42, "IX").of(7'001); // nobody knows its name
        SnapshotBench bench(picture);
        (void)bench.take();
        QVERIFY(bench.waitUntilAskedAgain(u"[orders].sys.objects"_s));
        const QStringList texts = bench.server.seen().back().texts;
        const auto placeOf = [&texts](QStringView word) {
            const auto found =
                std::ranges::find_if(texts, [&](const QString& t) { return t.contains(word); });
            return found - texts.begin();
        };
        QVERIFY(placeOf(u"[orders].sys.objects") < texts.size());
        QVERIFY(placeOf(u"[orders].sys.objects") > placeOf(u"sys.dm_tran_locks"));
        QVERIFY(texts[placeOf(u"[orders].sys.objects")].contains(u"SET LOCK_TIMEOUT 0;"_s));
        // The second reading of the clock, from which ages are measured, is not kept waiting.
        QVERIFY(texts[placeOf(u"[orders].sys.objects") - 1].contains(u"SYSUTCDATETIME"_s));
    }

    void rightsThatAServerDoesNotTellAreTheAdministrators()
    {
        Picture picture = sleepingHead();
        picture.tellsRights = false;
        QVERIFY(limitation(*snapshotOf(picture), Limitation::Kind::MissingPermission));
        picture.isAdministrator = true;
        QVERIFY(!limitation(*snapshotOf(picture), Limitation::Kind::MissingPermission));
    }

    void theNoiseIsHiddenUnlessAskedFor()
    {
        Picture picture;
        picture.session(71, "shop");
        picture.lock(71, "DATABASE", 0, "S").owner = u"SHARED_TRANSACTION_WORKSPACE"_s;
        picture.lock(71, "METADATA", 0, "Sch-S");
        SnapshotBench quiet(picture);
        QCOMPARE(quiet.take()->requests.size(), size_t(0));
        SnapshotBench loud(picture, {.internalLocks = true});
        const SnapshotPtr snapshot = loud.take();
        QCOMPARE(snapshot->requests.size(), size_t(2));
        QVERIFY(std::ranges::any_of(snapshot->resources,
            [](const Resource& resource) { return resource.name == u"database orders"_s; }));
    }

    void namesComeFromOtherDatabasesToo()
    {
        Picture picture = sleepingHead();
        picture.databases[9] = u"odd ]name"_s;
        picture.names[{u"[odd ]]name]"_s, 42}] = u"dbo.things"_s;
        picture.lock(71, "OBJECT", 42, "IX").of(7'001).database = 9;
        SnapshotBench bench(picture);
        (void)bench.take(); // learns the database's name
        const SnapshotPtr snapshot = bench.take();
        const auto found = std::ranges::find_if(
            snapshot->resources, [](const Resource& resource) { return resource.key.database == 9; });
        QVERIFY(found != snapshot->resources.end());
        QCOMPARE(found->name, u"dbo.things"_s);
        QCOMPARE(found->database, u"odd ]name"_s);
    }

    void azureReadsNoOtherDatabase()
    {
        Picture picture = sleepingHead();
        picture.engineEdition = 5;
        picture.databases[9] = u"other"_s;
        picture.lock(71, "OBJECT", 42, "IX").of(7'001).database = 9;
        SnapshotBench bench(picture);
        picture.session(72, "in another database").database = 9;
        bench.answers.show(picture);
        (void)bench.take();
        (void)bench.take();
        QCOMPARE(bench.server.unknown(), QStringList());
        for (const auto& message : bench.server.seen()) {
            for (const QString& text : message.texts)
                VERIFY_LACKS(text, u"[other]"_s);
            // Their numbers are not those of the views of locks.
            for (const QString& text : message.texts)
                VERIFY_LACKS(text, u"sys.databases"_s);
        }
        const SnapshotPtr snapshot = bench.take();
        QCOMPARE(snapshot->session({72})->database, QString());
    }

    void orphanedTransactionsHaveAUnitOfWork()
    {
        Picture picture;
        picture.names[{u"[orders]"_s, orders}] = u"dbo.orders"_s;
        picture.session(63, "shop");
        picture.lock(-2, "OBJECT", orders, "X").unitOfWork = unitOfWork;
        picture.waitingLock(picture.locks.back(), 63, "IX", 5'000, -2);
        picture.locks.back().unitOfWork.clear();
        const SnapshotPtr snapshot = snapshotOf(picture);
        QCOMPARE(snapshot->waits.size(), size_t(1));
        const SessionId orphan = snapshot->waits[0].blocker;
        QVERIFY(orphan.value < -5);
        QCOMPARE(snapshot->session(orphan)->unitOfWork, unitOfWork);
        const Diagnosis diagnosis = diagnosisOf(*snapshot, orphan.value);
        QCOMPARE(diagnosis.kind, Diagnosis::Kind::OrphanedTransaction);
        QVERIFY(diagnosis.remedy.contains(unitOfWork));
    }

    void blockersThatAreNoSessions_data()
    {
        test::addColumns<int, int>("blocker", "kind");
        row("orphan, locks unseen", -2, static_cast<int>(Diagnosis::Kind::OrphanedTransaction));
        row("deferred recovery", -3, static_cast<int>(Diagnosis::Kind::ServerInternal));
        row("latch in transition", -4, static_cast<int>(Diagnosis::Kind::ServerInternal));
        row("latch of unknown owner", -5, static_cast<int>(Diagnosis::Kind::ServerInternal));
    }
    void blockersThatAreNoSessions()
    {
        FETCH(int, blocker, int, kind);
        Picture picture;
        picture.session(63, "shop");
        picture.tasks.push_back({63, 5'000, u"PAGELATCH_EX"_s, blocker, 0, u"5:1:109"_s});
        const SnapshotPtr snapshot = snapshotOf(picture);
        QCOMPARE(edgesOf(*snapshot), u"63->%1"_s.arg(blocker));
        QVERIFY(snapshot->session({blocker}));
        QCOMPARE(static_cast<int>(diagnosisOf(*snapshot, blocker).kind), kind);
        QCOMPARE(nameOf(*snapshot, requestOf(*snapshot, 63, true)), u"5:1:109"_s);
    }

    void convertersThatWaitForEachOtherAreADeadlock()
    {
        Picture picture;
        picture.session(71, "a");
        picture.session(63, "b");
        Picture::Lock row;
        row.type = u"KEY"_s;
        row.entity = ordersHobt;
        row.description = u"(8194443284a0)"_s;
        picture.waitingLock(row, 71, "X", 1'000, 63).status = u"CONVERT"_s;
        picture.waitingLock(row, 63, "X", 900, 71).status = u"CONVERT"_s;
        const SnapshotPtr snapshot = snapshotOf(picture);
        QCOMPARE(edgesOf(*snapshot), u"63->71 71->63"_s);
        QCOMPARE(diagnosisOf(*snapshot, 71).kind, Diagnosis::Kind::DeadlockCycle);
        QCOMPARE(requestOf(*snapshot, 71, true)->state, RequestState::Converting);
    }

    void lowPriorityWaitersStandInNobodysWay()
    {
        Picture picture;
        picture.session(71, "reader");
        picture.session(60, "rebuild");
        picture.session(63, "writer");
        picture.lock(71, "OBJECT", orders, "S");
        const Picture::Lock held = picture.locks.back();
        picture.waitingLock(held, 60, "Sch-M", 50'000, 71).status = u"LOW_PRIORITY_WAIT"_s;
        picture.waitingLock(held, 63, "IX", 1'000, 71);
        const SnapshotPtr snapshot = snapshotOf(picture);
        QVERIFY(!edgesOf(*snapshot).contains(u"63->60"_s));
        QVERIFY(edgesOf(*snapshot).contains(u"63->71"_s));
    }

    void aRollbackShowsHowFarItIs()
    {
        Picture picture = sleepingHead();
        picture.request(71, "KILLED/ROLLBACK", 90'000).percent = 40;
        picture.requests.back().left = 30'000;
        const SnapshotPtr snapshot = snapshotOf(picture);
        QCOMPARE(snapshot->session({71})->state, SessionState::RollingBack);
        const Diagnosis diagnosis = diagnosisOf(*snapshot, 71);
        QCOMPARE(diagnosis.kind, Diagnosis::Kind::RollingBack);
        VERIFY_CONTAINS(diagnosis.summary, u"40 % done, about 30 s left"_s);
    }

    void aStatementThatWaitsForItsClientIsSaidToDoSo()
    {
        Picture picture = sleepingHead();
        picture.request(71, "SELECT", 90'000).waitType = u"ASYNC_NETWORK_IO"_s;
        const SnapshotPtr snapshot = snapshotOf(picture);
        QCOMPARE(diagnosisOf(*snapshot, 71).kind, Diagnosis::Kind::WaitingForClient);
    }

    void withoutRightsThePageSaysWhichGrantIsMissing_data()
    {
        test::addColumns<QString, int, QString>("version", "edition", "grant");
        row("2016", "13.0.5026.0", 3, "GRANT VIEW SERVER STATE TO [ann];");
        row("2019", "15.0.4000.1", 3, "GRANT VIEW SERVER STATE TO [ann];");
        row("2022", "16.0.4135.4", 3, "GRANT VIEW SERVER PERFORMANCE STATE TO [ann];");
        row("2025", "17.0.1000.7", 3, "GRANT VIEW SERVER PERFORMANCE STATE TO [ann];");
        row("Azure SQL Database", "12.0.2000.8", 5, "GRANT VIEW DATABASE STATE TO [ann];");
    }
    void withoutRightsThePageSaysWhichGrantIsMissing()
    {
        FETCH(QString, version, int, edition, QString, grant);
        Picture picture = sleepingHead();
        picture.version = version;
        picture.engineEdition = edition;
        picture.rights.clear();
        picture.closedViews = {u"sys.dm_tran_locks"_s, u"sys.dm_os_waiting_tasks"_s,
            u"sys.dm_os_memory_clerks"_s, u"sys.dm_exec_connections"_s,
            u"sys.dm_tran_session_transactions"_s};
        const SnapshotPtr snapshot = snapshotOf(picture);
        const Limitation* missing = limitation(*snapshot, Limitation::Kind::MissingPermission);
        QVERIFY(missing);
        VERIFY_STARTS(missing->remedy, grant);
        VERIFY_CONTAINS(missing->what, u"ocks"_s);
        QVERIFY(std::ranges::any_of(
            snapshot->sessions, [](const lockscope::Session& session) { return session.own; }));
        QVERIFY(!limitation(*snapshot, Limitation::Kind::Failed));
    }

    void oneClosedViewCostsNothingElse_data()
    {
        test::addColumns<QString, QString>("view", "edges");
        for (const char* view : {"sys.dm_tran_locks", "sys.dm_os_waiting_tasks", "sys.dm_os_memory_clerks",
                 "sys.dm_exec_connections", "sys.dm_exec_requests", "sys.dm_tran_session_transactions"})
            row(view, QString::fromLatin1(view), "63->71");
        // sys.dm_exec_sessions is not among them: every server has it, and a login that may not see others
        // gets fewer rows, no error.
    }
    void oneClosedViewCostsNothingElse()
    {
        FETCH(QString, view, QString, edges);
        for (const bool missing : {false, true}) {
            Picture picture = sleepingHead();
            (missing ? picture.missingViews : picture.closedViews).insert(view);
            SnapshotBench bench(picture);
            const SnapshotPtr snapshot = bench.take();
            QCOMPARE(edgesOf(*snapshot), edges);
            const Limitation* limit = limitation(
                *snapshot, missing ? Limitation::Kind::Unsupported : Limitation::Kind::MissingPermission);
            if (missing) {
                QVERIFY(limit);
                VERIFY_CONTAINS(limit->what, view);
            } else if (view != u"sys.dm_os_memory_clerks"_s) {
                QVERIFY(limit);
            }
        }
    }

    void aServerWithoutAnyViewShowsItsLockTable()
    {
        Picture picture;
        picture.schemaInstalled = true;
        picture.babelfish = u"3.1.0"_s;
        picture.missingViews = {u"sys.dm_tran_locks"_s, u"sys.dm_os_waiting_tasks"_s,
            u"sys.dm_os_memory_clerks"_s, u"sys.dm_exec_requests"_s, u"sys.dm_tran_session_transactions"_s};
        picture.appLockNames = {{u"a lock of ours"_s, true}, {u"another one"_s, false}};
        picture.session(71, "shop").status = u"idle in transaction"_s;
        SnapshotBench bench(picture);
        bench.acts.change([&picture](AdminAnswers::State& state) {
            state.nowUs = picture.nowUs;
            state.table.put({u"nightly"_s, u"token"_s, 7, picture.nowUs - 60'000'000,
                picture.nowUs + 60'000'000, {u"bob"_s, u"app01"_s, u"job"_s, 4'711, 71}});
        });
        const SnapshotPtr snapshot = bench.take(); // what is missing is known without asking
        QCOMPARE(snapshot->entries.size(), size_t(1));
        QCOMPARE(snapshot->entries[0].name, u"nightly"_s);
        QCOMPARE(snapshot->entries[0].party.session, SessionId{71});
        QCOMPARE(snapshot->session({71})->state, SessionState::IdleInTransaction);
        QCOMPARE(snapshot->requests.size(), size_t(1));
        QCOMPARE(nameOf(*snapshot, &snapshot->requests[0]), u"app lock 'a lock of ours'"_s);
        QCOMPARE(snapshot->requests[0].session, unidentifiedHolder);
        const Limitation* missing = limitation(*snapshot, Limitation::Kind::Unsupported);
        QVERIFY(missing);
        for (const QString& view : picture.missingViews)
            VERIFY_CONTAINS(missing->what, view);
        QVERIFY(!limitation(*snapshot, Limitation::Kind::MissingPermission));
    }

    void attachedTablesAreShown()
    {
        Picture picture;
        const db::AttachedTable table{u"dbo"_s, u"Odd ]Locks"_s};
        picture.lockRows = {
            LockRows(u"CREATE TABLE [dbo].[Odd ]]Locks] (Name nvarchar(255), SetTime datetime)"_s,
                {u"INSERT INTO [dbo].[Odd ]]Locks] VALUES ('best sellers', '2027-01-14 08:00:00.000')"_s})};
        const SnapshotPtr snapshot = snapshotOf(picture, {}, {table});
        QCOMPARE(snapshot->entries.size(), size_t(1));
        QCOMPARE(snapshot->entries[0].name, u"best sellers"_s);
        COMPARE_TEXTS(snapshot->entries[0].stored, "best sellers", "2027-01-14 08:00:00.000");
        QVERIFY(snapshot->entries[0].framework->isAttached());
        QVERIFY(snapshot->entries[0].isStale(snapshot->takenAt));
    }

    void aDeadlockVictimInThePollIsAnErrorAndNoEmptySnapshot()
    {
        Picture picture = sleepingHead();
        picture.failures[u"sys.dm_tran_locks"_s] = 1205;
        SnapshotBench bench(picture);
        const auto taken = bench.source->take();
        VERIFY_FAILS(ErrorKind::Deadlock, taken);
        QCOMPARE(taken.error().what, u"Can't read the locks."_s);
        picture.failures.clear();
        bench.answers.show(picture);
        QCOMPARE(edgesOf(*bench.take()), u"63->71"_s);
    }

    void aFailureOfALesserViewIsReportedAndCostsNoMore()
    {
        Picture picture = sleepingHead();
        picture.failures[u"sys.dm_exec_connections"_s] = 1205;
        const SnapshotPtr snapshot = snapshotOf(picture);
        QCOMPARE(edgesOf(*snapshot), u"63->71"_s);
        QVERIFY(limitation(*snapshot, Limitation::Kind::Failed));
    }

    void nullsEverywhereHurtNobody()
    {
        Picture picture = sleepingHead();
        picture.nullsOnly = true;
        SnapshotBench bench(picture);
        QVERIFY(bench.source->take());
        QVERIFY(bench.source->take());
    }

    void unknownTypesAndModesKeepTheirText()
    {
        Picture picture;
        picture.session(71, "shop");
        picture.lock(71, "OIB", 7, "Y-X").description = u"something new \U0001F512"_s;
        picture.locks.back().owner = u"NEW_WORKSPACE"_s;
        picture.waitingLock(picture.locks.back(), 63, "Z", 1'000, 71).status = u"ABORT_BLOCKERS"_s;
        const SnapshotPtr snapshot = snapshotOf(picture);
        const LockRequest* lock = requestOf(*snapshot, 71);
        QVERIFY(lock);
        QCOMPARE(lock->mode.name(), u"Y-X"_s);
        QVERIFY(!lock->mode.isKnown());
        QCOMPARE(lock->owner, LockOwner::Other);
        QCOMPARE(nameOf(*snapshot, lock), u"OIB something new \U0001F512"_s);
        QVERIFY(requestOf(*snapshot, 63, true));
        QCOMPARE(edgesOf(*snapshot), u"63->71"_s);
    }

    void fourByteCharactersSurvive()
    {
        Picture picture = sleepingHead();
        picture.sessions[0].program = u"abrechnung \U0001F9FE"_s;
        picture.texts[u"0200AA"_s] = u"-- \U0001F512\nUPDATE orders"_s;
        picture.appLock(71, u"schloss \U0001F512"_s, "X");
        const SnapshotPtr snapshot = snapshotOf(picture);
        QCOMPARE(snapshot->session({71})->program, u"abrechnung \U0001F9FE"_s);
        QCOMPARE(snapshot->session({71})->statement, u"-- \U0001F512\nUPDATE orders"_s);
        QVERIFY(std::ranges::any_of(snapshot->resources,
            [](const Resource& resource) { return resource.name == u"app lock 'schloss \U0001F512'"_s; }));
    }

    void theMonitorsOwnSessionIsMarked()
    {
        const SnapshotPtr snapshot = snapshotOf(sleepingHead());
        const auto own = std::ranges::count_if(
            snapshot->sessions, [](const lockscope::Session& session) { return session.own; });
        QCOMPARE(own, 1);
    }

    void withoutStatementsNoTextIsFetched()
    {
        SnapshotBench bench(sleepingHead(), {.statements = false});
        const SnapshotPtr snapshot = bench.take();
        QVERIFY(snapshot->session({71})->statement.isEmpty());
        for (const auto& message : bench.server.seen()) {
            for (const QString& text : message.texts)
                QVERIFY(!text.contains(u"dm_exec_sql_text"_s) || text.contains(u"dm_exec_sessions "_s));
        }
    }

    void theRowBehindAKeyLockIsFoundOnRequest()
    {
        Picture picture;
        picture.names[{u"[orders]"_s, ordersHobt}] = u"dbo.odd ]orders"_s;
        picture.places[ordersHobt] = {u"dbo"_s, u"odd ]orders"_s, 1, 1'000'000};
        picture.rows[u"[orders].[dbo].[odd ]]orders] 1 (8194443284a0)"_s] = u"{\"id\":4711}"_s;
        picture.session(71, "shop");
        picture.lock(71, "KEY", ordersHobt, "X").description = u"(8194443284a0)"_s;
        SnapshotBench bench(picture);
        const SnapshotPtr snapshot = bench.take();
        QCOMPARE(snapshot->resources.size(), size_t(1));
        const Resource& resource = snapshot->resources[0];
        QVERIFY(hasLockedRow(Engine::SqlServer, resource));
        const auto connection = db::Server::at(bench.url, bench.passwords).connect();
        QVERIFY(connection);
        const auto place = lockedRowPlace(**connection, resource);
        VERIFY_DONE(place);
        VERIFY_CONTAINS(place->warning, u"1,000,000 rows of dbo.odd ]orders"_s);
        const auto rows = findLockedRow(**connection, *place);
        VERIFY_DONE(rows);
        COMPARE_TEXTS(*rows, "{\"id\":4711}");

        Resource summedUp = resource;
        summedUp.key.text.clear();
        QVERIFY(!hasLockedRow(Engine::SqlServer, summedUp));
        VERIFY_FAILS(ErrorKind::Unsupported, lockedRowPlace(**connection, summedUp));
    }

    void aServerThatGoesAwayIsReconnected()
    {
        SnapshotBench bench(sleepingHead());
        QCOMPARE(edgesOf(*bench.take()), u"63->71"_s);
        bench.server.run([&bench] {
            for (const auto& session : bench.server.sessions())
                bench.server.disconnect(session->id);
        });
        const auto lost = bench.source->take();
        VERIFY_FAILS(ErrorKind::Connection, lost);
        QVERIFY(!lost.error().server.isEmpty());
        QTRY_VERIFY(bench.source->take().has_value());
    }
};

LOCKSCOPE_TEST(tst_SqlServerSnapshotLimits)

} // namespace tst_SqlServerSnapshotLimits
#include "tst_SqlServerSnapshotLimits.moc"
