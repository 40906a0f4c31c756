// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The scenarios that come with the program, on real servers: the unsafe form goes wrong, the safe ones don't,
// and nothing is left behind.

#include "core/scenario/run/FreeRun.h"
#include "core/scenario/run/RunSchema.h"
#include "tests/support/ScenarioRig.h"

#include <numeric>

namespace tst_ScenarioRun {

using namespace lockscope;
using namespace lockscope::scenario;
using namespace lockscope::test;

constexpr milliseconds shortly{400};
constexpr int attempts = 4;
constexpr int atOnce = 6;

static RunOrder orderOf(const QString& scenario, const QString& variant, milliseconds duration)
{
    RunOrder order;
    order.scenario = ScenarioRig::shipped(scenario);
    order.variant = variant;
    order.duration = duration;
    return order;
}

/// A file in the user's folder, for as long as this object exists.
class UserFile {
public:
    UserFile(const ScenarioRig& rig, const QString& name, const QByteArray& content)
        : m_file(rig.file(name))
    {
        if (!m_file.open(QIODevice::WriteOnly) || m_file.write(content) != content.size())
            qFatal("can't write %s", qPrintable(m_file.fileName()));
        m_file.close();
    }
    ~UserFile() { m_file.remove(); }
    Q_DISABLE_COPY_MOVE(UserFile)

