// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// SQL Server's own records of its deadlocks, read through the real drivers from a double that keeps them as
// Microsoft's documentation says.

#include "core/deadlock/Finding.h"
#include "tests/support/EventBench.h"
#include "tests/support/TestProgram.h"
#include "tests/support/WireSuite.h"

namespace tst_SqlServerDeadlocks {

using namespace lockscope;
using namespace lockscope::deadlock;
using namespace lockscope::test;
using namespace lockscope::test::tds;

class SqlServerDeadlocksTest : public WireSuite {
    Q_OBJECT

private Q_SLOTS:
    void aDeadlockIsGivenOnceHoweverOftenOnePolls()
    {
        EventBench bench;
        QVERIFY(bench.poll().reports.isEmpty());
        bench.change([](EventPicture& picture) {
            picture.deadlocks = 1;
            picture.lastFile().write({waitInfo(start), caught(1, start + second)});
        });
        const SourcePoll found = bench.poll();
        QCOMPARE(numbersOf(found), QList<int>{1});
        const DeadlockReport& report = *found.reports.first();
        QCOMPARE(report.time.at, ServerTime{start + second});
        QCOMPARE(report.cycles.size(), 1);
        QCOMPARE(report.source.place, bench.connection->url().display());
        QCOMPARE(found.origin, u"event files of system_health"_s);
        QCOMPARE(found.counted, 1);
        QCOMPARE(found.captured, 1);
        QVERIFY(!found.isMoreToRead);
        QCOMPARE(bench.poll().reports.size(), 0);
        bench.change([](EventPicture& picture) { picture.lastFile().write({waitInfo(start + 2 * second)}); });
        QCOMPARE(bench.poll().reports.size(), 0);
        bench.change(
            [](EventPicture& picture) { picture.lastFile().write({caught(2, start + 3 * second)}); });
        const SourcePoll next = bench.poll();
        QCOMPARE(numbersOf(next), QList<int>{2});
        QCOMPARE(next.captured, 2);
    }

    void aPollCostsWhatIsNewAndTellsSo()
    {
        EventBench bench([](EventPicture& picture) {
            addSystemHealth(picture);
            for (int i = 0; i < 200; ++i)
                picture.lastFile().write(
                    {waitInfo(start - hour), waitInfo(start - hour), waitInfo(start - hour)});
        });
        bench.poll();
        bench.poll();
        QCOMPARE(bench.rowsRead(), 3); // the last block, which may have grown
        bench.change([](EventPicture& picture) {
            picture.lastFile().write({waitInfo(start), caught(1, start), waitInfo(start)});
        });
        const SourcePoll poll = bench.poll();
        QCOMPARE(bench.rowsRead(), 6);
        QVERIFY(poll.bytesRead > xmlOf(1).size());
        QVERIFY(poll.bytesRead < 3 * xmlOf(1).size()); // nothing of the events that nobody asked for
        QVERIFY(poll.serverTime > 0us);
        QVERIFY(poll.clientTime > 0us);
        QCOMPARE(poll.roundTrips, 2);
    }

    void whatTwoSessionsCatchComesOnce()
    {
        EventBench bench([](EventPicture& picture) {
            addSystemHealth(picture);
            picture.session(u"own"_s).file = u"D:\\traces\\own.xel"_s;
            picture.sessions.back().events = {u"xml_deadlock_report"_s, u"blocked_process_report"_s};
        });
        bench.change([](EventPicture& picture) {
            EventFile& own = picture.files.emplace_back();
            own.name = u"D:\\traces\\own_0_134444736000000000.xel"_s;
            own.write({waitInfo(start - hour)});
        });
        bench.begin(ServerTime{start - hour});
        bench.poll();
        bench.change([](EventPicture& picture) {
            picture.files[0].write({caught(1, start + second)});
            picture.files[1].write({caught(1, start + second), caught(2, start + 2 * second)});
        });
        const SourcePoll poll = bench.poll();
        QCOMPARE(numbersOf(poll), (QList<int>{1, 2}));
        QCOMPARE(poll.origin, u"event files of own, system_health"_s);
        QCOMPARE(poll.captured, 2);
    }

