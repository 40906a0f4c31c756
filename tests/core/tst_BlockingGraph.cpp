// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Duration.h"
#include "core/domain/BlockingGraph.h"
#include "tests/support/GraphText.h"
#include "tests/support/TestProgram.h"

namespace tst_BlockingGraph {

using namespace lockscope;
using namespace lockscope::test;

static WaitEdge edge(qint64 blocker, qint64 waiter)
{
    return {{waiter}, {blocker}, 0, WaitEdge::Kind::Holder};
}

// The plain definition: all that can be reached, except itself.
static std::set<qint64> reachedFrom(qint64 start, const std::vector<WaitEdge>& edges)
{
    std::set<qint64> reached;
    std::vector<qint64> open{start};
    while (!open.empty()) {
        const qint64 blocker = open.back();
        open.pop_back();
        for (const WaitEdge& e : edges) {
            if (e.blocker.value == blocker && reached.insert(e.waiter.value).second)
                open.push_back(e.waiter.value);
        }
    }
    reached.erase(start);
    return reached;
}

class tst_BlockingGraph : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nobodyWaits()
    {
        const BlockingGraph graph;
        QVERIFY(graph.isEmpty());
        QVERIFY(graph.heads().empty());
        QVERIFY(!graph.headOf({51}).isValid());
        QVERIFY(!graph.worstHead().isValid());
        QCOMPARE(graph.victimsOf({51}), 0);
        QVERIFY(!graph.inCycle({51}));
        QVERIFY(graphFromText(QString()).isEmpty());
    }

    void aTree()
    {
        const BlockingGraph graph = graphFromText(u"51<-63 51<-70 63<-80"_s);
        QCOMPARE(textOf(graph.sessions()), u"51 63 70 80"_s);
        QCOMPARE(textOf(graph.waitersOf({51})), u"63 70"_s);
        QCOMPARE(textOf(graph.blockersOf({80})), u"63"_s);
        QCOMPARE(graph.victimsOf({51}), 3);
        QCOMPARE(graph.victimsOf({63}), 1);
        QCOMPARE(graph.victimsOf({80}), 0);
        QCOMPARE(graph.heads()[0].depth, 2);
        QVERIFY(graph.cycles().empty());
    }

    void aSessionThatWaitsForTwoCountsOnce()
    {
        const BlockingGraph graph = graphFromText(u"51<-63 51<-70 63<-80 70<-80 80<-90"_s);
        QCOMPARE(graph.victimsOf({51}), 4);
        QCOMPARE(graph.heads()[0].depth, 3);
        QCOMPARE(textOf(graph.blockersOf({80})), u"63 70"_s);
    }

    void heads()
    {
        const BlockingGraph graph = graphFromText(u"9<-3 7<-3 7<-5 3<-1"_s);
        QCOMPARE(graph.heads().size(), size_t(2));
        QCOMPARE(graph.heads()[0].session, SessionId{7});
        QCOMPARE(graph.heads()[0].victims, 3);
        QCOMPARE(graph.heads()[0].depth, 2);
        QCOMPARE(graph.heads()[1].session, SessionId{9});
        QCOMPARE(graph.heads()[1].victims, 2);
    }

    /// Each head as "victims/longest wait/joined"; the order expected is that of the columns, worst first.
    void headsAreRankedByWhatHurtsNow_data()
    {
        QTest::addColumn<QStringList>("worstFirst");
        test::row(
            "many for a short time go before few for a long one", QStringList{u"66/20s/66"_s, u"4/40m/0"_s});
        test::row("so they do when nobody new comes", QStringList{u"66/20s/0"_s, u"4/40m/0"_s});
        test::row("a wait of moments does not outrank a stuck queue", QStringList{u"4/40m/0"_s, u"9/2s/9"_s});
        test::row("what grows goes before what stands", QStringList{u"8/3m/5"_s, u"10/40m/0"_s});
        test::row("beyond a minute only victims count", QStringList{u"5/2m/0"_s, u"4/9h/0"_s});
        test::row("of equal ones the longer wait", QStringList{u"4/40m/0"_s, u"4/2m/0"_s, u"4/50s/0"_s});
        test::row("of equal weights more victims", QStringList{u"6/2m/0"_s, u"4/2m/2"_s, u"3/2m/3"_s});
        test::row("waits of unknown length", QStringList{u"3/0s/0"_s, u"2/0s/0"_s, u"1/1s/0"_s});
        test::row("a long list",
            QStringList{
                u"66/20s/66"_s, u"20/1m/0"_s, u"12/50s/3"_s, u"4/40m/0"_s, u"5/10s/5"_s, u"1/9h/0"_s});
    }
    void headsAreRankedByWhatHurtsNow()
    {
        QFETCH(QStringList, worstFirst);
        const auto harmOf = [](const QString& text) {
            const QStringList parts = text.split(u'/');
            return Harm{parts[0].toInt(), parts[2].toInt(), *parseDuration(parts[1])};
        };
        for (int i = 0; i + 1 < worstFirst.size(); ++i) {
            const Harm a = harmOf(worstFirst[i]);
            const Harm b = harmOf(worstFirst[i + 1]);
            QVERIFY2(isWorse(a, b) && !isWorse(b, a),
                qPrintable(worstFirst[i] + u" before "_s + worstFirst[i + 1]));
            QVERIFY(!isWorse(a, a));
        }
        QStringList shuffled = worstFirst;
        std::ranges::sort(shuffled);
        std::ranges::stable_sort(
            shuffled, [&](const QString& a, const QString& b) { return isWorse(harmOf(a), harmOf(b)); });
        QCOMPARE(shuffled, worstFirst);
    }

