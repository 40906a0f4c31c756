// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Measures the time for which a lock is idle: from the holder's release to the waiter's return.
#include "tests/bench/Bench.h"
#include "tests/bench/Measure.h"
#include "tests/bench/RawConnection.h"

#include "core/locks/LockStrategy.h"

#include <future>
#include <thread>

namespace lockscope::bench {

using namespace Qt::StringLiterals;
using locks::LockKind;

namespace {

class Waiter {
public:
    virtual ~Waiter() = default;
    virtual void acquire() = 0; ///< returns when the lock is held
    virtual void release() = 0;
};

class OurWaiter final : public Waiter {
public:
    OurWaiter(const test::TestServer& server, const db::ServerUrl& url, LockKind kind)
        : m_connection(server.connect(url))
        , m_strategy(orDie(locks::LockStrategy::create(kind, *m_connection)))
    {
        m_request.name = u"bench/baton"_s;
        m_request.wait = milliseconds(-1);
    }
    void acquire() override { m_grant = std::move(orDie(m_strategy->acquire(m_request)).grant); }
    void release() override { orDie(m_grant.release()); }

private:
    std::unique_ptr<db::Connection> m_connection;
    std::unique_ptr<locks::LockStrategy> m_strategy;
    locks::AcquireRequest m_request;
    locks::Grant m_grant;
};

/// Asks every 10 ms, as programs do that can't wait on the server.
class PollingWaiter final : public Waiter {
public:
    PollingWaiter(const test::TestServer& server, const db::ServerUrl& url)
        : m_connection(url, server.password())
    {
        m_connection.prepare("try", "SELECT pg_try_advisory_lock(4711)");
        m_connection.prepare("unlock", "SELECT pg_advisory_unlock(4711)");
    }
    void acquire() override
    {
        while (*PQgetvalue(m_connection.runPrepared("try").get(), 0, 0) != 't')
            std::this_thread::sleep_for(milliseconds(10));
    }
    void release() override { (void)m_connection.runPrepared("unlock"); }

private:
    RawConnection m_connection;
};

/// Releases by a bare NOTIFY, or waits for it and sends one query, as a program that takes a lock has to: the
/// shortest possible hand-over through the server.
class NotifiedWaiter final : public Waiter {
public:
    NotifiedWaiter(const test::TestServer& server, const db::ServerUrl& url, bool listens)
        : m_connection(url, server.password())
        , m_listens(listens)
    {
        m_connection.prepare("ask", "SELECT 1");
        m_connection.prepare("tell", "NOTIFY bench_baton");
        if (listens)
            (void)m_connection.run("LISTEN bench_baton");
    }
    void acquire() override
    {
        if (!m_listens)
            return;
        m_connection.waitForNotification();
        (void)m_connection.runPrepared("ask");
    }
    void release() override
    {
        if (!m_listens)
            (void)m_connection.runPrepared("tell");
    }

private:
    RawConnection m_connection;
    const bool m_listens;
};

/// `holder` releases while `waiter`, on a thread of its own, waits.
double handOverOnce(Waiter& holder, Waiter& waiter, milliseconds headStart)
{
    holder.acquire();
    auto granted = std::async(std::launch::async, [&waiter] {
        waiter.acquire();
        const auto at = Clock::now();
        waiter.release();
        return at;
    });
    std::this_thread::sleep_for(headStart);
    const auto released = Clock::now();
    holder.release();
    return std::chrono::duration<double, std::milli>(granted.get() - released).count();
}

} // namespace

void handOver(Bench& bench)
{
    bench.report.section(u"Hand-over of a waited lock"_s);
    const db::ServerUrl url = bench.server.freshDatabase();
    struct Contest {
        QString name;
        std::unique_ptr<Waiter> holder;
        std::unique_ptr<Waiter> waiter;
        std::optional<Target> againstPoller;
        std::vector<double> times{};
    };
    std::vector<Contest> contests(4);
    contests[0] = {u"10 ms poller"_s, std::make_unique<PollingWaiter>(bench.server, url),
        std::make_unique<PollingWaiter>(bench.server, url), {}};
    contests[1] = {u"application lock"_s,
        std::make_unique<OurWaiter>(bench.server, url, LockKind::Application),
        std::make_unique<OurWaiter>(bench.server, url, LockKind::Application), atMost(0.1)};
    contests[2] = {u"lock table"_s, std::make_unique<OurWaiter>(bench.server, url, LockKind::Table),
        std::make_unique<OurWaiter>(bench.server, url, LockKind::Table), atMost(0.15)};
    contests[3] = {u"bare NOTIFY and SELECT 1"_s, std::make_unique<NotifiedWaiter>(bench.server, url, false),
        std::make_unique<NotifiedWaiter>(bench.server, url, true), {}};
    for (int round = 0; round < bench.rounds(300); ++round) {
        // Over all phases of the poller's period.
        const milliseconds headStart(20 + round % 10);
        for (Contest& contest : contests)
            contest.times.push_back(handOverOnce(*contest.holder, *contest.waiter, headStart));
    }
    const double poller = median(contests[0].times);
    for (const Contest& contest : contests) {
        const double middle = median(contest.times);
        bench.report.add(contest.name + u": median"_s, middle, u"ms"_s, {},
            u"p99 %1 ms"_s.arg(percentile(contest.times, 0.99), 0, 'f', 2));
        if (contest.againstPoller)
            bench.report.add(
                contest.name + u": ratio to the poller"_s, middle / poller, u"×"_s, contest.againstPoller);
    }
    // The two routines alone, called by libpq, need 3.0: both run cold after the wait. To grant in the
    // release's own statement was tried and is no faster: it costs there (0.22 ms) what it saves here (0.20
    // ms).
    bench.report.add(u"lock table: ratio to NOTIFY and SELECT 1"_s,
        median(contests[2].times) / median(contests[3].times), u"×"_s, atMost(2.2));
}

} // namespace lockscope::bench
