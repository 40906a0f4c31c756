// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Verdicts on the holders of rows, with real sessions on a real server, poll by poll.

#include "core/frameworks/FrameworkFile.h"
#include "core/monitor/FrameworkProbe.h"
#include "core/monitor/SnapshotSource.h"
#include "tests/support/PgBouncer.h"
#include "tests/support/Session.h"
#include "tests/support/TestProgram.h"

namespace tst_HolderVerdicts {

using namespace lockscope;
using namespace lockscope::test;
using Verdict = HolderLife::Verdict;
using Client = test::Session;

/// Frameworks whose program names its session or its machine's address in the row, and needs a session as
/// long as it holds the lock.
static frameworks::CataloguePtr ours()
{
    QString text =
        u"{'format': 1, 'name': 'Ours', 'about': 'A.', 'locks': [{'id': 'row', 'name': 'turn', 'kind': 'row', 'engines': ['postgres'], 'purpose': 'p', 'ends': 'e', 'danger': 'd', 'table': {'names': ['turns'], 'columns': ['name', 'holder', 'taken']}, 'row': {'name': '{name}', 'holder': {'column': "
        u"'holder', 'pattern': 'session (?<session>[0-9]+)|from (?<address>.+)'}, 'since': {'column': 'taken', 'clock': 'utc'}, 'heartbeat': {'column': 'beat', 'clock': 'utc'}, 'dead_after': '30min', 'keeps_session': true, 'compare': ['name', 'holder', 'taken'], 'delete': true}}]}"_s;
    auto catalogue = std::make_shared<frameworks::Catalogue>();
    catalogue->frameworks.push_back(std::make_shared<const Framework>(
        orDie(frameworks::readFrameworkFile(u"ours.json"_s, text.replace(u'\'', u'"').toUtf8()))));
    return catalogue;
}

const QString turns =
    u"CREATE TABLE turns (name text PRIMARY KEY, holder text, taken timestamptz, beat timestamptz)"_s;
const QString takeTurn =
    u"INSERT INTO public.turns VALUES ('a', 'session ' || pg_catalog.pg_backend_pid(), clock_timestamp(), NULL)"_s;

/// One connection that watches a database.
class Watch {
public:
    explicit Watch(const db::ServerUrl& url, const frameworks::CataloguePtr& catalogue,
        const QList<db::FrameworkSetting>& settings = {})
    {
        auto& server = TestServer::shared();
        db::ServerProfile profile = profileOf(url);
        profile.frameworkSettings = settings;
        m_source = monitor::makeSnapshotSource({profile, server.passwords()});
        m_connection = orDie(server.at(url).connect());
        m_probe = std::make_unique<monitor::FrameworkProbe>(*m_connection, profile, catalogue);
        m_probe->judgeSearch(m_connection->executeBatch(m_probe->catalogueSearch()));
    }

