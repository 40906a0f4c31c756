// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Programs with real frameworks that are slow, stopped, started again, behind a pooler or in another time
// zone: no living one is called gone, and none is called working except by the session or process that the
// row names.

#include "core/domain/HolderLife.h"
#include "core/monitor/SnapshotSource.h"
#include "tests/support/FrameworkBench.h"
#include "tests/support/PgBouncer.h"
#include "tests/support/TestProgram.h"

namespace tst_LivingHolders {

using namespace lockscope;
using namespace lockscope::test;
using Verdict = HolderLife::Verdict;

/// Successive polls, as the window makes them, with their memory.
class Watch {
public:
    explicit Watch(const FrameworkBench& bench, const QList<db::FrameworkSetting>& settings = {})
        : m_framework(bench.framework)
    {
        db::ServerProfile profile = profileOf(bench.url);
        profile.frameworkSettings = settings;
        m_source = monitor::makeSnapshotSource({profile, FrameworkBench::server().passwords()});
    }

    std::vector<LockTableEntry> entries()
    {
        const auto taken = orDie(m_source->take());
        std::vector<LockTableEntry> mine;
        std::ranges::copy_if(taken->entries, std::back_inserter(mine),
            [this](const LockTableEntry& entry) { return entry.framework->framework == m_framework; });
        return mine;
    }
    HolderLife life()
    {
        const auto all = entries();
        return all.size() == 1 ? all.front().holderLife : HolderLife{Verdict::Unknown, {u"no entry"_s}, {}};
    }
    /// The server takes a short time to end a session.
    HolderLife lifeAfter(Verdict before)
    {
        HolderLife now;
        (void)waitUntil([&] { return (now = life()).verdict != before; });
        return now;
    }

private:
    const QString m_framework;
    std::unique_ptr<monitor::SnapshotSource> m_source;
};

/// The only entry as a newly started lockctl shows it.
struct ShownLife {
    explicit ShownLife(const FrameworkBench& bench)
    {
        const auto entries = bench.shown(u"entries"_s);
        const QJsonObject life =
            entries.size() == 1 ? entries.front()[u"holder_life"].toObject() : QJsonObject();
        verdict = life[u"verdict"].toString();
        all = QJsonDocument(life).toJson(QJsonDocument::Compact);
    }
    QString verdict;
    QByteArray all;
};

#define COMPARE_VERDICT(life, expected)                                                                      \
    do {                                                                                                     \
        const HolderLife& judged = life;                                                                     \
        QVERIFY2(judged.verdict == (expected), qPrintable(verdictText(judged)));                             \
    } while (false)
#define COMPARE_SHOWN_LIFE(bench, expected)                                                                  \
    do {                                                                                                     \
        const ShownLife shownLife(bench);                                                                    \
        QVERIFY2(shownLife.verdict == (expected), shownLife.all.constData());                                \
    } while (false)
#define VERIFY_HELD(program) QVERIFY2((program)->waitUntilHeld(), (program)->allOutput())

class tst_LivingHolders : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void dbSchedulerThatRenewsOnceAnHour()
    {
        SKIP_FOR(FrameworkProgram::reasonAgainst(u"java"_s));
        FrameworkBench bench(u"java"_s, u"db-scheduler"_s);
        const QTemporaryDir home;
        bench.ctl.set(u"XDG_CONFIG_HOME"_s, home.path());
        const auto holder = bench.start(u"db-scheduler-each-hour"_s, u"hold"_s);
        VERIFY_HELD(holder);
        bench.run(u"UPDATE scheduled_tasks SET last_heartbeat = last_heartbeat - interval '45 min'"_s);
        COMPARE_SHOWN_LIFE(bench, u"silent"_s);
        QVERIFY(ShownLife(bench).all.contains("Its default limit is 30 min; its program may use another."));
        const auto set = bench.ctl("frameworks set db-scheduler interval=1h");
        QVERIFY2(set.code == 0, set.allOutput());
        COMPARE_SHOWN_LIFE(bench, u"unknown"_s);
        QVERIFY(holder->isRunning());
    }

    void dbSchedulerThatWasKilled45SecondsAgo()
    {
        SKIP_FOR(FrameworkProgram::reasonAgainst(u"java"_s));
        const FrameworkBench bench(u"java"_s, u"db-scheduler"_s);
        const auto holder = bench.start(u"db-scheduler"_s, u"hold"_s);
        VERIFY_HELD(holder);
        COMPARE_SHOWN_LIFE(bench, u"works"_s); // it has given a sign of life right now
        holder->kill();
        bench.run(u"UPDATE scheduled_tasks SET last_heartbeat = now() - interval '45 s'"_s);
        COMPARE_SHOWN_LIFE(bench, u"unknown"_s);
    }

