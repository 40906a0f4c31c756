// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/GraphText.h"
#include "tests/support/TestProgram.h"

namespace tst_ComputeWaits {

using namespace lockscope;

/// Session 1 holds a; the sessions from 2 on wait for it in that order, each in the mode that `modeAt` says.
template <class ModeAt> static Snapshot queueOf(int waiters, ModeAt modeAt)
{
    QString text = u"a: 1 Exclusive"_s;
    for (int at = 0; at < waiters; ++at)
        text += u", %1 "_s.arg(at + 2) + modeAt(at);
    return test::snapshotFromText(text);
}

class tst_ComputeWaits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void edges_data()
    {
        test::addColumns<Engine, QString, QString>("engine", "requests", "expected");
        const auto postgres = [](const char* title, const QString& requests, const QString& expected) {
            test::row(title, Engine::Postgres, requests, expected);
        };
        const auto sqlServer = [](const char* title, const QString& requests, const QString& expected) {
            test::row(title, Engine::SqlServer, requests, expected);
        };
        postgres("nobody waits", u"a: 51 Share, 63 Share"_s, u""_s);
        postgres("one waits for the holder", u"a: 51 Exclusive, 63 ?Share"_s, u"63->51"_s);
        postgres("a compatible holder is no blocker", u"a: 51 AccessShare, 52 Exclusive, 63 ?RowShare"_s,
            u"63->52"_s);
        postgres("the second in the queue stands behind the first, too",
            u"a: 51 Exclusive, 63 ?Exclusive, 70 ?Exclusive"_s, u"63->51 70->51 70~>63"_s);
        postgres("compatible requests do not queue behind each other",
            u"a: 51 Exclusive, 63 ?Share, 70 ?Share"_s, u"63->51 70->51"_s);
        postgres("readers queue behind a waiting writer",
            u"a: 51 AccessShare, 63 ?AccessExclusive, 70 ?AccessShare"_s, u"63->51 70~>63"_s);
        postgres("several modes of one holder give one edge", u"a: 51 Exclusive, 51 Share, 63 ?Exclusive"_s,
            u"63->51"_s);
        sqlServer("the threads of a parallel statement wait once",
            u"a: 51 X, 63 ?IX@990, 70 ?IX@991, 63 ?IX@992, 63 ?IX@993"_s, u"63->51 70->51"_s);
        postgres("and so do the workers of one", u"a: 51 Exclusive, 63 ?Share@990, 64/63 ?Share@991"_s,
            u"63->51"_s);
        postgres("holding and waiting ahead counts as holding",
            u"a: 51 Share, 63 Share, 63 ?Exclusive, 70 ?Exclusive"_s, u"63->51 70->51 70->63"_s);
        postgres("nobody blocks itself", u"a: 51 Share, 51 ?Exclusive, 63 Share"_s, u"51->63"_s);
        postgres("one that holds already goes before those that must wait for it",
            u"a: 51 Share, 52 Share, 70 ?Exclusive, 51 ?Exclusive"_s, u"51->52 70->51 70->52"_s);
        postgres("but not before those that need not",
            u"a: 51 AccessShare, 52 ShareUpdateExclusive, 70 ?ShareUpdateExclusive, 51 ?ShareUpdateExclusive"_s,
            u"51->52 51~>70 70->52"_s);
        postgres("parallel workers are their leader", u"a: 51 Exclusive, 64/63 ?Share, 65/63 ?Exclusive"_s,
            u"63->51"_s);
        postgres(
            "a group does not block itself", u"a: 51 Exclusive, 52/51 ?Exclusive, 60 ?Share"_s, u"60->51"_s);
        postgres("without a session it blocks all the same", u"a: 0 Exclusive, 63 ?Share"_s, u"63->0"_s);
        postgres("resources do not mix", u"a: 51 Exclusive; b: 63 ?Exclusive, 70 Exclusive"_s, u"63->70"_s);
        postgres("a deadlock shows from both sides",
            u"a: 51 Exclusive, 63 ?Exclusive; b: 63 Exclusive, 51 ?Exclusive"_s, u"51->63 63->51"_s);
        postgres("unknown modes accuse nobody", u"a: 51 Strange, 63 ?Exclusive, 70 ?Strange"_s, u""_s);
        sqlServer("conversions go before new requests", u"a: 51 S, 52 S, 70 ?X, 51 !X"_s,
            u"51->52 70->51 70->52"_s);
        sqlServer("first come, first served otherwise", u"a: 51 S, 70 ?X, 71 ?S"_s, u"70->51 71~>70"_s);
        sqlServer("update locks let readers in", u"a: 51 U, 70 ?U, 71 ?X"_s, u"70->51 71->51 71~>70"_s);
    }
    void edges()
    {
        FETCH(Engine, engine, QString, requests);
        QTEST(test::textOf(computeWaits(test::snapshotFromText(requests, engine))), "expected");
    }

