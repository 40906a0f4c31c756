// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Managed Instance and Azure SQL Database keep deadlocks in another way than a server, and Babelfish not at
// all.

#include "core/deadlock/source/DeadlockPoller.h"
#include "tests/support/EventBench.h"
#include "tests/support/TestProgram.h"
#include "tests/support/WireSuite.h"

namespace tst_SqlServerCloudDeadlocks {

using namespace lockscope;
using namespace lockscope::deadlock;
using namespace lockscope::test;
using namespace lockscope::test::tds;

class SqlServerCloudDeadlocksTest : public WireSuite {
    Q_OBJECT

private Q_SLOTS:
    void aManagedInstanceIsReadByWildcardOrFromItsRingBuffer_data()
    {
        addRows<bool>("hasFile", {{"file", true}, {"ring buffer", false}});
    }
    void aManagedInstanceIsReadByWildcardOrFromItsRingBuffer()
    {
        QFETCH(bool, hasFile);
        EventBench bench([hasFile](EventPicture& picture) {
            picture.version = u"12.0.2000.8"_s;
            picture.engineEdition = 8;
            if (hasFile)
                return addSystemHealth(picture);
            picture.session(u"system_health"_s).hasRing = true;
        });
        bench.poll();
        bench.change([hasFile](EventPicture& picture) {
            picture.sessions[0].ring = ringOf({caught(1, start + second)});
            if (hasFile)
                picture.lastFile().write({caught(1, start + second)});
        });
        const SourcePoll poll = bench.poll();
        QCOMPARE(numbersOf(poll), QList<int>{1});
        QCOMPARE(
            poll.origin, hasFile ? u"event files of system_health"_s : u"ring buffer of system_health"_s);
        SAYS_NOT(poll, "can't be read");
    }

    void azureSqlDatabaseHasItsOwnSessions()
    {
        EventBench bench([](EventPicture& picture) {
            picture.version = u"12.0.2000.8"_s;
            picture.engineEdition = 5;
        });
        const SourcePoll none = bench.poll();
        SAYS(none, "No event session that runs here catches deadlocks of this database.");
        SAYS(none, "ON DATABASE ADD EVENT sqlserver.database_xml_deadlock_report");
        QVERIFY(!none.counted);
        bench.change([](EventPicture& picture) {
            auto& session = picture.session(u"dl"_s);
            session.events = {u"database_xml_deadlock_report"_s};
            session.hasRing = true;
            session.ring = ringOf(
                {eventOf(u"database_xml_deadlock_report"_s, xmlOf(1), start + second, {}, u"orders"_s)});
        });
        const SourcePoll poll = bench.poll();
        QCOMPARE(numbersOf(poll), QList<int>{1});
        QCOMPARE(poll.reports.first()->participants.first().database, u"orders"_s);
        QCOMPARE(poll.origin, u"ring buffer of dl"_s);
        QCOMPARE(bench.readings(u"fn_xe_telemetry"_s), 0);
    }

    void azureSqlDatabaseCanKeepFilesInStorage()
    {
        EventBench bench([](EventPicture& picture) {
            picture.engineEdition = 5;
            auto& session = picture.session(u"dl"_s);
            session.events = {u"database_xml_deadlock_report"_s};
            session.file = u"https://store.blob.core.windows.net/xe/dl.xel"_s;
            picture.file(u"dl"_s, start - hour).write({waitInfo(start - hour)});
        });
        bench.poll();
        bench.change([](EventPicture& picture) {
            picture.lastFile().write({eventOf(u"database_xml_deadlock_report"_s, xmlOf(1), start + second)});
            picture.file(u"dl"_s, start + hour)
                .write({eventOf(u"database_xml_deadlock_report"_s, xmlOf(2), start + hour)});
        });
        QCOMPARE(numbersOf(bench.poll()), (QList<int>{1, 2}));
    }

    void azuresMasterTellsOfAllDatabases()
    {
        EventBench bench([](EventPicture& picture) {
            picture.engineEdition = 5;
            for (int i = 1; i <= 5; ++i)
                picture.telemetry.push_back(eventOf(u"database_xml_deadlock_report"_s, xmlOf(i),
                    start - (6 - i) * second, {}, i % 2 == 0 ? u"orders"_s : u"stock"_s));
        });
        bench.begin(ServerTime{start - hour}, {0ms, 0ms, 2}, u"master"_s);
        QList<int> numbers;
        SourcePoll poll;
        do {
            poll = bench.poll();
            QVERIFY(poll.reports.size() <= 2);
            numbers += numbersOf(poll);
        } while (poll.isMoreToRead && numbers.size() < 50);
        QCOMPARE(numbers, (QList<int>{1, 2, 3, 4, 5}));
        QCOMPARE(poll.origin, u"what Azure keeps of all databases of this logical server"_s);
        bench.change([](EventPicture& picture) {
            picture.telemetry.push_back(
                eventOf(u"database_xml_deadlock_report"_s, xmlOf(6), start - 10 * second)); // it came late
        });
        QCOMPARE(numbersOf(bench.poll()), QList<int>{6});

        EventBench user([](EventPicture& picture) {
            picture.engineEdition = 5;
            picture.telemetry.push_back(caught(1, start));
        });
        user.poll();
        QCOMPARE(user.readings(u"fn_xe_telemetry"_s), 0); // no rows there, and no error
    }

    void whatAzureKeepsIsAskedForSeldom()
    {
        EventBench bench([](EventPicture& picture) { picture.engineEdition = 5; });
        bench.begin({}, {}, u"master"_s);
        for (int i = 0; i < 3; ++i)
            bench.poll();
        QCOMPARE(bench.readings(u"fn_xe_telemetry"_s), 1);
    }

    void babelfishSaysWhereItsDeadlocksStand()
    {
        TdsServer server;
        db::SqlServerFacts facts = wholeServer();
        facts.babelfishVersion = u"4.3.0"_s;
        addSessionAnswers(server, facts);
        const auto connection =
            db::Server::at(urlOf(server), db::fixedPassword(passwordOf(server))).connect();
        QVERIFY(connection);
        const auto poll = DeadlockPoller::makeSource(**connection)->poll();
        QVERIFY(poll);
        QVERIFY(poll->origin.isEmpty());
        SAYS(*poll, "Babelfish 4.3.0 keeps no reports of deadlocks");
    }
};

LOCKSCOPE_TEST(SqlServerCloudDeadlocksTest)

} // namespace tst_SqlServerCloudDeadlocks
#include "tst_SqlServerCloudDeadlocks.moc"
