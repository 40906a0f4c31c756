// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The targets of SQL Server's event sessions: files that come and go, and ring buffers.

#include "tests/support/EventBench.h"
#include "tests/support/TestProgram.h"
#include "tests/support/WireSuite.h"

namespace tst_SqlServerEventFiles {

using namespace lockscope;
using namespace lockscope::deadlock;
using namespace lockscope::test;
using namespace lockscope::test::tds;

class SqlServerEventFilesTest : public WireSuite {
    Q_OBJECT

private Q_SLOTS:
    void ofABlockThatGrowsNothingIsLostAndNothingComesTwice()
    {
        EventBench bench;
        bench.poll();
        bench.change([](EventPicture& picture) { picture.lastFile().write({caught(1, start + second)}); });
        QCOMPARE(numbersOf(bench.poll()), QList<int>{1});
        bench.change([](EventPicture& picture) {
            picture.lastFile().blocks.back().events.push_back(caught(2, start + second));
        });
        QCOMPARE(numbersOf(bench.poll()), QList<int>{2});
        QCOMPARE(bench.poll().reports.size(), 0);
    }

    void aFirstPollReadsOnlyTheNewestFileUnlessOlderReportsAreRequested()
    {
        const auto twoFiles = [](EventPicture& picture) {
            addSystemHealth(picture);
            picture.lastFile().write({caught(1, start - hour), caught(2, start - hour / 2)});
            picture.file(u"system_health"_s, start - 60 * second)
                .write({waitInfo(start - 50 * second)})
                .write({caught(3, start - 40 * second), waitInfo(start - 30 * second)});
        };
        EventBench now(twoFiles);
        QVERIFY(now.poll().reports.isEmpty());
        QCOMPARE(now.rowsRead(), 3); // the older file was not touched

        EventBench recent(twoFiles);
        recent.begin(ServerTime{start - 50 * second});
        QCOMPARE(numbersOf(recent.poll()), QList<int>{3});
        QCOMPARE(recent.rowsRead(), 3);

        EventBench all(twoFiles);
        all.begin(ServerTime{start - 2 * hour});
        const SourcePoll poll = all.poll();
        QCOMPARE(numbersOf(poll), (QList<int>{1, 2, 3}));
        QCOMPARE(poll.captured, 0); // they are older than the count
        QCOMPARE(poll.counted, 0);

        EventBench some(twoFiles);
        some.begin(ServerTime{start - hour / 2 - second});
        QCOMPARE(numbersOf(some.poll()), (QList<int>{2, 3}));
    }

    void sqlServer2016TellsNoTimesAndIsReadAllTheSame()
    {
        EventBench bench([](EventPicture& picture) {
            picture.version = u"13.0.6300.2"_s;
            addSystemHealth(picture);
            picture.lastFile().write({caught(1, start - hour / 2), caught(2, start - second)});
        });
        bench.begin(ServerTime{start - 2 * second});
        QCOMPARE(numbersOf(bench.poll()), QList<int>{2});
        bench.change([](EventPicture& picture) { picture.lastFile().write({caught(3, start)}); });
        QCOMPARE(numbersOf(bench.poll()), QList<int>{3});
    }

    void aNewFileIsReadOnInWithoutAGap()
    {
        EventBench bench;
        bench.poll();
        bench.change([](EventPicture& picture) {
            picture.lastFile().write({caught(1, start + second)}).write({caught(2, start + second)});
            picture.file(u"system_health"_s, start + 2 * second).write({caught(3, start + 2 * second)});
        });
        const SourcePoll poll = bench.poll();
        QCOMPARE(numbersOf(poll), (QList<int>{1, 2, 3}));
        SAYS_NOT(poll, "dropped");
        QCOMPARE(bench.poll().reports.size(), 0);
    }