    void edgesNameTheirResource()
    {
        const auto edges = computeWaits(test::snapshotFromText(
            u"quiet: 51 Exclusive; a: 51 Exclusive, 63 ?Share; b: 51 Exclusive, 63 ?Share"_s));
        QCOMPARE(edges.size(), size_t(2));
        QCOMPARE(edges[0].resource, 1U);
        QCOMPARE(edges[1].resource, 2U);
    }

    void longQueuesAreLinkedToTheirNeighbours()
    {
        constexpr int waiters = 1'000;
        Snapshot snapshot = queueOf(waiters, [](int) { return u"?Exclusive"_s; });
        snapshot.waits = computeWaits(snapshot);
        // The holder for each, and at most 256 neighbours.
        QCOMPARE(snapshot.waits.size(), size_t(waiters + 255 * 256 / 2 + (waiters - 256) * 256));
        const BlockingGraph graph(snapshot);
        QCOMPARE(graph.victimsOf({1}), waiters);
        QCOMPARE(graph.victimsOf({2}), waiters - 1);
        QCOMPARE(graph.heads()[0].depth, waiters);
    }

    void whatIsLeftOutIsReported()
    {
        Snapshot whole = queueOf(257, [](int) { return u"?Exclusive"_s; });
        addWaits(whole);
        QVERIFY(whole.limitations.empty());
        Snapshot cut = queueOf(399, [](int) { return u"?Exclusive"_s; });
        addWaits(cut);
        QCOMPARE(cut.limitations.size(), size_t(1));
        const Limitation& noted = cut.limitations.front();
        QCOMPARE(noted.kind, Limitation::Kind::CappedRows);
        // The first 257 wait for 256 others at most.
        QCOMPARE(noted.shown, 257);
        QCOMPARE(noted.total, 399);
        VERIFY_CONTAINS(noted.what, u"142 of 399"_s);
        // Readers in one queue don't block each other, however many they are.
        Snapshot readers = queueOf(1'000, [](int) { return u"?Share"_s; });
        addWaits(readers);
        QVERIFY(readers.limitations.empty());
    }

    void theLongerTheQueueTheFewerNeighbours()
    {
        Snapshot snapshot = queueOf(10'000, [](int) { return u"?Exclusive"_s; });
        snapshot.waits = computeWaits(snapshot);
        QVERIFY2(snapshot.waits.size() < 300'000, qPrintable(QString::number(snapshot.waits.size())));
        const BlockingGraph graph(snapshot);
        QCOMPARE(graph.victimsOf({1}), 10'000);
        QCOMPARE(graph.victimsOf({2}), 9'999);
        QCOMPARE(graph.heads()[0].depth, 10'000);
    }

    void longQueuesOfReadersWaitForTheHolderOnly()
    {
        // Readers don't conflict with each other; the one writer among them stands before those behind it.
        Snapshot snapshot =
            queueOf(10'000, [](int at) { return at == 5'000 ? u"?Exclusive"_s : u"?Share"_s; });
        snapshot.waits = computeWaits(snapshot);
        QCOMPARE(snapshot.waits.size(), size_t(10'000 + 4'999 + 26));
    }
};

LOCKSCOPE_TEST(tst_ComputeWaits)

} // namespace tst_ComputeWaits
#include "tst_ComputeWaits.moc"
