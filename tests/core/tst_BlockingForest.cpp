// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/BlockingForest.h"
#include "core/domain/Snapshot.h"
#include "core/domain/SnapshotNames.h"
#include "tests/support/GraphText.h"
#include "tests/support/TestProgram.h"

namespace tst_BlockingForest {

using namespace lockscope;
using namespace lockscope::test;

/// "51(63~52(70))": below 51 stands 63, which also waits for 52; below 63 stands 70.
static QString textOf(const std::vector<BlockingNode>& forest)
{
    QStringList parts;
    for (const BlockingNode& node : forest) {
        QString part = QString::number(node.row.key.id.value);
        if (!node.row.alsoBehind.isEmpty())
            part += u'~' + node.row.alsoBehind;
        parts << (node.children.empty() ? part : u"%1(%2)"_s.arg(part, textOf(node.children)));
    }
    return parts.join(u' ');
}

class tst_BlockingForest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aWaiterStandsOnce_data()
    {
        test::addColumns<QString, QString>("requests", "forest");
        test::row("one holder", "a: 51 Exclusive, 63 ?Exclusive@990", "51(63)");
        test::row(
            "several holders", "a: 51 Share, 52 Share, 53 Share, 63 ?Exclusive@990", "51(63~52, 53) 52 53");
        test::row("the worse of two heads",
            "a: 51 Share, 52 Share, 63 ?Exclusive@990; b: 52 Exclusive, 70 ?Exclusive@990",
            "52(63~51 70) 51");
        test::row("a queue", "a: 51 Exclusive, 63 ?Exclusive@990, 70 ?Exclusive@991", "51(63 70~63)");
        test::row("only ahead in the queue", "a: 51 Share, 63 ?Exclusive@990, 70 ?Share@991", "51(63(70))");
        test::row(
            "a ring", "a: 51 Exclusive, 63 ?Exclusive@990; b: 63 Exclusive, 51 ?Exclusive@991", "51~63(63)");
        test::row("nobody waits", "a: 51 Exclusive", QString());
    }
    void aWaiterStandsOnce()
    {
        QFETCH(QString, requests);
        QTEST(textOf(blockingForest(waitingFromText(requests), LockThresholds().hold.amber)), "forest");
    }

    void aRowTellsItsWait()
    {
        const auto forest =
            blockingForest(waitingFromText(u"a: 51 Exclusive, 63 ?Share@990"_s), LockThresholds().hold.amber);
        QVERIFY(forest.front().row.isHead());
        QVERIFY(!forest.front().row.mode);
        const BlockingRow& waiter = forest.front().children.front().row;
        QVERIFY(!waiter.isHead());
        QCOMPARE(waiter.mode->name(), u"ShareLock"_s);
        QCOMPARE(waiter.resource, u"a"_s);
        QCOMPARE(waiter.since, std::optional(ServerTime{990'000'000}));
        QCOMPARE(waiter.blockedBy, u"51"_s);
    }

    void aWorkersWaitIsItsLeaders()
    {
        const auto forest =
            blockingForest(waitingFromText(u"a: 51 Exclusive, 64/63 ?Share@990; b: 63 Share"_s),
                LockThresholds().hold.amber);
        QCOMPARE(textOf(forest), u"51(63)"_s);
        QCOMPARE(forest.front().children.front().row.since, std::optional(ServerTime{990'000'000}));
    }

