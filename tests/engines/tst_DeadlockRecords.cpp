// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Real PostgreSQL servers record real deadlocks, which are read poll by poll.

#include "core/deadlock/source/DeadlockPoller.h"
#include "core/watch/ServerWatch.h"
#include "tests/support/Deadlock.h"
#include "tests/support/Lockctl.h"
#include "tests/support/LoggingServer.h"
#include "tests/support/PgBouncer.h"
#include "tests/support/Standby.h"
#include "tests/support/TestProgram.h"

namespace tst_DeadlockRecords {

using namespace lockscope;
using namespace lockscope::deadlock;
using namespace lockscope::test;

static std::unique_ptr<db::Connection> connectTo(
    const db::Server& server, db::Purpose purpose = db::Purpose::Monitor)
{
    return test::orDie(server.connect({.purpose = purpose}));
}

static void run(const db::Server& server, const QString& sql)
{
    orDie(runSql(*connectTo(server, db::Purpose::Workload), sql));
}

/// A source and its connection, as a watch has them.
struct RecordsPoller {
    explicit RecordsPoller(const db::Server& server, std::optional<ServerTime> since = {})
        : connection(connectTo(server))
        , source(DeadlockPoller::makeSource(*connection, since))
    {
    }
    /// Polls once, and adds the results to the earlier ones.
    SourcePoll poll()
    {
        last = orDie(source->poll());
        reports << last.reports;
        return last;
    }
    /// Until as many were counted and captured, and then once more.
    [[nodiscard]] bool pollUntil(qint64 counted, qsizetype captured)
    {
        return test::waitUntil([&] {
            poll();
            return last.counted == counted && last.captured >= captured && reports.size() >= captured
                && !last.isMoreToRead;
        });
    }
    QByteArray pollText() const
    {
        return (last.origin + u": "_s + QString::number(last.counted.value_or(-1)) + u" counted, "_s
            + QString::number(last.captured) + u" captured. "_s + last.limits.join(u' '))
            .toUtf8();
    }

