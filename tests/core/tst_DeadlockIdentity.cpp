// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

#include "core/deadlock/DeadlockIdentity.h"
#include "core/deadlock/ReadReports.h"
#include "core/deadlock/source/DeadlockSource.h"
#include "core/record/StoredEvents.h"
#include "tests/support/DeadlockReports.h"
#include "tests/support/RecordedPolls.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"

namespace tst_DeadlockIdentity {

using namespace lockscope;
using namespace lockscope::deadlock;
using namespace lockscope::test;

static bool areSame(const Deadlock& one, const Deadlock& other)
{
    return isSameDeadlock(identityOf(one), identityOf(other));
}

static ReportPtr reportIn(const QByteArray& log)
{
    const auto reports = readReports(log, u"log"_s);
    if (!reports || reports->size() != 1)
        qFatal("one report was expected");
    return reports->first();
}

/// A ring of PostgreSQL's, of 4711 and 4712, which began their transactions at the second `began`.
static SnapshotPtr ringAt(int second, int began, int transaction = 800)
{
    SnapshotBuilder s(second);
    const QByteArray first = "transaction " + QByteArray::number(transaction);
    const QByteArray other = "transaction " + QByteArray::number(transaction + 1);
    for (const int session : {4711, 4712})
        s.session(session, "psql").transaction(second - began);
    constexpr auto kind = ResourceKind::TransactionId;
    s.holds(4712, first.constData(), "ExclusiveLock", second - began, false, kind);
    s.waits(4711, first.constData(), "ShareLock", 1, kind);
    s.holds(4711, other.constData(), "ExclusiveLock", second - began, false, kind);
    s.waits(4712, other.constData(), "ShareLock", 1, kind);
    return s.take();
}

/// The server's record of it in a log, two seconds after SnapshotBuilder::start().
static QByteArray textLog()
{
    return "2026-11-21 03:12:09 UTC [4711] ann@shop ERROR:  deadlock detected\n"
           "2026-11-21 03:12:09 UTC [4711] ann@shop DETAIL:  Process 4711 waits for ShareLock on transaction 800; blocked by process 4712.\n"
           "\tProcess 4712 waits for ShareLock on transaction 801; blocked by process 4711.\n"
           "\tProcess 4711: UPDATE t SET n = 1\n\tProcess 4712: UPDATE t SET n = 2\n";
}

static QByteArray csvLog()
{
    return "2026-11-21 03:12:09.123 UTC,\"ann\",\"shop\",4711,\"[local]\",6741.1267,3,\"UPDATE\",2026-11-21 03:12:00 UTC,3/7,800,ERROR,40P01,\"deadlock detected\",\"Process 4711 waits for ShareLock on transaction 800; blocked by process 4712.\nProcess 4712 waits for ShareLock on "
           "transaction 801; blocked by process 4711.\nProcess 4711: UPDATE t SET n = 1\nProcess 4712: UPDATE t SET n = 2\",\"See server log for query details.\",,,,,,,\"psql\",\"client backend\",,0\n";
}

/// The events of a recorder that sees the ring at `seen` and reads that log.
static alert::EventFinder::Found newsOf(int seen, const QByteArray& log)
{
    alert::EventFinder finder;
    alert::EventFinder::Found news = finder.advance(ringAt(seen, 0));
    SourcePoll poll;
    poll.reports = {reportIn(log)};
    poll.origin = u"log"_s;
    const auto result = finder.note(poll, SnapshotBuilder::at(10));
    news.events += result.events;
    news.reports += result.reports;
    return news;
}

/// One deadlock is recognised in all sources.
class tst_DeadlockIdentity : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void seenAndRecordedAreOne()
    {
        const DeadlockReport recorded = *oneDeadlock(u"postgres-stderr.log"_s);
        const auto deadlockOf = [](const DeadlockReport& report) {
            return deadlocksOf(std::make_shared<const DeadlockReport>(report)).first();
        };
        const auto isSame = [&](const DeadlockReport& one, const DeadlockReport& other) {
            const bool same = areSame(deadlockOf(one), deadlockOf(other));
            return areSame(deadlockOf(other), deadlockOf(one)) == same && same;
        };
        DeadlockReport seen = recorded;
        seen.kind = ReportKind::Live;
        seen.source.eventKey = u"other"_s;
        const auto seenAgo = [&](milliseconds ago) {
            DeadlockReport report = seen;
            report.time.at = *recorded.time.at - ago;
            return report;
        };
        QVERIFY(isSame(seenAgo(1s), recorded));
        QVERIFY(isSame(seenAgo(30s), recorded)); // where deadlock_timeout is longer than usual
        QVERIFY(!isSame(seenAgo(5min), recorded));
        QVERIFY(isSame(seenAgo(-1s), recorded)); // a log with full seconds
        QVERIFY(!isSame(seenAgo(-5s), recorded)); // the record can't come before its deadlock
        DeadlockReport others = seenAgo(1s);
        others.participants[1].session = SessionId{99};
        QVERIFY(!isSame(others, recorded));
        DeadlockReport unknown = seenAgo(1s);
        unknown.participants[1].session = {};
        QVERIFY(!isSame(unknown, recorded));
        DeadlockReport next = seenAgo(1s); // the same sessions in their next transactions
        for (LockedThing& thing : next.resources)
            thing.name = u"transaction 9 (session 63)"_s;
        QVERIFY(!isSame(next, recorded));
        DeadlockReport otherZone = recorded;
        otherZone.time.isZoneKnown = false;
        otherZone.time.at = *recorded.time.at + microseconds(qint64(3'600'000'000));
        QVERIFY(isSame(seenAgo(1s), otherZone));
        DeadlockReport timeless = recorded;
        timeless.time.at.reset();
        QVERIFY(!isSame(seenAgo(1s), timeless));
        DeadlockReport blocked = recorded;
        blocked.kind = ReportKind::Blocked;
        QVERIFY(!isSame(seenAgo(1s), blocked));
        DeadlockReport elsewhere = recorded;
        elsewhere.engine = Engine::SqlServer;
        QVERIFY(!isSame(seenAgo(1s), elsewhere));
        DeadlockReport again = recorded;
        again.source.eventKey = u"another event"_s;
        QVERIFY(isSame(recorded, recorded) && !isSame(recorded, again));
    }

    /// Another ring beside it makes another report of the next poll.
    void aRingThatTwoPollsSawIsOne()
    {
        const auto poll = [](int second, int transaction, bool hasOther) {
            SnapshotBuilder s(second);
            for (const int session : {51, 63})
                s.session(session, "billing").transaction(second - transaction);
            s.holds(51, "public.orders", "AccessExclusiveLock", 1);
            s.waits(51, "public.items", "AccessShareLock", 1);
            s.holds(63, "public.items", "AccessExclusiveLock", 1);
            s.waits(63, "public.orders", "AccessShareLock", 1);
            if (hasOther) {
                s.sessions({{70, "import"}, {71, "import"}});
                s.holds(70, "public.a", "AccessExclusiveLock", 1);
                s.waits(70, "public.b", "AccessShareLock", 1);
                s.holds(71, "public.b", "AccessExclusiveLock", 1);
                s.waits(71, "public.a", "AccessShareLock", 1);
            }
            return deadlocksOf(fromSnapshot(*s.take()));
        };
        const auto countSame = [](const Deadlock& ring, const QList<Deadlock>& all) {
            return std::ranges::count_if(all, [&ring](const Deadlock& each) { return areSame(ring, each); });
        };
        const Deadlock ring = poll(10, 5, false).first();
        const QList<Deadlock> both = poll(12, 5, true);
        QCOMPARE(both.size(), 2);
        QVERIFY(both[0].report->source.eventKey != ring.report->source.eventKey);
        QCOMPARE(countSame(ring, both), 1);
        QCOMPARE(countSame(ring, poll(12, 11, true)), 0); // in their next transactions
        QVERIFY(!areSame(both[0], both[1]));
    }

    void eachFormOfOneDeadlockIsOne()
    {
        KnownDeadlocks known;
        QVERIFY(known.isNew(fromSnapshot(*ringAt(1, 0))));
        QVERIFY(!known.isNew(fromSnapshot(*ringAt(2, 0))));
        QVERIFY(known.isNew(reportIn(textLog()))); // its first record
        QVERIFY(!known.isNew(reportIn(csvLog())));
        QVERIFY(!known.isNew(reportIn(textLog())));
        QCOMPARE(known.count(), 1);
        QCOMPARE(known.recordedCount(), 1);
        // SQL Server's event, the same saved as .xdl, and the text of its error log.
        KnownDeadlocks ofSqlServer;
        QVERIFY(ofSqlServer.isNew(oneDeadlock(u"event.xml"_s)));
        QVERIFY(!ofSqlServer.isNew(oneDeadlock(u"opposite-order.xdl"_s)));
        QVERIFY(!ofSqlServer.isNew(oneDeadlock(u"trace-1222.log"_s)));
        QCOMPARE(ofSqlServer.count(), 1);
        // Reports are read back as a recording's events keep them.
        for (const ReportPtr& report : {fromSnapshot(*ringAt(1, 0)), reportIn(csvLog())}) {
            const DeadlockIdentity identity = identityOf(deadlocksOf(report).first());
            const auto read = DeadlockIdentity::fromJson(identity.toJson(), *identity.time.at);
            QVERIFY(read);
            QVERIFY(isSameDeadlock(identity, *read)); // both are PostgreSQL's
            QCOMPARE(read->toJson(), identity.toJson());
        }
    }

    void twoOfTheSameSessionsAreTwo()
    {
        KnownDeadlocks known;
        QVERIFY(known.isNew(fromSnapshot(*ringAt(1, 0))));
        QVERIFY(known.isNew(fromSnapshot(*ringAt(4, 3, 900)))); // in their next transactions
        QVERIFY(known.isNew(reportIn(textLog())));
        QByteArray next = csvLog();
        next.replace("09.123", "09.987").replace("transaction 800", "transaction 900");
        QVERIFY(known.isNew(reportIn(next.replace("transaction 801", "transaction 901"))));
        QCOMPARE(known.count(), 2);
        QCOMPARE(known.recordedCount(), 2);
        // Without their numbers two lines of one form are two, each of which another form may repeat.
        KnownDeadlocks unnumbered;
        const auto onTables = [](QByteArray log, const char* second) {
            log.replace("transaction 800", "relation 5 of database 1");
            return reportIn(
                log.replace("transaction 801", "relation 6 of database 1").replace("09.123", second));
        };
        QVERIFY(unnumbered.isNew(onTables(csvLog(), "09.123")));
        QVERIFY(unnumbered.isNew(onTables(csvLog(), "09.987")));
        QVERIFY(!unnumbered.isNew(onTables(textLog(), "")));
        QCOMPARE(unnumbered.count(), 2);
    }

    void twoRecordersOfOneDeadlockCountOnce()
    {
        RecordedPolls one;
        RecordedPolls other;
        for (int second = 0; second < 5; ++second) {
            one.append(ringAt(second, 0), second);
            other.append(ringAt(second, 0), second);
        }
        const auto ofText = newsOf(1, textLog());
        const auto ofCsv = newsOf(2, csvLog());
        QCOMPARE(record::tallyOf(ofText.events).deadlocks, 1);
        QCOMPARE(record::tallyOf(ofText.events + ofCsv.events).deadlocks, 1);
        QVERIFY(one.writer().add(ofText, SnapshotBuilder::at(10)));
        QVERIFY(other.writer().add(ofCsv, SnapshotBuilder::at(10)));
        one.end();
        other.end();
        record::Identity identity = one.reader().identity();
        identity.id = u"merged"_s;
        const QString path = freshPath(u"merged.lockscope"_s);
        QVERIFY(record::copyRecordings({&one.reader(), &other.reader()}, SnapshotBuilder::at(0),
            SnapshotBuilder::at(20), path, identity));
        const auto merged = test::readRecording(path);
        const auto events = test::orDie(merged->events(SnapshotBuilder::at(0), SnapshotBuilder::at(20)));
        QCOMPARE(record::tallyOf(events).deadlocks, 1);
        KnownDeadlocks known;
        const auto reports = test::orDie(merged->reports(SnapshotBuilder::at(0), SnapshotBuilder::at(20)));
        QCOMPARE(reports.size(), 2);
        for (const record::RecordedReport& each : reports) {
            const auto read = test::orDie(record::reportsOf(each));
            for (const ReportPtr& report : read)
                known.isNew(report);
        }
        QCOMPARE(known.count(), 1);
    }

    void whatIsForgottenIsNewAgain()
    {
        KnownDeadlocks known;
        const ReportPtr report = reportIn(csvLog());
        QVERIFY(known.isNew(report));
        QVERIFY(known.has(*report));
        known.forget(identityOf(deadlocksOf(report).first()));
        QVERIFY(!known.has(*report));
        QCOMPARE(known.count(), 0);
        QCOMPARE(known.recordedCount(), 0);
        QVERIFY(known.isNew(report));
    }
};

LOCKSCOPE_TEST(tst_DeadlockIdentity)

} // namespace tst_DeadlockIdentity
#include "tst_DeadlockIdentity.moc"
