// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/BlockingGraph.h"
#include "core/monitor/DetailQueries.h"
#include "tests/support/TestProgram.h"
#include "tests/support/WireSuite.h"
#include "tests/support/tds/SnapshotBench.h"

namespace tst_SqlServerSnapshot {

using namespace lockscope;
using namespace lockscope::monitor;
using namespace lockscope::test;
using namespace lockscope::test::tds;

#ifdef __SANITIZE_THREAD__
constexpr int crowd = 1'000; // with more, the double would answer for longer than a poll may take
#else
constexpr int crowd = 20'000;
#endif

class tst_SqlServerSnapshot : public WireSuiteByBoth {
    Q_OBJECT

private Q_SLOTS:
    /// A migration script may be a megabyte of text, and the statement that waits its last.
    void aStatementFarBehindTheBeginningOfItsTextIsShown()
    {
        Picture picture = sleepingHead();
        const QString last = u"UPDATE orders SET note = N'last'"_s;
        const QString text = QString(100'000, u'-') + u'\n' + last;
        picture.texts[u"0200BB"_s] = text;
        picture.requests.back().start = 2 * (text.size() - last.size());
        QCOMPARE(SnapshotBench(picture).take()->session({63})->statement, last);
    }

    void sessionsShowTheirWork()
    {
        Picture picture = sleepingHead();
        Picture::Session& head = picture.sessions[0];
        head.work = {1'500, 30'000, 120, 7};
        head.isolation = 4;
        head.openTransactions = 2;
        head.logBytes = 1'048'576; // in each of two databases
        Picture::Request& request = picture.requests.back();
        request.work = {250, 4'000, 11, 3};
        request.isolation = 5;
        request.openTransactions = 1;
        request.memoryPages = 640;
        picture.sessions[1].work = {9, 8, 7, 6};
        const SnapshotPtr snapshot = snapshotOf(picture);
        const lockscope::Session* sleeping = snapshot->session({71});
        QVERIFY(sleeping);
        QVERIFY(sleeping->workSinceLogin
            == (SessionWork{.cpu = milliseconds(1'500), .logicalReads = 30'000, .reads = 120, .writes = 7}));
        QVERIFY(sleeping->workOfStatement == SessionWork());
        QCOMPARE(sleeping->isolation, u"serializable"_s);
        QCOMPARE(sleeping->openTransactions, std::optional<qint64>(2));
        QCOMPARE(sleeping->logUsed, std::optional<qint64>(2 * 1'048'576));
        QVERIFY(!sleeping->memoryGrant);
        QCOMPARE(sleeping->address, u"10.0.0.1"_s);
        QCOMPARE(sleeping->host, u"app01"_s);
        const lockscope::Session* running = snapshot->session({63});
        QVERIFY(running);
        QVERIFY(running->workOfStatement
            == (SessionWork{.cpu = milliseconds(250), .logicalReads = 4'000, .reads = 11, .writes = 3}));
        QVERIFY(running->workSinceLogin
            == (SessionWork{.cpu = milliseconds(9), .logicalReads = 8, .reads = 7, .writes = 6}));
        QCOMPARE(running->isolation, u"snapshot"_s);
        QCOMPARE(running->openTransactions, std::optional<qint64>(1));
        QCOMPARE(running->memoryGrant, std::optional<qint64>(640 * 8'192));
        QVERIFY(!running->logUsed); // no transaction of its own is open
    }

    void onlyASleepingBlockerIsAskedWhatWasSent()
    {
        Picture picture = sleepingHead();
        for (Picture::Session& session : picture.sessions)
            session.inputBuffer = u"EXECUTE dbo.Pay @order = %1"_s.arg(session.id);
        picture.session(80, "idle").sleeping(1'000).inputBuffer = u"SELECT 1"_s;
        SnapshotBench bench(picture);
        const SnapshotPtr first = bench.take();
        QCOMPARE(first->session({71})->inputBuffer, u"EXECUTE dbo.Pay @order = 71"_s);
        QCOMPARE(first->session({63})->inputBuffer, QString());
        QCOMPARE(first->session({80})->inputBuffer, QString());
        // Known from then on: one round trip.
        const SnapshotPtr second = bench.take();
        QCOMPARE(second->session({71})->inputBuffer, u"EXECUTE dbo.Pay @order = 71"_s);
        QCOMPARE(second->cost.roundTrips, 1);
        // It did something else and fell asleep again.
        picture.sessions[0].sleeping(1'000);
        picture.sessions[0].inputBuffer = u"EXECUTE dbo.Cancel"_s;
        bench.answers.show(picture);
        QCOMPARE(bench.take()->session({71})->inputBuffer, u"EXECUTE dbo.Cancel"_s);
        // It blocks nobody any more.
        picture.tasks.clear();
        picture.locks.pop_back();
        picture.requests.clear();
        bench.answers.show(picture);
        QCOMPARE(bench.take()->session({71})->inputBuffer, QString());
    }

    void whatIsSentMayBeClosedToUs()
    {
        Picture picture = sleepingHead();
        picture.sessions[0].inputBuffer = u"SELECT 1"_s;
        picture.closedViews = {u"sys.dm_exec_input_buffer"_s};
        SnapshotBench bench(picture);
        QCOMPARE(bench.take()->session({71})->inputBuffer, QString());
        QCOMPARE(bench.take()->cost.roundTrips, 1); // not asked again and again
    }

    void aLatchedPageIsNamed_data()
    {
        test::addColumns<QString, QString, QString>("version", "waitType", "resource");
        row("2022", "16.0.4135.4", "PAGELATCH_EX", "dbo.orders page 5:1:4711");
        row("2019", "15.0.4430.1", "PAGELATCH_SH", "dbo.orders page 5:1:4711");
        row("2017", "14.0.3515.1", "PAGELATCH_EX", "page 5:1:4711");
        row("from disk", "16.0.4135.4", "PAGEIOLATCH_SH", QString());
    }
    void aLatchedPageIsNamed()
    {
        FETCH(QString, version, QString, waitType, QString, resource);
        Picture picture;
        picture.version = version;
        picture.names[{u"[orders]"_s, orders}] = u"dbo.orders"_s;
        picture.pages[u"1:4711"_s] = orders;
        picture.session(63, "shop");
        Picture::Request& request = picture.request(63, "INSERT", 800);
        request.waitType = waitType;
        request.waitResource = u"5:1:4711"_s;
        SnapshotBench bench(picture);
        QCOMPARE(bench.take()->session({63})->waitResource, resource);
        const SnapshotPtr again = bench.take();
        QCOMPARE(again->session({63})->waitResource, resource);
        QCOMPARE(again->cost.roundTrips, 1);
    }

    void aSleepingHeadBlockerIsNamedWithItsLastStatement()
    {
        const SnapshotPtr snapshot = snapshotOf(sleepingHead());
        QCOMPARE(edgesOf(*snapshot), u"63->71"_s);
        const LockRequest* waiting = requestOf(*snapshot, 63, true);
        QVERIFY(waiting);
        QCOMPARE(nameOf(*snapshot, waiting), u"dbo.orders"_s);
        QCOMPARE(waiting->mode.name(), u"IX"_s);
        QVERIFY(waiting->sinceExact);
        QCOMPARE(snapshot->ageOf(*waiting)->value, milliseconds(41s));
        const lockscope::Session* head = snapshot->session({71});
        QVERIFY(head);
        QCOMPARE(head->state, SessionState::IdleInTransaction);
        QCOMPARE(head->statement, u"UPDATE orders SET note = N'a'"_s);
        QCOMPARE(head->database, u"orders"_s);
        QCOMPARE(snapshot->session({63})->statement, u"UPDATE orders SET note = N'b'"_s);
        QCOMPARE(diagnosisOf(*snapshot, 71).kind, Diagnosis::Kind::IdleInTransaction);
        QCOMPARE(diagnosisOf(*snapshot, 71).lasting, milliseconds(6min));
    }

    void aParallelStatementWaitsForTheLockAndNotForItself()
    {
        // Its workers wait for each other (some servers name the session as its own blocker) and two of them
        // for the table.
        Picture picture = sleepingHead();
        picture.tasks.push_back({63, 90'000, u"CXPACKET"_s, 63, 0x7000, u"exchangeEvent id=Pipe1"_s});
        picture.tasks.push_back(
            {63, 80'000, u"CXCONSUMER"_s, std::nullopt, 0x7100, u"exchangeEvent id=Pipe2"_s});
        picture.waitingLock(picture.locks.back(), 63, "IX", 12'000, 71).of(7'002);
        picture.tasks.push_back({63, 70'000, u"CXSYNC_PORT"_s, std::nullopt, 0, {}});
        const SnapshotPtr snapshot = snapshotOf(picture);
        QCOMPARE(edgesOf(*snapshot), u"63->71"_s);
        const LockRequest* waiting = requestOf(*snapshot, 63, true);
        QVERIFY(waiting);
        QCOMPARE(nameOf(*snapshot, waiting), u"dbo.orders"_s);
        QCOMPARE(snapshot->ageOf(*waiting)->value, milliseconds(41s));
        QVERIFY(BlockingGraph(*snapshot).cycles().empty());
        QCOMPARE(diagnosisOf(*snapshot, 63).kind, Diagnosis::Kind::Waiting);
        QCOMPARE(diagnosisOf(*snapshot, 63).lasting, milliseconds(41s));
    }

    void aParallelStatementWithoutALockWaitWaitsForNobody()
    {
        Picture picture;
        picture.session(63, "report");
        picture.request(63, "SELECT", 41'000).waitType = u"CXPACKET"_s;
        picture.requests.back().blocker = 63;
        for (const qint64 address : {0x7000, 0x7100})
            picture.tasks.push_back({63, 9'000, u"CXPACKET"_s, 63, address, u"exchangeEvent"_s});
        const SnapshotPtr snapshot = snapshotOf(picture);
        QCOMPARE(edgesOf(*snapshot), QString());
        QVERIFY(BlockingGraph(*snapshot).cycles().empty());
        QCOMPARE(diagnosisOf(*snapshot, 63).kind, Diagnosis::Kind::Running);
    }

    void aPollIsOneRoundTripOnceNamesAreKnown()
    {
        SnapshotBench bench(sleepingHead());
        const SnapshotPtr first = bench.take();
        QVERIFY(first->cost.roundTrips > 1);
        (void)bench.take();
        const qsizetype before = bench.roundTrips();
        const SnapshotPtr snapshot = bench.take();
        QCOMPARE(bench.roundTrips() - before, qsizetype(1));
        QCOMPARE(snapshot->cost.roundTrips, 1);
        QVERIFY(snapshot->cost.roundTrip > 0us);
        QVERIFY(snapshot->cost.rows > 0);
        QCOMPARE(snapshot->number, quint64(3));
    }

    void locksAreReadWhileSomebodyWaits()
    {
        Picture quiet = sleepingHead();
        quiet.locks.pop_back();
        quiet.tasks.clear();
        quiet.requests.clear();
        SnapshotBench bench(quiet);
        bench.source->setLockReading(LockReading::WhenWaitedFor);
        const SnapshotPtr first = bench.take();
        QVERIFY(first->locksRead && requestOf(*first, 71));

        // Unread is neither "nothing is held" nor "it was given back".
        const qsizetype before = bench.roundTrips();
        const SnapshotPtr unread = bench.take();
        QVERIFY(!unread->locksRead && unread->requests.empty() && unread->waits.empty());
        QCOMPARE(bench.roundTrips() - before, qsizetype(1));
        QVERIFY(!bench.asksForLocks(before));
        QCOMPARE(unread->sessions.size(), first->sessions.size());
        QVERIFY(unread->session({71}));
        QCOMPARE(missesOf(*unread), missesOf(*first));

        // The same as who always reads them sees.
        bench.answers.show(sleepingHead());
        const SnapshotPtr waiting = bench.take();
        QVERIFY(waiting->locksRead);
        QCOMPARE(edgesOf(*waiting), u"63->71"_s);
        QCOMPARE(nameOf(*waiting, requestOf(*waiting, 63, true)), u"dbo.orders"_s);
        QCOMPARE(waiting->sessions.size(), first->sessions.size());
        QVERIFY(waiting->cost.roundTrips >= 2);
        const SnapshotPtr still = bench.take();
        QVERIFY(still->locksRead);
        QCOMPARE(still->cost.roundTrips, 1);

        // A session that waited recently may wait again.
        bench.answers.show(quiet);
        QVERIFY(bench.take()->locksRead);
        QVERIFY(!bench.take()->locksRead);
        // By the server's clock, as the previous poll read it: also one that is set back.
        for (const auto& [later, isRead] :
            {std::pair(9'999'000LL, false), std::pair(1'000LL, true), std::pair(-3'600'000'000LL, true)}) {
            quiet.nowUs += later;
            bench.answers.show(quiet);
            QVERIFY(!bench.take()->locksRead);
            QCOMPARE(bench.take()->locksRead, isRead);
        }
        bench.source->setLockReading(LockReading::Always);
        QVERIFY(requestOf(*bench.take(), 71));
    }

    void locksAreReadForWhoeverMayWait_data()
    {
        QTest::addColumn<Picture>("picture");
        Picture picture;
        picture.session(71, "shop");
        picture.request(71, "UPDATE", 5'000);
        row("only a request tells of the wait", [picture]() mutable {
            picture.requests.back().waitType = u"LCK_M_X_LOW_PRIORITY"_s;
            return picture;
        }());
        row("a blocker that is no lock's holder", [picture]() mutable {
            picture.tasks.push_back({71, 5'000, u"PAGELATCH_EX"_s, -5, 0, u"5:1:109"_s});
            return picture;
        }());
        row("others are hidden", [picture]() mutable {
            picture.rights.clear();
            return picture;
        }());
        row("waiting tasks are closed", [picture]() mutable {
            picture.closedViews = {u"sys.dm_os_waiting_tasks"_s};
            return picture;
        }());
        row("there are no waiting tasks", [picture]() mutable {
            picture.missingViews = {u"sys.dm_os_waiting_tasks"_s};
            return picture;
        }());
        row("held by a transaction without a session", [picture]() mutable {
            picture.lock(-2, "OBJECT", orders, "X").unitOfWork = unitOfWork;
            return picture;
        }());
    }

    /// Nobody reads "nobody waits" from a poll that could not know it, nor that nothing is held where only
    /// locks show the holders.
    void locksAreReadForWhoeverMayWait()
    {
        QFETCH(Picture, picture);
        SnapshotBench bench(picture);
        bench.source->setLockReading(LockReading::WhenWaitedFor);
        for (int poll = 0; poll < 3; ++poll) {
            const qsizetype before = bench.roundTrips();
            QVERIFY(bench.take()->locksRead);
            QVERIFY(bench.asksForLocks(before));
        }
    }

    /// The right is taken away between two polls: the view says so, although the facts still have the right.
    void locksAreReadByWhoeverLosesTheRightToSeeWaits()
    {
        Picture picture;
        picture.session(71, "shop");
        SnapshotBench bench(picture);
        bench.source->setLockReading(LockReading::WhenWaitedFor);
        (void)bench.take();
        QVERIFY(!bench.take()->locksRead);
        picture.closedViews = {u"sys.dm_os_waiting_tasks"_s};
        bench.answers.show(picture);
        const qsizetype before = bench.roundTrips();
        QVERIFY(bench.take()->locksRead);
        QVERIFY(bench.asksForLocks(before));
    }

    void aGrantedLockIsAtLeastAsOldAsItsSessionSleeps()
    {
        const SnapshotPtr snapshot = snapshotOf(sleepingHead());
        const LockRequest* held = requestOf(*snapshot, 71);
        QVERIFY(held);
        QVERIFY(!held->sinceExact);
        QCOMPARE(snapshot->ageOf(*held)->value,
            milliseconds(6min)); // its transaction is older: 400 s
        QCOMPARE(held->owner, LockOwner::Transaction);
    }

    void noLockIsOlderThanItsTransaction()
    {
        Picture picture = sleepingHead();
        picture.sessions[0].transactionAge = 300'000;
        const SnapshotPtr snapshot = snapshotOf(picture);
        const LockRequest* held = requestOf(*snapshot, 71);
        QCOMPARE(snapshot->ageOf(*held)->value, milliseconds(5min));
        QVERIFY(held->sinceExact);
    }

    void whatIsHeldGrowsOlderFromPollToPoll()
    {
        Picture picture = sleepingHead();
        picture.sessions[0].status = u"running"_s;
        SnapshotBench bench(picture);
        const SnapshotPtr first = bench.take();
        // At first only its waiters show the holder's age.
        const milliseconds waited = first->ageOf(*requestOf(*first, 63, true))->value;
        QVERIFY(waited > milliseconds(0));
        QCOMPARE(first->ageOf(*requestOf(*first, 71))->value, waited);
        picture.nowUs += 12'000'000;
        for (auto& task : picture.tasks)
            task.waited += 12'003; // never read at quite the same time
        for (auto& session : picture.sessions)
            session.transactionAge = *session.transactionAge + 12'000;
        picture.sessions[1].transactionAge.reset();
        bench.answers.show(picture);
        const SnapshotPtr second = bench.take();
        QCOMPARE(second->ageOf(*requestOf(*second, 71))->value, waited + 12s);
        QCOMPARE(requestOf(*second, 63, true)->since, requestOf(*first, 63, true)->since);
    }

    void anIdleSessionMayHoldAnApplicationLockWithoutATransaction()
    {
        Picture picture;
        picture.session(71, "nightly").sleeping(600'000);
        picture.session(63, "nightly");
        picture.appLock(71, u"nightly run]:(x)"_s, "X");
        picture.waitingLock(picture.locks.back(), 63, "X", 5'000, 71);
        const SnapshotPtr snapshot = snapshotOf(picture);
        QCOMPARE(edgesOf(*snapshot), u"63->71"_s);
        const LockRequest* lock = requestOf(*snapshot, 71);
        QCOMPARE(nameOf(*snapshot, lock), u"app lock 'nightly run]:(x)'"_s);
        QCOMPARE(lock->owner, LockOwner::Session);
        QCOMPARE(snapshot->ageOf(*lock)->value, milliseconds(10min));
        QCOMPARE(diagnosisOf(*snapshot, 71).kind, Diagnosis::Kind::IdleHoldingApplicationLock);
    }

    void aLongApplicationLockNameIsCompletedFromTheRegistry()
    {
        const QString whole = u"payments/2026/11/21/a_batch%of[all]customers"_s;
        Picture picture;
        picture.schemaInstalled = true;
        picture.appLockNames = {{whole, true}, {whole + u"/other"_s, false}};
        picture.session(71, "payments").sleeping(1'000);
        picture.appLock(71, whole, "X");
        picture.appLock(71, u"a name of 32 characters or longer, not registered"_s, "X", u"00000001"_s);
        const SnapshotPtr snapshot = snapshotOf(picture);
        QStringList names = textsOf(snapshot->resources, &Resource::name);
        names.sort();
        QCOMPARE(names,
            QStringList({u"app lock 'a name of 32 characters or longe…' (00000001)"_s,
                u"app lock '%1'"_s.arg(whole)}));
    }

    void lockscopesOwnApplicationLocksAreShownAsWhatTheyAre()
    {
        Picture picture;
        picture.schemaInstalled = true;
        picture.session(71, "till");
        picture.session(72, "till");
        picture.appLock(71, u"lockscope:orders/4711"_s, "X");
        picture.appLock(71, u"lockscope guard:orders/4711"_s, "X");
        picture.appLock(71, u"lockscope session 1a2b3c4d-0000-4000-8000-000000000000"_s, "X");
        picture.appLock(71, u"lockscope installation"_s, "X");
        picture.appLock(71, u"lockscope:"_s, "X");
        picture.appLock(71, u"lockscoped"_s, "X");
        // A name that the server cuts is completed from the lock table, for each session that uses it.
        const QString report = u"reports/2026/11/21/best sellers"_s;
        const QString other = u"reports/2026/11/21/best of all"_s;
        picture.appLock(71, u"lockscope:"_s + report, "X", u"00000001"_s);
        picture.appLock(72, u"lockscope:"_s + other, "X", u"00000002"_s);
        picture.appLock(72, u"lockscope guard:a name that nobody has put down"_s, "X", u"00000003"_s);
        SnapshotBench bench(picture);
        bench.acts.change([&](AdminAnswers::State& state) {
            state.nowUs = picture.nowUs;
            for (const auto& [name, session] : {std::pair(report, 71), std::pair(other, 72)})
                state.table.put({name, u"token"_s, 7, picture.nowUs, picture.nowUs + 60'000'000,
                    {u"bob"_s, u"app01"_s, u"job"_s, 4'711, session}});
        });
        (void)bench.take(); // finds the lock table
        const SnapshotPtr snapshot = bench.take();
        QStringList names;
        for (const Resource& resource : snapshot->resources) {
            names << resource.name;
            QCOMPARE(resource.internal, resource.name.startsWith(u"life sign"));
        }
        names.sort();
        QCOMPARE(names,
            QStringList({u"app lock 'lockscope:'"_s, u"app lock 'lockscoped'"_s,
                u"guard of lock-table name 'a name that nobo…' (00000003)"_s,
                u"guard of lock-table name 'orders/4711'"_s, u"installation of Lockscope's schema"_s,
                u"life sign of a Lockscope session (1a2b3c4d)"_s, u"queue of lock-table name 'orders/4711'"_s,
                u"queue of lock-table name '%1'"_s.arg(other),
                u"queue of lock-table name '%1'"_s.arg(report)}));
        // A life sign is no reason to ask for a release.
        QVERIFY(!diagnosisOf(*snapshot, 71).summary.contains(u"life sign"));
    }

    void theRestIsSummedUp()
    {
        Picture picture;
        picture.names[{u"[orders]"_s, ordersHobt}] = u"dbo.orders"_s;
        picture.session(71, "loader");
        for (int i = 0; i < 1'000; ++i) {
            picture.lock(71, "KEY", ordersHobt, "X").of(7'001);
            picture.locks.back().description = u"(%1)"_s.arg(i, 12, 16, QLatin1Char('0'));
        }
        picture.lock(71, "KEY", ordersHobt + 1, "X").of(7'001).description = u"(8194443284a0)"_s;
        const SnapshotPtr snapshot = snapshotOf(picture);
        QCOMPARE(snapshot->requests.size(), size_t(2));
        QCOMPARE(nameOf(*snapshot, &snapshot->requests[0]), u"dbo.orders keys"_s);
        QCOMPARE(snapshot->requests[0].count, 1'000U);
        QVERIFY(snapshot->resources[1].name.endsWith(u" key (8194443284a0)"_s));
        QVERIFY(!limitation(*snapshot, Limitation::Kind::CappedRows));
    }

    void aHundredThousandLocksAreCappedAndCounted()
    {
        Picture picture;
        picture.session(71, "loader");
        picture.locks.reserve(5 * crowd + 2);
        for (int i = 0; i < 5 * crowd; ++i)
            picture.lock(71, "OBJECT", 10'000 + i, "IX").of(7'001);
        picture.lock(71, "OBJECT", orders, "X").of(7'001);
        picture.session(63, "shop");
        picture.waitingLock(picture.locks.back(), 63, "IX", 1'000, 71);
        const SnapshotPtr snapshot = snapshotOf(picture, {.maxRequests = 500});
        QCOMPARE(snapshot->requests.size(), size_t(500));
        QCOMPARE(edgesOf(*snapshot), u"63->71"_s);
        const Limitation* capped = limitation(*snapshot, Limitation::Kind::CappedRows);
        QVERIFY(capped);
        QCOMPARE(capped->shown, qint64(500));
        QCOMPARE(capped->total, qint64(5 * crowd + 2));
    }

    void twentyThousandRowsArriveWhole()
    {
        Picture picture;
        picture.session(71, "loader");
        for (int i = 0; i < crowd; ++i)
            picture.lock(71, "OBJECT", 10'000 + i, "IX").of(7'001);
        const SnapshotPtr snapshot = snapshotOf(picture);
        QCOMPARE(snapshot->requests.size(), size_t(crowd));
        QVERIFY(!limitation(*snapshot, Limitation::Kind::CappedRows));
    }

    void aHugeLockManagerIsLeftAlone()
    {
        Picture picture = sleepingHead();
        picture.lockMemoryKb = 900'000;
        picture.tasks[0].description =
            u"objectlock lockPartition=0 objid=1977058079 subresource=FULL dbid=5 id=lock1f2 mode=X associatedObjectId=1977058079"_s;
        const SnapshotPtr snapshot = snapshotOf(picture);
        const Limitation* capped = limitation(*snapshot, Limitation::Kind::CappedRows);
        QVERIFY(capped);
        QVERIFY(capped->what.contains(u"878 MB"_s));
        // The waiter is shown all the same.
        QCOMPARE(edgesOf(*snapshot), u"63->71"_s);
        QCOMPARE(nameOf(*snapshot, requestOf(*snapshot, 63, true)), u"dbo.orders"_s);
        QCOMPARE(requestOf(*snapshot, 63, true)->mode.name(), u"IX"_s);
    }

    void aLockManagerThatKeptItsMemoryIsRead()
    {
        Picture picture = sleepingHead();
        picture.lockMemoryKb = 900'000;
        picture.locksInUse = 12'000;
        SnapshotBench few(picture);
        const SnapshotPtr snapshot = few.take();
        QVERIFY(!limitation(*snapshot, Limitation::Kind::CappedRows));
        QVERIFY(requestOf(*snapshot, 71));
        picture.locksInUse = 600'000;
        SnapshotBench many(picture);
        QVERIFY(limitation(*many.take(), Limitation::Kind::CappedRows));
    }
};

LOCKSCOPE_TEST(tst_SqlServerSnapshot)

} // namespace tst_SqlServerSnapshot
#include "tst_SqlServerSnapshot.moc"
