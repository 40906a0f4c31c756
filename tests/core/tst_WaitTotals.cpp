// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Waiters, their times, their blockers and the severity: one answer in all places.

#include "core/domain/Aftermath.h"
#include "core/domain/BlockingForest.h"
#include "core/domain/WaitTotals.h"
#include "core/metrics/ServerMetrics.h"
#include "core/monitor/History.h"
#include "core/report/SnapshotTables.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"

namespace tst_WaitTotals {

using namespace lockscope;
using test::SnapshotBuilder;

/// All that was counted in different ways: 63 waits by itself and by two workers (64 the longest of them), 99
/// is the monitor's own, 70 waits for what nobody is seen to hold, and of "nightly" ann and bob wait, while
/// the row of cid is bad and dan has ended.
static SnapshotPtr everyKindOfWait()
{
    SnapshotBuilder s;
    s.session(51, "billing").idleInTransaction(400);
    for (const int id : {63, 64, 65, 70, 71})
        s.session(id, "web");
    s.session(99, "lockscope monitor").own();
    s.holds(51, "public.orders", "AccessExclusiveLock", 400);
    s.waits(63, "public.orders", "AccessShareLock", 20);
    s.waits(64, "public.orders", "AccessShareLock", 40);
    s.waits(65, "public.orders", "AccessShareLock", 30);
    s.waits(99, "public.orders", "AccessShareLock", 300);
    s.waits(70, "public.items", "AccessShareLock", 10);
    s.waits(71, "lockscope:nightly", "ExclusiveLock", 1, ResourceKind::ApplicationLock);
    s.entry("nightly", "eve")
        .queue("ann", 15)
        .queue("bob", 12)
        .queue("cid", 3'000)
        .queue("dan", 2'000)
        .queue("web", 30);
    Snapshot& snapshot = s.made();
    snapshot.sessions[2].leader = snapshot.sessions[3].leader = SessionId{63};
    snapshot.entryWaiters[2].badRow = u"expires_at is infinity"_s;
    snapshot.entryWaiters[3].expiresAt = snapshot.takenAt;
    // SQL Server: it waits inside of the call, too, for a second at a time.
    snapshot.entryWaiters[4].party.session = SessionId{71};
    return s.take();
}

static double metric(const metrics::ServerMetrics& counted, const char* name)
{
    metrics::FamilySet set;
    counted.addTo(set);
    const auto family = std::ranges::find(set.families(), QByteArray(name), &metrics::MetricFamily::name);
    return family->samples.front().value;
}

static std::vector<alert::Chain> chainsOf(const SnapshotPtr& snapshot)
{
    std::vector<alert::Chain> chains = alert::chainsOf(*snapshot, u"db1"_s, u"shop"_s);
    std::ranges::stable_sort(
        chains, [](const alert::Chain& a, const alert::Chain& b) { return isWorse(a, b); });
    return chains;
}

class tst_WaitTotals : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachSessionCountsOnceWhereverItIsShown()
    {
        const SnapshotPtr snapshot = everyKindOfWait();
        const WaitTotals totals = waitTotals(*snapshot);
        QCOMPARE(totals.waiters, 5); // 63, 70, 71, ann, bob
        const auto& waits = snapshot->waitingSessions();
        const auto both = std::ranges::find(waits, SessionId{71}, &SessionWait::session);
        QVERIFY(both != waits.end() && both->request && both->queued);
        QCOMPARE(both->age->value, 30s);
        QCOMPARE(totals.longestWait.value, 40s);
        QVERIFY(totals.longestWait.exact);
        QCOMPARE(totals.longestWaiter, SessionId{63});

        const monitor::Figures figures = monitor::figuresOf(*snapshot); // overview, side bar, lockctl
        QVERIFY(static_cast<const WaitTotals&>(figures) == totals);
        int byName = 0;
        for (const auto& [name, count] : figures.waitersByName)
            byName += count;
        QCOMPARE(byName, totals.waiters);

        metrics::ServerMetrics counted(u"db1"_s, u"shop"_s);
        counted.noteSnapshot(snapshot, 2s);
        QCOMPARE(metric(counted, "lockscope_waiting_sessions"), 5.0);
        QCOMPARE(metric(counted, "lockscope_longest_wait_seconds"), 40.0);
    }

    /// The time bar and the hour of Fleet before the server was opened count in the same way.
    void aRecordingCountsAsPollsDo()
    {
        const QString path = test::freshPath(u"counted.lockscope"_s);
        const SnapshotPtr snapshot = everyKindOfWait();
        const auto writer = test::writeRecording(path);
        QVERIFY(writer->append(snapshot, snapshot->takenAt));
        const auto reader = test::readRecording(path);
        const auto recorded = reader->recordedSnapshots(snapshot->takenAt, snapshot->takenAt + 1s, 1);
        QVERIFY(recorded && recorded->size() == 1);
        const WaitTotals totals = waitTotals(*snapshot);
        QCOMPARE(recorded->front().waiting, totals.waiters);
        QCOMPARE(recorded->front().longest.value, totals.longestWait.value);
        QCOMPARE(recorded->front().longest.exact, totals.longestWait.exact);
    }

    /// A parallel worker's wait counts for its leader, whose chain is shown.
    void aLeaderThatWaitsByAWorkerIsInTheChain()
    {
        SnapshotBuilder s;
        s.session(51, "billing");
        s.session(63, "report");
        s.session(64, "report");
        s.holds(51, "public.orders", "AccessExclusiveLock", 60);
        s.waits(64, "public.orders", "AccessShareLock", 40);
        s.made().sessions[2].leader = SessionId{63};
        const SnapshotPtr snapshot = s.take();
        const auto chains = chainsOf(snapshot);
        QCOMPARE(chains.size(), size_t(1));
        QCOMPARE(chains.front().waiting, 1);
        QCOMPARE(alert::treeOf(*snapshot, chains.front()).last().trimmed(),
            u"63 report waits for public.orders (Access share) for 40 s"_s);
    }

    void aWaitOfOurOwnColoursNothing()
    {
        SnapshotBuilder s;
        s.session(51, "billing");
        s.session(63, "web");
        s.session(99, "lockscope");
        s.holds(51, "public.orders", "AccessExclusiveLock", 600);
        s.waits(63, "public.orders", "AccessShareLock", 1);
        s.waits(99, "public.orders", "AccessShareLock", 500);
        Snapshot snapshot = *s.take();
        QCOMPARE(levelOf(snapshot, LockThresholds().wait), AgeLevel::Red);
        snapshot.sessions[2].own = true;
        QCOMPARE(levelOf(Snapshot(snapshot), LockThresholds().wait), AgeLevel::Normal);
    }

    void aWaitOfOurOwnHasNoBlocker()
    {
        SnapshotBuilder s;
        s.sessions({{51, "billing"}, {63, "web"}});
        s.session(99, "lockscope monitor").own();
        s.holds(51, "public.orders", "AccessExclusiveLock", 400);
        s.waits(99, "public.orders", "AccessShareLock", 300);
        const SnapshotPtr alone = s.take();
        QCOMPARE(waitTotals(*alone).waiters, 0);
        QVERIFY(alone->blocking().heads().empty() && !alone->blocking().worstHead().isValid());
        QCOMPARE(alone->blocking().blockedCount(), 0);
        QVERIFY(blockingForest(*alone, 60s).empty());
        QVERIFY(contendedOrder(*alone).empty());
        QVERIFY(aftermathOf(*alone, SessionId{51}).isEmpty());
        // The details of the session itself say why it hangs.
        QCOMPARE(alone->blocking().blockersOf(SessionId{99}), std::vector{SessionId{51}});
        VERIFY_CONTAINS(diagnose(*alone, SessionId{99}, 60s).summary, u"behind 51"_s);

        // The next session in the queue waits for the holder, too.
        s.waits(63, "public.orders", "AccessExclusiveLock", 40);
        const SnapshotPtr two = s.take();
        QCOMPARE(waitTotals(*two).waiters, 1);
        QCOMPARE(two->blocking().heads().size(), size_t(1));
        const BlockingGraph::Head& head = two->blocking().heads().front();
        QCOMPARE(head.session, SessionId{51});
        QCOMPARE(head.victims, 1);
        QCOMPARE(head.longestWait, milliseconds(40s));
        QCOMPARE(two->blocking().blockedCount(), 1);
        QCOMPARE(countOf(blockingForest(*two, 60s)), 2);
        // The end of the holder lets 63 go on: the monitor gets its lock first, and keeps nobody.
        QCOMPARE(two->blocking().freedBy(SessionId{51}), 1);
        const Aftermath after = aftermathOf(*two, SessionId{51});
        QCOMPARE(after.next.size(), size_t(1));
        QCOMPARE(after.next.front().session, SessionId{63});
        QVERIFY(after.left.empty());
    }

    /// Neither does one of them that only another one of them waits for.
    void ownWaitsBehindOneAnotherHarmNobody()
    {
        SnapshotBuilder s;
        s.sessions({{51, "billing"}});
        s.session(98, "lockscope monitor").own();
        s.session(99, "lockscope monitor").own();
        s.holds(51, "public.orders", "AccessExclusiveLock", 400);
        s.holds(98, "public.items", "AccessExclusiveLock", 400);
        s.waits(98, "public.orders", "AccessShareLock", 300);
        s.waits(99, "public.items", "AccessShareLock", 200);
        const SnapshotPtr snapshot = s.take();
        QVERIFY(snapshot->blocking().heads().empty());
        QCOMPARE(snapshot->blocking().victimsOf(SessionId{51}), 0);
    }

    void aWaitOfOurOwnQueuesBehindNobody()
    {
        const auto strongText = [](bool isWebThere) {
            SnapshotBuilder s;
            s.sessions({{51, "billing"}, {63, "migrate"}, {70, "web"}});
            s.session(99, "lockscope monitor").own();
            s.holds(51, "public.orders", "AccessShareLock", 400);
            s.waits(63, "public.orders", "AccessExclusiveLock", 300);
            s.waits(99, "public.orders", "AccessShareLock", 40);
            if (isWebThere)
                s.waits(70, "public.orders", "AccessShareLock", 30);
            return alert::chainsOf(*s.take(), u"db1"_s, u"shop"_s).front().strongText;
        };
        QCOMPARE(strongText(false), QString());
        VERIFY_CONTAINS(strongText(true), u"1 session queues behind it"_s);
    }

    /// Left out, it would seem to be the one that nobody holds up.
    void oneOfOurOwnThatHoldsUpOthersIsInTheChain()
    {
        SnapshotBuilder s;
        s.sessions({{51, "billing"}, {63, "web"}});
        s.session(99, "lockscope monitor").own();
        s.holds(51, "public.orders", "AccessExclusiveLock", 400);
        s.holds(99, "public.items", "AccessShareLock", 300);
        s.waits(99, "public.orders", "AccessShareLock", 300);
        s.waits(63, "public.items", "AccessExclusiveLock", 40);
        const SnapshotPtr chain = s.take();
        QCOMPARE(chain->blocking().headOf(SessionId{63}), SessionId{51});
        QCOMPARE(chain->blocking().heads().size(), size_t(1));
        QCOMPARE(chain->blocking().heads().front().victims, 2);
        s.waits(51, "public.items", "AccessExclusiveLock", 30);
        QCOMPARE(s.take()->blocking().cycles().size(), size_t(1));
    }

    /// A row lock that a waiter holds is the row that it waits for on PostgreSQL only.
    void aTransactionCountsForTheRowBehindIt()
    {
        SnapshotBuilder s;
        s.sessions({{51, "billing"}, {63, "web"}});
        s.holds(51, "transaction 740", "ExclusiveLock", 60, true, ResourceKind::TransactionId);
        s.holds(63, "public.orders row (0,7)", "ExclusiveLock", 40, true, ResourceKind::Row);
        s.waits(63, "transaction 740", "ShareLock", 40, ResourceKind::TransactionId);
        Snapshot snapshot = *s.take();
        const auto tableOfWaiter = [&snapshot](Engine engine) {
            snapshot.engine = engine;
            return monitor::figuresOf(Snapshot(snapshot)).waitersByTable.front().first;
        };
        const auto heldBy63 = [&snapshot] {
            const auto rows = report::sessionRows(snapshot);
            const bool isFirst = rows.front().session.id == SessionId{63};
            return (isFirst ? rows.front() : rows.back()).holds;
        };
        QCOMPARE(tableOfWaiter(Engine::Postgres), u"public.orders"_s);
        QCOMPARE(heldBy63(), QStringList());
        QCOMPARE(tableOfWaiter(Engine::SqlServer), u"(transactions)"_s);
        COMPARE_TEXTS(heldBy63(), "public.orders row (0,7)");
    }

    void anUnknownWaitIsALowerBound()
    {
        SnapshotBuilder s;
        s.session(51, "billing");
        s.session(63, "web");
        s.holds(51, "public.orders", "AccessExclusiveLock", 60);
        s.waits(63, "public.orders", "AccessShareLock", 40);
        Snapshot snapshot = *s.take();
        snapshot.requests.back().since.reset();
        const WaitTotals totals = waitTotals(snapshot);
        QCOMPARE(totals.waiters, 1);
        QVERIFY(!totals.longestWait.exact);
        QVERIFY(waitTotals(Snapshot()) == WaitTotals());
    }

    /// 7 has more waiters, but 51 has the higher rank: between causes, and within one.
    void theWorstChainIsThatOfTheWorstHead_data()
    {
        QTest::addColumn<QString>("other");
        test::row("two causes", "report");
        test::row("one cause", "billing");
    }
    void theWorstChainIsThatOfTheWorstHead()
    {
        QFETCH(const QString, other);
        SnapshotBuilder s;
        s.session(7, qPrintable(other));
        s.session(51, "billing");
        s.holds(7, "public.items", "AccessExclusiveLock", 90);
        s.holds(51, "public.items2", "AccessExclusiveLock", 90);
        for (int id = 100; id < 103; ++id) {
            s.session(id, "web");
            s.waits(id, "public.items", "AccessShareLock", 1);
        }
        for (int id = 200; id < 202; ++id) {
            s.session(id, "web");
            s.waits(id, "public.items2", "AccessShareLock", 50);
        }
        const SnapshotPtr snapshot = s.take();
        QCOMPARE(snapshot->blocking().worstHead(), SessionId{51});
        QCOMPARE(chainsOf(snapshot).front().head, SessionId{51});
    }

    void aDeadlockIsTheWorst()
    {
        SnapshotBuilder s;
        s.session(7, "report");
        s.session(51, "billing");
        s.session(63, "web");
        s.holds(51, "public.orders", "AccessExclusiveLock", 2);
        s.holds(63, "public.items", "AccessExclusiveLock", 2);
        s.waits(51, "public.items", "AccessShareLock", 1);
        s.waits(63, "public.orders", "AccessShareLock", 1);
        s.holds(7, "public.stock", "AccessExclusiveLock", 700);
        for (int id = 100; id < 105; ++id) {
            s.session(id, "web");
            s.waits(id, "public.stock", "AccessShareLock", 30);
        }
        const SnapshotPtr snapshot = s.take();
        QCOMPARE(snapshot->blocking().worstHead(), SessionId{51});
        QCOMPARE(chainsOf(snapshot).front().head, SessionId{51});
        QCOMPARE(levelOf(*snapshot, AgeThresholds()), AgeLevel::Red);
    }

    void aServerHasOneLevel()
    {
        const AgeThresholds wait;
        const auto blocked = [](int count, int seconds) {
            SnapshotBuilder s;
            s.session(51, "billing");
            s.holds(51, "public.orders", "AccessExclusiveLock", 900);
            for (int id = 1'000; id < 1'000 + count; ++id) {
                s.session(id, "web");
                s.waits(id, "public.orders", "AccessShareLock", seconds);
            }
            return s.take();
        };
        QCOMPARE(levelOf(*blocked(0, 0), wait), AgeLevel::Normal);
        QCOMPARE(levelOf(*blocked(3, 1), wait), AgeLevel::Normal);
        QCOMPARE(levelOf(*blocked(3, 15), wait), AgeLevel::Amber);
        QCOMPARE(levelOf(*blocked(3, 60), wait), AgeLevel::Red);
        QCOMPARE(levelOf(*blocked(manyBlocked, 1), wait), AgeLevel::Red);
        // An heir has not made its queue, however long that is.
        Snapshot inherited = *blocked(manyBlocked, 700);
        inherited.sessions.front().waitedUntil = inherited.takenAt - 4s;
        QCOMPARE(levelOf(inherited, wait), AgeLevel::Amber);
        // A wait that no session blocks is judged by itself.
        SnapshotBuilder queue;
        queue.entry("nightly", "eve").queue("ann", 70);
        QCOMPARE(levelOf(*queue.take(), wait), AgeLevel::Red);
        // Nobody but the monitor waits.
        SnapshotBuilder own;
        own.session(51, "billing");
        own.session(99, "lockscope monitor").own();
        own.holds(51, "public.orders", "AccessExclusiveLock", 900);
        own.waits(99, "public.orders", "AccessShareLock", 300);
        QCOMPARE(levelOf(*own.take(), wait), AgeLevel::Normal);
    }
};

LOCKSCOPE_TEST(tst_WaitTotals)

} // namespace tst_WaitTotals
#include "tst_WaitTotals.moc"
