// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Acquire + release through our strategies against the same SQL through libpq alone.
#include "tests/bench/Bench.h"
#include "tests/bench/Measure.h"
#include "tests/bench/RawConnection.h"

#include "core/locks/EngineLockBackends.h"
#include "core/locks/LockStrategy.h"

#include <barrier>
#include <thread>

namespace lockscope::bench {

using namespace Qt::StringLiterals;
using locks::LockKind;

namespace {

constexpr auto newcomer = "9223372036854775807";

/// One client thread's worth of acquire + release.
class PairRunner {
public:
    virtual ~PairRunner() = default;
    virtual void pairs(int count) = 0;
    virtual int backend() const = 0;
};

class OursRunner final : public PairRunner {
public:
    OursRunner(const test::TestServer& server, const db::ServerUrl& url, LockKind kind, int number)
        : m_connection(server.connect(url))
        , m_strategy(orDie(locks::LockStrategy::create(kind, *m_connection)))
    {
        m_request.name = u"bench/%1"_s.arg(number);
    }

    void pairs(int count) override
    {
        for (int i = 0; i < count; ++i) {
            auto result = orDie(m_strategy->acquire(m_request));
            orDie(result.grant.release());
        }
    }
    int backend() const override { return static_cast<int>(m_connection->sessionId().value); }

private:
    std::unique_ptr<db::Connection> m_connection;
    std::unique_ptr<locks::LockStrategy> m_strategy;
    locks::AcquireRequest m_request;
};

class RawRunner final : public PairRunner {
public:
    RawRunner(const test::TestServer& server, const db::ServerUrl& url, LockKind kind, int number)
        : m_connection(url, server.password())
        , m_kind(kind)
        , m_name("bench/" + QByteArray::number(number))
    {
        if (kind == LockKind::Application) {
            const auto& sql = locks::AppLockSql::get(LockOwner::Session, locks::AcquireMode::Exclusive);
            m_connection.prepare("acquire", sql.tryOnce.sql());
            m_connection.prepare("release", sql.release.sql());
        } else {
            m_connection.prepare("acquire", db::Statement::get("postgres/locks/acquire").sql());
            m_connection.prepare("release", db::Statement::get("postgres/locks/release").sql());
        }
    }

