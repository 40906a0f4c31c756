// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestProgram.h"
#include "ui/views/blocking/BlockingGraphView.h"
#include "ui/views/blocking/BlockingTreeModel.h"

namespace tst_BlockingTreeModel {

using namespace lockscope;
using namespace lockscope::ui;

constexpr ServerTime now{1'800'000'000'000'000};

/// "63>51 70>51": 63 waits for 51, 70 too. A later edge of a waiter with '~' is only ahead in the queue.
static Snapshot waiting(const QString& text)
{
    Snapshot snapshot;
    snapshot.takenAt = now;
    snapshot.resources.resize(1);
    QSet<qint64> ids;
    int age = 100;
    for (const QString& edge : text.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const bool queue = edge.contains(QLatin1Char('~'));
        const QStringList ends = edge.split(QLatin1Char(queue ? '~' : '>'));
        const qint64 waiter = ends[0].toLongLong();
        const qint64 blocker = ends[1].toLongLong();
        snapshot.waits.push_back(
            {{waiter}, {blocker}, 0, queue ? WaitEdge::Kind::Queue : WaitEdge::Kind::Holder});
        LockRequest request;
        request.session = {waiter};
        request.state = RequestState::Waiting;
        request.since = now - std::chrono::seconds(age--);
        snapshot.requests.push_back(request);
        ids << waiter << blocker;
    }
    QList<qint64> ordered(ids.begin(), ids.end());
    std::sort(ordered.begin(), ordered.end());
    for (const qint64 id : ordered) {
        Session session;
        session.id = {id};
        session.started = now - std::chrono::hours(1);
        session.state = SessionState::Active;
        snapshot.sessions.push_back(session);
    }
    snapshot.index();
    return snapshot;
}

static std::vector<BlockingNode> forestOf(const QString& text)
{
    return blockingForest(waiting(text), LockThresholds().hold.amber);
}

static QString drawn(const std::vector<BlockingNode>& forest)
{
    QStringList parts;
    for (const BlockingNode& node : forest) {
        const QString below = drawn(node.children);
        parts << QString::number(node.row.key.id.value)
                + (below.isEmpty() ? QString() : u"(%1)"_s.arg(below));
    }
    return parts.join(QLatin1Char(' '));
}

static QString drawn(
    const QAbstractItemModel& model, const BlockingTreeModel& rows, const QModelIndex& parent = {})
{
    QStringList parts;
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex at = model.index(row, 0, parent);
        const QString below = drawn(model, rows, at);
        parts << QString::number(rows.rowAt(at)->key.id.value)
                + (below.isEmpty() ? QString() : u"(%1)"_s.arg(below));
    }
    return parts.join(QLatin1Char(' '));
}

static SessionKey keyOf(qint64 id)
{
    return {{id}, now - std::chrono::hours(1)};
}

class tst_BlockingTreeModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everySessionStandsOnce_data()
    {
        test::addColumns<QString, QString>("waits", "tree");
        test::row("chain", "63>51 70>63", "51(63(70))");
        test::row(
            "queue: below the holder, in its order", "63>51 70>51 70~63 80>51 80~63 80~70", "51(63 70 80)");
        test::row("two blockers", "63>51 63>52", "51(63) 52");
        test::row("only ahead in the queue", "63>51 70~63", "51(63(70))");
        test::row("ring", "51>63 63>51 70>63", "51(63(70))");
        test::row("nobody", "", "");
    }
    void everySessionStandsOnce()
    {
        QFETCH(QString, waits);
        QTEST(drawn(forestOf(waits)), "tree");
    }

    void refreshesKeepRowsAndNeverReset()
    {
        BlockingTreeModel model(m_context);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        model.apply(forestOf(u"63>51 70>51"_s), now);
        const QPersistentModelIndex kept = model.indexOf(keyOf(70));
        QVERIFY(kept.isValid());
        model.apply(forestOf(u"70>51 80>70 55>54"_s), now);
        QCOMPARE(drawn(model, model), u"51(70(80)) 54(55)"_s);
        QVERIFY(kept.isValid());
        QCOMPARE(model.rowAt(kept)->key, keyOf(70));
        model.apply({}, now);
        QVERIFY(!kept.isValid());
        QCOMPARE(model.rowCount(), 0);
        QCOMPARE(resets.count(), 0);
    }

    void aWaiterThatGetsAnotherBlockerMoves()
    {
        BlockingTreeModel model(m_context);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy moves(&model, &QAbstractItemModel::rowsMoved);
        model.apply(forestOf(u"63>51 70>63 80>70"_s), now);
        const QPersistentModelIndex seventy = model.indexOf(keyOf(70));
        // 51 released it: 63 holds now, and 51 queues up after 70, which was below it.
        model.apply(forestOf(u"70>63 80>70 51>70"_s), now);
        QCOMPARE(drawn(model, model), u"63(70(80 51))"_s);
        QVERIFY(moves.count() > 0);
        QCOMPARE(model.rowAt(seventy)->key, keyOf(70));
    }

    void anyForestFollowsAnyOther()
    {
        BlockingTreeModel model(m_context);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        std::mt19937 random(7);
        for (int round = 0; round < 60; ++round) {
            QStringList edges;
            const int count = static_cast<int>(random() % 14);
            for (int i = 0; i < count; ++i) {
                const auto waiter = 1 + random() % 9;
                const auto blocker = 1 + random() % 9;
                if (waiter != blocker)
                    edges << u"%1%2%3"_s.arg(waiter)
                                 .arg(random() % 3 ? QLatin1Char('>') : QLatin1Char('~'))
                                 .arg(blocker);
            }
            const std::vector<BlockingNode> newNodes = forestOf(edges.join(QLatin1Char(' ')));
            model.apply(newNodes, now);
            QCOMPARE(drawn(model, model), drawn(newNodes));
        }
        QCOMPARE(resets.count(), 0);
    }

    void blockersAreCentredBesideTheirWaiters()
    {
        const LayeredLayout layout = layeredLayout(forestOf(u"63>51 70>51 80>70"_s), {100, 40}, {20, 10});
        const auto at = [&](qint64 id) { return layout.positions.value({id}); };
        QCOMPARE(at(51), QPointF(0, 25));
        QCOMPARE(at(63), QPointF(120, 0));
        QCOMPARE(at(70), QPointF(120, 50));
        QCOMPARE(at(80), QPointF(240, 50));
        QCOMPARE(layout.size, QSizeF(340, 90));
    }

private:
    QSettings m_settings{test::freshPath(u"test.ini"_s), QSettings::IniFormat};
    AppContext m_context{m_settings};
};

LOCKSCOPE_TEST(tst_BlockingTreeModel)

} // namespace tst_BlockingTreeModel
#include "tst_BlockingTreeModel.moc"