    std::vector<LockTableEntry> poll()
    {
        Snapshot snapshot = *orDie(m_source->take());
        snapshot.takenAt = snapshot.takenAt + m_passed;
        if (m_seen)
            m_seen(snapshot.sessions);
        snapshot.entries.clear();
        std::vector<db::BatchItem> items;
        m_probe->addTo(items);
        m_probe->judge(m_connection->executeBatch(items), snapshot, {});
        m_probe->finish(snapshot, SessionsSeen::All);
        return snapshot.entries;
    }
    HolderLife life()
    {
        const auto entries = poll();
        return entries.size() == 1 ? entries.front().holderLife
                                   : HolderLife{Verdict::Unknown, {u"none"_s}, {}};
    }
    /// Changes what each poll sees of the server's sessions.
    void setSeen(std::function<void(std::vector<lockscope::Session>&)> seen) { m_seen = std::move(seen); }
    /// Lets that time pass before the next poll.
    void pass(std::chrono::seconds time) { m_passed += time; }
    /// After so many polls that far apart.
    HolderLife lifeAfter(int polls, std::chrono::seconds apart)
    {
        HolderLife now;
        for (; polls > 0; --polls) {
            pass(apart);
            now = life();
        }
        return now;
    }
    /// The server takes a short time to end a session.
    HolderLife lifeAfterTheEnd()
    {
        HolderLife now = life();
        for (int more = 100; now.verdict == Verdict::Works && more > 0; --more) {
            QTest::qWait(20);
            now = life();
        }
        return now;
    }

private:
    std::unique_ptr<monitor::SnapshotSource> m_source;
    std::unique_ptr<db::Connection> m_connection;
    std::unique_ptr<monitor::FrameworkProbe> m_probe;
    microseconds m_passed{0};
    std::function<void(std::vector<lockscope::Session>&)> m_seen;
};

static db::ServerUrl databaseWith(const QString& sql)
{
    const auto url = TestServer::shared().freshDatabase(TestServer::Schema::None);
    TestServer::shared().run(url, QString(sql).replace(u"{database}"_s, url.database));
    return url;
}

#define COMPARE_VERDICT(life, expected)                                                                      \
    do {                                                                                                     \
        const HolderLife& judged = life;                                                                     \
        QVERIFY2(judged.verdict == (expected), qPrintable(verdictText(judged)));                             \
    } while (false)

class tst_HolderVerdicts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whoseSessionIsThereWorks_andIsGoneWhenItEndsAtWork()
    {
        const auto url = databaseWith(turns);
        auto ann = std::make_unique<Client>(TestServer::shared(), url, u"ann"_s);
        Watch watch(url, ours());
        QVERIFY(ann->run(takeTurn));
        QVERIFY(ann->begin(u"SELECT 1"_s));
        const HolderLife works = watch.life();
        COMPARE_VERDICT(works, Verdict::Works);
        QVERIFY(works.evidence.join(u' ').contains(u"began before the lock was taken"_s));
        ann.reset();
        COMPARE_VERDICT(watch.lifeAfterTheEnd(), Verdict::Unknown);
        const HolderLife gone = watch.lifeAfter(2, 8s);
        COMPARE_VERDICT(gone, Verdict::Gone);
        QVERIFY2(gone.evidence.join(u' ').contains(u"was at work when last seen"_s),
            qPrintable(verdictText(gone)));
        COMPARE_VERDICT(watch.life(), Verdict::Gone); // it stays so
        // A new connection has no proof: the same holds after a restart.
        COMPARE_VERDICT(Watch(url, ours()).life(), Verdict::Unknown);
    }

    void aProgramThatIsStartedAgainIsNotTheHolder()
    {
        const auto url = databaseWith(turns);
        auto first = std::make_unique<Client>(TestServer::shared(), url, u"job"_s);
        Watch watch(url, ours());
        QVERIFY(first->run(takeTurn) && first->begin(u"SELECT 1"_s));
        COMPARE_VERDICT(watch.life(), Verdict::Works);
        first.reset();
        Client again(TestServer::shared(), url, u"job"_s);
        QVERIFY(again.run(u"SELECT 1"_s));
        COMPARE_VERDICT(watch.lifeAfterTheEnd(), Verdict::Unknown);
        // That holds even if the server has given it the number in the row.
        QVERIFY(again.run(
            u"UPDATE public.turns SET holder = 'session ' || pg_catalog.pg_backend_pid(), taken = taken - interval '1 hour'"_s));
        COMPARE_VERDICT(watch.life(), Verdict::Unknown);
    }

    void anEndAfterATimeThatWasNotWatchedProvesNothing()
    {
        const auto url = databaseWith(turns);
        auto ann = std::make_unique<Client>(TestServer::shared(), url, u"ann"_s);
        Watch watch(url, ours());
        QVERIFY(ann->run(takeTurn) && ann->begin(u"SELECT 1"_s));
        COMPARE_VERDICT(watch.life(), Verdict::Works);
        watch.pass(3h);
        ann.reset();
        const auto observer = orDie(TestServer::shared().at(url).connect());
        QTRY_COMPARE(
            ask(*observer, u"SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE '% ann'"_s),
            u"0"_s);
        const HolderLife life = watch.lifeAfterTheEnd();
        COMPARE_VERDICT(life, Verdict::Unknown);
        QVERIFY2(!life.evidence.join(u' ').contains(u"has ended"_s), qPrintable(verdictText(life)));
        COMPARE_VERDICT(watch.lifeAfter(4, 8s), Verdict::Unknown);
    }

