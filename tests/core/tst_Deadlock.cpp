// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Reports of deadlocks in all their forms. The files are made by hand, and not captured.

#include "core/deadlock/Family.h"
#include "core/deadlock/ReadReports.h"
#include "tests/support/DeadlockReports.h"
#include "tests/support/TestProgram.h"

namespace tst_Deadlock {

using namespace lockscope;
using namespace lockscope::deadlock;
using namespace lockscope::test;

static bool complains(const DeadlockReport& report, const QString& of)
{
    return std::ranges::any_of(
        report.complaints, [&of](const QString& complaint) { return complaint.contains(of); });
}

static const LockedThing* thing(const DeadlockReport& report, const QString& element)
{
    for (const LockedThing& each : report.resources)
        if (each.element == element)
            return &each;
    return nullptr;
}

class tst_Deadlock : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyShapeIsRead_data()
    {
        QTest::addColumn<QStringList>("expected");
        const auto row = [](const char* name, const QStringList& expected) { test::row(name, expected); };
        row("opposite-order.xdl", {u"52!>63"_s});
        row("list-utf16.xdl", {u"52!>63"_s});
        row("event.xml", {u"52!>63"_s});
        row("event-azure.xml", {u"52!>63"_s});
        row("event-bad-time.xml", {u"52!>63"_s});
        row("escaped.xml", {u"52!>63"_s});
        row("ring-buffer.xml", {u"52!>63"_s, u"71!>72"_s});
        row("ill-formed.xdl", {u"52!>63"_s});
        row("conversion.xdl", {u"58!>64"_s});
        row("convert-owners.xdl", {u"58!>64"_s});
        row("key-lookup.xdl", {u"52!>63"_s});
        row("range-locks.xdl", {u"52!>63"_s});
        row("three-way.xdl", {u"52!>63>74"_s});
        row("two-cycles.xdl", {u"52!>63>74"_s, u"81!>82"_s});
        row("parallel.xdl", {u"52:1!>52:2"_s});
        row("parallel-page.xdl", {u"55>62!"_s});
        row("optimized-locking.xdl", {u"52!>63"_s});
        row("victims-not-listed.xdl", {u"52!>63"_s});
        row("no-victim.xdl", {u"52>63"_s});
        row("no-cycle.xdl", {});
        row("cut-off.xdl", {});
        row("unknown-elements.xdl", {u"52!>63"_s});
        row("application-locks.xdl", {u"52!>63"_s});
        row("escalation.xdl", {u"52!>63"_s});
        row("foreign-key.xdl", {u"52!>63"_s});
        row("batch-order.xdl", {u"52!>63"_s});
        row("priority.xdl", {u"52!>63"_s});
        row("reader-writer.xdl", {u"52!>63"_s});
        row("all-elements.xdl", {u"52!>63"_s});
        row("doctype.xdl", {u"52!>63"_s});
        row("blocked-process.xml", {});
        row("trace-1222.log", {u"52!>63"_s});
        row("trace-1222-reversed.log", {u"52!>63"_s});
        row("trace-1204.log", {u"52!>63"_s});
        for (const char* name : {"postgres-stderr.log", "postgres-rds.log", "postgres-no-prefix.log",
                 "postgres-log-like-statement.log", "postgres-german.log", "postgres-french.log",
                 "postgres-chinese.log", "postgres-japanese.log", "postgres-korean.log", "postgres.csv",
                 "postgres.json"})
            row(name, {u"4711!>4712"_s});
    }
    void everyShapeIsRead()
    {
        QStringList found;
        for (const ReportPtr& report : readDeadlocks(QString::fromLatin1(QTest::currentDataTag())))
            found << ringsOf(*report);
        QTEST(found, "expected");
    }