    void aMissingRightIsReportedWithItsGrant_data()
    {
        addColumns<QString, int, QString>("version", "edition", "grant");
        row("2019", "15.0.4415.2", 3, "GRANT VIEW SERVER STATE TO [login]");
        row("Azure", "12.0.2000.8", 5, "GRANT VIEW DATABASE STATE TO [user]");
    }
    void aMissingRightIsReportedWithItsGrant()
    {
        FETCH(QString, version, int, edition, QString, grant);
        EventBench bench([&](EventPicture& picture) {
            picture.version = version;
            picture.engineEdition = edition;
            picture.isOpen = false;
        });
        const SourcePoll poll = bench.poll();
        QVERIFY(poll.reports.isEmpty());
        QVERIFY(!poll.counted);
        QVERIFY(poll.origin.isEmpty());
        VERIFY_CONTAINS(said(poll), grant);
        SAYS_NOT(poll, "No event session");
    }

    void withoutASessionItIsSaidHowToMakeOne()
    {
        EventBench bench(
            [](EventPicture& picture) { picture.session(u"other"_s).events = {u"wait_info"_s}; });
        const SourcePoll poll = bench.poll();
        SAYS(poll, "No event session that runs here catches deadlocks.");
        SAYS(poll, "CREATE EVENT SESSION [deadlocks] ON SERVER ADD EVENT sqlserver.xml_deadlock_report");
        SAYS(poll, "filename = N'deadlocks.xel'");
        QCOMPARE(poll.counted, 0); // the counter needs no session
        QCOMPARE(bench.readings(u"CREATE EVENT"_s), 0);
    }

    void theCounterIsComparedWithWhatWasCaught()
    {
        EventBench bench([](EventPicture& picture) {
            addSystemHealth(picture);
            picture.deadlocks = 40; // since the server started
        });
        const SourcePoll first = bench.poll();
        QCOMPARE(first.counted, 0);
        bench.change([](EventPicture& picture) {
            picture.deadlocks = 43;
            picture.lastFile().write({caught(1, start + second)});
        });
        const SourcePoll poll = bench.poll();
        QCOMPARE(poll.counted, 3);
        QCOMPARE(poll.captured, 1);
        QVERIFY(!poll.countedIsAtLeast);
        SAYS(poll, "counted more deadlocks than there are reports of");
        bench.change([](EventPicture& picture) { picture.deadlocks = 2; }); // the server was restarted
        const SourcePoll after = bench.poll();
        QCOMPARE(after.counted, 5);
        QVERIFY(after.countedIsAtLeast);
        SAYS(after, "fell back");
    }

    void aTimeThatCantBeIsNoTime_data()
    {
        addRows<bool>("inFile", {{"event file", true}, {"ring buffer", false}});
    }
    void aTimeThatCantBeIsNoTime()
    {
        QFETCH(bool, inFile);
        const QString huge = u"18446744070113720036"_s; // after the clock was set back
        const auto put = [inFile](EventPicture& picture, const std::vector<CaughtEvent>& events) {
            if (inFile)
                picture.lastFile().write({events.back()});
            else
                picture.sessions[0].ring = ringOf(events);
        };
        EventBench bench([&](EventPicture& picture) {
            if (inFile) {
                addSystemHealth(picture);
            } else {
                picture.session(u"system_health"_s).hasRing = true;
            }
            put(picture, {caught(1, start - second, huge)});
        });
        QVERIFY(bench.poll().reports.isEmpty()); // it was there before
        bench.change([&](EventPicture& picture) {
            put(picture, {caught(1, start - second, huge), caught(2, start + second, huge)});
        });
        const SourcePoll poll = bench.poll();
        QCOMPARE(numbersOf(poll), QList<int>{2});
        QVERIFY(!poll.reports.first()->time.at);
        QCOMPARE(poll.reports.first()->time.toString(), u"unknown time"_s);
        QCOMPARE(poll.captured, 1);
    }

    void blockedProcessReportsComeWhereTheThresholdIsSet()
    {
        EventBench bench([](EventPicture& picture) {
            addSystemHealth(picture);
            auto& session = picture.session(u"blocked"_s);
            session.events = {u"blocked_process_report"_s};
            session.file = u"blocked.xel"_s;
            picture.file(u"blocked"_s, start - hour).write({waitInfo(start - hour)});
            picture.threshold = 10;
        });
        SAYS_NOT(bench.poll(), "blocked process threshold");
        bench.change([](EventPicture& picture) {
            picture.lastFile().write({eventOf(u"blocked_process_report"_s,
                "<blocked-process-report monitorLoop=\"7\"><blocked-process><process id=\"p1\" spid=\"63\" ecid=\"0\" waittime=\"12000\" waitresource=\"KEY: 5:1 (8194443284a0)\"><inputbuf>UPDATE dbo.a SET n = 1</inputbuf></process></blocked-process><blocking-process><process spid=\"52\" ecid=\"0\" "
                "status=\"sleeping\"><inputbuf>BEGIN TRAN</inputbuf></process></blocking-process></blocked-process-report>",
                start + second)});
        });
        const SourcePoll poll = bench.poll();
        QCOMPARE(poll.reports.size(), 1);
        QCOMPARE(poll.reports.first()->kind, ReportKind::Blocked);
        QCOMPARE(poll.captured, 0); // no deadlock
        QCOMPARE(poll.origin, u"event files of blocked, system_health"_s);
    }

