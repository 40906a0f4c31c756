// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/FreeRun.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_DemoRun {

using namespace lockscope;
using lockscope::test::waitUntil;
using scenario::DemoRun;

/// The demo shows what it promises, as seen from the server.
class TestDemoRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        auto& server = test::TestServer::shared();
        m_database = server.freshDatabase(test::TestServer::Schema::None);
        m_observer = server.connect(m_database);
        auto started = DemoRun::start(server.at(m_database));
        VERIFY_DONE(started);
        m_demo = std::move(*started);
    }
    void cleanup()
    {
        m_demo.reset();
        m_observer.reset();
    }

    void aHeadBlockerHasAChainBehindIt()
    {
        QVERIFY(waitUntil([this] { return count(chain) >= 1; }));
        QVERIFY(waitUntil([this] { return count(victims) >= 3; }));
        QVERIFY(headBlocker() > 0);
    }

    void applicationLocksAreHeldAndAwaitedUnderTheirNames()
    {
        QVERIFY(waitUntil([this] {
            return count(
                       u"SELECT 1 FROM pg_locks JOIN lockscope.app_lock_name ON key = ((classid::bigint << 32) | objid::bigint) WHERE locktype = 'advisory' AND objsubid = 1 AND name = 'import/orders.csv' AND granted"_s)
                == 1
                && count(
                       u"SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND NOT granted"_s)
                >= 1;
        }));
    }

    void theLockTableHasHoldersWaitersAndOneStaleEntry()
    {
        QVERIFY(waitUntil([this] {
            return count(u"SELECT 1 FROM lockscope.lock_entry WHERE expires_at > clock_timestamp()"_s) >= 1
                && count(u"SELECT 1 FROM lockscope.lock_waiter"_s) >= 1;
        }));
        QVERIFY(waitUntil([this] {
            return count(u"SELECT 1 FROM lockscope.lock_entry WHERE expires_at <= clock_timestamp()"_s) == 1;
        }));
    }

    /// A session waits for Prisma's key, which another one holds; the row of Liquibase outlives the session
    /// that wrote it.
    void locksOfFrameworksAreThere()
    {
        const auto prisma = [](const QString& granted) {
            return u"SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = 0 AND objid = 72707369 AND objsubid = 1 AND %1"_s
                .arg(granted);
        };
        QVERIFY(waitUntil(
            [&] { return count(prisma(u"granted"_s)) == 1 && count(prisma(u"NOT granted"_s)) == 1; }));
        QVERIFY(waitUntil([&] {
            return count(
                       u"SELECT 1 FROM shop.databasechangeloglock WHERE locked AND lockedby LIKE 'build-7%'"_s)
                == 1
                && count(sessions + u" AND application_name = 'liquibase'"_s) == 0;
        }));
    }

    void endingTheHeadBlockerFreesItsVictimsAndAnotherOneComes()
    {
        QVERIFY(waitUntil([this] { return headBlocker() > 0 && count(victims) >= 3; }));
        const qint64 head = headBlocker();
        QCOMPARE(count(u"SELECT pg_terminate_backend(%1)"_s.arg(head)), 1);
        QVERIFY(waitUntil([&] {
            const qint64 now = headBlocker();
            return now > 0 && now != head && count(victims) >= 3;
        }));
    }

    void nothingIsLeftWhenItGoes()
    {
        QVERIFY(waitUntil([this] { return count(victims) >= 3; }));
        m_demo.reset();
        QVERIFY(waitUntil([this] { return count(sessions) == 0; }));
        QCOMPARE(count(u"SELECT 1 FROM lockscope.lock_waiter"_s), 0);
        QCOMPARE(count(u"SELECT 1 FROM lockscope.lock_entry"_s), 0);
        QCOMPARE(
            count(
                u"SELECT 1 FROM pg_namespace WHERE nspname = 'shop' OR nspname LIKE '%run!_%' ESCAPE '!'"_s),
            0);
    }

    void enginesThatItIsNotWrittenForAreRefused()
    {
        const auto file = DemoRun::start(db::Server::at(db::ServerUrl::ofFile(u"/nowhere/locks.db"_s)));
        VERIFY_FAILS(ErrorKind::Unsupported, file);
        VERIFY_CONTAINS(file.error().what, u"SQLite"_s);
    }

private:
    qint64 count(const QString& sql, qint64* first = nullptr)
    {
        return test::orDie(test::runSql(*m_observer, sql, {}, [&](const db::Row& row) {
            if (first)
                *first = row.int64(0);
        }));
    }

    /// Idle in its transaction, blocked by nobody, and somebody waits for it; 0 if there is none.
    qint64 headBlocker()
    {
        qint64 pid = 0;
        count(
            u"SELECT DISTINCT head.pid FROM pg_stat_activity AS head, pg_stat_activity AS waiter WHERE head.datname = current_database() AND head.state = 'idle in transaction' AND head.pid = ANY(pg_blocking_pids(waiter.pid))"_s,
            &pid);
        return pid;
    }

    const QString sessions =
        u"SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"_s;
    const QString victims = sessions + u" AND wait_event_type = 'Lock' AND wait_event <> 'advisory'"_s;
    /// Victims of somebody who is a victim as well.
    const QString chain =
        u"SELECT 1 FROM pg_stat_activity AS head, pg_stat_activity AS middle, pg_stat_activity AS last WHERE head.datname = current_database() AND head.state = 'idle in transaction' AND head.pid = ANY(pg_blocking_pids(middle.pid)) AND middle.pid = ANY(pg_blocking_pids(last.pid))"_s;

    db::ServerUrl m_database;
    std::unique_ptr<db::Connection> m_observer;
    std::unique_ptr<DemoRun> m_demo;
};

LOCKSCOPE_TEST(TestDemoRun)

} // namespace tst_DemoRun
#include "tst_DemoRun.moc"