    void whoeverIsLateIsSilent_data()
    {
        addColumns<QString, QString, bool, QString>("language", "program", "isStopped", "late");
        const QString javaTime =
            u"to_char(timezone('utc', now()) - interval '%1', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"_s;
        row("a task of procrastinate that blocks its worker", "python", "procrastinate-blocking", false,
            "UPDATE procrastinate_workers SET last_heartbeat = last_heartbeat - interval '1 min'");
        row("Axon after ten seconds", "java", "axon", false,
            u"UPDATE tokenentry SET timestamp = "_s + javaTime.arg(u"12 s"_s));
        row("JobRunr while it is stopped", "java", "jobrunr", true,
            u"UPDATE jobrunr_migrations SET installedon = %1 WHERE script = 'TABLE LOCKER'"_s.arg(
                javaTime.arg(u"1 min"_s)));
    }
    void whoeverIsLateIsSilent()
    {
        FETCH(const QString, language, const QString, program, const bool, isStopped, const QString, late);
        SKIP_FOR(FrameworkProgram::reasonAgainst(language));
        const QString framework = program.section(u'-', 0, 0);
        const FrameworkBench bench(language, framework);
        const auto holder = bench.start(program, u"hold"_s);
        VERIFY_HELD(holder);
        Watch watch(bench);
        COMPARE_VERDICT(watch.life(), Verdict::Works);
        if (isStopped)
            holder->pause();
        bench.run(late);
        COMPARE_VERDICT(watch.life(), Verdict::Silent);
        COMPARE_SHOWN_LIFE(bench, u"silent"_s);
        if (isStopped) {
            holder->resume();
            COMPARE_VERDICT(watch.lifeAfter(Verdict::Silent), Verdict::Works); // it renews every 5 s
        }
        if (framework == u"procrastinate") { // as another worker does, which then takes its job for stalled
            bench.run(u"SELECT * FROM procrastinate_prune_stalled_workers_v1(30)"_s);
            COMPARE_VERDICT(watch.life(), Verdict::Unknown);
            COMPARE_SHOWN_LIFE(bench, u"unknown"_s);
        }
        QVERIFY(holder->isRunning());
    }

    void liquibaseBehindAPooler_data()
    {
        addRows<PgBouncer::Mode>(
            "mode", {{"session", PgBouncer::Mode::Session}, {"transaction", PgBouncer::Mode::Transaction}});
    }
    void liquibaseBehindAPooler()
    {
        SKIP_FOR(FrameworkProgram::reasonAgainst(u"java"_s));
        SKIP_FOR(PgBouncer::reasonAgainst());
        QFETCH(const PgBouncer::Mode, mode);
        const FrameworkBench bench(u"java"_s, u"liquibase"_s);
        const PgBouncer pooler(FrameworkBench::server(), mode);
        const FrameworkProgram::Environment behind{
            {u"PGPORT"_s, QString::number(pooler.overTcp(bench.url).port)}};
        const auto holder = bench.start(u"liquibase"_s, u"hold"_s, behind);
        VERIFY_HELD(holder);
        Watch watch(bench);
        COMPARE_VERDICT(watch.life(), Verdict::Unknown);
        COMPARE_SHOWN_LIFE(bench, u"unknown"_s);
        // A session that the pooler has ended is not seen either.
        bench.run(
            u"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND client_port = -1"_s);
        COMPARE_VERDICT(watch.life(), Verdict::Unknown);
        QVERIFY(holder->isRunning());
    }