    void filesThatWereDroppedUnreadAreReportedAsAGap_data()
    {
        QTest::addColumn<QString>("version");
        row("2016", "13.0.6300.2");
        row("2022", "16.0.4135.4");
        row("2025", "17.0.700.9"); // another error number
    }
    void filesThatWereDroppedUnreadAreReportedAsAGap()
    {
        QFETCH(QString, version);
        EventBench bench([&version](EventPicture& picture) {
            picture.version = version;
            addSystemHealth(picture);
            picture.lastFile().write({waitInfo(start - second)});
        });
        bench.poll();
        bench.change([](EventPicture& picture) {
            picture.files.clear();
            picture.file(u"system_health"_s, start + hour).write({caught(7, start + hour)});
            picture.file(u"system_health"_s, start + 2 * hour).write({caught(8, start + 2 * hour)});
        });
        const SourcePoll poll = bench.poll();
        QCOMPARE(numbersOf(poll), (QList<int>{7, 8}));
        SAYS(poll, "has dropped event files of system_health");
        const SourcePoll next = bench.poll();
        QCOMPARE(next.reports.size(), 0);
        SAYS_NOT(next, "dropped");
    }

    void thatOnlyReadFilesWereDroppedIsNoGap()
    {
        EventBench bench([](EventPicture& picture) {
            addSystemHealth(picture);
            picture.file(u"system_health"_s, start - 60 * second).write({waitInfo(start - second)});
        });
        bench.begin(ServerTime{start - 2 * hour});
        bench.poll(); // reads on from the last block of the first file
        bench.change([](EventPicture& picture) {
            picture.files.erase(picture.files.begin());
            picture.lastFile().write({caught(1, start)});
        });
        const SourcePoll poll = bench.poll();
        QCOMPARE(numbersOf(poll), QList<int>{1});
        SAYS_NOT(poll, "dropped");
    }

    void filesOfASessionWithALongerNameAreNotTakenForItsOwn()
    {
        EventBench bench([](EventPicture& picture) {
            for (const QString& name : {u"deadlocks"_s, u"deadlocks_test"_s}) {
                auto& session = picture.session(name);
                session.file = name + u".xel"_s;
                session.events = {name == u"deadlocks" ? u"xml_deadlock_report"_s : u"wait_info"_s};
            }
            picture.file(u"deadlocks"_s, start - hour).write({waitInfo(start - hour)});
            picture.file(u"deadlocks_test"_s, start - hour).write({waitInfo(start - hour)});
        });
        bench.poll();
        bench.change([](EventPicture& picture) {
            picture.files[1].write({caught(9, start + second)}); // of the other one
            picture.files[0].write({caught(1, start + second)});
        });
        QCOMPARE(numbersOf(bench.poll()), QList<int>{1});
    }

    void aRingBufferIsReadWhereThereIsNoFile()
    {
        EventBench bench([](EventPicture& picture) {
            auto& session = picture.session(u"system_health"_s);
            session.hasRing = true;
            session.ring = ringOf({caught(1, start - hour), waitInfo(start)});
        });
        QVERIFY(bench.poll().reports.isEmpty());
        bench.change([](EventPicture& picture) {
            picture.sessions[0].ring =
                ringOf({caught(1, start - hour), waitInfo(start), caught(2, start + second)});
        });
        const SourcePoll poll = bench.poll();
        QCOMPARE(numbersOf(poll), QList<int>{2});
        QCOMPARE(poll.origin, u"ring buffer of system_health"_s);
        QCOMPARE(bench.poll().reports.size(), 0);
        // Old events come back, as they do at times.
        bench.change(
            [](EventPicture& picture) { picture.sessions[0].ring = ringOf({caught(3, start + second)}); });
        QCOMPARE(numbersOf(bench.poll()), QList<int>{3});
        bench.change([](EventPicture& picture) {
            picture.sessions[0].ring = ringOf({caught(1, start - hour), caught(2, start + second)});
        });
        QCOMPARE(bench.poll().reports.size(), 0);
    }

