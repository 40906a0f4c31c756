// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/bench/Crowd.h"

#include "tests/bench/Measure.h"

#include <thread>

namespace lockscope::bench {

using namespace Qt::StringLiterals;

constexpr int queues = 10;
constexpr int firstHeldKey = 1'000'000;

static int waitingNow(db::Connection& connection)
{
    qint64 waiting = 0;
    orDie(test::runSql(connection, u"SELECT count(*) FROM pg_locks WHERE NOT granted"_s, {},
        [&waiting](const db::Row& row) { waiting = row.int64(0); }));
    return static_cast<int>(waiting);
}

Crowd::Crowd(const test::TestServer& server, db::ServerUrl url)
    : m_server(server)
    , m_url(std::move(url))
{
}

void Crowd::addIdle(int sessions)
{
    for (int i = 0; i < sessions; ++i) {
        m_others.push_back(std::make_unique<RawConnection>(m_url, m_server.password(), "app"));
        (void)m_others.back()->run("SELECT 1");
    }
}

void Crowd::addWaiting(int sessions)
{
    for (int key = static_cast<int>(m_holders.size()); key < queues; ++key) {
        m_holders.push_back(std::make_unique<RawConnection>(m_url, m_server.password(), "holder"));
        (void)m_holders.back()->run("SELECT pg_advisory_lock(" + QByteArray::number(key) + ')');
    }
    const auto watcher = m_server.connect(m_url);
    const int before = waitingNow(*watcher);
    for (int i = 0; i < sessions; ++i) {
        m_others.push_back(std::make_unique<RawConnection>(m_url, m_server.password(), "waiter"));
        m_others.back()->send("SELECT pg_advisory_lock(" + QByteArray::number(i % queues) + ')');
    }
    while (waitingNow(*watcher) < before + sessions)
        std::this_thread::sleep_for(milliseconds(20));
}

void Crowd::addHolding(int sessions, int locks)
{
    for (int i = 0; i < sessions; ++i) {
        m_others.push_back(std::make_unique<RawConnection>(m_url, m_server.password(), "holder"));
        const int first = firstHeldKey + m_held;
        (void)m_others.back()->run("SELECT count(pg_advisory_lock(key)) FROM generate_series("
            + QByteArray::number(first) + ", " + QByteArray::number(first + locks - 1) + ") AS key");
        m_held += locks;
    }
}

} // namespace lockscope::bench