    void whoJoinedIsCountedOnceAndOnlyIfKnown()
    {
        // Taken at second 1,000: 63 and 64 came within the last minute, 62 before. 64 waits for both holders.
        Snapshot snapshot = test::waitingFromText(
            u"a: 51 Share, 52 Share, 62 ?Exclusive@900, 63 ?Exclusive@950, 64 ?Exclusive@999"_s);
        const BlockingGraph graph(snapshot);
        QCOMPARE(graph.heads().size(), size_t(2));
        QCOMPARE(graph.heads()[0].victims, 3);
        QCOMPARE(graph.heads()[0].joined, 2);
        for (LockRequest& request : snapshot.requests)
            request.sinceExact = false; // first seen then: that is not when they came
        QCOMPARE(BlockingGraph(snapshot).heads()[0].joined, 0);
        // A tree is counted another way than chains that meet again.
        Snapshot tree = test::waitingFromText(
            u"a: 51 Exclusive, 63 ?Exclusive@950; b: 63 Exclusive, 70 ?Exclusive@900; c: 70 Exclusive, 71 ?Exclusive@999"_s);
        QCOMPARE(BlockingGraph(tree).heads()[0].joined, 2);
        QCOMPARE(BlockingGraph(tree).heads()[0].victims, 3);
    }

