// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A lock is released although the server does not answer: as soon as one connection of ours knows that its
// entry is gone, and otherwise soon, with a true message.

#include "core/locks/LeaseKeeper.h"
#include "core/locks/Lock.h"
#include "core/locks/LockHolder.h"
#include "tests/support/FaultyNetwork.h"
#include "tests/support/LockRig.h"
#include "tests/support/Lockctl.h"
#include "tests/support/TestProgram.h"

#include <csignal>

namespace tst_HangingRelease {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;
using Clock = std::chrono::steady_clock;

const LockVariant table{Engine::Postgres, LockKind::Table};

static qint64 entries(const LockRig& rig)
{
    return rig.number(u"SELECT count(*) FROM lockscope.lock_entry"_s);
}

/// The server's process of the session that holds the lock hangs, as on a disk that does not answer.
class StoppedBackend {
public:
    explicit StoppedBackend(const LockRig& rig)
        : m_process(pid_t(rig.number(u"SELECT session_id FROM lockscope.lock_entry"_s)))
    {
        ::kill(m_process, SIGSTOP);
    }
    ~StoppedBackend() { ::kill(m_process, SIGCONT); }
    Q_DISABLE_COPY_MOVE(StoppedBackend)

private:
    const pid_t m_process;
};

/// Somebody has locked the table exclusively.
class LockedTable {
public:
    explicit LockedTable(const LockRig& rig)
        : m_connection(rig.connect())
    {
        std::ignore = m_connection->begin();
        runSql(*m_connection, u"LOCK TABLE lockscope.lock_entry"_s).value();
    }
    void end() { std::ignore = m_connection->rollback(); }

private:
    std::unique_ptr<db::Connection> m_connection;
};

static Lock take(const LockRig& rig)
{
    LockOptions options;
    options.name = u"n"_s;
    return orDie(locks::acquire(rig.server(), options));
}

class HangingReleaseTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theKeepersAnswerDecides()
    {
        const LockRig rig(table);
        Lock lock = take(rig);
        const StoppedBackend stopped(rig);
        const auto begin = Clock::now();
        const auto released = lock.release();
        const auto took = Clock::now() - begin;
        VERIFY_DONE(released);
        QCOMPARE(entries(rig), 0);
        QVERIFY2(took < 10s, qPrintable(QString::number(std::chrono::duration<double>(took).count())));
    }

    /// The release waits for its own connection no longer than for the answer to a cancel.
    void aGrantIsReportedByItsKeeperToo()
    {
        const LockRig rig(table);
        Contender holder(rig, LeaseKeeper::create(rig.server()));
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        const StoppedBackend stopped(rig);
        const auto begin = Clock::now();
        const auto released = holder.release();
        const auto took = Clock::now() - begin;
        VERIFY_DONE(released);
        QCOMPARE(entries(rig), 0);
        QVERIFY2(took < 10s, qPrintable(QString::number(std::chrono::duration<double>(took).count())));
    }

    void aStalledLinkIsNotWaitedFor()
    {
        const LockRig rig(table);
        FaultyNetwork network(rig.url());
        Contender holder(rig, LeaseKeeper::create(rig.server()), network.url());
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        network.stall();
        const auto begin = Clock::now();
        QVERIFY(holder.release());
        QVERIFY(Clock::now() - begin < 10s);
        QCOMPARE(entries(rig), 0);
    }

    /// The server has done it, but its answer is lost: the keeper finds the entry gone.
    void aLostAnswerIsNoLostLock()
    {
        const LockRig rig(table);
        FaultyNetwork network(rig.url());
        Contender holder(rig, LeaseKeeper::create(rig.server()), network.url());
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        network.stallAnswers();
        VERIFY_DONE(holder.release());
        QCOMPARE(entries(rig), 0);
    }

    /// The same holds if the next one has it by then.
    void aLostAnswerAndTheNextOne()
    {
        const LockRig rig(table);
        FaultyNetwork network(rig.url());
        Contender holder(rig, LeaseKeeper::create(rig.server()), network.url());
        Contender next(rig);
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        auto asked = next.ask(rig.requestFor(u"n"_s, milliseconds(-1)));
        QTRY_COMPARE(rig.waiters(u"n"_s), 1);
        network.stallAnswers();
        VERIFY_DONE(holder.release());
        QVERIFY(soon(std::move(asked)).isGranted());
        QVERIFY(next.release());
    }

