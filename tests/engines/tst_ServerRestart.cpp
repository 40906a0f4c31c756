// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A waiter for a lock-table name keeps waiting in its place while the server is restarted. PostgreSQL.

#include "core/locks/LeaseKeeper.h"
#include "core/locks/LockStrategy.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

#include <csignal>

namespace tst_ServerRestart {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;

static AcquireRequest requestFor(milliseconds wait)
{
    return {.name = u"n"_s, .wait = wait};
}

/// A waiter, and its outcome: the order in which they were granted.
struct Waiter {
    Waiter(const TestServer& server, const db::ServerUrl& url, std::atomic<int>& grants)
        : place(std::async(std::launch::async, [&server, url, &grants]() -> Result<int> {
            const auto connection = server.connect(url);
            auto taken =
                LockStrategy::create(LockKind::Table, *connection).value()->acquire(requestFor(patience));
            if (!taken)
                return Failure(taken.error());
            const int mine = isGranted(taken->outcome) ? ++grants : 0;
            (void)taken->grant.release();
            return mine;
        }))
    {
    }
    std::future<Result<int>> place;
};

class ServerRestart : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void waitersKeepTheirPlaces()
    {
        TestServer server;
        const db::ServerUrl url = server.freshDatabase();
        // Tests' servers forget the last commits when they crash; one that keeps locks must not.
        server.run(url, u"ALTER DATABASE \"%1\" SET synchronous_commit = on"_s.arg(url.database));
        const auto keeper = LeaseKeeper::create(server.at(url));
        const auto holder = server.connect(url);
        auto held = LockStrategy::create(LockKind::Table, *holder, keeper)
                        .value()
                        ->acquire(requestFor(milliseconds(0)));
        QVERIFY(held && isGranted(held->outcome));
        std::atomic<int> grants = 0;
        auto witness = server.connect(url);
        const auto waiting = [&](int count) {
            return waitUntil([&] {
                return ask(*witness, u"SELECT count(*) FROM lockscope.live_waiter"_s).toInt() == count;
            });
        };
        Waiter first(server, url, grants);
        QVERIFY(waiting(1));
        Waiter second(server, url, grants);
        QVERIFY(waiting(2));

        // The end of one process by force makes the server end all of them and start again.
        const auto victim = server.connect(url);
        QCOMPARE(::kill(static_cast<pid_t>(victim->sessionId().value), SIGKILL), 0);
        QVERIFY(waitUntil([&] { return !runSql(*witness, u"SELECT 1"_s) && !witness->isOpen(); }));
        QVERIFY(waitUntil([&] {
            auto opened = server.at(url).connect();
            if (!opened)
                return false;
            witness = std::move(*opened);
            return true;
        }));
        QVERIFY(waiting(2));
        QVERIFY(held->grant.isHeld());
        VERIFY_DONE(held->grant.release());
        const auto firstPlace = first.place.get();
        VERIFY_DONE(firstPlace);
        QCOMPARE(*firstPlace, 1);
        QCOMPARE(second.place.get().value_or(-1), 2);
    }

    void whoMayNotWaitIsReportedAtOnce()
    {
        TestServer server;
        const db::ServerUrl url = server.freshDatabase();
        const auto connection = server.connect(url);
        const auto strategy = LockStrategy::create(LockKind::Table, *connection).value();
        server.run(url, u"SELECT pg_terminate_backend(%1)"_s.arg(connection->sessionId().value));
        VERIFY_FAILS(ErrorKind::Connection, strategy->acquire(requestFor(milliseconds(0))));
        // A request that may wait reconnects.
        const auto taken = strategy->acquire(requestFor(patience));
        VERIFY_DONE(taken);
        QVERIFY(isGranted(taken->outcome));
    }
};

LOCKSCOPE_TEST(ServerRestart)

} // namespace tst_ServerRestart
#include "tst_ServerRestart.moc"
