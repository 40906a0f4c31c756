// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Runs whose sessions are processes: unsafe variants go wrong and safe ones don't, as with threads, and no
// process is left behind, whichever is killed.

#include "core/base/Spawn.h"
#include "core/scenario/run/FreeRun.h"
#include "core/scenario/run/RunSchema.h"
#include "tests/support/Processes.h"
#include "tests/support/ScenarioRig.h"

#include <csignal>

namespace tst_ScenarioProcesses {

using namespace lockscope;
using namespace lockscope::scenario;
using namespace lockscope::test;

/// Returns the session programs of one program that runs a scenario.
static QList<qint64> sessionProgramsOf(qint64 parent)
{
    return childrenOf(parent, "lockscope-sess");
}

static QList<qint64> ownSessionPrograms()
{
    return sessionProgramsOf(QCoreApplication::applicationPid());
}

static bool livesOn(qint64 process)
{
    return !processFile(process, u"cmdline"_s).isEmpty();
}

static RunOrder orderOf(const ScenarioPtr& scenario, const QString& variant, milliseconds duration)
{
    RunOrder order;
    order.scenario = scenario;
    order.variant = variant;
    order.duration = duration;
    order.sessionsAre = SessionsAre::Processes;
    return order;
}

/// Returns a run that goes on until it is stopped.
static RunOrder orderOf(const ScenarioPtr& scenario, int sessions)
{
    RunOrder order = orderOf(scenario, QString(), std::chrono::hours(1));
    order.sessions = sessions;
    return order;
}

class tst_ScenarioProcesses : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        if (!QFile::exists(u"/proc/self/stat"_s))
            QSKIP("Looks at processes as Linux shows them.");
    }

    void cleanup()
    {
        QCOMPARE(ownSessionPrograms(), QList<qint64>());
        QCOMPARE(m_rig.remains(), QString());
    }

    void onlyWhatIsUnsafeGoesWrong_data()
    {
        addColumns<QString, QString, Engine, bool>("scenario", "variant", "engine", "breaks");
        row("a dead holder", "holder-died", "unsafe", Engine::Sqlite, true);
        row("its lock gets stale", "holder-died", "stale-age", Engine::Sqlite, false);
        row("lost updates", "lost-update", "unsafe", Engine::Postgres, true);
        row("none with a lock", "lost-update", "app-lock", Engine::Postgres, false);
        row("lost work", "dead-worker", "unsafe", Engine::Postgres, true);
        row("none with a stamp", "dead-worker", "stamp", Engine::Postgres, false);
    }
    void onlyWhatIsUnsafeGoesWrong()
    {
        QFETCH(QString, scenario);
        QFETCH(QString, variant);
        QFETCH(Engine, engine);
        QFETCH(bool, breaks);
        RunOrder order = orderOf(ScenarioRig::shipped(scenario), variant, milliseconds(700));
        if (breaks && order.scenario->rules.longestWaitMs)
            order.duration = order.scenario->duration;
        QString verdict;
        for (int attempt = 0; attempt < 5; ++attempt) {
            const auto report = runFreely(m_rig.server(engine), order);
            VERIFY_DONE(report);
            QVERIFY(report->sessionsAre == SessionsAre::Processes);
            QVERIFY(!report->leftBehind);
            QVERIFY(report->violations.tries > 0);
            verdict = report->verdict;
            if (report->violations.isBroken() == breaks)
                return;
            QVERIFY2(breaks, qPrintable(verdict));
            // Some races take a while to be lost.
            order.duration = order.scenario->duration;
            ++order.seed;
        }
        QFAIL(qPrintable(verdict));
    }

    void goOnAfterACrash()
    {
        const ScenarioPtr scenario = ScenarioRig::doing(R"json({"draw": {"into": "n", "to": 1000000}},
            {"processed": ":n in :round"}, {"die": {"one_in": 2, "restart_ms": 1}})json");
        const auto lived = [&](SessionsAre sessionsAre) {
            RunOrder order = orderOf(scenario, 1);
            order.sessionsAre = sessionsAre;
            order.think = milliseconds(1);
            std::stop_source stop;
            const auto report = orDie(run(order, stop.get_token(), [&stop](const Progress& progress) {
                if (progress.counts.processed >= 12)
                    stop.request_stop();
            }));
            return report.sessions[0].log;
        };
        const SessionLog::Copy threads = lived(SessionsAre::Threads);
        const SessionLog::Copy processes = lived(SessionsAre::Processes);
        QVERIFY(processes.counts.deaths > 2);
        // The same in the same order, but for when.
        QCOMPARE(processes.subjects.mid(0, 12), threads.subjects.mid(0, 12));
        QVERIFY(std::min(processes.events.size(), threads.events.size()) >= 30);
        for (std::size_t i = 0; i < 30; ++i)
            QVERIFY(processes.events[i].kind == threads.events[i].kind);
        for (std::size_t i = 1; i < processes.events.size(); ++i)
            QVERIFY(processes.events[i - 1].us <= processes.events[i].us);
    }

    void nobodyBeginsBeforeAllAreThere()
    {
        constexpr int many = 40; // some have to wait for their turn to connect
        // More than a pipe takes at once.
        const ScenarioPtr scenario =
            ScenarioRig::made(ScenarioRig::textDoing(R"json({"sql": "SELECT 1"}, {"think_ms": 20})json")
                + QByteArray(300'000, ' '));
        const auto hasBegun = [](const SessionReport& session) { return session.log.counts.rounds > 0; };
        int most = 0;
        int polls = 0;
        bool isTooEarly = false;
        std::stop_source stop;
        VERIFY_DONE(run(orderOf(scenario, many), stop.get_token(), [&](const Progress& progress) {
            const RunReport soFar = progress.soFar();
            const auto& sessions = soFar.sessions;
            most = std::max(most, progress.sessions);
            if (progress.phase == Progress::Phase::Preparing) {
                ++polls;
                isTooEarly = isTooEarly || std::ranges::any_of(sessions, hasBegun);
            } else if (std::ranges::all_of(sessions, hasBegun)) {
                stop.request_stop();
            }
        }));
        QVERIFY(polls > 0);
        QVERIFY(!isTooEarly);
        QCOMPARE(most, many);
    }

    void stopLeavesNoProcess()
    {
        std::stop_source stop;
        auto running = std::async(
            std::launch::async, [&] { return run(orderOf(ScenarioRig::hanging(), 6), stop.get_token()); });
        const auto inAnyCase = qScopeGuard([&stop] { stop.request_stop(); });
        QVERIFY(waitUntil([this] { return m_rig.waiting() == 5; }));
        QCOMPARE(ownSessionPrograms().size(), 6);
        stop.request_stop();
        QCOMPARE(running.wait_for(patience), std::future_status::ready);
        const auto report = running.get();
        VERIFY_DONE(report);
        QVERIFY(report->wasStopped);
        QCOMPARE(report->counts.rounds, 6);
        QCOMPARE(report->waits.count(), 6);
    }

    void stopBeforeTheStart()
    {
        std::stop_source stop;
        int polls = 0;
        int connected = 0;
        const auto report =
            run(orderOf(ScenarioRig::hanging(), 60), stop.get_token(), [&](const Progress& progress) {
                if (progress.phase == Progress::Phase::Preparing) {
                    ++polls;
                    connected = progress.sessions;
                }
                stop.request_stop();
            });
        VERIFY_DONE(report);
        QVERIFY(report->wasStopped);
        QCOMPARE(polls, 1); // nothing else was waited for
        QVERIFY(connected < 60);
    }

    void killedProcessIsAnError()
    {
        std::stop_source stop;
        auto running = std::async(
            std::launch::async, [&] { return run(orderOf(ScenarioRig::hanging(), 6), stop.get_token()); });
        const auto inAnyCase = qScopeGuard([&stop] { stop.request_stop(); });
        QVERIFY(waitUntil([this] { return m_rig.waiting() == 5; }));
        const QList<qint64> programs = ownSessionPrograms();
        QCOMPARE(programs.size(), 6);
        ::kill(pid_t(programs.first()), SIGKILL);
        QCOMPARE(running.wait_for(patience), std::future_status::ready);
        const auto report = running.get();
        QVERIFY(!report);
        const QString text = report.error().toString();
        VERIFY_CONTAINS(text, u"was ended in the middle of the run"_s);
        VERIFY_CONTAINS(text, u"signal 9"_s);
    }

    void mistakesInSqlAreErrors()
    {
        const auto report =
            run(orderOf(ScenarioRig::doing(R"json({"sql": "SELEKT 1", "label": "read"})json"), 3));
        QVERIFY(!report);
        VERIFY_CONTAINS(report.error().toString(), u"made: read"_s);
    }

    void withoutTheProgram_data()
    {
        addColumns<QString, QString>("program", "what");
        row("none", "/nowhere/lockscope-session",
            "Can't start the program of a session, /nowhere/lockscope-session");
        row("ends at once", "/bin/true", "ended before it was connected");
        // Called as the real one, so that cleanup() would see it.
        row("talks nonsense", m_rig.file(u"lockscope-session"_s), "sends messages that make no sense");
    }
    void withoutTheProgram()
    {
        QFETCH(QString, program);
        QFETCH(QString, what);
        // Stays, whatever becomes of its standard input.
        const QString nonsense = makeFile(m_rig.file(u"lockscope-session"_s),
            "#!/bin/sh\necho here I am; kill -STOP $$\n", QFile::ReadOwner | QFile::ExeOwner);
        RunOrder order = orderOf(ScenarioRig::hanging(), 20);
        order.sessionProgram = program;
        const auto report = run(order);
        QVERIFY(!report);
        const Error& error = report.error();
        QVERIFY2(error.what.contains(what), qPrintable(error.toString()));
        QVERIFY2(!error.hint.isEmpty(), qPrintable(error.toString()));
        QVERIFY(QFile::remove(nonsense));
    }

    /// Up to 200 start at once, and none of them asks a keychain.
    void needNoKeychain()
    {
        QFile program(orDie(findOwnProgram(u"lockscope-session"_s, u"which is looked at"_s)));
        QVERIFY(program.open(QFile::ReadOnly));
        const QByteArray bytes = program.readAll();
        QVERIFY(bytes.contains("libpq.so"));
        QVERIFY(!bytes.contains("libqt6keychain.so"));
    }

    void endWithTheirParent()
    {
        const auto lockctl = m_rig.lockctl("run lost-update --processes --variant app-lock --duration 10m");
        QVERIFY(waitUntil([this] { return m_rig.sessions() == 9; }));
        const QList<qint64> programs = sessionProgramsOf(lockctl->processId());
        QCOMPARE(programs.size(), 8);
        lockctl->kill();
        QVERIFY(lockctl->waitForFinished());
        QVERIFY(waitUntil([&] { return std::ranges::none_of(programs, livesOn); }));
        QVERIFY(waitUntil([this] { return RunSchema::removeRemains(m_rig.server()).value_or(0) == 1; }));
    }

    void passwordIsNotToBeSeen()
    {
        const auto lockctl = m_rig.lockctl("run lost-update --processes --duration 10m --json");
        QVERIFY(waitUntil([this] { return m_rig.sessions() == 9; }));
        const QByteArray password = m_rig.passwords()(QString()).value().toUtf8();
        QVERIFY(processFile(lockctl->processId(), u"environ"_s).contains(password)); // there it may be
        const QList<qint64> programs = sessionProgramsOf(lockctl->processId());
        QCOMPARE(programs.size(), 8);
        for (const qint64 process : programs) {
            QVERIFY(processFile(process, u"cmdline"_s).contains("run_"));
            QVERIFY(!processFile(process, u"cmdline"_s).contains(password));
            QVERIFY(!processFile(process, u"environ"_s).isEmpty());
            QVERIFY(!processFile(process, u"environ"_s).contains(password));
        }
        lockctl->terminate();
        QVERIFY(lockctl->waitForFinished());
        const auto report = QJsonDocument::fromJson(lockctl->readAllStandardOutput()).object();
        QVERIFY(report[u"processes"].toBool());
        QVERIFY(report[u"stopped"].toBool());
    }

private:
    Result<RunReport> run(
        const RunOrder& order, const std::stop_token& stop = {}, const ProgressHandler& onProgress = {}) const
    {
        return runFreely(m_rig.server(), order, stop, onProgress);
    }
    ScenarioRig m_rig;
};

LOCKSCOPE_TEST(tst_ScenarioProcesses)

} // namespace tst_ScenarioProcesses
#include "tst_ScenarioProcesses.moc"