    void aRingBufferIsReadOnlyNowAndThen()
    {
        EventBench bench([](EventPicture& picture) {
            picture.session(u"system_health"_s).hasRing = true;
            picture.sessions[0].ring = ringOf({}, true);
        });
        bench.begin({}, {});
        for (int i = 0; i < 3; ++i) {
            const SourcePoll poll = bench.poll();
            SAYS(poll, "more than the 4 MB"); // remembered, while nothing is read
            QCOMPARE(poll.origin, u"ring buffer of system_health"_s);
        }
        QCOMPARE(bench.readings(u"t.target_data"_s), 1);
    }

    void ofATornRingBufferTheWholeEventsAreTakenAndTheRestIsReported_data()
    {
        addRows<bool>("isMarked", {{"the server says so", true}, {"it just ends", false}});
    }
    void ofATornRingBufferTheWholeEventsAreTakenAndTheRestIsReported()
    {
        QFETCH(bool, isMarked);
        EventBench bench([](EventPicture& picture) {
            picture.session(u"system_health"_s).hasRing = true;
            picture.sessions[0].ring = ringOf({});
        });
        SAYS_NOT(bench.poll(), "4 MB");
        bench.change([isMarked](EventPicture& picture) {
            QString ring = ringOf({caught(1, start + second), caught(2, start + second)}, isMarked);
            if (!isMarked)
                ring.chop(600); // in the middle of the second one
            picture.sessions[0].ring = ring;
        });
        const SourcePoll poll = bench.poll();
        QCOMPARE(numbersOf(poll), isMarked ? (QList<int>{1, 2}) : QList<int>{1});
        SAYS(poll, "more than the 4 MB");
        // Whole again, the second one is new.
        bench.change([](EventPicture& picture) {
            picture.sessions[0].ring = ringOf({caught(1, start + second), caught(2, start + second)});
        });
        QCOMPARE(numbersOf(bench.poll()), isMarked ? QList<int>() : QList<int>{2});
    }

    void whenFilesCantBeReadTheRingBufferIs()
    {
        EventBench bench([](EventPicture& picture) {
            addSystemHealth(picture);
            picture.files.clear(); // nothing was written yet, or the folder is closed to the server
        });
        bench.poll();
        bench.change(
            [](EventPicture& picture) { picture.sessions[0].ring = ringOf({caught(1, start + second)}); });
        const SourcePoll poll = bench.poll();
        QCOMPARE(numbersOf(poll), QList<int>{1});
        SAYS(poll, "The event files of system_health can't be read");
        // Later there are files: deadlocks from the ring buffer do not come again.
        bench.change([](EventPicture& picture) {
            picture.file(u"system_health"_s, start)
                .write({caught(1, start + second), caught(2, start + second)});
        });
        QCOMPARE(numbersOf(bench.poll()), QList<int>{2});
    }

    void filesAreNamedAsTheServerNamesThem()
    {
        const EventFileServer box;
        const EventFileServer managed{false, true, true};
        QCOMPARE(SqlServerEventFiles::patternOf(u"system_health.xel"_s, box), u"system_health_0_*.xel"_s);
        QCOMPARE(SqlServerEventFiles::patternOf(u"/var/log/own_0_133712345678900000.xel"_s, box),
            u"/var/log/own_0_*.xel"_s);
        QCOMPARE(SqlServerEventFiles::patternOf(u"system_health.xel"_s, managed), u"system_health*.xel"_s);
        QCOMPARE(SqlServerEventFiles::patternOf(u"https://x/y/dl.xel"_s, managed), u"https://x/y/dl_0_"_s);
        // The value is from Microsoft's "Targets for Extended Events": its first event is of
        // 2016-08-07T20:13:35.827Z.
        const auto begun =
            SqlServerEventFiles::begun(u"C:\\junk\\locks_acq_rel_eventfile_22-_0_131150744126230000.xel"_s);
        QVERIFY(begun);
        QCOMPARE(begun->toIsoString().left(19), u"2016-08-07T20:13:32"_s);
        QVERIFY(!SqlServerEventFiles::begun(u"own.xel"_s));
    }
};

LOCKSCOPE_TEST(SqlServerEventFilesTest)

} // namespace tst_SqlServerEventFiles
#include "tst_SqlServerEventFiles.moc"
