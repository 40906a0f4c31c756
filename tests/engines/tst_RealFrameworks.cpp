// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Real frameworks hold their locks, and die: lockctl shows the lock and frees it, and then the framework
// works again. The programs are in tests/frameworks.

#include "tests/support/FrameworkBench.h"
#include "tests/support/Session.h"
#include "tests/support/TestProgram.h"

namespace tst_RealFrameworks {

using namespace lockscope;
using namespace lockscope::test;

/// One framework, its program, and the facts about its lock.
struct Case {
    QString language; ///< folder of tests/frameworks
    QString program; ///< of it
    QString framework; ///< file of resources/frameworks
    QString badge;
    QString name; ///< of the lock, as shown; {database} stands for the database's
    Engine engine = Engine::Postgres;
    QString holder{}; ///< what the row tells of him: {host}, {pid} stand for the program's; "*" for any text
    QString keep{}; ///< SQL, right after the death: a lease that would end within the test is made longer
    QString wait{}; ///< SQL that stands for time that passes, until the holder counts as dead
    bool mayBeFreed = true; ///< else the framework goes on by itself, after that time
    /// True if the server's session outlives the program: it runs a statement, and checks for its client
    /// later.
    bool outlives = false;
    QString which{}; ///< of several locks that its session holds, the one that is freed
};

static QByteArray title(const Case& c)
{
    return (c.program + (c.engine == Engine::Sqlite ? u" on SQLite"_s : QString())).toUtf8();
}

static const std::vector<Case>& rows()
{
    static const std::vector<Case> cases = [] {
        std::vector<Case> list;
        const auto add = [&list](Case c) -> Case& { return list.emplace_back(std::move(c)); };
        for (const Engine engine : {Engine::Postgres, Engine::Sqlite}) {
            add({u"java"_s, u"liquibase"_s, u"liquibase"_s, u"Liquibase"_s, u"changelog lock"_s, engine,
                u"{host} (*)"_s});
            add({u"java"_s, u"shedlock"_s, u"shedlock"_s, u"ShedLock"_s, u"nightly-report"_s, engine,
                u"{host}"_s});
            add({u"python"_s, u"yoyo"_s, u"yoyo"_s, u"yoyo"_s, u"migration"_s, engine, u"{pid}"_s});
            add({u"debian"_s, u"symfony"_s, u"symfony"_s, u"Symfony Lock"_s, u"6743ba10a2b2*"_s, engine});
        }
        add({u"java"_s, u"db-scheduler"_s, u"db-scheduler"_s, u"db-scheduler"_s, u"report nightly"_s,
                Engine::Postgres, u"{host}"_s})
            .wait = u"UPDATE scheduled_tasks SET last_heartbeat = last_heartbeat - interval '1 hour'"_s;
        add({u"node"_s, u"knex"_s, u"knex"_s, u"Knex"_s, u"migrations lock"_s});
        add({u"node"_s, u"graphile-worker"_s, u"graphile-worker"_s, u"Graphile Worker"_s, u"job 1"_s,
            Engine::Postgres, u"worker-*"_s});
        add({u"go"_s, u"golang-migrate-table"_s, u"golang-migrate"_s, u"golang-migrate"_s, u"migration *"_s});
        add({u"go"_s, u"bun"_s, u"bun"_s, u"bun"_s, u"bun_migrations"_s});
        Case& goose = add({u"go"_s, u"goose-table"_s, u"goose"_s, u"goose"_s, u"migration"_s,
            Engine::Postgres, u"{host}-{pid}-*"_s});
        goose.keep = u"UPDATE goose_lock SET lease_expires_at = now() + interval '10 minutes'"_s;
        goose.wait =
            u"UPDATE goose_lock SET lease_expires_at = now() - interval '1 s', updated_at = updated_at - interval '1 hour'"_s;
        goose.mayBeFreed = false;
        Case& river = add({u"go"_s, u"river"_s, u"river"_s, u"River"_s, u"leader (default)"_s,
            Engine::Postgres, u"{host}_*"_s});
        river.keep = u"UPDATE river_leader SET expires_at = now() + interval '10 minutes'"_s;
        river.wait = u"UPDATE river_leader SET expires_at = now() - interval '1 s'"_s;
        river.mayBeFreed = false;
        Case& spring =
            add({u"java"_s, u"spring-integration"_s, u"spring-integration"_s, u"Spring Integration"_s,
                u"DEFAULT c38a6c3a-fb95-31be-b791-bd1270b31743"_s, Engine::Postgres, u"*"_s});
        spring.keep = u"UPDATE int_lock SET expired_after = timezone('utc', now()) + interval '10 min'"_s;
        add({u"java"_s, u"camunda"_s, u"camunda"_s, u"Camunda 7"_s, u"job *"_s, Engine::Postgres, u"*"_s});
        Case& axon = add({u"java"_s, u"axon"_s, u"axon"_s, u"Axon"_s, u"report[[]0]"_s, Engine::Postgres,
            u"{pid}@{host}"_s});
        const QString tokenTime =
            u"UPDATE tokenentry SET timestamp = to_char(timezone('utc', now()) %1, 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"_s;
        axon.keep = tokenTime.arg(u"+ interval '10 min'"_s);
        axon.wait = tokenTime.arg(u"- interval '1 hour'"_s);
        add({u"java"_s, u"jobrunr"_s, u"jobrunr"_s, u"JobRunr"_s, u"migrations lock"_s}).wait =
            u"UPDATE jobrunr_migrations SET installedon = to_char(timezone('utc', now()) - interval '1 hour', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"') WHERE script = 'TABLE LOCKER'"_s;
        Case& procrastinate = add({u"python"_s, u"procrastinate"_s, u"procrastinate"_s, u"Procrastinate"_s,
            u"report 1"_s, Engine::Postgres, u"1"_s});
        procrastinate.keep = u"UPDATE procrastinate_workers SET last_heartbeat = now()"_s;
        procrastinate.wait =
            u"UPDATE procrastinate_workers SET last_heartbeat = last_heartbeat - interval '1 hour'"_s;
        procrastinate.mayBeFreed = false;
        return list;
    }();
    return cases;
}

static const std::vector<Case>& sessions()
{
    static const std::vector<Case> cases = [] {
        std::vector<Case> list{
            {u"java"_s, u"flyway"_s, u"flyway"_s, u"Flyway"_s,
                u"migration of public.flyway_schema_history"_s},
            {u"java"_s, u"quartz"_s, u"quartz"_s, u"Quartz"_s, u"scheduler lock"_s},
            {u"node"_s, u"node-pg-migrate"_s, u"node-pg-migrate"_s, u"node-pg-migrate"_s, u"migration"_s},
            {u"node"_s, u"kysely"_s, u"kysely"_s, u"Kysely"_s, u"migration"_s},
            {u"node"_s, u"pg-boss"_s, u"pg-boss"_s, u"pg-boss"_s, u"schema change*"_s},
            {u"node"_s, u"prisma"_s, u"prisma"_s, u"Prisma"_s, u"migrate"_s},
            {u"go"_s, u"golang-migrate"_s, u"golang-migrate"_s, u"golang-migrate"_s,
                u"migration of *schema_migrations*"_s},
            {u"go"_s, u"goose"_s, u"goose"_s, u"goose"_s, u"migration"_s},
            {u"go"_s, u"tern"_s, u"tern"_s, u"tern"_s, u"migration"_s},
            {u"debian"_s, u"sqitch"_s, u"sqitch"_s, u"Sqitch"_s, u"[dc]*"_s},
            {u"debian"_s, u"pg-repack"_s, u"pg-repack"_s, u"pg_repack"_s, u"repack of public.report"_s},
        };
        for (Case& c : list)
            c.outlives = c.program == u"prisma";
        for (Case& c : list) // the key and the table are of one session
            c.which = c.program == u"sqitch" ? u":deploy"_s : QString();
        return list;
    }();
    return cases;
}

static bool fits(QString pattern, const QString& text, qint64 pid = 0)
{
    pattern.replace(u"{host}"_s, QSysInfo::machineHostName()).replace(u"{pid}"_s, QString::number(pid));
    return QRegularExpression(QRegularExpression::wildcardToRegularExpression(pattern))
        .match(text)
        .hasMatch();
}

static QByteArray text(const QJsonObject& object)
{
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

/// A database for one of them.
struct Bench : FrameworkBench {
    explicit Bench(const Case& what)
        : FrameworkBench(what.language, what.framework, what.engine)
        , c(what)
    {
    }

    std::unique_ptr<FrameworkProgram> start(const QString& act) const
    {
        return FrameworkBench::start(c.program, act);
    }
    FrameworkProgram::Answer work() const { return start(u"work"_s)->wait(); }
    Lockctl::Answer free() const
    {
        return ctl("free %1 --yes --reason %2", c.framework + c.which, u"its program was killed"_s);
    }

    const Case& c;
};

static bool hasSession(const QJsonObject& snapshot, qint64 session)
{
    const QJsonArray sessions = snapshot[u"sessions"].toArray();
    return std::any_of(sessions.begin(), sessions.end(),
        [session](const QJsonValue& s) { return s[u"id"].toInteger() == session; });
}

class tst_RealFrameworks : public QObject {
    Q_OBJECT

    static void addCases(const std::vector<Case>& cases)
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < cases.size(); ++i)
            QTest::newRow(title(cases[i]).constData()) << int(i);
    }

private Q_SLOTS:
    void rowOfAProgramThatDied_data() { addCases(rows()); }

