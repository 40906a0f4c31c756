// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/BlockingForest.h"
#include "core/monitor/ServerSnapshotSource.h"
#include "core/record/RangeReport.h"
#include "tests/support/RecordedPolls.h"
#include "tests/support/TestProgram.h"

namespace tst_Blame {

using namespace lockscope;
using namespace lockscope::record;
using namespace lockscope::test;

/// A hold or a wait as text: "51 holds a 0-9, 63 waits a 2-6", with the seconds from and to. Modes are
/// exclusive, those of "shares" and "asks" shared. "51 blocks a": the server says so, and shows no lock of
/// it.
struct Part {
    int session;
    QString verb;
    QByteArray lock;
    int from;
    int to;
};

using Seconds = QMap<int, int>; ///< by head

static std::vector<Part> partsOf(const QString& text)
{
    static const QRegularExpression part(u"^(\\d+) (\\w+) (\\w+) (\\d+)-(\\d+)$"_s);
    std::vector<Part> parts;
    for (const QString& each : text.split(u", "_s)) {
        const auto match = part.match(each);
        if (!match.hasMatch())
            qFatal("not understood: %s", qPrintable(each));
        parts.push_back({match.captured(1).toInt(), match.captured(2), match.captured(3).toUtf8(),
            match.captured(4).toInt(), match.captured(5).toInt()});
    }
    return parts;
}

static SnapshotPtr snapshotAt(int second, const std::vector<Part>& parts, const QSet<int>& hidden)
{
    SnapshotBuilder s(second);
    QSet<int> known;
    for (const Part& each : parts) {
        if (hidden.contains(each.session) || known.contains(each.session))
            continue;
        known.insert(each.session);
        const QByteArray program = "p" + QByteArray::number(each.session);
        s.session(each.session, program.constData()).transaction(100 + second);
    }
    for (const Part& each : parts) {
        if (second < each.from || second > each.to)
            continue;
        const bool isShared = each.verb == u"shares" || each.verb == u"asks";
        const char* mode = isShared ? "AccessShareLock" : "AccessExclusiveLock";
        if (each.verb == u"holds" || each.verb == u"shares")
            s.holds(each.session, each.lock.constData(), mode, second - each.from, true);
        else if (each.verb != u"blocks")
            s.waits(each.session, each.lock.constData(), mode, second - each.from);
    }
    Snapshot snapshot = *s.take();
    for (const Part& each : parts) {
        if (each.verb != u"blocks" || second < each.from || second > each.to)
            continue;
        for (const LockRequest& request : snapshot.requests) {
            if (request.isWaiting() && snapshot.resourceOf(request).name == QLatin1String(each.lock))
                snapshot.waits.push_back(
                    {request.session, SessionId{each.session}, request.resource, WaitEdge::Kind::Holder});
        }
    }
    return std::make_shared<const Snapshot>(std::move(snapshot));
}

/// Reports each wait from so long on.
static alert::EventFinder alertsFrom(milliseconds wait)
{
    alert::Rule rule;
    rule.name = u"long wait"_s;
    rule.condition = alert::Condition::LongWait;
    rule.levels = {{alert::Severity::Warning, double(wait.count()), 0s}};
    rule.keepFiring = 0s;
    return alert::EventFinder({}, {}, alert::RuleSet{{rule}, {}, {}});
}

/// The first number of a title: "Session 51 p51", "p51".
static int sessionIn(const QString& title)
{
    static const QRegularExpression number(u"\\d+"_s);
    return number.match(title).captured().toInt();
}

/// The head blockers that alerts name.
template <class Events> static QSet<int> headsIn(const Events& events)
{
    QSet<int> heads;
    for (const alert::Event& event : events)
        if (event.kind == alert::Event::Kind::Alert)
            heads.insert(sessionIn(QJsonDocument::fromJson(event.detail.toUtf8())[u"head"_s].toString()));
    return heads;
}

/// Overview, tree, charts, alerts and ranges name the same head blocker for the same waits, at the same time.
class tst_Blame : public QObject {
    Q_OBJECT

