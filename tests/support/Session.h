// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/TestServer.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace lockscope::test {

/// A real session with a thread and a connection of its own, so that one test can make several contend:
///
///     Session ann(server, url), bob(server, url);
///     QVERIFY(ann.begin("lock table orders"));
///     bob.start("select * from orders");
///     QVERIFY(bob.waitUntilBlocked());
///     ann.run("rollback");
///     QVERIFY(bob.wait());
///
/// All calls from the thread that made it. Destroying it cancels what runs and closes the connection.
class Session {
public:
    /// `name` becomes the end of the application name.
    Session(const TestServer& server, const db::ServerUrl& url, const QString& name = {});
    ~Session();
    Q_DISABLE_COPY_MOVE(Session)

    SessionId id() const { return m_id; }
    ServerTime started() const { return m_started; }

    /// Hands a statement over and returns. Statements run one after the other.
    void start(const QString& sql);
    /// Waits for all statements to end: the last one's result.
    Result<qint64> wait();
    /// start and wait: true if the statement succeeded. Prints the error if not.
    bool run(const QString& sql);
    /// Begins a transaction and runs a statement in it.
    bool begin(const QString& sql) { return run(QStringLiteral("BEGIN")) && run(sql); }
    bool isRunning() const;
    /// Does the server say that it waits for a lock right now?
    bool isBlocked();
    /// False if the statements ended instead, or after `patience`.
    bool waitUntilBlocked();
    /// Starts a statement that has to wait for somebody else.
    bool startWaiting(const QString& sql)
    {
        start(sql);
        return waitUntilBlocked();
    }
    /// Cancels what runs, as Ctrl+C would.
    void cancel();

private:
    void work(
        const std::stop_token& stop, const TestServer& server, const db::ServerUrl& url, const QString& name);

    const db::ServerUrl m_url;
    const std::unique_ptr<db::Connection> m_observer;

    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    // guarded by m_mutex
    std::deque<QString> m_statements;
    bool m_running = false;
    Result<qint64> m_result = 0;
    db::Connection* m_connection = nullptr;

    // constant after construction
    SessionId m_id;
    ServerTime m_started;

    std::jthread m_thread; // last: joined before the rest goes
};

/// One login with a great many advisory locks, which takes no right, and another one that waits for the last
/// of them.
class Hoarder {
public:
    /// The server must have room for them: TestServer({20, 6'000}) has for 100,000.
    Hoarder(TestServer& server, const db::ServerUrl& url, int locks)
        : m_hoarder(server, server.asRole(url), QStringLiteral("hoarder"))
        , m_waiter(server, server.asRole(url), QStringLiteral("waiter"))
    {
        if (!m_hoarder.run(
                QStringLiteral("SELECT count(pg_advisory_lock(i)) FROM generate_series(1, %1) AS i")
                    .arg(locks)))
            qFatal("the locks could not be taken");
        m_waiter.start(QStringLiteral("SELECT pg_advisory_lock(%1)").arg(locks));
        if (!m_waiter.waitUntilBlocked())
            qFatal("the waiter does not wait");
    }
    SessionId holder() const { return m_hoarder.id(); }
    SessionId waiter() const { return m_waiter.id(); }

private:
    Session m_hoarder;
    Session m_waiter;
};

} // namespace lockscope::test