    void aLostAnswerIsNotWaitedFor()
    {
        const LockRig rig(table);
        FaultyNetwork network(rig.url());
        LockOptions options;
        options.name = u"n"_s;
        LockHolder holder(db::Server::at(network.url(), rig.passwords()), options, {}, {},
            LeaseKeeper::create(rig.server()));
        const auto answer = holder.waitForAnswer();
        QVERIFY(answer && *answer && (*answer)->isGranted());
        network.stallAnswers();
        const auto begin = Clock::now();
        const auto released = holder.release();
        const auto took = Clock::now() - begin;
        network.mend();
        VERIFY_DONE(released);
        QVERIFY2(took < 4s, qPrintable(QString::number(std::chrono::duration<double>(took).count())));
        QCOMPARE(entries(rig), 0);
    }

    /// A lock that somebody else has taken away is reported, also if the network fails.
    void aLockThatWasTakenAwayIsSaid()
    {
        const LockRig rig(table);
        Contender holder(rig);
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        rig.run(u"DELETE FROM lockscope.lock_entry"_s);
        VERIFY_FAILS(ErrorKind::Changed, holder.release());
    }

    void aStopEndsTheHoldersOwnAttempt()
    {
        const LockRig rig(table);
        Contender holder(rig, LeaseKeeper::create(rig.server()));
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        LockedTable locked(rig);
        std::stop_source stop;
        auto released = std::async(std::launch::async, [&] {
            Result<void> result;
            holder.within([&](Contender& self) { result = self.grants.back().release(stop.get_token()); });
            return result;
        });
        QVERIFY(waitUntil([&] {
            return rig.number(
                       u"SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'lockscope.lock_entry'::regclass"_s)
                > 0;
        }));
        const auto begin = Clock::now();
        stop.request_stop();
        const auto result = soon(std::move(released));
        QVERIFY(Clock::now() - begin < 2s);
        VERIFY_FAILS(ErrorKind::Cancelled, result);
        locked.end();
        QVERIFY(waitUntil([&] { return entries(rig) == 0; })); // the keeper goes on
    }

    void aLockedTableIsSaidSoon()
    {
        const LockRig rig(table);
        Lock lock = take(rig);
        LockedTable locked(rig);
        const auto begin = Clock::now();
        const auto released = lock.release();
        const auto took = Clock::now() - begin;
        QVERIFY(!released);
        qInfo("%s", qPrintable(released.error().toString()));
        QVERIFY(released.error().kind != ErrorKind::Changed);
        QVERIFY(released.error().hint.contains(u"stays in the lock table until 2"_s));
        QVERIFY2(took < 9s, qPrintable(QString::number(std::chrono::duration<double>(took).count())));
        locked.end();
        QVERIFY(waitUntil([&] { return entries(rig) == 0; })); // the keeper goes on
    }

    void aTableThatIsLockedForAMomentIsNoFault()
    {
        const LockRig rig(table);
        Lock lock = take(rig);
        LockedTable locked(rig);
        auto released = std::async(std::launch::async, [&lock] { return lock.release(); });
        QVERIFY(waitUntil([&] {
            return rig.number(
                       u"SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'lockscope.lock_entry'::regclass"_s)
                > 0;
        }));
        QVERIFY(released.wait_for(1100ms) == std::future_status::timeout);
        locked.end();
        VERIFY_DONE(soon(std::move(released)));
        QCOMPARE(entries(rig), 0);
    }

    void lockctlEndsWithTheKeepersAnswer()
    {
        const LockRig rig(table);
        const Lockctl lockctl(rig.url().toString(), rig.passwords()({}).value_or(QString()));
        const auto run = lockctl.start("run n -- sh -c %1", u"echo here; cat"_s);
        QVERIFY(run->waitForReadyRead(30'000));
        const StoppedBackend stopped(rig);
        const auto begin = Clock::now();
        const auto answer = Lockctl::finish(*run);
        const auto took = Clock::now() - begin;
        VERIFY_CODE(0, answer);
        QVERIFY2(answer.err.isEmpty(), answer.allOutput());
        QCOMPARE(entries(rig), 0);
        QVERIFY2(took < 10s, qPrintable(QString::number(std::chrono::duration<double>(took).count())));
    }
};

LOCKSCOPE_TEST_AT_ONCE(HangingReleaseTest)

} // namespace tst_HangingRelease
#include "tst_HangingRelease.moc"