    void numbersAndJobsAreNamedWhereTheServerIsAtHand()
    {
        EventBench bench;
        const Column name{u""_s, nvarchar(400)};
        bench.server.answer("sqlserver/names/databases", [name](const Request&, Reply& reply) {
            reply.table({{u""_s, bigint()}, name}, {{qint64(5), u"shop"_s}});
        });
        bench.server.answer("sqlserver/deadlocks/jobs", [name](const Request& request, Reply& reply) {
            const QString id = u"67452301-AB89-EFCD-0011-223344556677"_s;
            QCOMPARE(request.parameter(0), Value(id));
            reply.table({name, name}, {{id, u"Nightly import"_s}});
        });
        bench.server.answer("sqlserver/deadlocks/object", [name](const Request& request, Reply& reply) {
            COMPARE_TEXTS(request.filledIn, "[shop]", "[shop]");
            QCOMPARE(request.parameter(0), Value(1'205'579'333));
            reply.table({name, name}, {{u"dbo.orders"_s, u""_s}});
        });
        bench.server.answer("sqlserver/deadlocks/partition", [name](const Request&, Reply& reply) {
            reply.table({name, name}, {{u"dbo.stock"_s, u"PK_stock"_s}});
        });
        QByteArray xml = deadlockXml(2,
            {{"objectlock", R"(objid="1205579333" dbid="5" objectname="")", 1, "X", 0, "X"},
                {"keylock", R"(hobtid="72057594038910976" dbid="5" objectname="")", 0, "X", 1, "X"}});
        xml.replace("clientapp=\"shop\"",
            "clientapp=\"SQLAgent - TSQL JobStep (Job 0x0123456789ABCDEF0011223344556677 : Step 2)\"");
        bench.poll();
        bench.change([&](EventPicture& picture) {
            picture.lastFile().write({eventOf(u"xml_deadlock_report"_s, xml, start + second)});
        });
        const SourcePoll poll = bench.poll();
        const DeadlockReport& report = *poll.reports.first();
        QCOMPARE(report.resources[0].name, u"dbo.orders"_s);
        QCOMPARE(report.resources[1].name, u"dbo.stock.PK_stock key"_s);
        QVERIFY(report.resources[0].named && report.resources[1].named);
        QCOMPARE(report.participants.first().job, u"Nightly import"_s);
        const QList<Finding> findings = findingsOf(deadlocksOf(poll.reports.first()).first());
        QVERIFY(std::ranges::any_of(findings, [](const Finding& each) {
            return each.says.contains(u"is step 2 of the job “Nightly import” of SQL Server Agent"_s);
        }));
        bench.poll();
        QCOMPARE(bench.readings(u"sysjobs"_s), 1);
    }

    /// A login that may read neither keeps the report with its numbers.
    void withoutTheRightTheNumbersStay()
    {
        EventBench bench;
        const auto refuse = [](const Request&, Reply& reply) {
            reply.error(229, u"The SELECT permission was denied on the object 'sysjobs'."_s, 14);
        };
        bench.server.answer("sqlserver/names/databases", refuse);
        bench.server.answer("sqlserver/deadlocks/jobs", refuse);
        bench.poll();
        bench.change([&](EventPicture& picture) {
            picture.lastFile().write({eventOf(u"xml_deadlock_report"_s,
                deadlockXml(2,
                    {{"objectlock", R"(objid="7" dbid="5" objectname="")", 1, "X", 0, "X"},
                        {"objectlock", R"(objid="8" dbid="5" objectname="")", 0, "X", 1, "X"}}),
                start + second)});
        });
        const SourcePoll poll = bench.poll();
        QCOMPARE(poll.reports.size(), 1);
        QCOMPARE(poll.reports.first()->resources.first().name, u"object 7"_s);
        QVERIFY(!poll.reports.first()->resources.first().named);
    }

    void theThresholdOfBlockedProcessReportsIsReported_data()
    {
        addColumns<int, bool, QString>("threshold", "isCaught", "sentence");
        row("off", 0, false, "There are no blocked-process reports");
        row("off but caught", 0, true, "caught, but never made");
        row("too short", 2, true, "'blocked process threshold (s)' is 2: below 5");
        row("nobody catches them", 20, false, "(after 20 s), but no event session");
        row("good", 20, true, QString());
    }
    void theThresholdOfBlockedProcessReportsIsReported()
    {
        FETCH(int, threshold, bool, isCaught, QString, sentence);
        EventBench bench([&](EventPicture& picture) {
            addSystemHealth(picture);
            if (isCaught)
                picture.sessions[0].events << u"blocked_process_report"_s;
            picture.threshold = threshold;
        });
        const SourcePoll poll = bench.poll();
        VERIFY_CONTAINS(said(poll), sentence);
        QCOMPARE(said(poll).isEmpty(), sentence.isEmpty());
    }

    void tenThousandReportsComeInBoundedPieces()
    {
#ifdef __SANITIZE_THREAD__
        constexpr int count = 1'000;
#else
        constexpr int count = 10'000;
#endif
        constexpr int inBlock = 25;
        constexpr int most = count / 10;
        EventBench bench([](EventPicture& picture) {
            addSystemHealth(picture);
            for (int number = 0; number < count;) {
                if (number % (count / 4) == 0)
                    picture.file(u"system_health"_s, start - hour + (number + 1) * second / 100);
                std::vector<CaughtEvent> events;
                for (int i = 0; i < inBlock; ++i, ++number)
                    events.push_back(caught(number, start - hour + number * second / 10));
                picture.lastFile().write(std::move(events)).write({waitInfo(start)});
            }
        });
        bench.begin(ServerTime{start - 2 * hour}, {0ms, 0ms, most});
        QSet<int> numbers;
        SourcePoll poll;
        int polls = 0;
        do {
            poll = bench.poll();
            QVERIFY(poll.reports.size() <= most + inBlock);
            QVERIFY(poll.bytesRead < qint64(most + 2 * inBlock) * 2 * (xmlOf(0).size() + 300));
            for (const int number : numbersOf(poll)) {
                QVERIFY(!numbers.contains(number));
                numbers << number;
            }
        } while (poll.isMoreToRead && ++polls < 100);
        QCOMPARE(numbers.size(), count);
    }

    void aPollThatTakesTooLongIsMadeSmaller()
    {
        EventBench bench([](EventPicture& picture) {
            addSystemHealth(picture);
            picture.file(u"system_health"_s, start - 60 * second).write({caught(1, start - second)});
            picture.failures[u"sys.fn_xe_file_target_read_file"_s] = 1222; // a time limit
        });
        bench.begin(ServerTime{start - 2 * hour});
        const SourcePoll slow = bench.poll();
        SAYS(slow, "the next poll reads only the newest of them");
        QVERIFY(slow.isMoreToRead);
        bench.change([](EventPicture& picture) { picture.failures.clear(); });
        const SourcePoll poll = bench.poll();
        QCOMPARE(numbersOf(poll), QList<int>{1});
        SAYS(poll, "Only the newest event file of system_health was read");
    }

    void aLostConnectionIsAnErrorAndNothingIsLost()
    {
        EventBench bench;
        bench.poll();
        bench.server.run([&bench] {
            for (const auto& session : bench.server.sessions())
                bench.server.disconnect(session->id);
        });
        VERIFY_FAILS(ErrorKind::Connection, bench.source->poll());
        bench.change([](EventPicture& picture) {
            picture.deadlocks = 1;
            picture.lastFile().write({caught(1, start + second)});
        });
        auto again =
            db::Server::at(urlOf(bench.server), db::fixedPassword(passwordOf(bench.server))).connect();
        QVERIFY(again);
        bench.source->replaceConnection(**again);
        const SourcePoll poll = bench.poll();
        QCOMPARE(numbersOf(poll), QList<int>{1});
        QCOMPARE(poll.counted, 1);
        bench.source.reset();
    }
};

LOCKSCOPE_TEST(SqlServerDeadlocksTest)

} // namespace tst_SqlServerDeadlocks
#include "tst_SqlServerDeadlocks.moc"