    void headsTellVictimsWaitsAndGrowth()
    {
        Snapshot snapshot = test::waitingFromText(
            u"a: 1 Exclusive, 2 ?Exclusive@998, 3 ?Exclusive@999; b: 7 Exclusive, 8 ?Exclusive@960, 1 Share"_s);
        const BlockingGraph graph(snapshot);
        QCOMPARE(graph.heads().size(), size_t(2));
        QCOMPARE(graph.heads()[0].session, SessionId{1});
        QCOMPARE(graph.heads()[0].victims, 3);
        QCOMPARE(graph.heads()[0].joined, 3);
        QCOMPARE(weightOf(graph.heads()[0]), milliseconds(6 * 40'000));
        QCOMPARE(graph.heads()[0].longestWait, milliseconds(40'000));
        QCOMPARE(graph.heads()[1].session, SessionId{7});
        QCOMPARE(weightOf(graph.heads()[1]), milliseconds(2 * 40'000));
        QCOMPARE(textOf(graph.waitersOf({1})), u"8 2 3"_s);
        QCOMPARE(graph.heads()[0].longest().toString(), u"40 s"_s);
        // A wait whose beginning nobody saw is longer than is known.
        for (LockRequest& request : snapshot.requests)
            request.sinceExact = false;
        QCOMPARE(BlockingGraph(snapshot).heads()[0].longest().toString(), u"≥ 40 s"_s);
    }

    void aRingHasNoHead()
    {
        const BlockingGraph graph = graphFromText(u"3<-1 1<-2 2<-3"_s);
        QVERIFY(graph.heads().empty());
        QCOMPARE(graph.cycles().size(), size_t(1));
        QCOMPARE(textOf(graph.cycles().front()), u"1 2 3"_s);
        QVERIFY(graph.inCycle({2}));
        QCOMPARE(graph.victimsOf({1}), 2);
    }

    void aRingBelowAHead()
    {
        const BlockingGraph graph = graphFromText(u"9<-1 2<-1 1<-2 2<-5"_s);
        QCOMPARE(graph.heads().size(), size_t(1));
        QCOMPARE(graph.heads()[0].victims, 3);
        QCOMPARE(graph.victimsOf({1}), 2);
        QVERIFY(!graph.inCycle({5}));
        QVERIFY(!graph.inCycle({9}));
    }

    void twoRings()
    {
        const BlockingGraph graph = graphFromText(u"8<-9 9<-8 4<-3 3<-4 4<-9"_s);
        QCOMPARE(graph.cycles().size(), size_t(2));
        QCOMPARE(textOf(graph.cycles()[0]), u"3 4"_s);
        QCOMPARE(textOf(graph.cycles()[1]), u"8 9"_s);
        QCOMPARE(graph.victimsOf({3}), 3);
        QCOMPARE(graph.victimsOf({8}), 1);
    }

    void aWaitIsChargedToOneHead_data()
    {
        test::addColumns<QString, qint64, qint64>("edges", "waiter", "head");
        test::row("a chain", "51<-63 63<-80 80<-90", 90LL, 51LL);
        test::row("the head itself", "51<-63", 51LL, 51LL);
        test::row("the worse of two", "1<-5 2<-5 2<-6 2<-7", 5LL, 2LL);
        test::row("behind a ring", "1<-2 2<-1 2<-5", 5LL, 1LL);
        test::row("in a ring", "1<-2 2<-1 2<-5", 2LL, 1LL);
        test::row("a head behind a ring", "9<-1 2<-1 1<-2 2<-5", 5LL, 9LL);
        test::row("nobody", "1<-2", 7LL, 0LL);
    }
    void aWaitIsChargedToOneHead()
    {
        FETCH(QString, edges, qint64, waiter);
        QTEST(graphFromText(edges).headOf({waiter}).value, "head");
        QCOMPARE(graphFromText(u"1<-2 2<-1 8<-9 8<-7"_s).worstHead(), SessionId{1});
        QCOMPARE(graphFromText(u"9<-1 2<-1 1<-2 8<-7"_s).worstHead(), SessionId{9});
    }

    void repeatedEdgesAndSelfWaitsCountOnce()
    {
        const BlockingGraph graph = graphFromText(u"51<-63 51<-63 51<-51"_s);
        QCOMPARE(graph.victimsOf({51}), 1);
        QCOMPARE(textOf(graph.waitersOf({51})), u"63"_s);
        QVERIFY(graph.cycles().empty());
        QCOMPARE(graph.heads().size(), size_t(1));
    }

    void victimsAreExactInRandomGraphs_data()
    {
        test::addRows<bool>("rings", {{"without rings", false}, {"with rings", true}});
    }
    void victimsAreExactInRandomGraphs()
    {
        QFETCH(bool, rings);
        QRandomGenerator random(63);
        for (int round = 0; round < 300; ++round) {
            const int sessions = 2 + random.bounded(40);
            const int count = random.bounded(2 * sessions);
            std::vector<WaitEdge> edges;
            for (int i = 0; i < count; ++i) {
                qint64 blocker = 1 + random.bounded(sessions);
                qint64 waiter = 1 + random.bounded(sessions);
                if (!rings && blocker > waiter)
                    std::swap(blocker, waiter);
                edges.push_back(edge(blocker, waiter));
            }
            const BlockingGraph graph(edges);
            for (const SessionId session : graph.sessions()) {
                const auto expected = reachedFrom(session.value, edges);
                QCOMPARE(graph.victimsOf(session), int(expected.size()));
                const bool ring = std::ranges::any_of(expected,
                    [&](qint64 other) { return reachedFrom(other, edges).count(session.value) > 0; });
                QCOMPARE(graph.inCycle(session), ring);
            }
            for (const auto& head : graph.heads())
                QVERIFY(graph.blockersOf(head.session).empty());
        }
    }

    void longChainsNeedNoStack()
    {
        std::vector<WaitEdge> edges;
        for (qint64 session = 1; session < 200'000; ++session)
            edges.push_back(edge(session, session + 1));
        const BlockingGraph graph(edges);
        QCOMPARE(graph.victimsOf({1}), 199'999);
        QCOMPARE(graph.heads()[0].depth, 199'999);
        QCOMPARE(graph.headOf({200'000}), SessionId{1});
        QCOMPARE(graph.blockedCount(), 199'999);
    }

    void setsLargerThanOnePortion()
    {
        // A ladder: each rung's two sessions block both of the next rung; no tree anywhere.
        constexpr qint64 rungs = 7'000;
        std::vector<WaitEdge> edges;
        for (qint64 rung = 0; rung + 1 < rungs; ++rung) {
            for (const qint64 left : {1, 2}) {
                for (const qint64 right : {3, 4})
                    edges.push_back(edge(rung * 2 + left, rung * 2 + right));
            }
        }
        const BlockingGraph graph(edges);
        QCOMPARE(graph.heads().size(), size_t(2));
        QCOMPARE(graph.victimsOf({1}), int(2 * rungs - 2));
        QCOMPARE(graph.victimsOf({2 * rungs - 3}), 2);
        QCOMPARE(graph.heads()[0].depth, int(rungs - 1));
    }

    void workersCountAsTheirLeader()
    {
        Snapshot snapshot = test::waitingFromText(u"a: 51 Exclusive, 64/63 ?Share@990"_s);
        const BlockingGraph graph(snapshot);
        QCOMPARE(textOf(graph.waitersOf({51})), u"63"_s);
        QCOMPARE(graph.heads().front().longestWait, milliseconds(10'000));
    }
};

LOCKSCOPE_TEST(tst_BlockingGraph)

} // namespace tst_BlockingGraph
#include "tst_BlockingGraph.moc"