    void aPoolerThatEndsASessionDoesNotEndItsClient()
    {
        SKIP_FOR(PgBouncer::reasonAgainst());
        const auto url = databaseWith(turns);
        // Each session is ended as soon as it is given back, and the next one begun when a client asks for
        // it.
        const PgBouncer pooler(
            TestServer::shared(), PgBouncer::Mode::Transaction, 1, u"server_lifetime = 1\n"_s);
        db::ServerUrl byPooler = pooler.before(url);
        byPooler.options.insert(u"pooler"_s, u"session"_s); // a client that does not know better
        Client job(TestServer::shared(), byPooler, u"job"_s);
        Watch watch(url, ours());
        // The pooler runs on the holder's machine, and nobody else has a session.
        watch.setSeen([](std::vector<lockscope::Session>& sessions) {
            std::erase_if(sessions, [](const auto& session) { return !session.program.endsWith(u"job"_s); });
            for (auto& session : sessions)
                session.host = session.address = u"10.0.0.5"_s;
        });
        const auto other = TestServer::shared().connect(url);
        const auto waitUntilPooled = [&](const QString& count) {
            return waitUntil([&] {
                return ask(*other,
                           u"SELECT count(*)::text FROM pg_stat_activity WHERE application_name LIKE '%job'"_s)
                    == count;
            });
        };
        QVERIFY(job.begin(u"SELECT pg_sleep(1.1)"_s));
        TestServer::shared().run(
            url, u"INSERT INTO turns VALUES ('a', 'from 10.0.0.5', clock_timestamp(), NULL)"_s);
        const HolderLife works = watch.life();
        COMPARE_VERDICT(works, Verdict::Works);
        QVERIFY(works.evidence.join(u' ').contains(u"from the machine that the row names"_s));
        QVERIFY(job.run(u"COMMIT"_s) && waitUntilPooled(u"0"_s));
        const HolderLife between = watch.life();
        COMPARE_VERDICT(between, Verdict::Unknown);
        QVERIFY2(between.evidence.join(u' ').contains(u"was at work when last seen"_s),
            qPrintable(verdictText(between)));
        COMPARE_VERDICT(watch.lifeAfter(1, 8s), Verdict::Unknown);
        // Other texts: what it has prepared was in the first session.
        QVERIFY(job.run(u"START TRANSACTION"_s) && job.run(u"SELECT pg_sleep(1.2)"_s));
        COMPARE_VERDICT(watch.life(), Verdict::Unknown);
        QVERIFY(job.run(u"END"_s) && waitUntilPooled(u"0"_s));
        COMPARE_VERDICT(watch.lifeAfter(5, 8s), Verdict::Unknown);
        QVERIFY(job.run(u"SELECT 1"_s)); // it lives
    }

