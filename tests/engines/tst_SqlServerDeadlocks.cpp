// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// SQL Server's own records of its deadlocks, read through the real drivers from a double that keeps them as
// Microsoft's documentation says.

#include "core/db/Server.h"
#include "core/deadlock/source/SqlServerDeadlockSource.h"
#include "tests/support/MadeDeadlock.h"
#include "tests/support/TestProgram.h"
#include "tests/support/WireSuite.h"
#include "tests/support/tds/EventAnswers.h"
#include "tests/support/tds/SessionAnswers.h"

#include <QTest>

#include <algorithm>

using namespace lockscope;
using namespace lockscope::deadlock;
using namespace lockscope::test;
using namespace lockscope::test::tds;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr qint64 second = 1'000'000;
constexpr qint64 start = 1'800'000'000 * second; ///< the server's clock when a test begins
constexpr qint64 hour = 3'600 * second;

/// A deadlock unlike those of other numbers: its transactions began when no other's did.
QByteArray xmlOf(int number)
{
    return twoRowsXml().replace(
        "ecid=\"0\"", "ecid=\"0\" waittime=\"" + QByteArray::number(1'000 + number) + '"');
}

CaughtEvent caught(int number, qint64 happened, const QString& timestamp = {})
{
    return eventOf(u"xml_deadlock_report"_s, xmlOf(number), happened, timestamp);
}

CaughtEvent waitInfo(qint64 happened)
{
    return eventOf(u"wait_info"_s, "<x/>", happened);
}

void addSystemHealth(EventPicture& picture)
{
    auto& session = picture.session(u"system_health"_s);
    session.file = u"system_health.xel"_s;
    session.hasRing = true;
    session.ring = ringOf({});
    picture.file(u"system_health"_s, start - hour).write({waitInfo(start - hour)});
}

/// A server whose sessions can be looked at, and who looks.
struct Bench {
    TdsServer server;
    EventAnswers events{server};
    std::unique_ptr<db::Connection> connection;
    std::unique_ptr<SqlServerDeadlockSource> source;

    explicit Bench(const std::function<void(EventPicture&)>& show = addSystemHealth) { change(show); }

    void change(const std::function<void(EventPicture&)>& change) { events.change(change); }

    void begin(std::optional<ServerTime> since = {}, const SqlServerPace& pace = {0ms, 0ms, 1'000},
        const QString& database = u"orders"_s)
    {
        db::ConnectOptions options;
        options.purpose = db::Purpose::Monitor;
        auto opened =
            db::Server::at(urlOf(server, database), db::fixedPassword(passwordOf(server))).connect(options);
        if (!opened)
            qFatal("%s", qPrintable(opened.error().toString()));
        source.reset();
        connection = std::move(*opened);
        source = std::make_unique<SqlServerDeadlockSource>(*connection, since, pace);
    }

    SourceLook look()
    {
        if (!source)
            begin();
        auto looked = source->look();
        if (!looked)
            qFatal("%s", qPrintable(looked.error().toString()));
        return *looked;
    }

    qint64 rowsRead()
    {
        qint64 rows = 0;
        change([&rows](EventPicture& picture) { rows = picture.rowsRead; });
        return rows;
    }

    /// How often something was sent in which that stands.
    int readings(const QString& part)
    {
        const auto seen = server.seen();
        return int(std::count_if(seen.begin(), seen.end(), [&part](const SeenMessage& message) {
            return std::any_of(message.texts.begin(), message.texts.end(),
                [&part](const QString& text) { return text.contains(part); });
        }));
    }
};

/// Which deadlocks they are, by their numbers.
QList<int> numbersOf(const SourceLook& look)
{
    QList<int> numbers;
    for (const ReportPtr& report : look.reports)
        numbers << int(report->participants.first().waited.value_or(milliseconds(0)).count() - 1'000);
    return numbers;
}

QString said(const SourceLook& look)
{
    return look.limits.join(u" | "_s);
}

#define SAYS(look, part) QVERIFY2(said(look).contains(u##part##_s), qPrintable(said(look)))
#define SAYS_NOT(look, part) QVERIFY2(!said(look).contains(u##part##_s), qPrintable(said(look)))

} // namespace

class SqlServerDeadlocksTest : public WireSuite {
    Q_OBJECT

private Q_SLOTS:
    void aDeadlockIsGivenOnceHoweverOftenOneLooks()
    {
        Bench bench;
        QVERIFY(bench.look().reports.isEmpty());
        bench.change([](EventPicture& picture) {
            picture.deadlocks = 1;
            picture.lastFile().write({waitInfo(start), caught(1, start + second)});
        });
        const SourceLook found = bench.look();
        QCOMPARE(numbersOf(found), QList<int>{1});
        const Report& report = *found.reports.first();
        QCOMPARE(report.time.at, ServerTime{start + second});
        QCOMPARE(report.cycles.size(), 1);
        QCOMPARE(report.source.place, bench.connection->url().display());
        QCOMPARE(found.origin, u"event files of system_health"_s);
        QCOMPARE(found.counted, 1);
        QCOMPARE(found.captured, 1);
        QVERIFY(!found.isMoreToRead);
        QCOMPARE(bench.look().reports.size(), 0);
        bench.change([](EventPicture& picture) { picture.lastFile().write({waitInfo(start + 2 * second)}); });
        QCOMPARE(bench.look().reports.size(), 0);
        bench.change(
            [](EventPicture& picture) { picture.lastFile().write({caught(2, start + 3 * second)}); });
        const SourceLook next = bench.look();
        QCOMPARE(numbersOf(next), QList<int>{2});
        QCOMPARE(next.captured, 2);
    }

    void aLookCostsWhatIsNewAndTellsSo()
    {
        Bench bench([](EventPicture& picture) {
            addSystemHealth(picture);
            for (int i = 0; i < 200; ++i)
                picture.lastFile().write(
                    {waitInfo(start - hour), waitInfo(start - hour), waitInfo(start - hour)});
        });
        bench.look();
        bench.look();
        QCOMPARE(bench.rowsRead(), 3); // the last block, which may have grown
        bench.change([](EventPicture& picture) {
            picture.lastFile().write({waitInfo(start), caught(1, start), waitInfo(start)});
        });
        const SourceLook look = bench.look();
        QCOMPARE(bench.rowsRead(), 6);
        QVERIFY(look.bytesRead > xmlOf(1).size());
        QVERIFY(look.bytesRead < 3 * xmlOf(1).size()); // nothing of the events that nobody asked for
        QVERIFY(look.serverTime > 0us);
        QVERIFY(look.clientTime > 0us);
        QCOMPARE(look.roundTrips, 2);
    }

    void ofABlockThatGrowsNothingIsLostAndNothingComesTwice()
    {
        Bench bench;
        bench.look();
        bench.change([](EventPicture& picture) { picture.lastFile().write({caught(1, start + second)}); });
        QCOMPARE(numbersOf(bench.look()), QList<int>{1});
        bench.change([](EventPicture& picture) {
            picture.lastFile().blocks.back().events.push_back(caught(2, start + second));
        });
        QCOMPARE(numbersOf(bench.look()), QList<int>{2});
        QCOMPARE(bench.look().reports.size(), 0);
    }

    void aFirstLookReadsOnlyTheNewestFileUnlessOlderReportsAreWanted()
    {
        const auto twoFiles = [](EventPicture& picture) {
            addSystemHealth(picture);
            picture.lastFile().write({caught(1, start - hour), caught(2, start - hour / 2)});
            picture.file(u"system_health"_s, start - 60 * second)
                .write({waitInfo(start - 50 * second)})
                .write({caught(3, start - 40 * second), waitInfo(start - 30 * second)});
        };
        Bench now(twoFiles);
        QVERIFY(now.look().reports.isEmpty());
        QCOMPARE(now.rowsRead(), 3); // the older file was not touched

        Bench recent(twoFiles);
        recent.begin(ServerTime{start - 50 * second});
        QCOMPARE(numbersOf(recent.look()), QList<int>{3});
        QCOMPARE(recent.rowsRead(), 3);

        Bench all(twoFiles);
        all.begin(ServerTime{start - 2 * hour});
        const SourceLook look = all.look();
        QCOMPARE(numbersOf(look), (QList<int>{1, 2, 3}));
        QCOMPARE(look.captured, 0); // they are older than the count
        QCOMPARE(look.counted, 0);

        Bench some(twoFiles);
        some.begin(ServerTime{start - hour / 2 - second});
        QCOMPARE(numbersOf(some.look()), (QList<int>{2, 3}));
    }

    void sqlServer2016TellsNoTimesAndIsReadAllTheSame()
    {
        Bench bench([](EventPicture& picture) {
            picture.version = u"13.0.6300.2"_s;
            addSystemHealth(picture);
            picture.lastFile().write({caught(1, start - hour / 2), caught(2, start - second)});
        });
        bench.begin(ServerTime{start - 2 * second});
        QCOMPARE(numbersOf(bench.look()), QList<int>{2});
        bench.change([](EventPicture& picture) { picture.lastFile().write({caught(3, start)}); });
        QCOMPARE(numbersOf(bench.look()), QList<int>{3});
    }

    void aNewFileIsReadOnInWithoutAGap()
    {
        Bench bench;
        bench.look();
        bench.change([](EventPicture& picture) {
            picture.lastFile().write({caught(1, start + second)}).write({caught(2, start + second)});
            picture.file(u"system_health"_s, start + 2 * second).write({caught(3, start + 2 * second)});
        });
        const SourceLook look = bench.look();
        QCOMPARE(numbersOf(look), (QList<int>{1, 2, 3}));
        SAYS_NOT(look, "dropped");
        QCOMPARE(bench.look().reports.size(), 0);
    }

    void filesThatWereDroppedUnreadAreToldAsAGap_data()
    {
        QTest::addColumn<QString>("version");
        QTest::newRow("2016") << u"13.0.6300.2"_s;
        QTest::newRow("2022") << u"16.0.4135.4"_s;
        QTest::newRow("2025") << u"17.0.700.9"_s; // another error number
    }

    void filesThatWereDroppedUnreadAreToldAsAGap()
    {
        QFETCH(QString, version);
        Bench bench([&version](EventPicture& picture) {
            picture.version = version;
            addSystemHealth(picture);
            picture.lastFile().write({waitInfo(start - second)});
        });
        bench.look();
        bench.change([](EventPicture& picture) {
            picture.files.clear();
            picture.file(u"system_health"_s, start + hour).write({caught(7, start + hour)});
            picture.file(u"system_health"_s, start + 2 * hour).write({caught(8, start + 2 * hour)});
        });
        const SourceLook look = bench.look();
        QCOMPARE(numbersOf(look), (QList<int>{7, 8}));
        SAYS(look, "has dropped event files of system_health");
        const SourceLook next = bench.look();
        QCOMPARE(next.reports.size(), 0);
        SAYS_NOT(next, "dropped");
    }

    void thatOnlyReadFilesWereDroppedIsNoGap()
    {
        Bench bench([](EventPicture& picture) {
            addSystemHealth(picture);
            picture.file(u"system_health"_s, start - 60 * second).write({waitInfo(start - second)});
        });
        bench.begin(ServerTime{start - 2 * hour});
        bench.look(); // reads on from the last block of the first file
        bench.change([](EventPicture& picture) {
            picture.files.erase(picture.files.begin());
            picture.lastFile().write({caught(1, start)});
        });
        const SourceLook look = bench.look();
        QCOMPARE(numbersOf(look), QList<int>{1});
        SAYS_NOT(look, "dropped");
    }

    void filesOfASessionWithALongerNameAreNotTakenForItsOwn()
    {
        Bench bench([](EventPicture& picture) {
            for (const QString& name : {u"deadlocks"_s, u"deadlocks_test"_s}) {
                auto& session = picture.session(name);
                session.file = name + u".xel"_s;
                session.events = {name == u"deadlocks" ? u"xml_deadlock_report"_s : u"wait_info"_s};
            }
            picture.file(u"deadlocks"_s, start - hour).write({waitInfo(start - hour)});
            picture.file(u"deadlocks_test"_s, start - hour).write({waitInfo(start - hour)});
        });
        bench.look();
        bench.change([](EventPicture& picture) {
            picture.files[1].write({caught(9, start + second)}); // of the other one
            picture.files[0].write({caught(1, start + second)});
        });
        QCOMPARE(numbersOf(bench.look()), QList<int>{1});
    }

    void whatTwoSessionsCatchComesOnce()
    {
        Bench bench([](EventPicture& picture) {
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
        bench.look();
        bench.change([](EventPicture& picture) {
            picture.files[0].write({caught(1, start + second)});
            picture.files[1].write({caught(1, start + second), caught(2, start + 2 * second)});
        });
        const SourceLook look = bench.look();
        QCOMPARE(numbersOf(look), (QList<int>{1, 2}));
        QCOMPARE(look.origin, u"event files of own, system_health"_s);
        QCOMPARE(look.captured, 2);
    }

    void aMissingRightIsToldWithItsGrant_data()
    {
        QTest::addColumn<QString>("version");
        QTest::addColumn<int>("edition");
        QTest::addColumn<QString>("grant");
        QTest::newRow("2019") << u"15.0.4415.2"_s << 3 << u"GRANT VIEW SERVER STATE TO [login]"_s;
        QTest::newRow("Azure") << u"12.0.2000.8"_s << 5 << u"GRANT VIEW DATABASE STATE TO [user]"_s;
    }

    void aMissingRightIsToldWithItsGrant()
    {
        QFETCH(QString, version);
        QFETCH(int, edition);
        QFETCH(QString, grant);
        Bench bench([&](EventPicture& picture) {
            picture.version = version;
            picture.engineEdition = edition;
            picture.isOpen = false;
        });
        const SourceLook look = bench.look();
        QVERIFY(look.reports.isEmpty());
        QVERIFY(!look.counted);
        QVERIFY(look.origin.isEmpty());
        QVERIFY2(said(look).contains(grant), qPrintable(said(look)));
        SAYS_NOT(look, "No event session");
    }

    void withoutASessionItIsSaidHowToMakeOne()
    {
        Bench bench([](EventPicture& picture) { picture.session(u"other"_s).events = {u"wait_info"_s}; });
        const SourceLook look = bench.look();
        SAYS(look, "No event session that runs here catches deadlocks.");
        SAYS(look, "CREATE EVENT SESSION [deadlocks] ON SERVER ADD EVENT sqlserver.xml_deadlock_report");
        SAYS(look, "filename = N'deadlocks.xel'");
        QCOMPARE(look.counted, 0); // the counter needs no session
        QCOMPARE(bench.readings(u"CREATE EVENT"_s), 0);
    }

    void theCounterIsComparedWithWhatWasCaught()
    {
        Bench bench([](EventPicture& picture) {
            addSystemHealth(picture);
            picture.deadlocks = 40; // since the server started
        });
        const SourceLook first = bench.look();
        QCOMPARE(first.counted, 0);
        bench.change([](EventPicture& picture) {
            picture.deadlocks = 43;
            picture.lastFile().write({caught(1, start + second)});
        });
        const SourceLook look = bench.look();
        QCOMPARE(look.counted, 3);
        QCOMPARE(look.captured, 1);
        QVERIFY(!look.countedIsAtLeast);
        SAYS(look, "counted more deadlocks than there are reports of");
        bench.change([](EventPicture& picture) { picture.deadlocks = 2; }); // the server was restarted
        const SourceLook after = bench.look();
        QCOMPARE(after.counted, 5);
        QVERIFY(after.countedIsAtLeast);
        SAYS(after, "fell back");
    }

    void aRingBufferIsReadWhereThereIsNoFile()
    {
        Bench bench([](EventPicture& picture) {
            auto& session = picture.session(u"system_health"_s);
            session.hasRing = true;
            session.ring = ringOf({caught(1, start - hour), waitInfo(start)});
        });
        QVERIFY(bench.look().reports.isEmpty());
        bench.change([](EventPicture& picture) {
            picture.sessions[0].ring =
                ringOf({caught(1, start - hour), waitInfo(start), caught(2, start + second)});
        });
        const SourceLook look = bench.look();
        QCOMPARE(numbersOf(look), QList<int>{2});
        QCOMPARE(look.origin, u"ring buffer of system_health"_s);
        QCOMPARE(bench.look().reports.size(), 0);
        // Old events come back, as they do at times.
        bench.change(
            [](EventPicture& picture) { picture.sessions[0].ring = ringOf({caught(3, start + second)}); });
        QCOMPARE(numbersOf(bench.look()), QList<int>{3});
        bench.change([](EventPicture& picture) {
            picture.sessions[0].ring = ringOf({caught(1, start - hour), caught(2, start + second)});
        });
        QCOMPARE(bench.look().reports.size(), 0);
    }

    void aRingBufferIsReadOnlyNowAndThen()
    {
        Bench bench([](EventPicture& picture) {
            picture.session(u"system_health"_s).hasRing = true;
            picture.sessions[0].ring = ringOf({}, true);
        });
        bench.begin({}, {});
        for (int i = 0; i < 3; ++i) {
            const SourceLook look = bench.look();
            SAYS(look, "more than the 4 MB"); // remembered, while nothing is read
            QCOMPARE(look.origin, u"ring buffer of system_health"_s);
        }
        QCOMPARE(bench.readings(u"t.target_data"_s), 1);
    }

    void ofATornRingBufferTheWholeEventsAreTakenAndTheRestIsTold_data()
    {
        QTest::addColumn<bool>("isMarked");
        QTest::newRow("the server says so") << true;
        QTest::newRow("it just ends") << false;
    }

    void ofATornRingBufferTheWholeEventsAreTakenAndTheRestIsTold()
    {
        QFETCH(bool, isMarked);
        Bench bench([](EventPicture& picture) {
            picture.session(u"system_health"_s).hasRing = true;
            picture.sessions[0].ring = ringOf({});
        });
        SAYS_NOT(bench.look(), "4 MB");
        bench.change([isMarked](EventPicture& picture) {
            QString ring = ringOf({caught(1, start + second), caught(2, start + second)}, isMarked);
            if (!isMarked)
                ring.chop(600); // in the middle of the second one
            picture.sessions[0].ring = ring;
        });
        const SourceLook look = bench.look();
        QCOMPARE(numbersOf(look), isMarked ? (QList<int>{1, 2}) : QList<int>{1});
        SAYS(look, "more than the 4 MB");
        // Whole again, the second one is new.
        bench.change([](EventPicture& picture) {
            picture.sessions[0].ring = ringOf({caught(1, start + second), caught(2, start + second)});
        });
        QCOMPARE(numbersOf(bench.look()), isMarked ? QList<int>() : QList<int>{2});
    }

    void aTimeThatCantBeIsNoTime_data()
    {
        QTest::addColumn<bool>("inFile");
        QTest::newRow("event file") << true;
        QTest::newRow("ring buffer") << false;
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
        Bench bench([&](EventPicture& picture) {
            if (inFile) {
                addSystemHealth(picture);
            } else {
                picture.session(u"system_health"_s).hasRing = true;
            }
            put(picture, {caught(1, start - second, huge)});
        });
        QVERIFY(bench.look().reports.isEmpty()); // it was there before
        bench.change([&](EventPicture& picture) {
            put(picture, {caught(1, start - second, huge), caught(2, start + second, huge)});
        });
        const SourceLook look = bench.look();
        QCOMPARE(numbersOf(look), QList<int>{2});
        QVERIFY(!look.reports.first()->time.at);
        QCOMPARE(look.reports.first()->time.toString(), u"unknown time"_s);
        QCOMPARE(look.captured, 1);
    }

    void aManagedInstanceIsReadByWildcardOrFromItsRingBuffer_data()
    {
        QTest::addColumn<bool>("hasFile");
        QTest::newRow("file") << true;
        QTest::newRow("ring buffer") << false;
    }

    void aManagedInstanceIsReadByWildcardOrFromItsRingBuffer()
    {
        QFETCH(bool, hasFile);
        Bench bench([hasFile](EventPicture& picture) {
            picture.version = u"12.0.2000.8"_s;
            picture.engineEdition = 8;
            if (hasFile)
                return addSystemHealth(picture);
            picture.session(u"system_health"_s).hasRing = true;
        });
        bench.look();
        bench.change([hasFile](EventPicture& picture) {
            picture.sessions[0].ring = ringOf({caught(1, start + second)});
            if (hasFile)
                picture.lastFile().write({caught(1, start + second)});
        });
        const SourceLook look = bench.look();
        QCOMPARE(numbersOf(look), QList<int>{1});
        QCOMPARE(
            look.origin, hasFile ? u"event files of system_health"_s : u"ring buffer of system_health"_s);
        SAYS_NOT(look, "can't be read");
    }

    void whenFilesCantBeReadTheRingBufferIs()
    {
        Bench bench([](EventPicture& picture) {
            addSystemHealth(picture);
            picture.files.clear(); // nothing was written yet, or the folder is closed to the server
        });
        bench.look();
        bench.change(
            [](EventPicture& picture) { picture.sessions[0].ring = ringOf({caught(1, start + second)}); });
        const SourceLook look = bench.look();
        QCOMPARE(numbersOf(look), QList<int>{1});
        SAYS(look, "The event files of system_health can't be read");
        // Later there are files: what the ring buffer told is not told again.
        bench.change([](EventPicture& picture) {
            picture.file(u"system_health"_s, start)
                .write({caught(1, start + second), caught(2, start + second)});
        });
        QCOMPARE(numbersOf(bench.look()), QList<int>{2});
    }

    void azureSqlDatabaseHasItsOwnSessions()
    {
        Bench bench([](EventPicture& picture) {
            picture.version = u"12.0.2000.8"_s;
            picture.engineEdition = 5;
        });
        const SourceLook none = bench.look();
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
        const SourceLook look = bench.look();
        QCOMPARE(numbersOf(look), QList<int>{1});
        QCOMPARE(look.reports.first()->participants.first().database, u"orders"_s);
        QCOMPARE(look.origin, u"ring buffer of dl"_s);
        QCOMPARE(bench.readings(u"fn_xe_telemetry"_s), 0);
    }

    void azureSqlDatabaseCanKeepFilesInStorage()
    {
        Bench bench([](EventPicture& picture) {
            picture.engineEdition = 5;
            auto& session = picture.session(u"dl"_s);
            session.events = {u"database_xml_deadlock_report"_s};
            session.file = u"https://store.blob.core.windows.net/xe/dl.xel"_s;
            picture.file(u"dl"_s, start - hour).write({waitInfo(start - hour)});
        });
        bench.look();
        bench.change([](EventPicture& picture) {
            picture.lastFile().write({eventOf(u"database_xml_deadlock_report"_s, xmlOf(1), start + second)});
            picture.file(u"dl"_s, start + hour)
                .write({eventOf(u"database_xml_deadlock_report"_s, xmlOf(2), start + hour)});
        });
        QCOMPARE(numbersOf(bench.look()), (QList<int>{1, 2}));
    }

    void azuresMasterTellsOfAllDatabases()
    {
        Bench bench([](EventPicture& picture) {
            picture.engineEdition = 5;
            for (int i = 1; i <= 5; ++i)
                picture.telemetry.push_back(eventOf(u"database_xml_deadlock_report"_s, xmlOf(i),
                    start - (6 - i) * second, {}, i % 2 == 0 ? u"orders"_s : u"stock"_s));
        });
        bench.begin(ServerTime{start - hour}, {0ms, 0ms, 2}, u"master"_s);
        QList<int> numbers;
        SourceLook look;
        do {
            look = bench.look();
            QVERIFY(look.reports.size() <= 2);
            numbers += numbersOf(look);
        } while (look.isMoreToRead && numbers.size() < 50);
        QCOMPARE(numbers, (QList<int>{1, 2, 3, 4, 5}));
        QCOMPARE(look.origin, u"what Azure keeps of all databases of this logical server"_s);
        bench.change([](EventPicture& picture) {
            picture.telemetry.push_back(
                eventOf(u"database_xml_deadlock_report"_s, xmlOf(6), start - 10 * second)); // it came late
        });
        QCOMPARE(numbersOf(bench.look()), QList<int>{6});

        Bench user([](EventPicture& picture) {
            picture.engineEdition = 5;
            picture.telemetry.push_back(caught(1, start));
        });
        user.look();
        QCOMPARE(user.readings(u"fn_xe_telemetry"_s), 0); // no rows there, and no error
    }

    void whatAzureKeepsIsAskedForSeldom()
    {
        Bench bench([](EventPicture& picture) { picture.engineEdition = 5; });
        bench.begin({}, {}, u"master"_s);
        for (int i = 0; i < 3; ++i)
            bench.look();
        QCOMPARE(bench.readings(u"fn_xe_telemetry"_s), 1);
    }

    void blockedProcessReportsComeWhereTheThresholdIsSet()
    {
        Bench bench([](EventPicture& picture) {
            addSystemHealth(picture);
            auto& session = picture.session(u"blocked"_s);
            session.events = {u"blocked_process_report"_s};
            session.file = u"blocked.xel"_s;
            picture.file(u"blocked"_s, start - hour).write({waitInfo(start - hour)});
            picture.threshold = 10;
        });
        SAYS_NOT(bench.look(), "blocked process threshold");
        bench.change([](EventPicture& picture) {
            picture.lastFile().write({eventOf(u"blocked_process_report"_s,
                "<blocked-process-report monitorLoop=\"7\"><blocked-process><process id=\"p1\" spid=\"63\" "
                "ecid=\"0\" "
                "waittime=\"12000\" waitresource=\"KEY: 5:1 (8194443284a0)\"><inputbuf>UPDATE dbo.a SET n = "
                "1</inputbuf></process></blocked-process><blocking-process><process spid=\"52\" ecid=\"0\" "
                "status=\"sleeping\"><inputbuf>BEGIN TRAN</inputbuf></process></blocking-process>"
                "</blocked-process-report>",
                start + second)});
        });
        const SourceLook look = bench.look();
        QCOMPARE(look.reports.size(), 1);
        QCOMPARE(look.reports.first()->kind, ReportKind::Blocked);
        QCOMPARE(look.captured, 0); // no deadlock
        QCOMPARE(look.origin, u"event files of blocked, system_health"_s);
    }

    void theThresholdOfBlockedProcessReportsIsTold_data()
    {
        QTest::addColumn<int>("threshold");
        QTest::addColumn<bool>("isCaught");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("off") << 0 << false << u"There are no blocked-process reports"_s;
        QTest::newRow("off but caught") << 0 << true << u"caught, but never made"_s;
        QTest::newRow("too short") << 2 << true << u"'blocked process threshold (s)' is 2: below 5"_s;
        QTest::newRow("nobody catches them") << 20 << false << u"(after 20 s), but no event session"_s;
        QTest::newRow("good") << 20 << true << QString();
    }

    void theThresholdOfBlockedProcessReportsIsTold()
    {
        QFETCH(int, threshold);
        QFETCH(bool, isCaught);
        QFETCH(QString, sentence);
        Bench bench([&](EventPicture& picture) {
            addSystemHealth(picture);
            if (isCaught)
                picture.sessions[0].events << u"blocked_process_report"_s;
            picture.threshold = threshold;
        });
        const SourceLook look = bench.look();
        QVERIFY2(said(look).contains(sentence), qPrintable(said(look)));
        QCOMPARE(said(look).isEmpty(), sentence.isEmpty());
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
        Bench bench([](EventPicture& picture) {
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
        SourceLook look;
        int looks = 0;
        do {
            look = bench.look();
            QVERIFY(look.reports.size() <= most + inBlock);
            QVERIFY(look.bytesRead < qint64(most + 2 * inBlock) * 2 * (xmlOf(0).size() + 300));
            for (const int number : numbersOf(look)) {
                QVERIFY(!numbers.contains(number));
                numbers << number;
            }
        } while (look.isMoreToRead && ++looks < 100);
        QCOMPARE(numbers.size(), count);
    }

    void aLookThatTakesTooLongIsMadeSmaller()
    {
        Bench bench([](EventPicture& picture) {
            addSystemHealth(picture);
            picture.file(u"system_health"_s, start - 60 * second).write({caught(1, start - second)});
            picture.failures[u"sys.fn_xe_file_target_read_file"_s] = 1222; // a time limit
        });
        bench.begin(ServerTime{start - 2 * hour});
        const SourceLook slow = bench.look();
        SAYS(slow, "the next look reads only the newest of them");
        QVERIFY(slow.isMoreToRead);
        bench.change([](EventPicture& picture) { picture.failures.clear(); });
        const SourceLook look = bench.look();
        QCOMPARE(numbersOf(look), QList<int>{1});
        SAYS(look, "Only the newest event file of system_health was read");
    }

    void aLostConnectionIsAnErrorAndNothingIsLost()
    {
        Bench bench;
        bench.look();
        bench.server.run([&bench] {
            for (const auto& session : bench.server.sessions())
                bench.server.disconnect(session->id);
        });
        const auto failed = bench.source->look();
        QVERIFY(!failed);
        QCOMPARE(failed.error().kind, ErrorKind::Connection);
        bench.change([](EventPicture& picture) {
            picture.deadlocks = 1;
            picture.lastFile().write({caught(1, start + second)});
        });
        auto again =
            db::Server::at(urlOf(bench.server), db::fixedPassword(passwordOf(bench.server))).connect();
        QVERIFY(again);
        bench.source->replaceConnection(**again);
        const SourceLook look = bench.look();
        QCOMPARE(numbersOf(look), QList<int>{1});
        QCOMPARE(look.counted, 1);
        bench.source.reset();
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
        const auto look = DeadlockSource::create(**connection)->look();
        QVERIFY(look);
        QVERIFY(look->origin.isEmpty());
        SAYS(*look, "Babelfish 4.3.0 keeps no reports of deadlocks");
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
        // From Microsoft's "Targets for Extended Events": its first event is of 2016-08-07T20:13:35.827Z.
        const auto begun =
            SqlServerEventFiles::begun(u"C:\\junk\\locks_acq_rel_eventfile_22-_0_131150744126230000.xel"_s);
        QVERIFY(begun);
        QCOMPARE(begun->toIsoString().left(19), u"2016-08-07T20:13:32"_s);
        QVERIFY(!SqlServerEventFiles::begun(u"own.xel"_s));
    }
};

LOCKSCOPE_TEST(SqlServerDeadlocksTest)
#include "tst_SqlServerDeadlocks.moc"
