// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Measures the cost of a poll for the server and for us, with waiters and with many locks.
#include "tests/bench/Bench.h"
#include "tests/bench/Crowd.h"
#include "tests/bench/Measure.h"
#include "tests/bench/Subject.h"
#include "tests/support/Files.h"
#include "tests/support/Session.h"

#include "core/domain/BlockingForest.h"
#include "core/monitor/SnapshotSource.h"

#include <QTemporaryDir>

namespace lockscope::bench {

using namespace Qt::StringLiterals;

namespace {

// The query of other monitors: all locks with their sessions, and the blockers of each waiter.
const auto blockingPids =
    u"SELECT a.pid, a.usename, a.datname, a.application_name, a.client_addr, a.state, a.wait_event_type, a.wait_event, a.xact_start, a.query_start, a.query, l.locktype, l.relation::regclass, l.mode, l.granted, l.waitstart, CASE WHEN NOT l.granted THEN pg_blocking_pids(l.pid) END "
    "FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid"_s;

std::unique_ptr<monitor::SnapshotSource> sourceFor(const test::TestServer& server, const db::ServerUrl& url)
{
    db::ServerProfile profile;
    profile.url = url;
    return monitor::makeSnapshotSource({profile, server.passwords()});
}

/// Returns the backend of another session of this program than that one.
int backendOf(db::Connection& connection, const QString& program, int notThis = 0)
{
    int pid = 0;
    orDie(test::runSql(connection,
        u"SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '"_s
            + program + u"%' AND pid <> "_s + QString::number(notThis),
        {}, [&pid](const db::Row& row) { pid = static_cast<int>(row.int64(0)); }));
    return pid;
}

/// Returns the CPU time of a backend for one poll, from several polls, because the kernel updates a process's
/// account only when it is switched out.
double cpuOf(int backend, const std::function<void()>& poll)
{
    constexpr int polls = 5;
    const double before = cpuMs(backend);
    for (int i = 0; i < polls; ++i)
        poll();
    return (cpuMs(backend) - before) / polls;
}

void amongWaiters(Bench& bench)
{
    bench.report.section(u"One poll among waiters: the server's CPU against join + pg_blocking_pids"_s);
    const db::ServerUrl url = bench.server.freshDatabase();
    Crowd crowd(bench.server, url);
    const auto source = sourceFor(bench.server, url);
    const auto connection = bench.server.connect(url);
    const db::Statement reference = test::sqlStatement(blockingPids);
    (void)orDie(source->take());
    const int ourBackend = backendOf(*connection, u"lockscope monitor"_s);
    const int theirBackend = static_cast<int>(connection->sessionId().value);
    int waiting = 0;
    for (const int waiters : {50, 100, 200}) {
        crowd.addWaiting(waiters - waiting);
        waiting = waiters;
        SnapshotPtr snapshot;
        const Pair result = interleaved(
            bench.rounds(41), [&] { return cpuOf(ourBackend, [&] { snapshot = orDie(source->take()); }); },
            [&] {
                return cpuOf(
                    theirBackend, [&] { orDie(connection->execute(reference, {}, [](const db::Row&) {})); });
            });
        const auto start = Clock::now();
        const BlockingGraph graph(*snapshot);
        const double graphMs = millisecondsSince(start);
        bench.report.add(u"%1 waiters: ratio"_s.arg(waiters), result.ratio, u"×"_s,
            waiters == 200 ? std::optional(atMost(0.55)) : std::nullopt,
            u"%1 against %2 ms; our client %3 ms, graph %4 ms"_s.arg(result.first, 0, 'f', 2)
                .arg(result.second, 0, 'f', 2)
                .arg(static_cast<double>(snapshot->cost.client.count()) / 1e3, 0, 'f', 2)
                .arg(graphMs, 0, 'f', 2));
    }
}

/// Nobody waits: sessions that do nothing, and sessions in transactions with a few locks each.
void whileNobodyWaits(Bench& bench)
{
    bench.report.section(
        u"One poll of 250 sessions of which nobody waits: the server's CPU against the same"_s);
    for (const int locks : {0, 4}) {
        const db::ServerUrl url = bench.server.freshDatabase();
        Crowd crowd(bench.server, url);
        if (locks == 0)
            crowd.addIdle(250);
        else
            crowd.addHolding(250, locks);
        const auto always = sourceFor(bench.server, url);
        (void)orDie(always->take());
        const auto connection = bench.server.connect(url);
        const int alwaysBackend = backendOf(*connection, u"lockscope monitor"_s);
        const auto awaited = sourceFor(bench.server, url);
        awaited->setLockReading(monitor::LockReading::WhenWaitedFor);
        (void)orDie(awaited->take());
        const int waitedBackend = backendOf(*connection, u"lockscope monitor"_s, alwaysBackend);
        const int theirBackend = static_cast<int>(connection->sessionId().value);
        const db::Statement reference = test::sqlStatement(blockingPids);
        const auto theirs = [&] {
            return cpuOf(
                theirBackend, [&] { orDie(connection->execute(reference, {}, [](const db::Row&) {})); });
        };
        const auto text = [&](const QString& what, const Pair& result, std::optional<Target> target) {
            bench.report.add(u"%1 locks each, %2: ratio"_s.arg(locks).arg(what), result.ratio, u"×"_s, target,
                u"%1 against %2 ms"_s.arg(result.first, 0, 'f', 2).arg(result.second, 0, 'f', 2));
        };
        text(u"all that is held"_s,
            interleaved(
                bench.rounds(41), [&] { return cpuOf(alwaysBackend, [&] { orDie(always->take()); }); },
                theirs),
            {});
        text(u"as lockctl watch asks"_s,
            interleaved(
                bench.rounds(41), [&] { return cpuOf(waitedBackend, [&] { orDie(awaited->take()); }); },
                theirs),
            locks > 0 ? std::optional(atMost(0.4)) : std::nullopt);
    }
}

void windowMemory(Bench& bench, const test::TestServer& server, const db::ServerUrl& url)
{
    const QTemporaryDir home;
    double memory = 0;
    const auto times = timesToLines({test::programPath("lockscope"), u"--server"_s, url.toString(),
                                        u"--page"_s, u"locks"_s, u"--timings"_s},
        {"first snapshot"},
        {{"LOCKSCOPE_PASSWORD", server.password().toUtf8()}, {"XDG_CONFIG_HOME", home.path().toUtf8()},
            {"QT_QPA_PLATFORM", "offscreen"}},
        &memory, 6);
    if (times.empty())
        bench.report.skip(u"memory of lockscope"_s, u"it showed no snapshot"_s);
    else
        bench.report.add(
            u"lockscope on the Locks page after 6 s: resident memory"_s, memory, u"MB"_s, atMost(150));
}

/// All locks as JSON, from the start of the program to its end.
void listAsJson(Bench& bench, const test::TestServer& server, const db::ServerUrl& url)
{
    const QStringList list{
        test::programPath("lockctl"), u"list"_s, u"--json"_s, u"--server"_s, url.toString()};
    const Environment environment{{"LOCKSCOPE_PASSWORD", server.password().toUtf8()}};
    std::vector<double> times;
    std::vector<double> peaks;
    double cpu = 0;
    qsizetype locks = 0;
    qsizetype bytes = 0;
    for (int round = 0; round < bench.rounds(5); ++round) {
        const Spent spent = runFor(60, list, environment);
        times.push_back(spent.elapsedMs);
        peaks.push_back(spent.peakMb);
        cpu = spent.cpuMs;
        locks = spent.output.count("\"session_started\":");
        bytes = spent.output.size();
    }
    bench.report.add(u"lockctl list --json of %1 locks: median"_s.arg(locks), median(times), u"ms"_s,
        atMost(1'500),
        u"%1 MB written, %2 ms of CPU"_s.arg(static_cast<double>(bytes) / 1e6, 0, 'f', 0)
            .arg(cpu, 0, 'f', 0));
    bench.report.add(u"its peak of resident memory"_s, median(peaks), u"MB"_s, atMost(200));
}

void amongMany(Bench& bench)
{
    bench.report.section(u"1,000 sessions with 10,000 and 100,000 locks"_s);
    test::TestServer large({1'200, 128});
    const db::ServerUrl url = large.freshDatabase();
    Crowd crowd(large, url);
    const int sessions = bench.quick ? 100 : 1'000;
    crowd.addHolding(sessions, 10);
    windowMemory(bench, large, url);
    crowd.addHolding(bench.quick ? 1 : 45, 2'000);
    const auto source = sourceFor(large, url);
    std::vector<double> times;
    SnapshotPtr snapshot;
    for (int round = 0; round < bench.rounds(15); ++round) {
        const auto start = Clock::now();
        snapshot = orDie(source->take());
        times.push_back(millisecondsSince(start));
    }
    bench.report.add(u"one poll of %1 locks, end to end: median"_s.arg(snapshot->requests.size()),
        median(times), u"ms"_s, atMost(250),
        u"server %1 ms, client %2 ms, %3 sessions"_s
            .arg(static_cast<double>(snapshot->cost.server.count()) / 1e3, 0, 'f', 0)
            .arg(static_cast<double>(snapshot->cost.client.count()) / 1e3, 0, 'f', 0)
            .arg(snapshot->sessions.size()));
    listAsJson(bench, large, url);
}

/// Everybody waits for the same thing, each behind all the others.
void oneLongQueue(Bench& bench)
{
    bench.report.section(u"One queue of 10,000 waiters"_s);
    Snapshot snapshot;
    snapshot.resources.push_back({{ResourceKind::ApplicationLock, 1, 0, 1, {}}, {}, u"queue"_s, true});
    for (int i = 0; i <= 10'000; ++i) {
        Session session;
        session.id = {1'000 + i};
        snapshot.sessions.push_back(session);
        LockRequest request;
        request.session = session.id;
        request.mode = LockMode::exclusive(Engine::Postgres);
        request.state = i == 0 ? RequestState::Granted : RequestState::Waiting;
        snapshot.requests.push_back(request);
    }
    snapshot.index();
    std::vector<double> edges;
    std::vector<double> graphs;
    for (int round = 0; round < bench.rounds(15); ++round) {
        const auto start = Clock::now();
        snapshot.waits = computeWaits(snapshot);
        edges.push_back(millisecondsSince(start));
        const auto startOfGraph = Clock::now();
        const BlockingGraph graph(snapshot);
        graphs.push_back(millisecondsSince(startOfGraph));
    }
    bench.report.add(u"blocking graph: median"_s, median(graphs), u"ms"_s, atMost(20));
    bench.report.add(u"its edges: median"_s, median(edges), u"ms"_s);
}

/// Any login can make this: a hundred thousand keys of one session, and a session that waits for one of them.
void oneHoarder(Bench& bench)
{
    constexpr int locks = 100'000;
    bench.report.section(u"Diagnosis of 100,000 locks with one waiter"_s);
    Snapshot snapshot;
    for (int i = 0; i < 2; ++i) {
        Session session;
        session.id = {1'000 + i};
        session.state = SessionState::Idle;
        snapshot.sessions.push_back(session);
    }
    for (int i = 0; i <= locks; ++i) {
        const int key = std::min(i, locks - 1);
        if (i < locks)
            snapshot.resources.push_back(
                {{ResourceKind::ApplicationLock, 1, quint64(key), 1, {}}, {}, u"key %1"_s.arg(key), true});
        LockRequest request;
        request.session = {i < locks ? 1'000 : 1'001};
        request.resource = static_cast<quint32>(key);
        request.mode = LockMode::exclusive(Engine::Postgres);
        request.state = i < locks ? RequestState::Granted : RequestState::Waiting;
        snapshot.requests.push_back(request);
    }
    snapshot.index();
    snapshot.waits = computeWaits(snapshot);
    snapshot.blocking();
    std::vector<double> times;
    for (int round = 0; round < bench.rounds(15); ++round) {
        const auto start = Clock::now();
        if (blockingForest(snapshot, LockThresholds().hold.amber).size() != 1)
            qFatal("Another one is at the head.");
        times.push_back(millisecondsSince(start));
    }
    bench.report.add(
        u"diagnosis of 100,000 locks with one waiter: median"_s, median(times), u"ms"_s, atMost(100));
}

/// The same on a real server: what the programs make of it, from their start to their end.
void oneHoarderOnAServer(Bench& bench)
{
    const int locks = bench.quick ? 10'000 : 100'000;
    bench.report.section(u"%1 advisory locks of one login, and one who waits"_s.arg(locks));
    test::TestServer large({20, 6'000});
    const db::ServerUrl url = large.freshDatabase();
    const test::Hoarder hoarder(large, url, locks);
    const Environment environment{{"LOCKSCOPE_PASSWORD", large.password().toUtf8()}};
    for (const QStringList& command :
        {QStringList{u"tree"_s}, QStringList{u"watch"_s, u"-n"_s, u"1"_s}, QStringList{u"list"_s}}) {
        const QStringList program =
            QStringList{test::programPath("lockctl")} + command + QStringList{u"--server"_s, url.toString()};
        std::vector<double> times;
        for (int round = 0; round < bench.rounds(5); ++round)
            times.push_back(runFor(60, program, environment).elapsedMs);
        bench.report.add(u"lockctl %1: median"_s.arg(command.front()), median(times), u"ms"_s, atMost(1'000));
    }
}

} // namespace

void pollCost(Bench& bench)
{
    amongWaiters(bench);
    whileNobodyWaits(bench);
    amongMany(bench);
    oneLongQueue(bench);
    oneHoarder(bench);
    oneHoarderOnAServer(bench);
}

} // namespace lockscope::bench