    void aSessionFromItsMachineCountsAgainstDbSchedulersSilence()
    {
        const auto url = databaseWith(
            u"CREATE TABLE scheduled_tasks (task_name text, task_instance text, picked boolean, picked_by text, last_heartbeat timestamptz, version bigint); INSERT INTO scheduled_tasks VALUES ('report', 'nightly', true, 'web-1', now() - interval '45 min', 2)"_s);
        for (const auto& [host, age, verdict, evidence] :
            {std::tuple(u"web-1"_s, 2h, Verdict::Unknown, u"Session 4711 (app) from web-1"_s),
                std::tuple(u"web-1"_s, 0h, Verdict::Silent, u"or of its program started again."_s),
                std::tuple(u"web-2"_s, 2h, Verdict::Silent, u"No session from web-1 is seen"_s)}) {
            Watch watch(url, frameworks::catalogue());
            // A server with log_hostname shows it so.
            watch.setSeen([host = host, age = age](std::vector<lockscope::Session>& sessions) {
                lockscope::Session one;
                one.id = SessionId{4'711};
                one.user = u"app"_s;
                one.host = host;
                one.address = u"10.0.0.5"_s;
                one.started =
                    ServerTime{QDateTime::currentMSecsSinceEpoch() * 1'000} - std::chrono::hours(age);
                sessions = {one};
            });
            const HolderLife life = watch.life();
            COMPARE_VERDICT(life, verdict);
            QVERIFY2(life.evidence.join(u' ').contains(evidence), qPrintable(verdictText(life)));
        }
    }

    void aSessionThatEndsIdleProvesNothing()
    {
        const auto url = databaseWith(turns);
        auto ann = std::make_unique<Client>(TestServer::shared(), url, u"ann"_s);
        Watch watch(url, ours());
        QVERIFY(ann->run(takeTurn));
        COMPARE_VERDICT(watch.life(), Verdict::Works);
        ann.reset();
        const HolderLife life = watch.lifeAfterTheEnd();
        COMPARE_VERDICT(life, Verdict::Unknown);
        QVERIFY(life.evidence.join(u' ').contains(u"A pooler ends idle sessions, too"_s));
    }

    void renewalsThatWereSeenMakeTheLimitLonger()
    {
        const auto url = databaseWith(turns
            + u"; INSERT INTO turns VALUES ('a', 'nobody', now() - interval '9 h', now() - interval '160 min')"_s);
        Watch watch(url, ours());
        COMPARE_VERDICT(watch.life(), Verdict::Silent);
        for (const int minutes : {100, 40}) {
            TestServer::shared().run(
                url, u"UPDATE turns SET beat = now() - interval '%1 min'"_s.arg(minutes));
            (void)watch.life();
        }
        const HolderLife life = watch.life();
        COMPARE_VERDICT(life, Verdict::Unknown);
        QVERIFY2(
            life.evidence.join(u' ').contains(u"It was renewed every 1 h"_s), qPrintable(verdictText(life)));
        // Another connection knows nothing of that; the settings stay.
        COMPARE_VERDICT(Watch(url, ours()).life(), Verdict::Silent);
        const HolderLife configured = Watch(url, ours(), {{u"ours"_s, u"interval"_s, u"1h"_s}}).life();
        COMPARE_VERDICT(configured, Verdict::Unknown);
        QVERIFY(configured.evidence.join(u' ').contains(u"Its interval is 1 h, as set for this server."_s));
        COMPARE_VERDICT(Watch(url, ours(), {{u"other"_s, u"interval"_s, u"1h"_s}}).life(), Verdict::Silent);
    }

    void anAdvisoryKeyCountsForMoreThanSilence()
    {
        const QString id = u"6f9619ff-8b86-4011-b42d-00c04fc964ff"_s;
        const auto url = databaseWith(
            u"CREATE TABLE good_jobs (id uuid, active_job_id uuid, locked_by_id uuid, locked_at timestamp, finished_at timestamp); CREATE TABLE good_job_processes (id uuid, updated_at timestamp); INSERT INTO good_jobs VALUES ('%1', '%1', '%1', timezone('utc', now()) - interval '2 h', NULL); INSERT INTO "
            u"good_job_processes VALUES ('%1', timezone('utc', now()) - interval '1 h')"_s.arg(id));
        Watch watch(url, frameworks::catalogue());
        COMPARE_VERDICT(watch.life(), Verdict::Silent);
        for (const QString& prefix : {u"good_jobs-"_s, u"good_job_processes-"_s}) {
            Client worker(TestServer::shared(), url, u"worker"_s);
            QVERIFY(worker.run(
                u"SELECT pg_advisory_lock(('x' || substr(md5('%1%2'), 1, 16))::bit(64)::bigint)"_s.arg(
                    prefix, id)));
            const HolderLife life = watch.life();
            COMPARE_VERDICT(life, Verdict::Works);
            QVERIFY2(
                life.evidence.first().contains(u"has the advisory key"_s), qPrintable(verdictText(life)));
        }
        COMPARE_VERDICT(watch.lifeAfterTheEnd(), Verdict::Silent);
    }

    // ShedLock without usingDbTime() writes its program's zone, in milliseconds.

    static QString shedLock(const QString& zone, const QString& since, const QString& until)
    {
        return u"CREATE TABLE shedlock (name varchar(64) PRIMARY KEY, lock_until timestamp NOT NULL, locked_at timestamp NOT NULL, locked_by varchar(255) NOT NULL); INSERT INTO shedlock VALUES ('report', date_trunc('milliseconds', timezone('%1', now()) + interval '%3'), "
               u"date_trunc('milliseconds', timezone('%1', now()) - interval '%2'), 'web')"_s.arg(
                   zone, since, until);
    }

    void inNewYorkAHeldLockIsSeen()
    {
        const auto url = databaseWith(shedLock(u"America/New_York"_s, u"1 min"_s, u"30 min"_s));
        const auto entries = Watch(url, frameworks::catalogue()).poll();
        QCOMPARE(entries.size(), 1u); // by UTC it was over hours ago
        const LockTableEntry& entry = entries.front();
        QVERIFY(entry.dependsOnZone && !entry.expiresAt && !entry.acquiredAt.isValid());
        COMPARE_VERDICT(entry.holderLife, Verdict::Unknown);
        const QString evidence = entry.holderLife.evidence.join(u' ');
        QVERIFY2(evidence.contains(u"Given back at"_s) && evidence.contains(u"if its program writes UTC"_s)
                && evidence.contains(u"held if it writes UTC-"_s),
            qPrintable(evidence));
    }

    void inBerlinBothReadingsAreShown()
    {
        const auto url = databaseWith(u"ALTER DATABASE {database} SET timezone = 'Europe/Berlin';"_s
            + shedLock(u"Europe/Berlin"_s, u"70 min"_s, u"-5 min"_s));
        const auto entries = Watch(url, frameworks::catalogue()).poll();
        QCOMPARE(entries.size(), 1u);
        COMPARE_VERDICT(entries.front().holderLife, Verdict::Unknown);
        QVERIFY(entries.front().dependsOnZone);
        const QString evidence = entries.front().holderLife.evidence.join(u' ');
        QVERIFY2(evidence.contains(u"Held until"_s)
                && evidence.contains(u"if its program writes the server's zone, Europe/Berlin"_s)
                && evidence.contains(u"given back at"_s),
            qPrintable(evidence));
        // With the setting it is no lock any more.
        QVERIFY(Watch(url, frameworks::catalogue(), {{u"shedlock"_s, u"zone"_s, u"Europe/Berlin"_s}})
                    .poll()
                    .empty());
    }

    void whatIsTakenLaterThanNowIsNoUtc()
    {
        const auto url = databaseWith(shedLock(u"Asia/Tokyo"_s, u"1 min"_s, u"30 min"_s));
        const auto entries = Watch(url, frameworks::catalogue()).poll();
        QCOMPARE(entries.size(), 1u);
        const QString evidence = entries.front().holderLife.evidence.join(u' ');
        QVERIFY2(evidence.contains(u"ahead of UTC"_s) && !evidence.contains(u"if its program writes UTC;"_s),
            qPrintable(evidence));
        const auto result =
            Watch(url, frameworks::catalogue(), {{u"shedlock"_s, u"zone"_s, u"Asia/Tokyo"_s}}).poll();
        QCOMPARE(result.size(), 1u);
        QVERIFY(
            !result.front().dependsOnZone && result.front().expiresAt && result.front().acquiredAt.isValid());
    }

    void aLockThatIsSeenToBeTakenTellsTheZone()
    {
        const auto url = databaseWith(shedLock(u"America/New_York"_s, u"3 h"_s, u"-2 h"_s));
        Watch watch(url, frameworks::catalogue());
        QCOMPARE(watch.poll().size(), 1u);
        QVERIFY(watch.poll().front().dependsOnZone);
        TestServer::shared().run(url,
            u"UPDATE shedlock SET locked_at = date_trunc('milliseconds', timezone('America/New_York', now())), lock_until = date_trunc('milliseconds', timezone('America/New_York', now()) + interval '10 min')"_s);
        const auto taken = watch.poll();
        QCOMPARE(taken.size(), 1u);
        QVERIFY(!taken.front().dependsOnZone && taken.front().expiresAt);
        TestServer::shared().run(url, u"UPDATE shedlock SET lock_until = locked_at"_s);
        QVERIFY(watch.poll().empty()); // its zone is known now
    }

    void whatWasGivenBackIsSeldomInDoubt()
    {
        // A task that ran for a second: in no zone it can have been taken and not be over, but for one that
        // would put its beginning into this very second.
        const auto url = databaseWith(shedLock(u"UTC"_s, u"5 min 1 s"_s, u"-5 min"_s));
        QVERIFY(Watch(url, frameworks::catalogue()).poll().empty());
        TestServer::shared().run(url, u"UPDATE shedlock SET lock_until = locked_at"_s); // freed from here
        QVERIFY(Watch(url, frameworks::catalogue()).poll().empty());
    }

    void timesOfTheDatabaseAreFiner()
    {
        // usingDbTime(): microseconds of UTC.
        const auto url = databaseWith(
            u"CREATE TABLE shedlock (name varchar(64) PRIMARY KEY, lock_until timestamp NOT NULL, locked_at timestamp NOT NULL, locked_by varchar(255) NOT NULL); INSERT INTO shedlock SELECT name, date_trunc('milliseconds', timezone('utc', now())) + until + interval '123 us', "
            u"date_trunc('milliseconds', timezone('utc', now())) - interval '1 h', 'web' FROM (VALUES ('held', interval '5 min'), ('done', interval '-5 min')) AS v (name, until)"_s);
        const auto entries = Watch(url, frameworks::catalogue()).poll();
        QCOMPARE(entries.size(), 1u);
        QCOMPARE(entries.front().name, u"held"_s);
        QVERIFY(!entries.front().dependsOnZone && entries.front().expiresAt);
    }

    void whatTheDatabaseWroteTellsNothingOfOthers()
    {
        // One program with usingDbTime(), and one in New York without, which has just taken its lock.
        const auto url = databaseWith(shedLock(u"America/New_York"_s, u"1 min"_s, u"30 min"_s)
            + u"; INSERT INTO shedlock VALUES ('exact', date_trunc('milliseconds', timezone('utc', now())) + interval '5 min 123 us', timezone('utc', now()), 'db')"_s);
        for (const QList<db::FrameworkSetting>& settings :
            {QList<db::FrameworkSetting>(), {{u"shedlock"_s, u"zone"_s, u"America/New_York"_s}}}) {
            QMap<QString, LockTableEntry> entries;
            for (const LockTableEntry& entry : Watch(url, frameworks::catalogue(), settings).poll())
                entries.insert(entry.name, entry);
            COMPARE_TEXTS(entries.keys(), "exact", "report");
            QVERIFY(!entries[u"exact"_s].dependsOnZone);
            QCOMPARE(entries[u"report"_s].dependsOnZone, settings.isEmpty());
            const auto left = entries[u"exact"_s].expiresAt.value()
                - ServerTime{QDateTime::currentMSecsSinceEpoch() * 1'000};
            QVERIFY(left > 3min && left < 6min);
        }
    }

    void aTimeWithItsZoneNeedsNone()
    {
        const auto url = databaseWith(
            u"CREATE TABLE shedlock (name varchar(64) PRIMARY KEY, lock_until timestamptz NOT NULL, locked_at timestamptz NOT NULL, locked_by varchar(255) NOT NULL); INSERT INTO shedlock VALUES ('held', now() + interval '5 min', now(), 'web'), ('done', now() - interval '5 min', now(), 'web')"_s);
        const auto entries = Watch(url, frameworks::catalogue()).poll();
        QCOMPARE(entries.size(), 1u);
        QVERIFY(!entries.front().dependsOnZone && entries.front().expiresAt);
    }
};

LOCKSCOPE_TEST(tst_HolderVerdicts)

} // namespace tst_HolderVerdicts
#include "tst_HolderVerdicts.moc"