    void worstChainsComeFirst()
    {
        QStringList crowd;
        for (int i = 0; i < 66; ++i)
            crowd << u"%1 ?Share@%2"_s.arg(1'000 + i).arg(980);
        const Snapshot snapshot = waitingFromText(
            u"old: 7 Exclusive, 8 ?Share@100, 9 ?Share@100; crowd: 51 Exclusive, %1; ring: 30 Exclusive, 31 ?Share@999; gnir: 31 Exclusive, 30 ?Share@999"_s
                .arg(crowd.join(u", "_s)));
        const auto forest = blockingForest(snapshot, LockThresholds().hold.amber);
        QCOMPARE(forest.size(), size_t(3));
        QCOMPARE(forest[0].row.key.id, SessionId{30});
        QCOMPARE(forest[1].row.key.id, SessionId{51});
        QCOMPARE(forest[1].row.harm.victims, 66);
        QCOMPARE(forest[1].row.harm.joined, 66);
        QCOMPARE(forest[1].row.longestSince, std::optional(ServerTime{980'000'000}));
        QCOMPARE(forest[2].row.key.id, SessionId{7});
        // lockctl lists what is locked in the same order.
        QStringList names;
        for (const quint32 resource : contendedOrder(snapshot))
            names << snapshot.resources[resource].name;
        COMPARE_TEXTS(names.mid(2), "crowd", "old");
        QCOMPARE(QSet<QString>(names.cbegin(), names.cbegin() + 2), (QSet<QString>{u"ring"_s, u"gnir"_s}));
    }

    void aRowTellsStatementRowAndTable()
    {
        Snapshot snapshot = snapshotFromText(
            u"transaction 7: 51 Exclusive, 63 ?Share@990; row: 63 Exclusive, 70 ?Exclusive@991; orders: 51 RowExclusive, 63 RowExclusive, 70 RowExclusive"_s);
        snapshot.resources[0].key = {ResourceKind::TransactionId, 0, 7, 0, {}};
        snapshot.resources[1].key = {ResourceKind::Row, 5, 16'384, 4, {}};
        snapshot.resources[1].name = u"public.orders row (0,4)"_s;
        snapshot.resources[2].key = {ResourceKind::Relation, 5, 16'384, 0, {}};
        snapshot.resources[2].name = u"public.orders"_s;
        for (Session& session : snapshot.sessions)
            session.statement = u"statement of %1"_s.arg(session.id.value);
        addWaits(snapshot);
        const auto forest = blockingForest(snapshot, LockThresholds().hold.amber);
        QCOMPARE(textOf(forest), u"51(63(70))"_s);
        const BlockingRow& first = forest[0].children[0].row;
        QCOMPARE(first.resource, u"transaction 7"_s);
        QCOMPARE(first.target, u"public.orders row (0,4)"_s);
        QCOMPARE(first.table, u"public.orders"_s);
        QCOMPARE(first.statement, u"statement of 63"_s);
        const BlockingRow& second = forest[0].children[0].children[0].row;
        QCOMPARE(second.target, u"public.orders row (0,4)"_s);
        QCOMPARE(second.table, u"public.orders"_s);

        // Without the lock on its place nobody knows which row it is.
        snapshot.resources[1].key.kind = ResourceKind::ApplicationLock;
        const auto unknown = blockingForest(Snapshot(snapshot), LockThresholds().hold.amber);
        QCOMPARE(unknown[0].children[0].row.target, u"transaction 7"_s);
        QCOMPARE(unknown[0].children[0].row.table, QString());
    }

    void aPreparedTransactionHasItsName()
    {
        Snapshot snapshot = snapshotFromText(u"a: 51 Exclusive, 63 ?Exclusive@990"_s);
        snapshot.sessions[0].id = snapshot.requests[0].session = SessionId{-775};
        snapshot.sessions[0].statement = u"PREPARE TRANSACTION 'or''ders'"_s;
        snapshot.index();
        addWaits(snapshot);
        const auto forest = blockingForest(snapshot, LockThresholds().hold.amber);
        QCOMPARE(forest[0].row.name, u"prepared 'or''ders'"_s);
        QCOMPARE(forest[0].row.diagnosis.kind, Diagnosis::Kind::PreparedTransaction);
        QVERIFY(forest[0].row.diagnosis.remedy.contains(u"ROLLBACK PREPARED 'or''ders'"_s));
        const BlockingRow& waiter = forest[0].children[0].row;
        QCOMPARE(waiter.blockedBy, u"prepared 'or''ders'"_s);
        QVERIFY(waiter.diagnosis.summary.contains(u"behind prepared 'or''ders'"_s));
        QVERIFY(!waiter.diagnosis.remedy.contains(u"775"_s));
        snapshot.engine = Engine::SqlServer; // where such numbers mean something
        QCOMPARE(sessionName(snapshot, {-775}), u"-775"_s);
    }

    void theUserSaysFromWhenOnAStatementIsLong()
    {
        Snapshot snapshot = snapshotFromText(u"a: 51 Exclusive, 63 ?Exclusive@990"_s);
        snapshot.sessions[0].state = SessionState::Active;
        snapshot.sessions[0].statementStarted = snapshot.takenAt - std::chrono::seconds(100);
        snapshot.index();
        addWaits(snapshot);
        const auto kindOf = [&](const LockThresholds& thresholds) {
            return blockingForest(snapshot, thresholds.hold.amber)[0].row.diagnosis.kind;
        };
        QCOMPARE(kindOf({}), Diagnosis::Kind::RunningLong);
        QCOMPARE(kindOf({.wait = {}, .hold = {std::chrono::seconds(101), std::chrono::seconds(200)}}),
            Diagnosis::Kind::Running);
    }

    void holdersAgesAreBoundedByTheirWaiters_data()
    {
        QTest::addColumn<QString>("requests");
        QTest::addColumn<qint64>("transaction"); // of 51, since that second
        QTest::addColumn<qint64>("since"); // of 51's lock, which was first seen at 1,000
        test::row("as long as its longest waiter", "a: 51 Exclusive, 63 ?Exclusive@900, 70 ?Exclusive@700",
            qint64(0), qint64(700));
        test::row("one that it does not hold up", "a: 51 RowShare, 52 Exclusive, 63 ?RowShare@700", qint64(0),
            qint64(1'000));
        test::row("its own conversion", "a: 51 Share, 51 !Exclusive@700, 52 Share", qint64(0), qint64(1'000));
        test::row("its own and another's", "a: 51 Share, 51 !Exclusive@700, 63 ?Exclusive@800", qint64(0),
            qint64(800));
        test::row(
            "not older than its transaction", "a: 51 Exclusive, 63 ?Exclusive@700", qint64(850), qint64(850));
        test::row("one of several modes, nobody knows which",
            "a: 51 AccessShare, 51 RowExclusive, 63 ?AccessExclusive@700", qint64(0), qint64(1'000));
        test::row("several modes, one of them in the way",
            "a: 51 RowExclusive, 51 AccessShare, 63 ?Share@700", qint64(0), qint64(700));
        test::row(
            "no waiter", "a: 51 Exclusive; b: 52 Exclusive, 63 ?Exclusive@700", qint64(0), qint64(1'000));
    }
    void holdersAgesAreBoundedByTheirWaiters()
    {
        FETCH(QString, requests, qint64, transaction);
        Snapshot snapshot = snapshotFromText(requests);
        snapshot.requests[0].since = snapshot.takenAt;
        if (transaction > 0)
            snapshot.sessions[0].transactionStarted = ServerTime{transaction * 1'000'000};
        boundAgesByWaiters(snapshot);
        QTEST(snapshot.requests[0].since->us / 1'000'000, "since");
        QVERIFY(!snapshot.requests[0].sinceExact); // a bound, no more
    }

    void onlyWaitsSinceThePollWithoutItBoundAnAge()
    {
        const Snapshot seen = snapshotFromText(u"a: 51 Exclusive, 63 ?Exclusive@700, 70 ?Exclusive@900"_s);
        const auto boundWith = [&seen](ServerTime notBefore) {
            Snapshot snapshot = seen;
            snapshot.requests[0].since = snapshot.takenAt;
            boundAgesByWaiters(snapshot, {notBefore});
            return snapshot.requests[0].since->us / 1'000'000;
        };
        QCOMPARE(boundWith({}), 700);
        QCOMPARE(boundWith(ServerTime{800'000'000}), 900); // 63 was behind something else
        QCOMPARE(boundWith(seen.takenAt), seen.takenAt.us / 1'000'000);
    }

    void theGraphIsComputedOnce()
    {
        const Snapshot snapshot = waitingFromText(u"a: 51 Exclusive, 63 ?Share@990"_s);
        std::vector<const BlockingGraph*> seen(8, nullptr);
        {
            std::vector<std::jthread> threads;
            for (const BlockingGraph*& each : seen)
                threads.emplace_back([&each, &snapshot] { each = &snapshot.blocking(); });
        }
        QCOMPARE(std::count(seen.begin(), seen.end(), &snapshot.blocking()), std::ptrdiff_t(seen.size()));
        Snapshot changed = snapshot;
        changed.waits.clear();
        QVERIFY(changed.blocking().isEmpty());
        QVERIFY(!snapshot.blocking().isEmpty());
    }
};

LOCKSCOPE_TEST(tst_BlockingForest)

} // namespace tst_BlockingForest
#include "tst_BlockingForest.moc"
