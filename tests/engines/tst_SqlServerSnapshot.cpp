// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/BlockingGraph.h"
#include "core/domain/Diagnosis.h"
#include "core/monitor/DetailQueries.h"
#include "tests/support/TakenSnapshot.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/support/WireSuite.h"
#include "tests/support/tds/AdminAnswers.h"
#include "tests/support/tds/MonitorAnswers.h"

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

constexpr qint64 orders = 1'977'058'079;
constexpr qint64 ordersHobt = 72'057'594'038'910'976;
const QString unitOfWork = u"D5499C66-E398-45CA-BF7E-DC9C194B48CF"_s;

/// A double with some contention, and the source that reads it through the real driver.
struct Bench {
    TdsServer server;
    AdminAnswers acts{server};
    MonitorAnswers answers{server};
    db::ServerUrl url = urlOf(server);
    db::PasswordProvider passwords = [this](const QString&) -> Result<QString> { return passwordOf(server); };
    std::unique_ptr<SnapshotSource> source;

    explicit Bench(const Picture& picture = {}, const ProbeSelection& probes = {},
        const QList<db::AttachedTable>& attached = {})
    {
        answers.show(picture);
        db::ServerProfile profile = test::profileOf(url);
        profile.attached = attached;
        source = makeSnapshotSource({profile, passwords}, probes);
    }

    SnapshotPtr take() { return test::take(*source); }
    /// Polls until one takes the question for a name with it that is not known; false if none does.
    [[nodiscard]] bool waitUntilAskedAgain(const QString& name)
    {
        return test::waitUntil([&] {
            (void)take();
            const QString sent = server.seen().back().texts.join(u' ');
            return sent.contains(u"sys.dm_tran_locks"_s) && sent.contains(name);
        });
    }

    /// Statements that the reading session sends, batch by batch.
    qsizetype roundTrips() { return static_cast<qsizetype>(server.seen().size()); }
    /// Returns whether the statements after the first `after` ask for locks.
    bool asksForLocks(qsizetype after)
    {
        const auto seen = server.seen();
        return std::any_of(seen.begin() + after, seen.end(), [](const SeenMessage& message) {
            return message.texts.join(u' ').contains(u"FROM sys.dm_tran_locks"_s);
        });
    }
};

/// The first one.
static SnapshotPtr snapshotOf(
    const Picture& picture, const ProbeSelection& probes = {}, const QList<db::AttachedTable>& attached = {})
{
    return Bench(picture, probes, attached).take();
}

static const LockRequest* requestOf(const Snapshot& snapshot, qint64 session, bool waiting = false)
{
    const auto found = std::ranges::find_if(snapshot.requests, [&](const LockRequest& request) {
        return request.session.value == session && request.isWaiting() == waiting;
    });
    return found == snapshot.requests.end() ? nullptr : &*found;
}

static QString nameOf(const Snapshot& snapshot, const LockRequest* request)
{
    return request ? snapshot.resourceOf(*request).name : u"(none)"_s;
}

/// "63->71 70->63", in the order of the edges' waiters.
static QString edgesOf(const Snapshot& snapshot)
{
    std::vector<std::pair<qint64, qint64>> edges;
    for (const WaitEdge& edge : snapshot.waits)
        edges.emplace_back(edge.waiter.value, edge.blocker.value);
    std::sort(edges.begin(), edges.end());
    QStringList texts;
    for (const auto& [waiter, blocker] : edges)
        texts << u"%1->%2"_s.arg(waiter).arg(blocker);
    return texts.join(u' ');
}

/// Returns the parts that the snapshot says it does not show.
static QStringList missesOf(const Snapshot& snapshot)
{
    QStringList texts = textsOf(snapshot.limitations, &Limitation::what);
    return texts;
}

static Diagnosis diagnosisOf(const Snapshot& snapshot, qint64 session)
{
    return diagnose(snapshot, {session}, LockThresholds().hold.amber);
}