    void whatIsReportedOfParticipants()
    {
        const ReportPtr report = oneDeadlock(u"opposite-order.xdl"_s);
        const Participant& victim = report->participants.first();
        QCOMPARE(victim.session, SessionId{52});
        QCOMPARE(victim.thread, 0);
        QCOMPARE(victim.user, u"shop_app"_s);
        QCOMPARE(victim.program, u"Shop"_s);
        QCOMPARE(victim.host, u"APP01"_s);
        QCOMPARE(victim.database, u"Shop"_s);
        QCOMPARE(victim.isolation, u"read committed"_s);
        QCOMPARE(victim.logUsed, 200);
        QCOMPARE(victim.priority, 0);
        QCOMPARE(victim.waited, milliseconds(3000));
        QCOMPARE(victim.openTransactions, 2);
        QCOMPARE(victim.transactionStarted.toString(), u"2026-11-22 03:12:03.120 (server's time)"_s);
        QCOMPARE(victim.statement, u"UPDATE dbo.orders SET state = 2 WHERE id = 1;"_s);
        QCOMPARE(victim.frames.first().procedure, u"Shop.dbo.pay"_s);
        const LockedThing& lock = report->resources.first();
        QCOMPARE(lock.kind, ResourceKind::Row);
        QCOMPARE(lock.database, u"Shop"_s);
        QCOMPARE(lock.table, u"dbo.customers"_s);
        QCOMPARE(lock.index, u"PK_customers"_s);
        QCOMPARE(lock.part, u"key (8194443284a0)"_s);
        QCOMPARE(lock.name, u"dbo.customers.PK_customers key (8194443284a0)"_s);
        QVERIFY(
            report->raw.text().startsWith(u"<deadlock>"_s) && report->raw.text().endsWith(u"</deadlock>"_s));
        QCOMPARE(report->source.position, 2);
    }