    std::unique_ptr<db::Connection> connection;
    std::unique_ptr<DeadlockSource> source;
    QList<ReportPtr> reports;
    SourcePoll last;
};

static db::Server withPooler(db::Server server)
{
    server.profile.url.options.insert(u"pooler"_s, u"transaction"_s);
    return server;
}

/// Returns the GRANTs that limits offer.
static QStringList grantsIn(const QStringList& limits)
{
    static const QRegularExpression grant(u"GRANT [^;]*;"_s);
    QStringList grants;
    for (auto each = grant.globalMatch(limits.join(u' ')); each.hasNext();)
        grants << each.next().captured();
    return grants;
}

class tst_DeadlockRecords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_url = m_server->freshDatabase(TestServer::Schema::None); }

    void everyKind_data()
    {
        test::addColumns<QStringList, ResourceKind>("locks", "kind");
        row("rows",
            QStringList{u"update public.kinds set n = 1 where id = 1"_s,
                u"update public.kinds set n = 1 where id = 2"_s},
            ResourceKind::TransactionId);
        row("tables", QStringList{u"lock table public.kinds"_s, u"lock table public.others"_s},
            ResourceKind::Relation);
        row("advisory",
            QStringList{u"select pg_advisory_xact_lock(1)"_s, u"select pg_advisory_xact_lock(2)"_s},
            ResourceKind::ApplicationLock);
        row("three",
            QStringList{u"select pg_advisory_xact_lock(3)"_s, u"select pg_advisory_xact_lock(4)"_s,
                u"select pg_advisory_xact_lock(5)"_s},
            ResourceKind::ApplicationLock);
    }
    /// The private sandbox writes to one file without a collector.
    void everyKind()
    {
        FETCH(QStringList, locks, ResourceKind, kind);
        run(server(), u"create table if not exists public.kinds (id int primary key, n int)"_s);
        run(server(), u"create table if not exists public.others (id int primary key, n int)"_s);
        run(server(), u"insert into public.kinds values (1, 0), (2, 0) on conflict do nothing"_s);
        RecordsPoller poller(server());
        QVERIFY(poller.poll().reports.isEmpty());
        QCOMPARE(poller.last.limits, QStringList());
        QCOMPARE(poller.last.origin, u"PostgreSQL's log (stderr)"_s);
        makeRing(server(), locks);
        QVERIFY2(poller.pollUntil(1, 1), poller.pollText());
        QCOMPARE(poller.reports.size(), 1);
        const DeadlockReport& report = *poller.reports.first();
        QCOMPARE(report.cycles.size(), 1);
        QCOMPARE(report.cycles.first().links.size(), locks.size());
        QCOMPARE(report.resources.first().kind, kind);
        QVERIFY(report.time.at && report.time.isZoneKnown);
        QVERIFY2(report.complaints.isEmpty(), qPrintable(report.complaints.join(u' ')));
        QCOMPARE(report.participants.first().user, u"lockscope"_s);
        for (const Participant& each : report.participants)
            QVERIFY2(locks.contains(each.statement), qPrintable(each.statement));
        // Nothing comes twice; a poll of a log that does not grow is one round trip.
        QVERIFY(test::waitUntil([&] { return poller.poll().roundTrips == 1 && poller.last.bytesRead == 0; }));
        QCOMPARE(poller.reports.size(), 1);
    }

    void numbersAreNamed()
    {
        const db::ServerUrl url = m_server->freshDatabase(
            u"create table public.named (id int);insert into lockscope.app_lock_name (key, name) values (hashtextextended('nightly', 0), 'nightly')"_s);
        const db::Server server = m_server->at(url);
        RecordsPoller poller(server);
        poller.poll();
        test::makeRing(server,
            {u"lock table public.named"_s,
                u"select pg_advisory_xact_lock(hashtextextended('nightly', 0))"_s});
        QVERIFY2(poller.pollUntil(1, 1), poller.pollText());
        QStringList names = textsOf(poller.reports.first()->resources, &LockedThing::name);
        names.sort();
        COMPARE_TEXTS(names, "advisory lock “nightly”", "public.named");
    }

    void severalAtOnce()
    {
        RecordsPoller poller(server());
        poller.poll();
        {
            std::vector<std::jthread> all;
            for (int i = 0; i < 4; ++i)
                all.emplace_back([this, key = m_key += 10] { makeDeadlock(server(), key); });
        }
        QVERIFY2(poller.pollUntil(4, 4), poller.pollText());
        QCOMPARE(poller.reports.size(), 4);
    }

    void theCollectorsFormats_data()
    {
        test::addColumns<QString, QString, SourceFormat>("destination", "format", "source");
        row("all three", "stderr,csvlog,jsonlog", "jsonlog", SourceFormat::PostgresJson);
        row("csvlog and stderr", "stderr,csvlog", "csvlog", SourceFormat::PostgresCsv);
        row("stderr", "stderr", "stderr", SourceFormat::PostgresText);
    }
    /// The most detailed log is read, so that a deadlock counts once; in a zone that only the server knows.
    void theCollectorsFormats()
    {
        FETCH(QString, destination, QString, format, SourceFormat, source);
        const LoggingServer server({},
            {u"log_destination="_s + destination, u"log_timezone=Asia/Kolkata"_s,
                u"log_line_prefix=%m [%p] "_s});
        makeDeadlock(server.server(), 1);
        RecordsPoller poller(server.server());
        poller.poll();
        QCOMPARE(poller.last.origin, u"PostgreSQL's log (%1)"_s.arg(format));
        QCOMPARE(poller.last.limits, QStringList());
        makeDeadlock(server.server(), 11);
        QVERIFY2(poller.pollUntil(1, 1), poller.pollText());
        QCOMPARE(poller.reports.size(), 1);
        const DeadlockReport& report = *poller.reports.first();
        QCOMPARE(report.source.format, source);
        QCOMPARE(report.cycles.size(), 1);
        QVERIFY(report.time.at && report.time.isZoneKnown);
        const ServerTime now{test::ask(
            *poller.connection, u"SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"_s)
                                 .toLongLong()};
        const microseconds ago = now - *report.time.at;
        QVERIFY2(ago > microseconds(-2'000'000) && ago < microseconds(600'000'000),
            qPrintable(report.time.toString()));
        // Another one reads the earlier ones, too.
        RecordsPoller all(server.server(), ServerTime{now.us - 600'000'000});
        QVERIFY(test::waitUntil([&] { return !all.poll().isMoreToRead; }));
        QCOMPARE(all.reports.size(), 2);
        QCOMPARE(all.last.captured, 0); // none while it looked
        RecordsPoller none(server.server(), ServerTime{now.us + 60'000'000});
        QVERIFY(none.poll().reports.isEmpty());
    }

    /// A wait in the log is given, and counts as no deadlock.
    void waitsAreNoDeadlocks()
    {
        const LoggingServer server({}, {u"log_lock_waits=on"_s});
        RecordsPoller poller(server.server());
        poller.poll();
        const auto holder = server.session();
        const auto waiter = server.session();
        holder->write("begin;\nselect pg_advisory_xact_lock(7);\n\\echo held\n");
        QByteArray heard;
        QTRY_VERIFY2((holder->waitForReadyRead(20), heard += holder->readAll()).contains("held"), heard);
        waiter->write("select pg_advisory_xact_lock(7);\n");
        QVERIFY2(test::waitUntil([&poller] {
            poller.poll();
            return !poller.reports.isEmpty();
        }),
            poller.pollText());
        QCOMPARE(poller.reports.first()->kind, ReportKind::Blocked);
        QCOMPARE(poller.reports.first()->links.size(), 1);
        QCOMPARE(poller.last.captured, 0);
        QCOMPARE(poller.last.counted, std::optional<qint64>(0));
    }

    void theLogRotates()
    {
        const LoggingServer server({}, {u"log_destination=csvlog"_s, u"log_filename=server-%H%M%S.log"_s});
        RecordsPoller poller(server.server());
        poller.poll();
        const auto current = [&] {
            return test::ask(*poller.connection, u"SELECT pg_current_logfile('csvlog')"_s);
        };
        for (int i = 0; i < 3; ++i) {
            makeDeadlock(server.server(), 10 * i);
            const QString before = current();
            QVERIFY(test::waitUntil([&] {
                test::ask(*poller.connection, u"SELECT pg_rotate_logfile()"_s);
                return current() != before;
            }));
        }
        QVERIFY2(poller.pollUntil(3, 3), poller.pollText());
        QCOMPARE(poller.reports.size(), 3);
        QCOMPARE(poller.last.limits, QStringList());
        // A file that is removed before it was read to its end.
        makeDeadlock(server.server(), 50);
        const QString gone = current();
        QVERIFY(test::waitUntil([&] { // the collector has it
            return test::ask(*poller.connection,
                       u"SELECT pg_read_file(pg_current_logfile('csvlog')) LIKE '%40P01%'"_s)
                == u"t";
        }));
        QVERIFY(test::waitUntil([&] {
            test::ask(*poller.connection, u"SELECT pg_rotate_logfile()"_s);
            return current() != gone;
        }));
        QVERIFY(QFile::remove(gone));
        QVERIFY(test::waitUntil([&] { return poller.poll().counted == 4; }));
        QCOMPARE(poller.reports.size(), 3);
        QCOMPARE(poller.last.captured, 3);
        QVERIFY2(poller.last.limits.join(u' ').contains(u"was removed"_s), poller.pollText());
    }

    void logsOfOtherServersInTheFolderAreNotRead()
    {
        const LoggingServer server({}, {u"log_destination=csvlog"_s, u"log_filename=own-%Y%m%d.log"_s});
        makeDeadlock(server.server(), 1);
        const auto asked = connectTo(server.server());
        const QString own = test::ask(*asked, u"SELECT pg_current_logfile('csvlog')"_s);
        QVERIFY(test::waitUntil([&] { // the collector has it
            return test::ask(*asked, u"SELECT pg_read_file(pg_current_logfile('csvlog')) LIKE '%40P01%'"_s)
                == u"t";
        }));
        const QString folder = own.section(u'/', 0, -2);
        QVERIFY(QFile::copy(own, folder + u"/other-19990101.csv"_s));
        QVERIFY(QFile::copy(own, folder + u"/own-19990101.csv"_s)); // as if it were an older one
        const ServerTime now{
            test::ask(*asked, u"SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"_s)
                .toLongLong()};
        run(server.server(), u"CREATE ROLE watcher LOGIN PASSWORD 'secret' IN ROLE pg_monitor"_s);
        for (const db::Server& by : {server.server(), server.serverFor(u"watcher"_s)}) {
            RecordsPoller poller(by, ServerTime{now.us - 600'000'000});
            QVERIFY(
                test::waitUntil([&] { return !poller.poll().isMoreToRead && poller.reports.size() >= 2; }));
            QCOMPARE(poller.reports.size(), 2);
            COMPARE_TEXTS(poller.last.limits,
                "Not read, because not named as the server's own log is: other-19990101.csv.");
        }
    }

    void aRoleWithoutRightsIsToldWhatWouldHelp()
    {
        const LoggingServer server;
        run(server.server(), u"CREATE ROLE \"Guest\" LOGIN PASSWORD 'secret'"_s);
        // The log is not read from this machine's disk, but as over a network.
        RecordsPoller poller(withPooler(server.serverFor(u"Guest"_s)));
        poller.poll();
        QCOMPARE(poller.last.origin, QString());
        makeDeadlock(server.server(), 1);
        QVERIFY(test::waitUntil([&] { return poller.poll().counted == 1; }));
        QCOMPARE(poller.last.captured, 0);
        const QStringList grants = grantsIn(poller.last.limits);
        QVERIFY2(!grants.isEmpty(), poller.pollText());
        for (const QString& grant : grants)
            run(server.server(), grant);
        poller.poll();
        QVERIFY2(poller.last.origin.contains(u"jsonlog"_s) || poller.last.origin.contains(u"csvlog"_s),
            poller.pollText());
        QCOMPARE(poller.last.limits, QStringList());
        makeDeadlock(server.server(), 11);
        QVERIFY2(poller.pollUntil(2, 1), poller.pollText());
        // The right is taken away again.
        run(server.server(), u"REVOKE EXECUTE ON FUNCTION pg_catalog.pg_ls_logdir() FROM \"Guest\""_s);
        poller.poll();
        QVERIFY(test::waitUntil([&] { return poller.poll().origin.isEmpty(); }));
        COMPARE_TEXTS(grantsIn(poller.last.limits),
            "GRANT EXECUTE ON FUNCTION pg_catalog.pg_ls_logdir() TO \"Guest\";");
        QCOMPARE(poller.last.counted, 2);
    }

    void withoutCollector()
    {
        const db::ServerUrl guest = m_server->asRole(m_url);
        RecordsPoller poller(withPooler(m_server->at(guest)));
        poller.poll();
        QCOMPARE(poller.last.origin, QString());
        QVERIFY2(poller.last.limits.join(u' ').contains(u"logging_collector"_s), poller.pollText());
        for (const QString& grant : grantsIn(poller.last.limits))
            run(server(), grant);
        poller.poll();
        QCOMPARE(poller.last.origin, u"PostgreSQL's log (stderr)"_s);
        makeDeadlock(server(), m_key += 10);
        QVERIFY2(poller.pollUntil(1, 1), poller.pollText());
        for (QString grant :
            grantsIn(
                {u"GRANT EXECUTE ON FUNCTION pg_catalog.pg_read_binary_file(text, bigint, bigint, boolean) TO %1; GRANT EXECUTE ON FUNCTION pg_catalog.pg_stat_file(text, boolean) TO %1;"_s
                        .arg(guest.user)}))
            run(server(), grant.replace(u"GRANT"_s, u"REVOKE"_s).replace(u" TO "_s, u" FROM "_s));
    }

    void fromThisMachinesDisk()
    {
        // A role without any right, on a server that runs here, of an account that may look at it.
        RecordsPoller plain(m_server->at(m_server->asRole(m_url)));
        plain.poll();
        QCOMPARE(plain.last.origin, u"PostgreSQL's log (stderr), from this machine's disk"_s);
        makeDeadlock(server(), m_key += 10);
        QVERIFY2(plain.pollUntil(1, 1), plain.pollText());
        QCOMPARE(plain.reports.size(), 1);
        const LoggingServer collected({}, {u"log_destination=csvlog"_s});
        run(collected.server(), u"CREATE ROLE guest LOGIN PASSWORD 'secret'"_s);
        RecordsPoller poller(collected.serverFor(u"guest"_s));
        poller.poll();
        QCOMPARE(poller.last.origin, u"PostgreSQL's log (csvlog), from this machine's disk"_s);
        makeDeadlock(collected.server(), 1);
        QVERIFY2(poller.pollUntil(1, 1), poller.pollText());
    }

    void theCounterIsReset()
    {
        RecordsPoller poller(server());
        poller.poll();
        makeDeadlock(server(), m_key += 10);
        makeDeadlock(server(), m_key += 10);
        QVERIFY2(poller.pollUntil(2, 2), poller.pollText());
        QVERIFY(!poller.last.countedIsAtLeast);
        run(server(), u"SELECT pg_stat_reset()"_s);
        QVERIFY(test::waitUntil([&] { return poller.poll().countedIsAtLeast; }));
        QCOMPARE(poller.last.counted, 2);
        QVERIFY2(poller.last.limits.join(u' ').contains(
                     u"The counter of database %1 was reset at "_s.arg(m_url.database)),
            poller.pollText());
        makeDeadlock(server(), m_key += 10);
        QVERIFY2(poller.pollUntil(3, 3), poller.pollText());
    }

    void behindAPooler()
    {
        SKIP_FOR(PgBouncer::reasonAgainst());
        const PgBouncer pooler(*m_server, PgBouncer::Mode::Transaction, 2);
        RecordsPoller poller(m_server->at(pooler.before(m_url)));
        poller.poll();
        QCOMPARE(poller.last.origin, u"PostgreSQL's log (stderr)"_s);
        makeDeadlock(server(), m_key += 10);
        QVERIFY2(poller.pollUntil(1, 1), poller.pollText());
        QCOMPARE(poller.reports.size(), 1);
    }

    void anotherConnectionGoesOn()
    {
        RecordsPoller poller(server());
        poller.poll();
        makeDeadlock(server(), m_key += 10);
        run(server(), u"SELECT pg_terminate_backend(%1)"_s.arg(poller.connection->sessionId().value));
        QVERIFY(test::waitUntil([&] { return !poller.source->poll(); }));
        auto fresh = connectTo(server());
        poller.source->replaceConnection(*fresh);
        poller.connection = std::move(fresh);
        QVERIFY2(poller.pollUntil(1, 1), poller.pollText());
        QCOMPARE(poller.reports.size(), 1);
        QCOMPARE(poller.last.limits, QStringList());
    }

    void aReplicaSaysWhereTheyAre()
    {
        TestServer primary(TestServer::replicating());
        const test::Standby standby(primary, test::Standby::Commit::Asynchronous);
        RecordsPoller poller(standby.at(standby.url()));
        poller.poll();
        QCOMPARE(poller.last.origin, u"PostgreSQL's log (stderr)"_s);
        QVERIFY2(poller.last.limits.join(u' ').contains(u"a replica"_s), poller.pollText());
        QCOMPARE(poller.last.counted, 0);
    }

    void theLogDoesNotTell_data()
    {
        test::addRows<QString>("setting",
            {{"terse", u"log_error_verbosity=terse"_s}, {"no errors", u"log_min_messages=fatal"_s},
                {"no counters", u"track_counts=off"_s}, {"syslog only", u"log_destination=syslog"_s}});
    }
    void theLogDoesNotTell()
    {
        QFETCH(QString, setting);
        const LoggingServer server({}, {setting});
        RecordsPoller poller(server.server());
        poller.poll();
        const QString name = setting.section(u'=', 0, 0);
        QVERIFY2(poller.last.limits.size() == 1 && poller.last.limits[0].contains(name), poller.pollText());
        QCOMPARE(poller.last.counted.has_value(), name != u"track_counts"_s);
    }

    void theWatchTells()
    {
        DeadlockWatch watch(server());
        QList<SourcePoll> polls;
        connect(&watch, &DeadlockWatch::polled, &watch, [&](const Result<SourcePoll>& poll) {
            if (poll)
                polls << *poll;
        });
        watch.start();
        QTRY_COMPARE(polls.size(), 1);
        makeDeadlock(server(), m_key += 10);
        watch.polls().pollSoon(); // far before the next poll's time
        const auto found = [&] {
            qsizetype reports = 0;
            for (const SourcePoll& each : polls)
                reports += each.reports.size();
            return reports;
        };
        TRY_COMPARE(found(), 1);
        TRY_COMPARE(polls.last().counted, 1);
        QCOMPARE(watch.cost().polls, polls.size());
        QVERIFY(watch.cost().bytes > 0 && watch.cost().client.count() > 0);
        watch.polls().setPaused(true);
        const qsizetype before = polls.size();
        watch.polls().pollNow();
        QTRY_VERIFY(polls.size() > before);
        QVERIFY(!DeadlockPoller::isPossible(Engine::Sqlite));
    }

    void theWatchEndsWithoutWaiting()
    {
        // A server that takes the connection and says nothing.
        db::Server silent = server();
        silent.profile.url.host = u"192.0.2.1"_s; // for documentation: nobody answers
        const bool isPrompt = test::isOncePrompt(std::chrono::milliseconds(200), [&] {
            auto watch = std::make_unique<DeadlockWatch>(silent);
            watch->start();
            QTest::qWait(20);
            const auto began = std::chrono::steady_clock::now();
            watch.reset();
            return test::Taken(std::chrono::steady_clock::now() - began);
        });
        QVERIFY(isPrompt);
    }

    void aRefusedLogInIsNotTriedAgain()
    {
        db::Server refused = server();
        refused.passwords = db::fixedPassword(u"wrong"_s);
        DeadlockWatch watch(refused);
        watch.polls().setCadence(milliseconds(1'000));
        int failures = 0;
        connect(&watch, &DeadlockWatch::polled, &watch, [&](const Result<SourcePoll>& poll) {
            VERIFY_FAILS(ErrorKind::Login, poll);
            ++failures;
        });
        watch.start();
        QTRY_COMPARE(failures, 1);
        watch.polls().pollSoon();
        watch.polls().pollNow(); // a person
        QTRY_COMPARE(failures, 2);
        const qint64 seen = m_server->log().count(u"password authentication failed"_s);
        QVERIFY(!test::waitUntil([&] { return failures > 2; }, milliseconds(2'500)));
        QCOMPARE(m_server->log().count(u"password authentication failed"_s), seen);
    }

    void aPersonGetsOverARefusedLogIn()
    {
        const auto isRight = std::make_shared<std::atomic<bool>>(true);
        db::Server changing = server();
        changing.passwords = [isRight, right = changing.passwords](const QString& url) {
            return *isRight ? right(url) : Result<QString>(u"wrong"_s);
        };
        watch::ServerWatch watch(changing,
            {.interval = std::chrono::milliseconds(200),
                .keepsOrder = false,
                .deadlockPause = std::chrono::milliseconds(1'000)});
        watch.start();
        TRY_VERIFY(watch.deadlocks() && watch.deadlocks()->cost().polls > 0);
        *isRight = false;
        run(server(),
            u"select pg_terminate_backend(pid) from pg_stat_activity where application_name like '%deadlocks' and datname = current_database()"_s);
        const auto& latest = watch.deadlocks()->latest();
        TRY_VERIFY(!*latest && latest->error().kind == ErrorKind::Login);
        *isRight = true;
        watch.refreshNow();
        TRY_VERIFY(latest->has_value());
    }

    void lockctlTells()
    {
        const LoggingServer server;
        const db::Server at = server.server();
        const Lockctl ctl(
            at.profile.url.toString(), at.passwords(at.profile.url.toString()).value_or(QString()));
        auto answer = ctl("deadlocks");
        QVERIFY2(answer.code == 0 && answer.out.contains(u"No deadlock"_s), answer.allOutput());
        makeDeadlock(at, 1);
        makeDeadlock(at, 1);
        // A log may have whole seconds: a deadlock within this one may count as seen during the poll.
        const qint64 second = QDateTime::currentSecsSinceEpoch();
        QVERIFY(test::waitUntil([second] { return QDateTime::currentSecsSinceEpoch() > second; }));
        answer = ctl("deadlocks --since 10m");
        QVERIFY2(answer.code == 1 && answer.out.contains(u"2 deadlocks"_s), answer.allOutput());
        answer = ctl("deadlocks %1 --json", at.profile.url.toString());
        VERIFY_CODE(1, answer);
        QCOMPARE(answer.json()[u"deadlocks"].toArray().size(), 2);
        QCOMPARE(answer.json()[u"captured"].toInt(), 0); // while it looked
        answer = ctl("deadlocks --family --json");
        VERIFY_CODE(1, answer);
        const QJsonArray families = answer.json()[u"families"].toArray();
        QCOMPARE(families.size(), 1);
        QCOMPARE(families[0][u"count"].toInt(), 2);
        answer = ctl("deadlocks --since 0s");
        VERIFY_CODE(0, answer);
        // For a future time, "none" would be wrong.
        answer = ctl("deadlocks --since 9999-01-01T00:00:00Z");
        QVERIFY2(answer.code == 2 && answer.isOneLineOfError() && answer.out.isEmpty(), answer.allOutput());
        answer = ctl("deadlocks --since yesterday");
        QVERIFY2(answer.code == 2 && answer.isOneLineOfError(), answer.allOutput());
        // Nothing can be said.
        const Lockctl nobody(u"postgresql://nobody@127.0.0.1:1/none"_s);
        answer = nobody("deadlocks");
        QVERIFY2(answer.code == 3 && answer.isOneLineOfError(), answer.allOutput());
        const Lockctl file(u"sqlite:///nowhere.db"_s);
        QCOMPARE(file("deadlocks").code, 3);
        run(at, u"CREATE ROLE guest LOGIN PASSWORD 'secret'"_s);
        const Lockctl guest(withPooler(server.serverFor(u"guest"_s)).profile.url.toString(), u"secret"_s);
        answer = guest("deadlocks");
        QVERIFY2(answer.code == 3 && answer.err.contains(u"GRANT EXECUTE"_s), answer.allOutput());
    }

    void lockctlFollows()
    {
        const Lockctl ctl(m_url.toString(), m_server->password());
        const auto process = ctl.start("deadlocks --follow --json --interval 1s");
        const auto watches = [this] {
            return test::ask(*m_server->connect(m_url),
                       u"SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE '%deadlocks%' AND query LIKE '%clock_timestamp%'"_s)
                != u"0"_s;
        };
        QVERIFY(test::waitUntil(watches));
        makeDeadlock(server(), m_key += 10);
        QByteArray out;
        QVERIFY(test::waitUntil([&] {
            process->waitForReadyRead(50);
            out += process->readAllStandardOutput();
            return out.contains('\n');
        }));
        const auto json = QJsonDocument::fromJson(out).object();
        QCOMPARE(json[u"deadlocks"].toArray().size(), 1);
        process->terminate();
        QCOMPARE(Lockctl::finish(*process).code, 0);
    }

private:
    db::Server server() const { return m_server->at(m_url); }

    TestServer* m_server = &TestServer::shared(); ///< as the private sandbox is: no collector, one file
    db::ServerUrl m_url;
    int m_key = 100;
};

LOCKSCOPE_TEST(tst_DeadlockRecords)

} // namespace tst_DeadlockRecords
#include "tst_DeadlockRecords.moc"