    /// The tree has the head on top, and below it those whose waits it is charged with.
    static void checkTree(const Snapshot& snapshot, SessionId head)
    {
        const BlockingGraph& graph = snapshot.blocking();
        if (!graph.cycles().empty())
            return;
        const auto forest = blockingForest(snapshot, LockThresholds().hold.amber);
        QCOMPARE(forest.front().row.key.id, head);
        const std::function<void(const BlockingNode&, SessionId)> check = [&](const auto& node,
                                                                              SessionId root) {
            QCOMPARE(graph.headOf(node.row.key.id), root);
            for (const BlockingNode& child : node.children)
                check(child, root);
        };
        for (const BlockingNode& root : forest)
            check(root, root.row.key.id);
    }

private Q_SLOTS:
    void theSameHeadEverywhere_data()
    {
        test::addColumns<QString, QSet<int>>("parts", "hidden");
        QTest::addColumn<Seconds>("seconds"); // as a range sums them up
        test::row("one holder", "51 holds a 0-9, 63 waits a 0-9", QSet<int>(), Seconds{{51, 9}});
        test::row("a chain", "51 holds a 0-9, 63 holds b 0-9, 63 waits a 0-9, 70 waits b 0-9", QSet<int>(),
            Seconds{{51, 18}});
        test::row("a long chain",
            "51 holds a 0-9, 63 holds b 0-9, 63 waits a 0-9, 70 holds c 0-9, 70 waits b 0-9, 80 waits c 0-9",
            QSet<int>(), Seconds{{51, 27}});
        test::row("a ring", "63 holds a 0-9, 51 holds b 0-9, 63 waits b 0-9, 51 waits a 0-9", QSet<int>(),
            Seconds{{51, 9}});
        test::row("behind a ring",
            "63 holds a 0-9, 51 holds b 0-9, 63 waits b 0-9, 51 waits a 0-9, 63 holds c 0-9, 70 waits c 0-9",
            QSet<int>(), Seconds{{51, 18}});
        test::row("a ring behind a head",
            "63 holds a 0-9, 51 holds b 0-9, 63 waits b 0-9, 51 waits a 0-9, 90 shares a 0-9", QSet<int>(),
            Seconds{{90, 18}});
        test::row("the head changes", "51 holds a 0-4, 63 holds b 0-9, 63 waits a 0-4, 70 waits b 0-9",
            QSet<int>(), Seconds{{51, 8}, {63, 5}});
        test::row("two blockers, one head each",
            "51 shares a 0-9, 52 shares a 0-9, 63 waits a 0-9, 52 holds b 0-9, 70 waits b 0-9", QSet<int>(),
            Seconds{{51, 9}, {52, 18}});
        test::row("two blockers, one waits for the other",
            "51 shares a 0-9, 52 shares a 0-9, 63 waits a 0-9, 51 holds b 0-9, 52 waits b 0-9", QSet<int>(),
            Seconds{{51, 18}});
        test::row("ahead in the queue", "51 shares a 0-9, 63 waits a 0-9, 70 asks a 1-9", QSet<int>(),
            Seconds{{51, 17}});
        test::row("a holder behind a queue",
            "51 shares a 0-9, 63 waits a 0-9, 70 holds b 0-9, 70 asks a 1-9, 80 waits b 1-9", QSet<int>(),
            Seconds{{51, 25}});
        test::row("a blocker without a lock that is shown",
            "51 blocks a 0-9, 63 waits a 0-9, 63 holds b 0-9, 70 waits b 0-9", QSet<int>(),
            Seconds{{51, 18}});
        test::row("a session of hidden rights",
            "51 holds a 0-9, 63 waits a 0-9, 63 holds b 0-9, 70 waits b 0-9", QSet<int>{51},
            Seconds{{51, 18}});
    }
    void theSameHeadEverywhere()
    {
        FETCH(QString, parts, QSet<int>, hidden, Seconds, seconds);
        const std::vector<Part> all = partsOf(parts);
        RecordedPolls recording;
        alert::EventFinder alerts = alertsFrom(1s);
        Seconds charged; // what the graphs of the snapshots come to, a second each
        QSet<int> worst;
        QSet<int> alerted;
        for (int second = 0; second <= 9; ++second) {
            const SnapshotPtr snapshot = snapshotAt(second, all, hidden);
            recording.append(snapshot, second);
            const BlockingGraph& graph = snapshot->blocking();
            const SessionId head = graph.worstHead();
            worst.insert(int(head.value));
            if (second > 0) {
                for (const BlockingGraph::Head& each : graph.heads())
                    charged[int(each.session.value)] += each.victims;
                if (graph.heads().empty())
                    charged[int(head.value)] += graph.blockedCount();
            }
            checkTree(*snapshot, head);
            alerted += headsIn(alerts.advance(snapshot, 1s).events);
        }
        QVERIFY(!worst.contains(0));
        QCOMPARE(alerted, worst);

        const auto report =
            test::orDie(rangeReport(recording.reader(), SnapshotBuilder::at(0), SnapshotBuilder::at(9)));
        const auto headOf = [&hidden](const RangeParty& each) {
            return each.name.isEmpty() ? *hidden.cbegin() : sessionIn(each.name);
        };
        Seconds byProgram; // each session has one of its own; of hidden rights it is unknown
        for (const RangeParty& each : report.programs)
            if (each.blocked > 0)
                byProgram[headOf(each)] += int(each.madeWait / 1s);
        QCOMPARE(byProgram, seconds);
        QVERIFY(worst.contains(byProgram.key(*std::max_element(byProgram.cbegin(), byProgram.cend()))));
        // A change of heads is seen by the next snapshot, which is a second of one wait.
        if (seconds.size() == 1)
            QCOMPARE(charged.keys(), seconds.keys());

        // A range that begins while they wait names the same heads.
        const auto later =
            test::orDie(rangeReport(recording.reader(), SnapshotBuilder::at(5), SnapshotBuilder::at(9)));
        for (const RangeParty& each : later.programs)
            if (each.blocked > 0)
                QVERIFY(seconds.contains(headOf(each)));

        const auto snapshots = test::orDie(
            recording.reader().recordedSnapshots(SnapshotBuilder::at(0), SnapshotBuilder::at(9), 1'000));
        QSet<int> drawn;
        for (const RecordedSnapshot& each : snapshots)
            drawn.insert(sessionIn(each.head));
        QCOMPARE(drawn, worst);
    }

    /// The head is not the one whose name came into the recording last.
    void aStripNamesTheHeadOfItsWorstSnapshot()
    {
        const std::vector<Part> all =
            partsOf(u"51 holds a 0-4, 63 waits a 0-4, 70 waits a 0-4, 52 holds b 6-9, 80 waits b 6-9"_s);
        RecordedPolls recording;
        for (int second = 0; second <= 9; ++second)
            recording.append(snapshotAt(second, all, {}), second);
        const auto snapshots = test::orDie(
            recording.reader().recordedSnapshots(SnapshotBuilder::at(0), SnapshotBuilder::at(9), 1));
        QCOMPARE(snapshots.front().head, u"51 p51"_s);
        QCOMPARE(snapshots.front().waiting, 2);
    }

    void whoInheritsAQueueHasNotMadeIt()
    {
        // 51 is ended behind second 660; 63 gets the table, the others wait on.
        const std::vector<Part> all = partsOf(
            u"51 holds a 0-660, 63 waits a 0-660, 63 holds a 661-900, 70 waits a 1-900, 71 waits a 2-900"_s);
        const AgeThresholds limits;
        monitor::EndedWaits waits;
        const auto headAt = [&](int second) {
            Snapshot snapshot = *snapshotAt(second, all, {});
            waits.note(snapshot);
            return BlockingGraph(snapshot).heads().front();
        };
        BlockingGraph::Head head = headAt(660);
        QCOMPARE(head.session, SessionId{51});
        QCOMPARE(blocksText(head), u"blocks 3 for 11 min"_s);
        QCOMPARE(levelOf(head, limits), AgeLevel::Red);
        head = headAt(664);
        QCOMPARE(head.session, SessionId{63});
        QCOMPARE(blocksText(head), u"blocks 2, has had it for at most 4 s; the queue is 11 min 03 s old"_s);
        QCOMPARE(levelOf(head, limits), AgeLevel::Amber);
        QCOMPARE(levelOf(headAt(719), limits), AgeLevel::Amber);
        head = headAt(720); // its own time is as long as a wait that is red
        QCOMPARE(blocksText(head), u"blocks 2, has had it for at most 1 min; the queue is 11 min 59 s old"_s);
        QCOMPARE(levelOf(head, limits), AgeLevel::Red);
        // A single poll proves nothing.
        waits = {};
        head = headAt(664);
        QCOMPARE(blocksText(head), u"blocks 2 for 11 min 03 s"_s);
        QCOMPARE(levelOf(head, limits), AgeLevel::Red);
        // Those who came when it had the lock already wait for it alone.
        const std::vector<Part> later = partsOf(
            u"51 holds a 0-5, 63 waits a 0-5, 63 holds a 6-99, 70 waits a 8-99, 80 holds b 0-99, 81 waits b 0-99"_s);
        for (const int second : {5, 30}) {
            Snapshot snapshot = *snapshotAt(second, later, {});
            waits.note(snapshot);
            const BlockingGraph graph(snapshot);
            for (const BlockingGraph::Head& each : graph.heads())
                QVERIFY(!each.inheritedWithin);
        }
    }

    /// 63 waited for one lock, while others wait for another one that it has held for long.
    void aHeadThatHeldItsLockBeforeIsSaidSo()
    {
        const std::vector<Part> all =
            partsOf(u"51 holds a 0-9, 63 waits a 0-9, 63 holds a 10-19, 63 holds b 0-19, 70 waits b 0-19"_s);
        monitor::EndedWaits waits;
        for (const int second : {9, 12}) {
            Snapshot snapshot = *snapshotAt(second, all, {});
            waits.note(snapshot);
            const auto head = BlockingGraph(snapshot).heads().front();
            QCOMPARE(head.session, SessionId{second == 9 ? 51 : 63});
            if (second == 12)
                QCOMPARE(blocksText(head), u"blocks 1, at the head for at most 3 s; the queue is 12 s old"_s);
        }
    }

    void aRecordingKnowsWhoInherited()
    {
        const std::vector<Part> all =
            partsOf(u"51 holds a 0-4, 63 waits a 0-4, 63 holds a 5-9, 70 waits a 0-9"_s);
        RecordedPolls recording;
        monitor::EndedWaits waits;
        for (int second = 0; second <= 9; ++second) {
            Snapshot snapshot = *snapshotAt(second, all, {});
            waits.note(snapshot);
            recording.append(std::make_shared<const Snapshot>(std::move(snapshot)), second);
        }
        const auto then = test::orDie(recording.reader().at(SnapshotBuilder::at(7)));
        QCOMPARE(blocksText(then->blocking().heads().front()),
            u"blocks 1, has had it for at most 3 s; the queue is 7 s old"_s);
    }

    void anAlertSaysThatItsHeadInherited()
    {
        const std::vector<Part> all =
            partsOf(u"51 holds a 0-70, 63 waits a 0-70, 63 holds a 71-99, 70 waits a 0-99"_s);
        alert::EventFinder alerts = alertsFrom(1min);
        monitor::EndedWaits waits;
        QStringList said;
        for (const int second : {70, 72}) {
            Snapshot snapshot = *snapshotAt(second, all, {});
            waits.note(snapshot);
            for (const alert::Event& event :
                alerts.advance(std::make_shared<const Snapshot>(snapshot), 1s).events)
                if (QJsonDocument::fromJson(event.detail.toUtf8())[u"state"_s] == u"begins"_s)
                    said << event.what;
        }
        QCOMPARE(said.size(), 2);
        QVERIFY2(said[0].startsWith(u"2 sessions wait for 51 p51"_s)
                && said[0].endsWith(u"has waited for 1 min 10 s."_s),
            qPrintable(said[0]));
        QVERIFY2(said[1].startsWith(u"1 session waits for 63 p63"_s)
                && said[1].endsWith(u"The head blocker has had it for at most 2 s: the queue is older."_s),
            qPrintable(said[1]));
    }

    void manyAreRedAtOnce()
    {
        const AgeThresholds limits;
        QCOMPARE(levelOf(Harm{.victims = 300, .longestWait = 1s}, limits), AgeLevel::Red);
        QCOMPARE(levelOf(Harm{.victims = 3, .longestWait = 1s}, limits), AgeLevel::Normal);
        QCOMPARE(levelOf(Harm{.victims = 3, .longestWait = 15s}, limits), AgeLevel::Amber);
        QCOMPARE(levelOf(Harm{.victims = 3, .longestWait = 60s}, limits), AgeLevel::Red);
    }
};

LOCKSCOPE_TEST(tst_Blame)

} // namespace tst_Blame
#include "tst_Blame.moc"
