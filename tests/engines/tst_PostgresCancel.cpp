// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Statements that are cancelled, and connections that are lost or hang. PostgreSQL.

#include "tests/support/ConnectionChecks.h"

#include <csignal>

namespace tst_PostgresCancel {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;

static std::unique_ptr<Connection> connectTo(const ServerUrl& url, const ConnectOptions& options = {})
{
    return TestServer::shared().connect(url, options);
}

/// Waits until the session waits inside a statement: for a lock, or in pg_sleep.
static bool isWaiting(Connection& observer, SessionId session)
{
    return ask(observer,
               u"SELECT wait_event_type IN ('Lock', 'Timeout') AND state = 'active' FROM pg_stat_activity WHERE pid = $1"_s,
               {session.value})
        == u"t"_s;
}

static void cancelWhenWaiting(Connection& observer, SessionId session, const std::function<void()>& act)
{
    while (!isWaiting(observer, session))
        QThread::msleep(1);
    act();
}

class tst_PostgresCancel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_url = TestServer::shared().freshDatabase(TestServer::Schema::None);
        m_observer = connectTo(m_url);
    }
    void cleanupTestCase() { m_observer.reset(); }

    void stopEndsAWaitAndKeepsTheSession_data()
    {
        test::addRows<bool>("byToken", {{"stop token", true}, {"cancel()", false}});
    }
    void stopEndsAWaitAndKeepsTheSession()
    {
        QFETCH(bool, byToken);
        const auto connection = connectTo(m_url);
        QVERIFY(isOncePrompt(100ms, [&]() -> Taken {
            std::stop_source source;
            std::atomic<std::chrono::steady_clock::time_point> asked;
            std::jthread canceller([&] {
                const auto observer = connectTo(m_url);
                cancelWhenWaiting(*observer, connection->sessionId(), [&] {
                    asked = std::chrono::steady_clock::now();
                    if (byToken)
                        source.request_stop();
                    else
                        connection->cancel();
                });
            });
            const auto result = runSql(*connection, u"SELECT pg_sleep(600)"_s, {}, {}, source.get_token());
            const auto ended = std::chrono::steady_clock::now();
            canceller.join();
            if (result || result.error().kind != ErrorKind::Cancelled)
                return failed("The statement was not cancelled.");
            return ended - asked.load();
        }));
        QCOMPARE(
            ask(*connection, u"SELECT pg_backend_pid()"_s), QString::number(connection->sessionId().value));
    }

    void nothingIsSentAfterStop()
    {
        const auto connection = connectTo(m_url);
        stopBefore(*connection, u"CREATE TABLE never (a int)"_s);
        QCOMPARE(ask(*connection, u"SELECT to_regclass('never') IS NULL"_s), u"t"_s);
    }

    void stopEndsAWholeBatch()
    {
        const auto connection = connectTo(m_url);
        const Statement one = sqlStatement(u"SELECT 1"_s);
        const Statement sleep = sqlStatement(u"SELECT pg_sleep(600)"_s);
        const std::array items{BatchItem{&one}, BatchItem{&sleep}, BatchItem{&sleep}};
        std::stop_source source;
        std::jthread canceller([&] {
            const auto observer = connectTo(m_url);
            cancelWhenWaiting(*observer, connection->sessionId(), [&] { source.request_stop(); });
        });
        const auto results = connection->executeBatch(items, source.get_token());
        canceller.join();
        QVERIFY(results[0]);
        QCOMPARE(results[1].error().kind, ErrorKind::Cancelled);
        QCOMPARE(results[2].error().kind, ErrorKind::Cancelled);
        QCOMPARE(ask(*connection, u"SELECT 1"_s), u"1"_s);
    }

    void aLateCancelNeverHitsTheNextStatement()
    {
        const auto connection = connectTo(m_url);
        const Statement quick = sqlStatement(u"SELECT 1"_s);
        const Statement next = sqlStatement(u"SELECT pg_sleep(0.001)"_s);
        int cancelled = 0;
        for (int i = 0; i < 300; ++i) {
            std::stop_source source;
            std::jthread canceller([&source, i] {
                std::this_thread::sleep_for(std::chrono::microseconds(i % 30 * 10));
                source.request_stop();
            });
            const auto first = connection->execute(quick, {}, {}, source.get_token());
            if (!first) {
                QCOMPARE(first.error().kind, ErrorKind::Cancelled);
                ++cancelled;
            }
            VERIFY_DONE(connection->execute(next));
        }
        QVERIFY(cancelled > 0);
    }

    void cancelWithoutAStatementDoesNothing()
    {
        const auto connection = connectTo(m_url);
        for (int i = 0; i < 50; ++i) {
            connection->cancel();
            QCOMPARE(ask(*connection, u"SELECT 1"_s), u"1"_s);
        }
    }

    void aLostConnectionIsAConnectionError()
    {
        const auto connection = connectTo(m_url);
        QCOMPARE(ask(*m_observer, u"SELECT pg_terminate_backend($1::int, 10000)"_s,
                     {connection->sessionId().value}),
            u"t"_s);
        isLost(*connection);
        VERIFY_FAILS(ErrorKind::Connection, connection->waitForNotification(0ms));
    }

    void aConnectionLostDuringAStatementIsAConnectionError_data()
    {
        test::addRows<bool>("batch", {{"execute", false}, {"batch", true}});
    }
    void aConnectionLostDuringAStatementIsAConnectionError()
    {
        QFETCH(bool, batch);
        const auto connection = connectTo(m_url);
        std::jthread killer([this, session = connection->sessionId()] {
            const auto observer = connectTo(m_url);
            cancelWhenWaiting(*observer, session,
                [&] { ask(*observer, u"SELECT pg_terminate_backend($1::int)"_s, {session.value}); });
        });
        const Statement sleep = sqlStatement(u"SELECT pg_sleep(600)"_s);
        const std::array items{BatchItem{&sleep}, BatchItem{&sleep}};
        if (batch) {
            for (const auto& result : connection->executeBatch(items))
                QCOMPARE(result.error().kind, ErrorKind::Connection);
        } else {
            VERIFY_FAILS(ErrorKind::Connection, connection->execute(sleep));
        }
        QVERIFY(!connection->isOpen());
    }

    void aServerThatHangsIsGivenUp()
    {
        const auto connection = connectTo(m_url, monitorOptions(200ms, 300ms));
        // The session's process can't even look at its statement time-out.
        const auto pid = static_cast<pid_t>(connection->sessionId().value);
        if (kill(pid, SIGSTOP) != 0)
            QSKIP("This account may not stop the server's processes.");
        const auto result = runSql(*connection, u"SELECT 1"_s);
        kill(pid, SIGCONT);
        VERIFY_FAILS(ErrorKind::Connection, result);
        QVERIFY(result.error().toString().contains(u"does not answer"_s));
        QVERIFY(!connection->isOpen());
    }

    void stopEndsTheWaitForAServerThatHangs()
    {
        const auto connection = connectTo(m_url, {.connectTimeout = 300ms});
        const auto pid = static_cast<pid_t>(connection->sessionId().value);
        if (kill(pid, SIGSTOP) != 0)
            QSKIP("This account may not stop the server's processes.");
        std::stop_source source;
        std::jthread canceller([&] { source.request_stop(); });
        const auto result = runSql(*connection, u"SELECT 1"_s, {}, {}, source.get_token());
        kill(pid, SIGCONT);
        QCOMPARE(result.error().kind, ErrorKind::Cancelled);
    }

private:
    ServerUrl m_url;
    std::unique_ptr<Connection> m_observer;
};

LOCKSCOPE_TEST(tst_PostgresCancel)

} // namespace tst_PostgresCancel
#include "tst_PostgresCancel.moc"