    void pairs(int count) override
    {
        const char* name = m_name.constData();
        for (int i = 0; i < count; ++i) {
            if (m_kind == LockKind::Application) {
                (void)m_connection.runPrepared("acquire", {name});
                (void)m_connection.runPrepared("release", {name});
            } else {
                const QByteArray token = QByteArray::number(++m_token);
                (void)m_connection.runPrepared("acquire",
                    {name, token.constData(), "600000000", "f", newcomer, "ann", "app01", "bench", "4711",
                        nullptr});
                (void)m_connection.runPrepared("release", {name, token.constData()});
            }
        }
    }
    int backend() const override { return m_connection.backend(); }

private:
    RawConnection m_connection;
    LockKind m_kind;
    QByteArray m_name;
    qint64 m_token = 0;
};

/// Takes locks without any protocol: no fairness, and no trigger for waiters but the table's own.
class PlainRowRunner final : public PairRunner {
public:
    PlainRowRunner(const test::TestServer& server, const db::ServerUrl& url, LockKind, int number)
        : m_connection(url, server.password())
        , m_name("plain/" + QByteArray::number(number))
    {
        m_connection.prepare("acquire",
            "INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES ($1, 'x', clock_timestamp() + interval '10 minutes') ON CONFLICT DO NOTHING");
        m_connection.prepare("release", "DELETE FROM lockscope.lock_entry WHERE name = $1 AND token = 'x'");
    }
    void pairs(int count) override
    {
        for (int i = 0; i < count; ++i) {
            (void)m_connection.runPrepared("acquire", {m_name.constData()});
            (void)m_connection.runPrepared("release", {m_name.constData()});
        }
    }
    int backend() const override { return m_connection.backend(); }

private:
    RawConnection m_connection;
    QByteArray m_name;
};

/// Threads that stay, so that a run measures pairs and nothing else.
template <class Runner> class ProcessSupervisor {
public:
    ProcessSupervisor(const test::TestServer& server, const db::ServerUrl& url, LockKind kind, int threads)
        : m_barrier(threads + 1)
    {
        for (int i = 0; i < threads; ++i) {
            m_threads.emplace_back([this, &server, url, kind, i, threads] {
                Runner runner(server, url, kind, i);
                if (threads == 1) {
                    pin(0, 0);
                    pin(runner.backend(), 1);
                }
                while (true) {
                    m_barrier.arrive_and_wait();
                    if (m_count == 0)
                        return;
                    runner.pairs(m_count);
                    m_barrier.arrive_and_wait();
                }
            });
        }
    }
    ~ProcessSupervisor()
    {
        m_count = 0;
        m_barrier.arrive_and_wait();
    }
    Q_DISABLE_COPY_MOVE(ProcessSupervisor)

    /// Pairs per second of all threads together.
    double rate(int pairsPerThread)
    {
        m_count = pairsPerThread;
        m_barrier.arrive_and_wait();
        const auto start = Clock::now();
        m_barrier.arrive_and_wait();
        return pairsPerThread * static_cast<double>(m_threads.size()) / millisecondsSince(start) * 1e3;
    }

private:
    int m_count = 0;
    std::barrier<> m_barrier;
    std::vector<std::jthread> m_threads;
};

void compare(Bench& bench, const db::ServerUrl& url, LockKind kind, int connections)
{
    const int pairs = bench.rounds(2'000) / connections;
    ProcessSupervisor<OursRunner> ours(bench.server, url, kind, connections);
    ProcessSupervisor<RawRunner> raw(bench.server, url, kind, connections);
    const Pair result = interleaved(
        bench.rounds(21), [&] { return ours.rate(pairs); }, [&] { return raw.rate(pairs); });
    const QString label = u"%1, %2 connection(s)"_s.arg(
        kind == LockKind::Table ? u"lock table"_s : u"application lock"_s, QString::number(connections));
    bench.report.add(label + u": ratio to raw libpq"_s, result.ratio, u"×"_s, atLeast(0.9),
        u"%1 against %2 pairs/s"_s.arg(result.first, 0, 'f', 0).arg(result.second, 0, 'f', 0));
    if (kind == LockKind::Table && connections == 1) {
        ProcessSupervisor<PlainRowRunner> plain(bench.server, url, kind, connections);
        (void)plain.rate(pairs);
        bench.report.add(
            u"for comparison: plain INSERT and DELETE, no protocol"_s, plain.rate(pairs), u"pairs/s"_s);
    }
}

void endurance(Bench& bench, const db::ServerUrl& url)
{
    bench.server.run(url, u"ALTER TABLE lockscope.lock_entry SET (autovacuum_enabled = false)"_s);
    ProcessSupervisor<OursRunner> ours(bench.server, url, LockKind::Table, 1);
    // Leaves no dead rows: measures the present speed of the machine.
    ProcessSupervisor<RawRunner> pace(bench.server, url, LockKind::Application, 1);
    std::vector<double> rates;
    const int chunks = bench.rounds(100);
    for (int chunk = 0; chunk < chunks; ++chunk) {
        const double ourRate = ours.rate(1'000);
        rates.push_back(ourRate / pace.rate(1'000));
    }
    const auto tenth = std::max<ptrdiff_t>(1, chunks / 10);
    const double first = median({rates.begin(), rates.begin() + tenth});
    const double last = median({rates.end() - tenth, rates.end()});
    bench.report.add(u"lock table: last against first tenth of %1 pairs, no vacuum"_s.arg(chunks * 1'000),
        last / first, u"×"_s, atLeast(0.9), u"by the pace of advisory locks"_s);
}

} // namespace

void lockRoundTrips(Bench& bench)
{
    bench.report.section(u"Lock round trips (acquire + release)"_s);
    const db::ServerUrl url = bench.server.freshDatabase();
    for (const LockKind kind : {LockKind::Application, LockKind::Table}) {
        for (const int connections : {1, 8})
            compare(bench, url, kind, connections);
    }
    endurance(bench, bench.server.freshDatabase());
}

} // namespace lockscope::bench