    void liquibaseThatIsStartedAgain()
    {
        SKIP_FOR(FrameworkProgram::reasonAgainst(u"java"_s));
        const QString address = FrameworkBench::admitOwnAddress();
        if (address.isEmpty())
            QSKIP("This machine has no address of its own, by which its sessions could be told.");
        const FrameworkBench bench(u"java"_s, u"liquibase"_s);
        // Lock and session can be compared only in a known zone.
        const QString zone = u"America/New_York"_s;
        const FrameworkProgram::Environment from{{u"FRAMEWORK_FROM"_s, address}, {u"TZ"_s, zone}};
        const auto holder = bench.start(u"liquibase"_s, u"hold"_s, from);
        VERIFY_HELD(holder);
        // The row names the address that Java takes for the machine's.
        bench.run(
            u"UPDATE databasechangeloglock SET lockedby = regexp_replace(lockedby, '\\(.*\\)', '(%1)')"_s.arg(
                address));
        COMPARE_VERDICT(Watch(bench).life(), Verdict::Unknown);
        // By its program's clock, which may go wrong by a minute, the lock may be older than the session.
        Watch watch(bench, {{u"liquibase"_s, u"zone"_s, zone}});
        COMPARE_VERDICT(watch.life(), Verdict::Unknown);
        // Seen to be taken it is not.
        bench.run(u"UPDATE databasechangeloglock SET locked = false"_s);
        QVERIFY(watch.entries().empty());
        bench.run(
            u"UPDATE databasechangeloglock SET locked = true, lockgranted = timezone('%1', now())"_s.arg(
                zone));
        const HolderLife works = watch.life();
        COMPARE_VERDICT(works, Verdict::Works);
        QVERIFY2(works.evidence.join(u' ').contains(u"from the machine that the row names"_s),
            qPrintable(verdictText(works)));
        holder->pause();
        COMPARE_VERDICT(watch.life(), Verdict::Works); // stopped, it has its session
        holder->kill();
        COMPARE_VERDICT(watch.lifeAfter(Verdict::Works), Verdict::Unknown);
        TRY_COMPARE(watch.life().verdict, Verdict::Gone);
        COMPARE_SHOWN_LIFE(bench, u"unknown"_s); // a new monitor has no proof

        const auto again = bench.start(u"liquibase-that-waits"_s, u"work"_s, from);
        const auto sessions = FrameworkBench::server().connect(bench.url);
        const QString those =
            u"SELECT count(*)::text FROM pg_stat_activity WHERE client_addr = '%1'"_s.arg(address);
        QVERIFY2(waitUntil([&] { return ask(*sessions, those) == u"1"; }), again->allOutput());
        COMPARE_VERDICT(watch.life(), Verdict::Unknown);
        const ShownLife shownLife(bench);
        QCOMPARE(shownLife.verdict, u"unknown"_s);
        QVERIFY2(shownLife.all.contains("began since the lock was taken"), shownLife.all.constData());
    }

    // ShedLock without usingDbTime(), its default: the times are those of the program's zone.

    void shedLockInItsOwnZone_data()
    {
        addRows<QString>("zone",
            {{"west of the server", u"America/New_York"_s}, {"east of the server", u"Europe/Berlin"_s}});
    }
    void shedLockInItsOwnZone()
    {
        SKIP_FOR(FrameworkProgram::reasonAgainst(u"java"_s));
        QFETCH(const QString, zone);
        FrameworkBench bench(u"java"_s, u"shedlock"_s);
        const QTemporaryDir home;
        bench.ctl.set(u"XDG_CONFIG_HOME"_s, home.path());
        bench.run(u"ALTER DATABASE %1 SET timezone = 'UTC'"_s.arg(bench.url.database));
        const FrameworkProgram::Environment there{{u"TZ"_s, zone}};
        const QString program = u"shedlock-by-its-own-clock"_s;
        auto holder = bench.start(program, u"hold"_s, there);
        VERIFY_HELD(holder);
        Watch late(bench); // a monitor that starts only now
        const auto held = late.entries();
        QCOMPARE(held.size(), 1u);
        QVERIFY(held.front().dependsOnZone && !held.front().expiresAt);
        COMPARE_VERDICT(held.front().holderLife, Verdict::Unknown);
        holder->kill();

        // Freed from here it is no lock in any zone; done by another node it is none that is certain.
        const auto freed = bench.ctl("free shedlock --yes --reason killed");
        QVERIFY2(freed.code == 0, freed.allOutput());
        QCOMPARE(late.entries().size(), 0u);
        const auto worked = bench.start(program, u"work"_s, there)->wait();
        QVERIFY2(worked.isDone(), worked.allOutput());
        for (const LockTableEntry& entry : Watch(bench).entries()) {
            QVERIFY(entry.dependsOnZone);
            COMPARE_VERDICT(entry.holderLife, Verdict::Unknown);
        }
        const auto set = bench.ctl("frameworks set shedlock %1", u"zone="_s + zone);
        QVERIFY2(set.code == 0, set.allOutput());
        QCOMPARE(bench.shown(u"entries"_s).size(), 0);

        // A monitor that has watched the grant knows the zone.
        Watch early(bench);
        (void)early.entries();
        holder = bench.start(program, u"hold"_s, there);
        const qint64 before = QDateTime::currentMSecsSinceEpoch();
        VERIFY_HELD(holder);
        const auto seen = early.entries();
        QCOMPARE(seen.size(), 1u);
        QVERIFY(!seen.front().dependsOnZone && seen.front().expiresAt);
        const qint64 lasts = seen.front().expiresAt->us / 1'000 - before;
        QVERIFY2(lasts > 599'000 && lasts < 660'000, qPrintable(QString::number(lasts)));
    }
};

LOCKSCOPE_TEST(tst_LivingHolders)

} // namespace tst_LivingHolders
#include "tst_LivingHolders.moc"