    /// The row is the lock, and stays when its program is killed.
    void rowOfAProgramThatDied()
    {
        QFETCH(const int, index);
        const Case& c = rows()[std::size_t(index)];
        SKIP_FOR(FrameworkProgram::reasonAgainst(c.language));
        const Bench bench(c);
        const QDateTime before = QDateTime::currentDateTimeUtc().addSecs(-5);
        auto holder = bench.start(u"hold"_s);
        QVERIFY2(holder->waitUntilHeld(), holder->allOutput());
        const qint64 pid = holder->id();

        const auto living = bench.shown(u"entries"_s);
        QCOMPARE(living.size(), 1);
        const QJsonObject& entry = living.first();
        const QJsonObject framework = entry[u"framework"].toObject();
        QCOMPARE(framework[u"framework"].toString(), c.badge);
        QVERIFY(framework[u"certain"].toBool());
        QVERIFY2(fits(c.name, entry[u"name"].toString()), text(entry).constData());
        QVERIFY2(fits(c.holder, entry[u"holder_text"].toString(), pid), text(entry).constData());
        const QJsonObject life = entry[u"holder_life"].toObject();
        QVERIFY2(life[u"verdict"] != u"gone"_s, text(life).constData());
        // No time is shown if the clock is not known.
        if (const QString since = entry[u"acquired_at"].toString(); !since.isEmpty()) {
            const auto acquired = QDateTime::fromString(since, Qt::ISODateWithMs);
            QVERIFY2(before <= acquired && acquired <= QDateTime::currentDateTimeUtc().addSecs(5),
                text(entry).constData());
        }

        holder->kill();
        bench.run(c.keep);
        const auto left = bench.shown(u"entries"_s);
        QCOMPARE(left.size(), 1);
        const QJsonObject after = left.first()[u"holder_life"].toObject();
        // Nobody can know at once that a heartbeat will not come any more.
        QVERIFY2(after[u"verdict"] != u"works"_s || !c.wait.isEmpty(), text(after).constData());
        QVERIFY2(!after[u"evidence"].toArray().isEmpty(), text(after).constData());
        const auto locked = bench.work();
        QVERIFY2(locked.isLocked(), locked.allOutput());

        if (!c.mayBeFreed) {
            const auto freed = bench.free();
            constexpr int refused = 7;
            VERIFY_CODE(refused, freed);
            QCOMPARE(bench.shown(u"entries"_s).size(), 1);
        }
        if (!c.wait.isEmpty()) {
            bench.run(c.wait);
            // A lease that is over need not be shown any more.
            for (const QJsonObject& dead : bench.shown(u"entries"_s))
                QVERIFY2(dead[u"holder_life"][u"verdict"] == u"silent"_s || dead[u"stale"].toBool(),
                    text(dead).constData());
        }
        if (c.mayBeFreed) {
            VERIFY_CODE(0, bench.free());
            QCOMPARE(bench.shown(u"entries"_s).size(), 0);
        }
        const auto worked = bench.work();
        QVERIFY2(worked.isDone(), worked.allOutput());
    }

