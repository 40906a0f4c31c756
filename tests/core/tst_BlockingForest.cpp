// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/BlockingForest.h"
#include "tests/support/GraphText.h"
#include "tests/support/TestProgram.h"

#include <QTest>

#include <thread>

using namespace lockscope;
using namespace Qt::StringLiterals;
using test::snapshotFromText;

namespace {

Snapshot withWaits(const QString& text)
{
    Snapshot snapshot = snapshotFromText(text);
    addWaits(snapshot);
    return snapshot;
}

/// "51(63~52(70))": below 51 stands 63, which also waits for 52; below 63 stands 70.
QString textOf(const std::vector<BlockingNode>& forest)
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

} // namespace

class tst_BlockingForest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aWaiterStandsOnce_data();
    void aWaiterStandsOnce();
    void aRowTellsItsWait();
    void aWorkersWaitIsItsLeaders();
    void theGraphIsComputedOnce();
};

void tst_BlockingForest::aWaiterStandsOnce_data()
{
    QTest::addColumn<QString>("requests");
    QTest::addColumn<QString>("forest");
    QTest::newRow("one holder") << u"a: 51 Exclusive, 63 ?Exclusive@990"_s << u"51(63)"_s;
    QTest::newRow("several holders") << u"a: 51 Share, 52 Share, 53 Share, 63 ?Exclusive@990"_s
                                     << u"51(63~52, 53) 52 53"_s;
    QTest::newRow("a queue") << u"a: 51 Exclusive, 63 ?Exclusive@990, 70 ?Exclusive@991"_s
                             << u"51(63 70~63)"_s;
    QTest::newRow("only ahead in the queue")
        << u"a: 51 Share, 63 ?Exclusive@990, 70 ?Share@991"_s << u"51(63(70))"_s;
    QTest::newRow("a ring") << u"a: 51 Exclusive, 63 ?Exclusive@990; b: 63 Exclusive, 51 ?Exclusive@991"_s
                            << u"51~63(63)"_s;
    QTest::newRow("nobody waits") << u"a: 51 Exclusive"_s << QString();
}

void tst_BlockingForest::aWaiterStandsOnce()
{
    QFETCH(QString, requests);
    QTEST(textOf(blockingForest(withWaits(requests))), "forest");
}

void tst_BlockingForest::aRowTellsItsWait()
{
    const auto forest = blockingForest(withWaits(u"a: 51 Exclusive, 63 ?Share@990"_s));
    QVERIFY(forest.front().row.isHead());
    QVERIFY(!forest.front().row.mode);
    const BlockingRow& waiter = forest.front().children.front().row;
    QVERIFY(!waiter.isHead());
    QCOMPARE(waiter.mode->name(), u"ShareLock"_s);
    QCOMPARE(waiter.resource, u"a"_s);
    QCOMPARE(waiter.since, std::optional(ServerTime{990'000'000}));
    QCOMPARE(waiter.blockedBy, u"51"_s);
}

void tst_BlockingForest::aWorkersWaitIsItsLeaders()
{
    const auto forest = blockingForest(withWaits(u"a: 51 Exclusive, 64/63 ?Share@990; b: 63 Share"_s));
    QCOMPARE(textOf(forest), u"51(63)"_s);
    QCOMPARE(forest.front().children.front().row.since, std::optional(ServerTime{990'000'000}));
}

void tst_BlockingForest::theGraphIsComputedOnce()
{
    const Snapshot snapshot = withWaits(u"a: 51 Exclusive, 63 ?Share@990"_s);
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

LOCKSCOPE_TEST(tst_BlockingForest)
#include "tst_BlockingForest.moc"