    void encodingsMakeNoDifference_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        const QByteArray marked = deadlockFile(u"list-utf16.xdl"_s);
        const QString text = QString(QStringDecoder(QStringConverter::Utf16LE).decode(marked.mid(2)));
        test::row("UTF-16LE with a mark", marked);
        test::row("UTF-16LE", marked.mid(2));
        test::row("UTF-16BE with a mark", deadlockFile(u"list-utf16be.xdl"_s));
        test::row("UTF-16BE", deadlockFile(u"list-utf16be.xdl"_s).mid(2));
        test::row("UTF-8", text.toUtf8());
        test::row("UTF-8 with a mark", QByteArray("\xef\xbb\xbf" + text.toUtf8()));
        test::row("Latin-1", QString(text).replace(u"Shop"_s, u"Sh\u00f6p"_s).toLatin1());
    }
    void encodingsMakeNoDifference()
    {
        QFETCH(QByteArray, bytes);
        const auto reports = test::orDie(readReports(bytes, u"x"_s));
        QCOMPARE(reports.size(), 1);
        COMPARE_TEXTS(ringsOf(*reports.first()), "52!>63");
        QVERIFY(!complains(*reports.first(), u"XML"_s));
    }

    void anEventKnowsItsTime()
    {
        const ReportPtr event = oneDeadlock(u"event.xml"_s);
        QCOMPARE(event->time.toString(), u"2026-11-22 03:12:07.123 UTC"_s);
        QCOMPARE(event->source.format, SourceFormat::EventXml);
        const ReportPtr bare = oneDeadlock(u"opposite-order.xdl"_s);
        QCOMPARE(bare->time.toString(), u"2026-11-22 03:12:03.120 (server's time)"_s);
        QVERIFY(complains(*bare, u"no time of its own"_s));
    }

    void aTimeThatCannotBeIsUnknown()
    {
        const ReportPtr report = oneDeadlock(u"event-bad-time.xml"_s);
        QCOMPARE(report->time.toString(), u"unknown time"_s);
        QVERIFY(complains(*report, u"18446744070113720036"_s));
    }

    void azureTellsServerAndDatabase()
    {
        const auto reports = test::orDie(readReports(deadlockFile(u"event-azure.xml"_s), {}));
        QCOMPARE(reports.first()->source.place, u"shop-server"_s);
        QCOMPARE(reports.first()->participants.first().database, u"Shop"_s);
    }

    void whatIsIllFormedIsMendedAndReported()
    {
        const ReportPtr report = oneDeadlock(u"ill-formed.xdl"_s);
        QCOMPARE(report->participants.first().program, u"R&D <Reports>"_s);
        QCOMPARE(report->participants.first().statement, u"UPDATE dbo.orders SET state = 2 WHERE id < 5;"_s);
        QVERIFY(report->participants.first().inputBuffer.contains(u"note = '\ufffd'"_s));
        QCOMPARE(report->resources[0].index, u"<Name of Missing Index, sysname,>"_s);
        QCOMPARE(report->resources[1].index, u"IX_\"fast\""_s);
        for (const QString& what :
            {u"\"<\""_s, u"\"&\""_s, u"Control characters"_s, u"quote"_s, u"statement"_s})
            QVERIFY2(complains(*report, what), qPrintable(what));
        QVERIFY(!complains(*oneDeadlock(u"opposite-order.xdl"_s), u"XML"_s));
    }

    void aLockThatIsReportedTwiceIsOne()
    {
        const ReportPtr report = oneDeadlock(u"parallel-page.xdl"_s);
        QCOMPARE(report->resources.size(), 3);
        const auto held = std::ranges::count_if(report->edges,
            [](const Edge& edge) { return edge.resource == 0 && edge.kind == Edge::Kind::Holds; });
        QCOMPARE(held, 1);
    }

    void anOwnerThatConvertsIsAWaiter()
    {
        const ReportPtr report = oneDeadlock(u"convert-owners.xdl"_s);
        for (const Edge& edge : report->edges)
            if (edge.kind == Edge::Kind::Holds)
                QCOMPARE(edge.mode, u"S"_s);
        for (const Link& link : report->links) {
            QCOMPARE(link.held, u"S"_s);
            QVERIFY(link.converts);
        }
    }

    void aVictimThatIsNotListedIsReported()
    {
        const ReportPtr report = oneDeadlock(u"victims-not-listed.xdl"_s);
        QCOMPARE(report->victims.size(), 2);
        QVERIFY(!report->participants.last().isListed);
        QVERIFY(complains(*report, u"process9f90"_s));
        QVERIFY(complains(*oneDeadlock(u"no-victim.xdl"_s), u"no victim"_s));
    }

    void independentRingsAreDeadlocksOfTheirOwn()
    {
        const QList<Deadlock> both = deadlocksOf(oneDeadlock(u"two-cycles.xdl"_s));
        QCOMPARE(both.size(), 2);
        COMPARE_TEXTS(both[0].tables(), "dbo.a", "dbo.b", "dbo.c");
        COMPARE_TEXTS(both[1].tables(), "dbo.d", "dbo.e");
        for (const Deadlock& each : both)
            QCOMPARE(each.cycle().victims.size(), 1);
    }

    void oneEventIsOneDeadlockHoweverManyRings()
    {
        constexpr int sessions = 10;
        QString victims, processes, owners, waiters;
        for (int i = 0; i < sessions; ++i) {
            const QString id = u"process%1"_s.arg(i);
            if (i + 1 < sessions)
                victims += u"<victimProcess id=\"%1\"/>"_s.arg(id);
            processes += u"<process id=\"%1\" spid=\"%2\" ecid=\"0\"/>"_s.arg(id).arg(50 + i);
            owners += u"<owner id=\"%1\" mode=\"S\"/>"_s.arg(id);
            waiters += u"<waiter id=\"%1\" mode=\"X\" requestType=\"convert\"/>"_s.arg(id);
        }
        const QString text =
            u"<deadlock><victim-list>%1</victim-list><process-list>%2</process-list><resource-list><keylock id=\"lock1\" objectname=\"Shop.dbo.stock\" indexname=\"PK_stock\"><owner-list>%3</owner-list><waiter-list>%4</waiter-list></keylock></resource-list></deadlock>"_s
                .arg(victims, processes, owners, waiters);
        const auto reports = test::orDie(readReports(text.toUtf8(), u"ten"_s));
        const QList<Deadlock> all = deadlocksOf(reports.first());
        QCOMPARE(all.size(), 1);
        QCOMPARE(all.first().participants.size(), sessions);
        QCOMPARE(all.first().victims.size(), sessions - 1);
        QSet<int> inRings;
        for (const Link& link : all.first().links())
            inRings.insert(link.waiter);
        QCOMPARE(inRings.size(), sessions);
        QCOMPARE(countText(reports), u"1 deadlock"_s);
    }

    void threadsBelongToTheirSession()
    {
        const Deadlock deadlock = deadlocksOf(oneDeadlock(u"parallel-page.xdl"_s)).first();
        QStringList sessions;
        for (const int participant : deadlock.participants)
            sessions << deadlock.participant(participant).sessionLabel();
        COMPARE_TEXTS(sessions, "62", "55");
        const Deadlock alone = deadlocksOf(oneDeadlock(u"parallel.xdl"_s)).first();
        QCOMPARE(alone.participants.size(), 1);
        QVERIFY(alone.isVictim(alone.participants.first()));
    }

    void whatIsMissingIsReported_data()
    {
        QTest::addColumn<QString>("complaint");
        test::row("no-cycle.xdl", "No ring");
        test::row("cut-off.xdl", "ends too early");
        test::row("doctype.xdl", "document type");
        test::row("trace-1222-reversed.log", "reverse order");
        test::row("trace-1204.log", "Trace flag 1204");
        test::row("postgres-german.log", "zone");
        test::row("postgres-no-prefix.log", "no time");
    }
    void whatIsMissingIsReported()
    {
        QFETCH(QString, complaint);
        const ReportPtr report = oneDeadlock(QString::fromLatin1(QTest::currentDataTag()));
        QVERIFY2(complains(*report, complaint), qPrintable(report->complaints.join(u'\n')));
    }

    void unknownElementsSurvive()
    {
        const ReportPtr report = oneDeadlock(u"unknown-elements.xdl"_s);
        QVERIFY(report->raw.text().contains(u"<planetary-data x=\"1\"><inner>kept</inner>"_s));
        const LockedThing* unknown = thing(*report, u"futurelock"_s);
        QVERIFY(unknown);
        QCOMPARE(unknown->kind, ResourceKind::Unknown);
        QVERIFY(unknown->attributes.contains(std::pair(u"shape"_s, u"round"_s)));
        QVERIFY(unknown->name.contains(u"futurelock"_s));
    }

    void everyElementHasAName()
    {
        const ReportPtr report = oneDeadlock(u"all-elements.xdl"_s);
        for (const LockedThing& each : report->resources)
            QVERIFY2(!each.name.trimmed().isEmpty(), qPrintable(each.key));
        QCOMPARE(thing(*report, u"databaselock"_s)->name, u"database Shop"_s);
        QCOMPARE(thing(*report, u"ridlock"_s)->table, u"dbo.heap"_s);
        QCOMPARE(thing(*report, u"ridlock"_s)->name, u"dbo.heap row 1:300"_s);
        QCOMPARE(thing(*report, u"hobtlock"_s)->index, u"PK_orders"_s);
        QCOMPARE(thing(*report, u"metadatalock"_s)->kind, ResourceKind::Metadata);
        for (const QString& other : {u"syncpoint"_s, u"threadpool"_s, u"resourcewait"_s})
            QVERIFY(!thing(*report, other)->isLock);
    }

    void theLockOfATransactionStandsForItsRow()
    {
        const ReportPtr report = oneDeadlock(u"optimized-locking.xdl"_s);
        const LockedThing& lock = report->resources.first();
        QVERIFY(lock.isTransaction);
        QCOMPARE(lock.table, u"dbo.orders"_s);
        QCOMPARE(lock.index, u"PK_orders"_s);
        QVERIFY(lock.name.startsWith(u"transaction that changed"_s));
    }

    void nativeFramesAreNoStatements()
    {
        const ReportPtr report = oneDeadlock(u"optimized-locking.xdl"_s);
        const Participant& victim = report->participants.first();
        QCOMPARE(victim.frames.size(), 2);
        QVERIFY(victim.frames[1].isNative);
        QVERIFY(victim.frames[1].procedure.contains(u"SOS_Scheduler::Wait"_s));
        QCOMPARE(victim.statement, u"UPDATE dbo.orders SET state = 2 WHERE id = 1;"_s);
    }

    void entitiesAreNotExpanded()
    {
        const ReportPtr report = oneDeadlock(u"doctype.xdl"_s);
        QVERIFY(report->participants.first().statement.contains(u"&x;"_s));
        QVERIFY(!report->raw.text().contains(u"aaaa"_s));
        QVERIFY(!report->raw.text().contains(u"root:"_s));
    }

    void depthAndSizeHaveLimits()
    {
        QByteArray deep = "<deadlock><process-list>";
        for (int i = 0; i < 100'000; ++i)
            deep += "<a>";
        const auto reports = test::orDie(readReports(deep, u"deep"_s));
        QCOMPARE(reports.size(), 1);
        QVERIFY(complains(*reports.first(), u"more levels"_s));
        QByteArray wide = "<deadlock><resource-list>";
        for (int i = 0; i < 300'000; ++i)
            wide += "<keylock id='1'/>";
        const auto many = test::orDie(readReports(wide, u"wide"_s));
        QVERIFY(complains(*many.first(), u"more levels or elements"_s));
    }

    void whatIsMadeToBeSlowIsNot_data()
    {
        QTest::addColumn<QByteArray>("text");
        const QByteArray begin = "<deadlock><process-list>";
        test::row("ampersands", begin + QByteArray(2'000'000, '&'));
        test::row("values without an end", begin + "<process " + QByteArray("a=\"1\"-").repeated(300'000));
        test::row("statements without an end",
            begin + QByteArray("<a><frame><![CDATA[]]></a>").repeated(100'000) + "</frame>");
        test::row("one event, many reports",
            "\n<event><data><value>" + QByteArray("<deadlock/>").repeated(100'000)
                + "</value></data></event>");
        QByteArray ring;
        for (int i = 1; i < 30'000; ++i)
            ring += u"\tProcess %1 waits for ShareLock on transaction 5; blocked by process %2.\n"_s.arg(i)
                        .arg(i % 29'999 + 1)
                        .toUtf8();
        test::row("a ring of PostgreSQL",
            "2026-11-22 03:12:07 UTC [1] ERROR:  deadlock detected\n"
            "2026-11-22 03:12:07 UTC [1] DETAIL:  "
                + ring.mid(1) + QByteArray("\tnothing\n").repeated(100'000));
        QByteArray nodes = "Deadlock encountered .... Printing deadlock information\nWait-for graph\nNode:1\n"
                           "KEY: 5:1 (a) CleanCnt:2 Mode:X\nGrant List 0:\n";
        for (int i = 1; i < 100'000; ++i)
            nodes += "Owner:0x1 Mode: X SPID:" + QByteArray::number(i) + " ECID:0\n";
        test::row("trace flag 1204", nodes);
    }

    /// Each took minutes or all memory when its cost grew with the square of its size.
    void whatIsMadeToBeSlowIsNot()
    {
        QFETCH(const QByteArray, text);
        QElapsedTimer timer;
        timer.start();
        QVERIFY(readReports(text, u"made"_s));
        QVERIFY2(timer.elapsed() < 30'000, qPrintable(QString::number(timer.elapsed())));
    }

    void aReportInAStatementHidesNoDeadlockOfTheLog()
    {
        const QByteArray log = deadlockFile(u"postgres-stderr.log"_s);
        const auto alone = readReports(log, u"log"_s);
        const auto both = readReports(
            "2026-11-22 03:12:06 UTC [1] LOG:  statement: select '<deadlock victim=\"\"/>'\n" + log,
            u"log"_s);
        QVERIFY(alone && both);
        QCOMPARE(countText(*both), countText(*alone));
    }

    void theSameTwiceAtDifferentTimesIsTwo()
    {
        const QByteArray once = deadlockFile(u"trace-1204.log"_s);
        QCOMPARE(readReports(once + once, u"log"_s)->size(), 1);
        QByteArray later = once;
        later.replace("2026-", "2027-");
        QCOMPARE(readReports(once + later, u"log"_s)->size(), 2);
    }

    void theSameEventTwiceIsOne()
    {
        const QByteArray once = deadlockFile(u"event.xml"_s);
        const auto twice = test::orDie(readReports(once + once, u"x"_s));
        QCOMPARE(twice.size(), 1);
        // Wherever it was saved.
        QCOMPARE(oneDeadlock(u"event.xml"_s)->source.eventKey,
            oneDeadlock(u"opposite-order.xdl"_s)->source.eventKey);
        QVERIFY(oneDeadlock(u"event.xml"_s)->source.eventKey
            != oneDeadlock(u"conversion.xdl"_s)->source.eventKey);
    }

    void aBlockedProcessIsNoDeadlock()
    {
        const ReportPtr report = oneDeadlock(u"blocked-process.xml"_s);
        QCOMPARE(report->kind, ReportKind::Blocked);
        QVERIFY(deadlocksOf(report).isEmpty());
        QCOMPARE(report->links.size(), 1);
        QCOMPARE(report->participants[report->links[0].waiter].session, SessionId{63});
        QCOMPARE(report->participants[report->links[0].blocker].session, SessionId{52});
    }

    void linesOfTraceFlag1222()
    {
        for (const QString& name : {u"trace-1222.log"_s, u"trace-1222-reversed.log"_s}) {
            const ReportPtr report = oneDeadlock(name);
            const Participant& victim = report->participants.first();
            QCOMPARE(victim.program, u"Shop - a=b"_s);
            QCOMPARE(victim.isolation, u"read committed"_s);
            QCOMPARE(victim.openTransactions, 2);
            QCOMPARE(victim.inputBuffer, u"EXEC dbo.pay 1"_s);
            QVERIFY(victim.statement.startsWith(u"UPDATE dbo.orders\n"_s));
            QVERIFY(victim.statement.endsWith(u"SET state = 2 WHERE id = 1"_s));
            QCOMPARE(victim.waitResource, u"KEY: 5:72057594048086016 (61a06abd401c)"_s);
            QCOMPARE(report->resources.first().table, u"dbo.customers"_s);
            QVERIFY(!report->raw.text().contains(u"18456"_s));
        }
        QCOMPARE(
            oneDeadlock(u"trace-1222.log"_s)->time.toString(), u"2026-11-22 03:12:07.120 (server's time)"_s);
        QCOMPARE(familyOf(deadlocksOf(oneDeadlock(u"trace-1222.log"_s)).first()),
            familyOf(deadlocksOf(oneDeadlock(u"trace-1222-reversed.log"_s)).first()));
    }

    void aLogOfPostgresWithAnyPrefix_data()
    {
        test::addColumns<QString, QString, ResourceKind, QString>("time", "thing", "kind", "second");
        const QString utc = u"2026-11-22 03:12:07.123 UTC"_s;
        const QString local = u"2026-11-22 03:12:07.123 (server's time)"_s;
        const QString transaction = u"transaction 742, which changed orders row (0,2)"_s;
        test::row("postgres-stderr.log", utc, transaction, ResourceKind::TransactionId, "transaction 741");
        test::row("postgres-rds.log", "2026-11-22 03:12:07.000 UTC", transaction, ResourceKind::TransactionId,
            "transaction 741");
        test::row("postgres-no-prefix.log", "unknown time", transaction, ResourceKind::TransactionId,
            "transaction 741");
        test::row(
            "postgres-german.log", local, "table 16385", ResourceKind::Relation, "table 16390 row (0,7)");
        test::row("postgres-french.log", utc, "advisory lock [16384,0,1,1]", ResourceKind::ApplicationLock,
            "advisory lock [16384,0,2,1]");
        test::row("postgres-chinese.log", local, "table 16385", ResourceKind::Relation, "table 16390 page 7");
        test::row("postgres-japanese.log", local, "transaction 742, which changed a row (0,2)",
            ResourceKind::TransactionId, "table 16385 row (0,3)");
        test::row(
            "postgres-korean.log", local, "transaction 742", ResourceKind::TransactionId, "transaction 741");
        test::row("postgres.csv", utc, transaction, ResourceKind::TransactionId, "transaction 741");
        test::row("postgres.json", utc, transaction, ResourceKind::TransactionId, "transaction 741");
    }
    void aLogOfPostgresWithAnyPrefix()
    {
        const ReportPtr report = oneDeadlock(QString::fromLatin1(QTest::currentDataTag()));
        QCOMPARE(report->engine, Engine::Postgres);
        QTEST(report->time.toString(), "time");
        QTEST(report->resources[0].name, "thing");
        QTEST(report->resources[0].kind, "kind");
        QTEST(report->resources[1].name, "second");
        QCOMPARE(report->victims, QList<int>{0});
        for (const Participant& each : report->participants)
            QVERIFY2(
                !each.statement.isEmpty() && !each.statement.contains(each.key), qPrintable(each.statement));
        QVERIFY(!complains(*report, u"missing"_s));
    }

    void statementsThatLookLikeALog()
    {
        const ReportPtr report = oneDeadlock(u"postgres-log-like-statement.log"_s);
        QVERIFY(report->participants[0].statement.contains(u"waits for ShareLock on transaction 9"_s));
        QVERIFY(complains(*report, u"guess"_s));
        QCOMPARE(oneDeadlock(u"postgres-stderr.log"_s)->participants[0].statement,
            u"UPDATE orders\n   SET note = 'a'\n WHERE id = 2"_s);
        QVERIFY(!complains(*oneDeadlock(u"postgres-stderr.log"_s), u"guess"_s));
    }

    void aQuotedDeadlockIsNone()
    {
        // All of it is one statement that somebody had the server log.
        const QByteArray quoted =
            "2026-11-22 03:12:07 UTC [1] LOG:  statement: select '\n"
            "\t2026-11-22 03:12:07 UTC [4711] ERROR:  deadlock detected\n"
            "\t2026-11-22 03:12:07 UTC [4711] DETAIL:  Process 1 waits for ShareLock on transaction 5; blocked by process 2.\n"
            "\t\tProcess 2 waits for ShareLock on transaction 6; blocked by process 1.\n\t'\n"
            "2026-11-22 03:12:07 UTC [1] LOG:  statement: select 1 /* ERROR:  deadlock detected */\n"
            "2026-11-22 03:12:07 UTC [1] LOG:  statement: DETAIL:  Process 1 waits for ShareLock on transaction 5; blocked by process 2.\n"
            "\tProcess 2 waits for ShareLock on transaction 6; blocked by process 1.\n";
        const auto reports = test::orDie(readReports(quoted, u"x"_s));
        QCOMPARE(reports.size(), 0);
    }

    void whatIsNoTextIsRefused()
    {
        const auto reports =
            readReports(QByteArray("\x01\x02\0\x03\xff\xfe\0\0\0\x07xel", 13), u"file.xel"_s);
        VERIFY_FAILS(ErrorKind::BadInput, reports);
        QVERIFY(reports.error().hint.contains(u"fn_xe_file_target_read_file"_s));
        QVERIFY(!readReportFile(u"/no/such/file"_s));
        const QTemporaryDir folder;
        QVERIFY(!readReportFile(folder.path()));
    }

    void otherFilesHoldNone()
    {
        QCOMPARE(readDeadlocks(u"not-a-deadlock.xml"_s).size(), 0);
        for (const QByteArray& text :
            {QByteArray(), QByteArray("hello"), QByteArray("<a/>"), QByteArray("{}")}) {
            const auto reports = test::orDie(readReports(text, u"x"_s));
            QCOMPARE(reports.size(), 0);
        }
    }
};

LOCKSCOPE_TEST(tst_Deadlock)

} // namespace tst_Deadlock
#include "tst_Deadlock.moc"