/// 71 has the table and sleeps; 63 waits for it.
static Picture sleepingHead()
{
    Picture picture;
    picture.names[{u"[orders]"_s, orders}] = u"dbo.orders"_s;
    picture.session(71, "billing").sleeping(360'000).inTransaction(400'000, 7'001).lastHandle = u"0200AA"_s;
    picture.session(63, "shop");
    picture.request(63, "UPDATE", 41'000).waitType = u"LCK_M_IX"_s;
    picture.requests.back().blocker = 71;
    picture.requests.back().handle = u"0200BB"_s;
    picture.requests.back().start = 2 * 11;
    picture.texts[u"0200AA"_s] = u"UPDATE orders SET note = N'a' "_s;
    picture.texts[u"0200BB"_s] = u"SELECT 1;\n UPDATE orders SET note = N'b'"_s;
    picture.lock(71, "OBJECT", orders, "X").of(7'001);
    picture.waitingLock(picture.locks.back(), 63, "IX", 41'000, 71);
    picture.locks.back().of(7'002);
    return picture;
}

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
        QCOMPARE(Bench(picture).take()->session({63})->statement, last);
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
        QVERIFY(sleeping->workSinceLogin == (SessionWork{milliseconds(1'500), 30'000, 120, 7}));
        QVERIFY(sleeping->workOfStatement == SessionWork());
        QCOMPARE(sleeping->isolation, u"serializable"_s);
        QCOMPARE(sleeping->openTransactions, std::optional<qint64>(2));
        QCOMPARE(sleeping->logUsed, std::optional<qint64>(2 * 1'048'576));
        QVERIFY(!sleeping->memoryGrant);
        QCOMPARE(sleeping->address, u"10.0.0.1"_s);
        QCOMPARE(sleeping->host, u"app01"_s);
        const lockscope::Session* running = snapshot->session({63});
        QVERIFY(running);
        QVERIFY(running->workOfStatement == (SessionWork{milliseconds(250), 4'000, 11, 3}));
        QVERIFY(running->workSinceLogin == (SessionWork{milliseconds(9), 8, 7, 6}));
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
        Bench bench(picture);
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
        Bench bench(picture);
        QCOMPARE(bench.take()->session({71})->inputBuffer, QString());
        QCOMPARE(bench.take()->cost.roundTrips, 1); // not asked again and again
    }

    void aLatchedPageIsNamed_data()
    {
        test::addColumns<QString, QString, QString>("version", "waitType", "resource");
        QTest::newRow("2022") << u"16.0.4135.4"_s << u"PAGELATCH_EX"_s << u"dbo.orders page 5:1:4711"_s;
        QTest::newRow("2019") << u"15.0.4430.1"_s << u"PAGELATCH_SH"_s << u"dbo.orders page 5:1:4711"_s;
        QTest::newRow("2017") << u"14.0.3515.1"_s << u"PAGELATCH_EX"_s << u"page 5:1:4711"_s;
        QTest::newRow("from disk") << u"16.0.4135.4"_s << u"PAGEIOLATCH_SH"_s << QString();
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
        Bench bench(picture);
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
        Bench bench(sleepingHead());
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
        Bench bench(quiet);
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
        QTest::newRow("only a request tells of the wait") << [picture]() mutable {
            picture.requests.back().waitType = u"LCK_M_X_LOW_PRIORITY"_s;
            return picture;
        }();
        QTest::newRow("a blocker that is no lock's holder") << [picture]() mutable {
            picture.tasks.push_back({71, 5'000, u"PAGELATCH_EX"_s, -5, 0, u"5:1:109"_s});
            return picture;
        }();
        QTest::newRow("others are hidden") << [picture]() mutable {
            picture.rights.clear();
            return picture;
        }();
        QTest::newRow("waiting tasks are closed") << [picture]() mutable {
            picture.closedViews = {u"sys.dm_os_waiting_tasks"_s};
            return picture;
        }();
        QTest::newRow("there are no waiting tasks") << [picture]() mutable {
            picture.missingViews = {u"sys.dm_os_waiting_tasks"_s};
            return picture;
        }();
        QTest::newRow("held by a transaction without a session") << [picture]() mutable {
            picture.lock(-2, "OBJECT", orders, "X").unitOfWork = unitOfWork;
            return picture;
        }();
    }

    /// Nobody reads "nobody waits" from a poll that could not know it, nor that nothing is held where only
    /// locks show the holders.
    void locksAreReadForWhoeverMayWait()
    {
        QFETCH(Picture, picture);
        Bench bench(picture);
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
        Bench bench(picture);
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
        Bench bench(picture);
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
        Bench bench(picture);
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
        ProbeSelection probes;
        probes.maxRequests = 500;
        const SnapshotPtr snapshot = snapshotOf(picture, probes);
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
        Bench few(picture);
        const SnapshotPtr snapshot = few.take();
        QVERIFY(!limitation(*snapshot, Limitation::Kind::CappedRows));
        QVERIFY(requestOf(*snapshot, 71));
        picture.locksInUse = 600'000;
        Bench many(picture);
        QVERIFY(limitation(*many.take(), Limitation::Kind::CappedRows));
    }

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
        Bench bench(picture);
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
        Bench bench(picture);
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
            Bench bench(picture);
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
        Bench bench(picture);
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
        Bench quiet(picture);
        QCOMPARE(quiet.take()->requests.size(), size_t(0));
        ProbeSelection all;
        all.internalLocks = true;
        Bench loud(picture, all);
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
        Bench bench(picture);
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
        Bench bench(picture);
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
        QTest::newRow("orphan, locks unseen") << -2 << static_cast<int>(Diagnosis::Kind::OrphanedTransaction);
        QTest::newRow("deferred recovery") << -3 << static_cast<int>(Diagnosis::Kind::ServerInternal);
        QTest::newRow("latch in transition") << -4 << static_cast<int>(Diagnosis::Kind::ServerInternal);
        QTest::newRow("latch of unknown owner") << -5 << static_cast<int>(Diagnosis::Kind::ServerInternal);
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
        QTest::newRow("2016") << u"13.0.5026.0"_s << 3 << u"GRANT VIEW SERVER STATE TO [ann];"_s;
        QTest::newRow("2019") << u"15.0.4000.1"_s << 3 << u"GRANT VIEW SERVER STATE TO [ann];"_s;
        QTest::newRow("2022") << u"16.0.4135.4"_s << 3 << u"GRANT VIEW SERVER PERFORMANCE STATE TO [ann];"_s;
        QTest::newRow("2025") << u"17.0.1000.7"_s << 3 << u"GRANT VIEW SERVER PERFORMANCE STATE TO [ann];"_s;
        QTest::newRow("Azure SQL Database")
            << u"12.0.2000.8"_s << 5 << u"GRANT VIEW DATABASE STATE TO [ann];"_s;
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
            QTest::newRow(view) << QString::fromLatin1(view) << u"63->71"_s;
        // sys.dm_exec_sessions is not among them: every server has it, and a login that may not see others
        // gets fewer rows, no error.
    }
    void oneClosedViewCostsNothingElse()
    {
        FETCH(QString, view, QString, edges);
        for (const bool missing : {false, true}) {
            Picture picture = sleepingHead();
            (missing ? picture.missingViews : picture.closedViews).insert(view);
            Bench bench(picture);
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
        Bench bench(picture);
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
        Bench bench(picture);
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
        Bench bench(picture);
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
        ProbeSelection probes;
        probes.statements = false;
        Bench bench(sleepingHead(), probes);
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
        Bench bench(picture);
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
        Bench bench(sleepingHead());
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

LOCKSCOPE_TEST(tst_SqlServerSnapshot)

} // namespace tst_SqlServerSnapshot
#include "tst_SqlServerSnapshot.moc"