    void sessionOfAProgram_data() { addCases(sessions()); }

    /// The lock belongs to a session, which is ended.
    void sessionOfAProgram()
    {
        QFETCH(const int, index);
        const Case& c = sessions()[std::size_t(index)];
        SKIP_FOR(FrameworkProgram::reasonAgainst(c.language));
        const Bench bench(c);
        const auto bystander = Bench::server().connect(bench.url);
        QVERIFY(runSql(*bystander, u"SELECT pg_advisory_lock(4711)"_s));
        if (c.program == u"pg-repack"
            && ask(*bystander,
                   u"SELECT count(*)::text FROM pg_available_extensions WHERE name = 'pg_repack'"_s)
                == u"0")
            QSKIP("This server does not have the extension pg_repack.");
        auto holder = bench.start(u"hold"_s);
        QVERIFY2(holder->waitUntilHeld(), holder->allOutput());
        if (c.outlives)
            holder->kill();

        const QJsonObject seen = bench.listed();
        const auto locks = bench.shown(seen, u"locks"_s);
        QVERIFY2(!locks.isEmpty(), text(seen).constData());
        const qint64 session = locks.first()[u"session"].toInteger();
        for (const QJsonObject& lock : locks) {
            const QJsonObject framework = lock[u"framework"].toObject();
            QCOMPARE(framework[u"framework"].toString(), c.badge);
            QVERIFY2(fits(c.name, framework[u"name"].toString()), text(lock).constData());
            QVERIFY2(framework[u"certain"].toBool(), text(lock).constData());
            QVERIFY2(lock[u"granted"].toBool(), text(lock).constData());
            QCOMPARE(lock[u"session"].toInteger(), session);
        }
        QVERIFY(hasSession(seen, session));

        VERIFY_CODE(0, bench.free());
        const QJsonObject then = bench.listed();
        QCOMPARE(bench.shown(then, u"locks"_s).size(), 0);
        QVERIFY(!hasSession(then, session));
        // Nobody else was ended.
        QVERIFY(runSql(*bystander, u"SELECT 1"_s));
        holder->kill();
        const auto worked = bench.work();
        QVERIFY2(worked.isDone(), worked.allOutput());
    }
};

LOCKSCOPE_TEST(tst_RealFrameworks)

} // namespace tst_RealFrameworks
#include "tst_RealFrameworks.moc"