    QString path() const { return m_file.fileName(); }

private:
    QFile m_file;
};

/// A shipped one with something changed.
static ScenarioPtr changed(const QString& scenario, const QByteArray& from, const QByteArray& to)
{
    QByteArray text = readFile(u":/scenarios/"_s + scenario + u".json"_s);
    if (!text.contains(from))
        qFatal("%s has no %s", qPrintable(scenario), from.constData());
    return ScenarioRig::made(text.replace(from, to));
}

class tst_ScenarioRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        for (const ScenarioPtr& scenario : ScenarioRig::shipped().scenarios)
            for (const Variant& variant : scenario->variants)
                for (const Engine engine : variant.engines)
                    if (engine != Engine::SqlServer)
                        m_shipped.push_back({int(m_shipped.size()), scenario->id, variant.id, engine, {}});
    }

    void shippedVariants_data()
    {
        QTest::addColumn<int>("number");
        for (const Shipped& each : m_shipped)
            QTest::addRow("%s/%s on %s", qPrintable(each.scenario), qPrintable(each.variant),
                qPrintable(engineName(each.engine)))
                << each.number;
    }
    void shippedVariants()
    {
        QFETCH(int, number);
        // Each has an area of its own: a few are on their way at any time, from the first row's on.
        while (m_runners.size() < std::size_t(atOnce))
            m_runners.push_back(std::async(std::launch::async, [this] {
                for (auto next = m_next++; next < m_shipped.size(); next = m_next++)
                    m_shipped[next].fault.set_value(faultOf(m_shipped[next]));
            }));
        const QString fault = m_shipped[std::size_t(number)].fault.get_future().get();
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
    }

    /// The shipped variants leave nothing.
    void cleanupTestCase()
    {
        if (m_runners.empty())
            return;
        m_runners.clear(); // waits for them
        QCOMPARE(m_rig.remains(), QString());
    }

    void seedRepeatsTheDraws()
    {
        const ScenarioPtr scenario = ScenarioRig::doing(
            R"json({"draw": {"into": "n", "to": 1000000}}, {"processed": ":n"}, {"think_ms": 1})json");
        const auto draws = [&](quint32 seed) {
            RunOrder order;
            order.scenario = scenario;
            order.seed = seed;
            order.sessions = 1;
            order.duration = milliseconds(200);
            const auto report = orDie(run(order));
            return report.sessions[0].log.subjects.mid(1, 3);
        };
        const QStringList first = draws(7);
        QCOMPARE(first.size(), 3);
        QCOMPARE(draws(7), first);
        QVERIFY(draws(8) != first);
    }

    void noRoundBeginsBeforeItsTurn()
    {
        RunOrder order;
        order.scenario = ScenarioRig::doing(R"({"sql": "SELECT 1"})");
        order.sessions = 2;
        order.rate = 20;
        order.duration = milliseconds(500);
        const auto report = run(order);
        QVERIFY(report);
        for (const SessionReport& session : report->sessions) {
            // However late it comes.
            qint64 round = 0;
            for (const RunEvent& event : session.log.events)
                if (event.kind == EventKind::RoundBegin)
                    QVERIFY(event.us >= round++ * 50'000);
            QVERIFY(round > 1);
        }
    }

    void thinkingTimeIsKept()
    {
        RunOrder order;
        order.scenario = ScenarioRig::doing(R"({"sql": "SELECT 1"})");
        order.sessions = 2;
        order.think = milliseconds(60);
        order.duration = milliseconds(600);
        const auto report = run(order);
        QVERIFY(report);
        for (const SessionReport& session : report->sessions) {
            QVERIFY(session.log.counts.rounds > 1);
            qint64 ended = -1;
            for (const RunEvent& event : session.log.events) {
                if (event.kind == EventKind::RoundEnd)
                    ended = event.us;
                else if (event.kind == EventKind::RoundBegin && ended >= 0)
                    QVERIFY(event.us - ended >= 30'000); // half of it at least
            }
        }
    }

    void countsAreReportedLive()
    {
        RunOrder order;
        order.scenario = ScenarioRig::doing(
            R"({"acquire": {"kind": "app", "name": "n"}}, {"processed": "1"}, {"release": "lock"})");
        order.sessions = 6;
        order.duration = std::chrono::hours(1);
        std::stop_source stop;
        qint64 rounds = 0;
        bool grows = true;
        bool allThere = false;
        bool waits = false;
        const auto report = runFreely(m_rig.server(), order, stop.get_token(), [&](const Progress& progress) {
            grows = grows && progress.counts.rounds >= rounds;
            rounds = progress.counts.rounds;
            if (progress.phase != Progress::Phase::Running)
                return;
            allThere = allThere || (progress.sessions == 6 && progress.plannedSessions == 6);
            waits = waits || progress.waiting > 0;
            // The report agrees with the events.
            const RunReport now = progress.soFar();
            grows = grows && now.counts.processed >= progress.counts.processed;
            if (rounds > 10 && allThere && waits)
                stop.request_stop();
        });
        QVERIFY(report);
        QVERIFY(grows && allThere && waits);
        QVERIFY(report->counts.rounds >= rounds);
        QVERIFY(report->counts.processed <= report->counts.rounds);
    }

    void waitingIsSeen()
    {
        const auto waits = [&](const QByteArray& wait) {
            RunOrder order;
            order.scenario = ScenarioRig::doing(R"({"acquire": {"kind": "app", "name": "n")" + wait
                    + R"(}}, {"think_ms": 2}, {"release": "lock"})",
                R"("rules": {"nobody_waits": true},)");
            order.duration = shortly;
            const auto report = orDie(run(order));
            return report.violations.violations.at(RunRule::NobodyWaits);
        };
        QVERIFY(waits("") > 0);
        QCOMPARE(waits(R"(, "wait_ms": 0)"), 0);
    }

    void lostLocksAreSeen()
    {
        RunOrder order = orderOf(u"zombie-release"_s, u"lock-table"_s, milliseconds(2'000));
        for (int i = 0; i < attempts; ++i) {
            const auto report = run(order);
            VERIFY_DONE(report);
            QVERIFY2(!report->violations.isBroken(), qPrintable(report->verdict));
            if (report->counts.lost > 0)
                return;
            order.duration *= 2;
        }
        QFAIL("The slow one never lost its lock.");
    }

    void theLogShowsEachLostUpdate_data()
    {
        addColumns<QString, SessionsAre, bool>("variant", "sessionsAre", "breaks");
        row("unsafe", "unsafe", SessionsAre::Threads, true);
        row("unsafe, by processes", "unsafe", SessionsAre::Processes, true);
        row("refused writes are not lost", "snapshot", SessionsAre::Threads, false);
        row("row lock", "row-lock", SessionsAre::Threads, false);
    }
    /// The log has all steps, in the order in which they happened, so that a picture of them is true.
    void theLogShowsEachLostUpdate()
    {
        QFETCH(const QString, variant);
        QFETCH(const SessionsAre, sessionsAre);
        QFETCH(const bool, breaks);
        RunOrder order = orderOf(u"lost-update"_s, variant, shortly);
        order.sessionsAre = sessionsAre;
        const auto report = run(order);
        VERIFY_DONE(report);
        LogPointers logs;
        for (const SessionReport& session : report->sessions)
            logs.push_back(&session.log);
        // The log's steps, computed again, must give the same sums as the database.
        struct Writing {
            qint64 at;
            QString item;
            qint64 seen;
        };
        std::vector<Writing> writings;
        for (const SessionReport& session : report->sessions)
            for (const RunEvent& event : session.log.events)
                if (event.kind == EventKind::WroteOver)
                    writings.push_back({event.us, session.log.subjects[event.subject], event.value});
        std::stable_sort(
            writings.begin(), writings.end(), [](const Writing& x, const Writing& y) { return x.at < y.at; });
        QHash<QString, qint64> balances;
        for (const Writing& each : writings)
            balances[each.item] = each.seen + 1;
        const qint64 sum = std::accumulate(balances.begin(), balances.end(), qint64(0));
        QCOMPARE(std::ssize(writings) - sum, report->violations.violations.at(RunRule::Invariant));
        QCOMPARE(!overwritings(logs).empty(), breaks);
    }

    void takingTooEarlyIsSeen()
    {
        RunOrder order;
        order.scenario = changed(u"dead-worker"_s, R"("redeliver_ms": ":again")", R"("redeliver_ms": 1)");
        order.variant = u"stamp"_s;
        order.duration = milliseconds(1'000);
        const auto report = run(order);
        VERIFY_DONE(report);
        QVERIFY2(report->violations.violations.at(RunRule::Invariant) > 0, qPrintable(report->verdict));
    }

    void longAgesAreNoFault()
    {
        RunOrder order = orderOf(u"dead-worker"_s, u"stamp"_s, milliseconds(2'500));
        order.parameters[u"again"_s] = u"5000"_s;
        const auto report = run(order);
        VERIFY_DONE(report);
        QVERIFY(report->counts.deaths > 0);
        QVERIFY2(!report->violations.isBroken(), qPrintable(report->verdict));
    }

    void mistakesInSqlAreErrors()
    {
        RunOrder order;
        order.scenario = ScenarioRig::doing(R"({"sql": "SELEKT 1", "label": "read"})");
        const auto report = run(order);
        QVERIFY(!report);
        VERIFY_CONTAINS(report.error().toString(), u"made: read"_s);
        QCOMPARE(m_rig.remains(), QString());
    }

    void invariantHasToBeANumber_data()
    {
        addColumns<QByteArray, QString>("sql", "says");
        row("a text", QByteArray("SELECT 'abc'"), "\"abc\"");
        row("nothing", QByteArray("SELECT NULL"), "\"NULL\"");
        row("a half", QByteArray("SELECT 0.5"), "\"0.5\"");
        row("no row", QByteArray("SELECT 1 WHERE false"), "no row");
        row("two rows", QByteArray("SELECT generate_series(0, 1)"), "several rows");
        row("a sum with decimals", QByteArray("SELECT 0.00"), QString());
    }
    void invariantHasToBeANumber()
    {
        QFETCH(QByteArray, sql);
        QFETCH(QString, says);
        RunOrder order;
        order.scenario = ScenarioRig::made(ScenarioRig::textDoing(R"({"sql": "SELECT 1"})", {}, sql));
        order.duration = milliseconds(100);
        const auto report = run(order);
        QCOMPARE(report.has_value(), says.isEmpty());
        if (report)
            return;
        QCOMPARE(report.error().kind, ErrorKind::BadInput);
        const QString said = report.error().toString();
        QVERIFY2(said.contains(says) && said.contains(u"SELECT count(*)"_s), qPrintable(said));
        QCOMPARE(m_rig.remains(), QString());
    }

    void ordersThatMakeNoSense_data()
    {
        addColumns<QString, int, QString, QString>("variant", "sessions", "parameter", "value");
        row("no such variant", "x", 0, QString(), QString());
        row("too many sessions", QString(), 201, QString(), QString());
        row("too few sessions", QString(), 1, QString(), QString());
        row("no such parameter", QString(), 0, "x", "1");
        row("no number", QString(), 0, "accounts", "many");
        row("out of range", QString(), 0, "accounts", "0");
    }
    void ordersThatMakeNoSense()
    {
        QFETCH(QString, variant);
        QFETCH(int, sessions);
        QFETCH(QString, parameter);
        QFETCH(QString, value);
        RunOrder order = orderOf(u"lost-update"_s, variant, shortly);
        order.sessions = sessions;
        if (!parameter.isEmpty())
            order.parameters[parameter] = value;
        VERIFY_FAILS(ErrorKind::BadInput, run(order));
    }

    void hangingSessionsAreStopped_data() { addRows<int>("sessions", {{"a few", 8}, {"many", 60}}); }
    void hangingSessionsAreStopped()
    {
        QFETCH(int, sessions);
        RunOrder order;
        order.scenario = ScenarioRig::hanging();
        order.sessions = sessions;
        order.duration = std::chrono::hours(1);
        QVERIFY(isOncePrompt(std::chrono::seconds(1), [&]() -> Taken {
            std::stop_source stop;
            auto running = std::async(std::launch::async, [&] { return run(order, stop.get_token()); });
            const auto inAnyCase = qScopeGuard([&stop] { stop.request_stop(); });
            if (!waitUntil([&] { return m_rig.waiting() == sessions - 1; }))
                return failed("Not all of them hang.");
            const auto asked = Steady::now();
            stop.request_stop();
            if (running.wait_for(patience) != std::future_status::ready)
                return failed("The run did not stop.");
            const auto taken = Steady::now() - asked;
            const auto report = running.get();
            if (!report)
                return failed(qPrintable(report.error().toString()));
            if (!report->wasStopped)
                return failed("The run does not know that it was stopped.");
            if (const QString remains = m_rig.remains(); !remains.isEmpty())
                return failed(qPrintable(remains));
            return taken;
        }));
    }

    void otherTablesStayAsTheyAre()
    {
        m_rig.run(
            u"CREATE TABLE account (id int, balance int); INSERT INTO account VALUES (1, 5); CREATE SCHEMA lockscope_run_of_somebody"_s);
        QVERIFY(run(orderOf(u"lost-update"_s, u"one-statement"_s, milliseconds(200))));
        QCOMPARE(m_rig.number(u"SELECT balance FROM public.account"_s), 5);
        // Called like one of ours, but not made by us.
        QCOMPARE(m_rig.schemas(), 1);
        m_rig.run(u"DROP TABLE account; DROP SCHEMA lockscope_run_of_somebody"_s);
    }

    void remainsOfACrashAreRemoved()
    {
        const auto process = m_rig.lockctl("run lost-update --duration 10m --variant app-lock");
        QVERIFY(waitUntil([this] { return m_rig.schemas() == 1 && m_rig.sessions() == 9; }));
        process->kill();
        QVERIFY(process->waitForFinished());
        QCOMPARE(m_rig.schemas(), 1);
        // The server may need a short time to see that the program is gone.
        QVERIFY(waitUntil([this] { return RunSchema::removeRemains(m_rig.server()).value_or(0) == 1; }));
        QCOMPARE(m_rig.remains(), QString());
    }

    void nextStartRemovesRemains_data()
    {
        addColumns<QString, Engine>("next", "engine");
        row("list", "list", Engine::Postgres);
        row("run", "run", Engine::Postgres);
        row("list, SQLite", "list", Engine::Sqlite);
        row("run on a server, SQLite", "run", Engine::Sqlite);
    }
    /// One process is killed, the next one starts.
    void nextStartRemovesRemains()
    {
        QFETCH(QString, next);
        QFETCH(Engine, engine);
        const QDir files(qEnvironmentVariable("XDG_CACHE_HOME") + u"/lockscope/runs"_s);
        const auto remains = [&] {
            return engine == Engine::Postgres ? m_rig.schemas()
                                              : files.entryList({u"run_*.db"_s}, QDir::Files).size();
        };
        QVERIFY(remains() == 0);
        const auto killed = m_rig.lockctl(
            "run best-sellers --duration 10m --variant lock-table --server %1", m_rig.url(engine).toString());
        QVERIFY(waitUntil([&] { return remains() == 1; }));
        // It must be on its way, not only begun.
        QVERIFY(waitUntil([&] { return engine == Engine::Sqlite || m_rig.sessions() == 9; }));
        killed->kill();
        QVERIFY(killed->waitForFinished());
        QCOMPARE(remains(), 1);
        QVERIFY(waitUntil([&] { // the server may need a short time to see it
            const auto process = m_rig.lockctl(next == u"list"
                    ? QStringList{next}
                    : QStringList{next, u"lost-update"_s, u"--duration"_s, u"100ms"_s});
            return process->waitForFinished() && remains() == 0;
        }));
        QCOMPARE(m_rig.remains(), QString());
    }

    void runsThatLiveAreLeftAlone()
    {
        const auto process = m_rig.lockctl("run lost-update --duration 10m --json");
        QVERIFY(waitUntil([this] { return m_rig.schemas() == 1 && m_rig.sessions() == 9; }));
        // It is as if it was just ending: its name is out of the registry already, and must not come back.
        m_rig.number(
            u"WITH gone AS (DELETE FROM lockscope.app_lock_name RETURNING name) SELECT count(*) FROM gone"_s);
        QCOMPARE(RunSchema::removeRemains(m_rig.server()).value_or(-1), 0);
        QCOMPARE(m_rig.schemas(), 1);
        QCOMPARE(m_rig.number(u"SELECT count(*) FROM lockscope.app_lock_name"_s), 0);
        process->terminate();
        QVERIFY(process->waitForFinished());
        // The report has the results so far.
        const auto report = QJsonDocument::fromJson(process->readAllStandardOutput()).object();
        QCOMPARE(report[u"stopped"].toBool(), true);
        QVERIFY(report[u"tries"].toInt() > 0);
        QCOMPARE(m_rig.remains(), QString());
    }

    void exitCodeTellsWhetherItBroke()
    {
        const auto unsafe =
            m_rig.lockctl("run lost-update --duration 1500ms --sessions 12 --set accounts=1 --json");
        QVERIFY(unsafe->waitForFinished());
        const auto report = QJsonDocument::fromJson(unsafe->readAllStandardOutput()).object();
        QCOMPARE(unsafe->exitCode(), 1);
        QCOMPARE(report[u"broken"].toBool(), true);
        QCOMPARE(report[u"sessions"].toInt(), 12);
        QVERIFY(report[u"violations"].toObject()[u"invariant"].toInt() > 0);
        const auto safe = m_rig.lockctl("run lost-update --variant one-statement --duration 300ms");
        QVERIFY(safe->waitForFinished());
        QCOMPARE(safe->exitCode(), 0);
        QVERIFY(safe->readAllStandardOutput().contains("Not observed in"));
        const auto sessions = m_rig.lockctl(
            "run lost-update --variant one-statement --duration 300ms --sessions 2 --table sessions --format csv");
        QVERIFY(sessions->waitForFinished());
        const QByteArray csv = sessions->readAllStandardOutput();
        QVERIFY2(
            csv.startsWith("session,rounds,whole,processed,denied,victims,waits,p50_ms,max_ms\r\n1 "), csv);
        QCOMPARE(csv.count("\r\n"), 3);
    }

    void exitCodeTellsThatNothingCanBeSaid()
    {
        const auto code = [this](const QStringList& arguments) {
            const auto process = m_rig.lockctl(arguments);
            process->waitForFinished();
            return process->exitCode();
        };
        const QStringList nobody{u"--server"_s, u"postgresql://nobody@127.0.0.1:1/none"_s};
        for (const QString& act : {u"run"_s, u"explore"_s})
            QCOMPARE(code(QStringList{act, u"lost-update"_s} + nobody), 3);
        QCOMPARE(code(QStringList{u"replay"_s, u"lost-update/unsafe: A1"_s} + nobody), 3);
        const UserFile wrong(m_rig, u"wrong.json"_s, ScenarioRig::textDoing(R"({"sql": "SELEKT 1"})"));
        for (const QString& act : {u"run"_s, u"explore"_s})
            QCOMPARE(code({act, u"made"_s}), 3);
    }

    void optionsOfOthersAreRefused()
    {
        for (const QString& option : {u"--limit"_s, u"--rounds"_s, u"--sample"_s, u"--draws"_s}) {
            const auto process = m_rig.lockctl("run lost-update %1 5", option);
            QVERIFY(process->waitForFinished());
            QCOMPARE(process->exitCode(), 2);
            const QByteArray said = process->readAllStandardError();
            QVERIFY2(said.contains(option.toUtf8() + " is for `scenario explore`"), said.constData());
        }
    }

    void filesAreChecked()
    {
        const UserFile bad(m_rig, u"bad.json"_s, "{\n  \"id\": 5\n}");
        const auto check = m_rig.lockctl("check %1", bad.path());
        QVERIFY(check->waitForFinished());
        QCOMPARE(check->exitCode(), 1);
        QVERIFY(check->readAllStandardError().contains("bad.json:2:9: Here is the number 5."));
        // The others are there, and it is said what is wrong with this one.
        const auto list = m_rig.lockctl("list");
        QVERIFY(list->waitForFinished());
        QCOMPARE(list->exitCode(), 0);
        QVERIFY(list->readAllStandardOutput().contains("lost-update"));
        QVERIFY(list->readAllStandardError().contains("bad.json:2:9"));
        const auto csv = m_rig.lockctl("list --format csv");
        QVERIFY(csv->waitForFinished());
        const QByteArray rows = csv->readAllStandardOutput();
        QVERIFY2(rows.startsWith("id,title,engines,variants,story,file\r\n"), rows);
        QVERIFY2(rows.contains("\r\nlost-update,"), rows);
        const auto none = m_rig.lockctl("run no-such");
        QVERIFY(none->waitForFinished());
        QCOMPARE(none->exitCode(), 2);
    }

    void idsThatAreTakenAreFound()
    {
        const UserFile mine(m_rig, u"mine.json"_s, R"json({
  "title": "t", "story": "s", "engines": ["postgres"], "setup": [],
  "id": "lost-update",
  "invariant": {"sql": "SELECT 0", "meaning": "m", "violation": "v"},
  "variants": [{"id": "u", "title": "t", "strategy": "s", "unsafe": true, "meaning": "m", "roles": [
  {"name": "r", "steps": [{"sql": "SELECT 1"}]}]}]})json");
        const auto check = m_rig.lockctl("check %1", mine.path());
        QVERIFY(check->waitForFinished());
        QCOMPARE(check->exitCode(), 1);
        const QByteArray said = check->readAllStandardError();
        QVERIFY2(said.contains("mine.json:3:9: There is a scenario with the id \"lost-update\" already"),
            said.constData());
    }

private:
    struct Shipped {
        int number = 0;
        QString scenario;
        QString variant;
        Engine engine = Engine::Postgres;
        std::promise<QString> fault;
    };
    QString faultOf(const Shipped& shipped) const;
    Result<RunReport> run(const RunOrder& order, const std::stop_token& stop = {}) const
    {
        return runFreely(db::Server::at(urlFor(order), m_rig.passwords()), order, stop);
    }
    db::ServerUrl urlFor(const RunOrder& order) const
    {
        return m_rig.url(
            order.scenario->engines.contains(Engine::Postgres) ? Engine::Postgres : Engine::Sqlite);
    }
    ScenarioRig m_rig;
    std::vector<Shipped> m_shipped;
    std::atomic<std::size_t> m_next = 0; ///< of m_shipped, for the next runner
    std::vector<std::future<void>> m_runners;
};

/// The unsafe form goes wrong, the sooner the better; the safe one doesn't. Empty if it is so.
QString tst_ScenarioRun::faultOf(const Shipped& shipped) const
{
    RunOrder order = orderOf(shipped.scenario, shipped.variant, shortly);
    const bool isUnsafe = order.scenario->find(shipped.variant)->isUnsafe;
    // Most races are lost at once; but too long a wait takes its time, and a deadlock alone a second.
    std::vector<milliseconds> durations{shortly};
    if (isUnsafe && order.scenario->rules.longestWaitMs)
        durations.clear();
    else if (isUnsafe)
        durations.emplace_back(1'500);
    for (int i = 0; isUnsafe && i < attempts; ++i)
        durations.push_back(order.scenario->duration);
    QString last;
    for (const milliseconds duration : durations) {
        order.duration = duration;
        ++order.seed;
        const auto report = runFreely(m_rig.server(shipped.engine), order);
        if (!report)
            return report.error().toString();
        if (report->leftBehind)
            return report->leftBehind->toString();
        last = report->verdict;
        if (report->violations.tries == 0 || report->violations.isBroken() == isUnsafe)
            return report->violations.tries > 0 ? QString() : last;
    }
    return last;
}

LOCKSCOPE_TEST_AT_ONCE(tst_ScenarioRun)

} // namespace tst_ScenarioRun
#include "tst_ScenarioRun.moc"
