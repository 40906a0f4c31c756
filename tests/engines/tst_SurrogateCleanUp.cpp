// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// No lock is granted that nobody holds: rows and tables that stand for locks are removed while sessions wait
// for them, and sessions are ended while they hold them.

#include "core/locks/LeaseKeeper.h"
#include "core/locks/Lock.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/support/Turns.h"

namespace tst_SurrogateCleanUp {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;
using Clock = std::chrono::steady_clock;

constexpr milliseconds forEver{-1};
constexpr LockVariant entry{Engine::Postgres, LockKind::Table};
constexpr LockVariant table{Engine::Postgres, LockKind::LockedTable, LockOwner::Transaction};
constexpr LockVariant key{Engine::Postgres, LockKind::LockedKey, LockOwner::Transaction};

/// A statement of another user, which may have to wait.
class Administrator {
public:
    explicit Administrator(const LockRig& rig)
        : m_rig(rig)
    {
    }
    void start(const QString& sql)
    {
        m_running = std::async(std::launch::async, [this, sql] { runSql(*m_rig.connect(), sql).value(); });
    }
    void finish() { soon(std::move(m_running)); }

private:
    const LockRig& m_rig;
    std::future<void> m_running;
};

/// Returns the number of waiting sessions, without those that only try, for a millisecond.
static qint64 waiting(const LockRig& rig)
{
    return rig.number(
        u"SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database() AND query_start < clock_timestamp() - interval '20 ms'"_s);
}

static AcquireRequest forName(const QString& name, milliseconds wait = milliseconds(0))
{
    return {.name = name, .owner = LockOwner::Transaction, .wait = wait};
}

/// Somebody cleans up after the holder, and `next` requests after that: returns the answer to it once the
/// holder is done.
static LockReply nextAfterCleanUp(
    const LockRig& rig, Contender& holder, Contender& next, const QString& cleanUp)
{
    Administrator administrator(rig);
    administrator.start(cleanUp);
    if (!waitUntil([&] { return waiting(rig) == 1; }))
        qFatal("the clean-up does not wait for the holder");
    auto asked = next.ask(forName(u"n"_s, forEver));
    if (!waitUntil([&] { return waiting(rig) == 2; }))
        qFatal("nobody waits behind the clean-up");
    if (!holder.release())
        qFatal("the holder can't give the lock back");
    administrator.finish();
    return soon(std::move(asked));
}

class SurrogateCleanUpTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The clean-up comes first after the holder; then all wait for a row that is not there any more.
    void theRowGoesWhileSomebodyWaits_data()
    {
        QTest::addColumn<int>("waiters");
        for (const int waiters : {1, 2, 12})
            QTest::addRow("%d", waiters) << waiters;
    }
    void theRowGoesWhileSomebodyWaits()
    {
        QFETCH(int, waiters);
        const LockRig rig(key);
        Contender holder(rig);
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        Administrator administrator(rig);
        administrator.start(u"DELETE FROM lockscope.surrogate_key"_s);
        QTRY_COMPARE(waiting(rig), 1);
        Crowd crowd;
        std::atomic<int> nameless = 0;
        for (int i = 0; i < waiters; ++i)
            crowd.join(rig, 1, i % 2 == 0 ? byLibrary(rig, nameless) : byFunction());
        QTRY_COMPARE(waiting(rig), 1 + waiters);
        QVERIFY(holder.release());
        administrator.finish();
        crowd.finish();
        QCOMPARE(crowd.overlaps(), 0);
        QCOMPARE(nameless.load(), 0);
    }

    /// A session that was granted the key in spite of the clean-up has a row that keeps the next one away.
    void whoWaitedHoldsARow()
    {
        const LockRig rig(key);
        Contender holder(rig);
        Contender next(rig);
        Contender third(rig);
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        QCOMPARE(nextAfterCleanUp(rig, holder, next, u"DELETE FROM lockscope.surrogate_key"_s).outcome,
            Outcome::GrantedAfterWait);
        QCOMPARE(third.acquire(forName(u"n"_s)).outcome, Outcome::Denied);
        QCOMPARE(third.acquire(forName(u"n"_s, 30ms)).outcome, Outcome::TimedOut);
        next.within([](Contender& self) {
            const HeldThing& held = self.grants.back().holds();
            QCOMPARE(held.thing, u"n"_s);
            QCOMPARE(held.session, self.connection->sessionId());
            QVERIFY(held.transaction.toLongLong() > 0);
        });
    }

    void cleanUpsInALoop_data()
    {
        addColumns<LockVariant, QString>("variant", "cleanUp");
        row("keys, DELETE", key, "DELETE FROM lockscope.surrogate_key");
        row("keys, TRUNCATE", key, "TRUNCATE lockscope.surrogate_key");
        row("guards of the lock table", entry, "DELETE FROM lockscope.lock_name");
        row("waiters of the lock table", entry, "DELETE FROM lockscope.lock_waiter");
        row("tables", table,
            "DO $$ BEGIN DROP TABLE IF EXISTS lockscope.\"surrogate:n\"; PERFORM lockscope.add_surrogate_table('n'); END $$");
    }
    void cleanUpsInALoop()
    {
        FETCH(LockVariant, variant, QString, cleanUp);
        const LockRig rig(variant);
        std::ignore = rig.requestFor(u"n"_s); // makes it
        Crowd crowd;
        std::atomic<int> nameless = 0;
        for (int i = 0; i < 6; ++i)
            crowd.join(rig, 60,
                variant.kind == LockKind::LockedKey && i % 2 ? byFunction() : byLibrary(rig, nameless));
        int cleanUps = 0;
        const auto administrator = rig.connect();
        for (; !crowd.isOver(); ++cleanUps) {
            std::ignore = runSql(*administrator, cleanUp);
            std::this_thread::sleep_for(1ms); // else nobody else gets at it
        }
        crowd.finish();
        qInfo("%lld turns, %d clean-ups", qlonglong(crowd.turns()), cleanUps);
        QVERIFY(cleanUps > 10);
        QCOMPARE(crowd.overlaps(), 0);
        QCOMPARE(nameless.load(), 0);
    }

    /// Its row is gone, but its snapshot still shows the row: the result is an error that says so, and no
    /// lock.
    void inARepeatableReadItIsAnError()
    {
        const LockRig rig(key);
        Contender holder(rig);
        Contender next(rig);
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        next.within([](Contender& self) {
            QVERIFY(self.connection->begin());
            QVERIFY(runSql(*self.connection, u"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"_s));
            QVERIFY(runSql(*self.connection, u"SELECT 1"_s));
        });
        const LockReply reply = nextAfterCleanUp(rig, holder, next, u"DELETE FROM lockscope.surrogate_key"_s);
        QVERIFY(reply.error);
        QCOMPARE(reply.error->nativeCode, u"40001"_s);
        QVERIFY(!reply.error->hint.isEmpty());
        QVERIFY(holder.acquire(forName(u"n"_s)).isGranted()); // nobody has it
        QVERIFY(holder.release());
        next.within([](Contender& self) { QVERIFY(self.connection->rollback()); });
        QVERIFY(next.acquire(forName(u"n"_s)).isGranted());
    }

    void aTableThatIsMadeAgainIsTheOneThatIsLocked()
    {
        const LockRig rig(table);
        Contender holder(rig);
        Contender next(rig);
        Contender third(rig);
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        QVERIFY(nextAfterCleanUp(rig, holder, next,
            u"DO $$ BEGIN DROP TABLE lockscope.\"surrogate:n\"; PERFORM lockscope.add_surrogate_table('n'); END $$"_s)
                    .isGranted());
        const qint64 now = rig.number(u"SELECT 'lockscope.\"surrogate:n\"'::regclass::oid::bigint"_s);
        next.within(
            [now](Contender& self) { QCOMPARE(self.grants.back().holds().thing, QString::number(now)); });
        QCOMPARE(third.acquire(forName(u"n"_s)).outcome, Outcome::Denied);
    }

    void aTableThatIsGoneIsMissed()
    {
        const LockRig rig(table);
        Contender holder(rig);
        Contender next(rig);
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        next.within([](Contender& self) { QVERIFY(self.connection->begin()); });
        const LockReply reply =
            nextAfterCleanUp(rig, holder, next, u"DROP TABLE lockscope.\"surrogate:n\""_s);
        QVERIFY(reply.error);
        QCOMPARE(reply.error->kind, ErrorKind::MissingObject);
        next.within([](Contender& self) { QVERIFY(runSql(*self.connection, u"SELECT 1"_s)); });
    }

    /// Each would insert its own row, and both would have the key.
    void keysThatMayBeThereTwiceAreRefused_data()
    {
        addColumns<QString, bool>("made", "isFit");
        row("primary key", "CREATE TABLE keys (key text PRIMARY KEY)", true);
        row("unique index", "CREATE TABLE keys (id int, key text UNIQUE)", true);
        row("no index", "CREATE TABLE keys (key text)", false);
        row("with another column", "CREATE TABLE keys (key text, part int DEFAULT 0, UNIQUE (key, part))",
            false);
        row("later", "CREATE TABLE keys (key text UNIQUE DEFERRABLE)", false);
        row("some",
            "DO $$ BEGIN CREATE TABLE keys (key text); CREATE UNIQUE INDEX ON keys (key) WHERE key > 'x'; END $$",
            false);
    }
    void keysThatMayBeThereTwiceAreRefused()
    {
        FETCH(QString, made, bool, isFit);
        const LockRig rig(key);
        rig.run(u"SET search_path = public"_s);
        rig.run(made);
        const auto connection = rig.connect();
        const auto strategy =
            LockStrategy::create(LockKind::LockedKey, *connection, {}, {u"public"_s, {}, u"keys"_s, u"key"_s})
                .value();
        const auto prepared = strategy->prepare(u"n"_s);
        QCOMPARE(bool(prepared), isFit);
        QVERIFY(connection->begin());
        const auto result = strategy->acquire(forName(u"n"_s));
        QCOMPARE(bool(result), isFit);
        if (!isFit) {
            QCOMPARE(result.error().kind, ErrorKind::BadInput);
            QVERIFY(!result.error().hint.isEmpty());
        }
    }

    /// A session whose row the table itself turns into another one gets no lock.
    void aKeyThatDoesNotStayIsAnError()
    {
        const LockRig rig(key);
        rig.run(u"SET search_path = public"_s);
        rig.run(uR"(CREATE FUNCTION public.other() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN NEW.key := 'other ' || random(); RETURN NEW; END $$)"_s);
        rig.run(u"CREATE TABLE keys (key text PRIMARY KEY)"_s);
        rig.run(u"CREATE TRIGGER other BEFORE INSERT ON keys FOR EACH ROW EXECUTE FUNCTION public.other()"_s);
        const auto connection = rig.connect();
        const auto strategy =
            LockStrategy::create(LockKind::LockedKey, *connection, {}, {u"public"_s, {}, u"keys"_s, u"key"_s})
                .value();
        QVERIFY(connection->begin());
        for (const milliseconds wait : {0ms, forEver}) {
            VERIFY_FAILS(ErrorKind::Server, strategy->acquire(forName(u"n"_s, wait)));
        }
    }

    void aGrantNamesWhatItHolds_data()
    {
        addColumns<LockVariant, QString>("variant", "thing");
        row("entry", entry, "'n' in lockscope.lock_entry, fencing 1");
        row("entry of a file", LockVariant{Engine::Sqlite, LockKind::Table},
            "'n' in lockscope_lock_entry, fencing 1");
        row("application lock", LockVariant{Engine::Postgres, LockKind::Application}, "n");
        row("key", key, "n");
    }
    void aGrantNamesWhatItHolds()
    {
        FETCH(LockVariant, variant, QString, thing);
        const LockRig rig(variant);
        Contender one(rig);
        QVERIFY(one.acquire(rig.requestFor(u"n"_s)).isGranted());
        one.within([&](Contender& self) {
            const HeldThing& held = self.grants.back().holds();
            QCOMPARE(held.thing, thing);
            QCOMPARE(held.session.value, variant.isTable() ? 0 : self.connection->sessionId().value);
        });
        QVERIFY(one.release());
        QVERIFY(Grant().holds().thing.isEmpty());
    }

    /// The promise for a lock whose session somebody ends, and its limits: the work in the transaction is
    /// undone, and no two holders that kept their lock overlap. But the next one has it before the former one
    /// can know, whose work elsewhere goes on until then.
    void sessionsAreEndedWhileTheyHold_data()
    {
        addRows<LockVariant>("variant", {{"keys", key}, {"tables", table}});
    }
    void sessionsAreEndedWhileTheyHold()
    {
        const LockRig rig = fetchedRig();
        std::ignore = rig.requestFor(u"n"_s);
        makeCountedWork(rig);
        Crowd crowd;
        std::atomic<int> counted = 0;
        for (int i = 0; i < 6; ++i)
            crowd.join(rig, 100'000, countingTurns(rig, counted));
        const auto administrator = rig.connect();
        while (crowd.lost() < 5 && !crowd.isOver()) {
            std::ignore = runSql(*administrator, endSomeSession);
            std::this_thread::sleep_for(50ms);
        }
        crowd.stop();
        crowd.finish();
        qInfo("%lld turns, %lld of them ended by others, %lld overlaps with those", qlonglong(crowd.turns()),
            qlonglong(crowd.lost()), qlonglong(crowd.overlaps(true)));
        QVERIFY(crowd.lost() > 0);
        QCOMPARE(crowd.overlaps(), 0);
        // A commit whose answer was lost may count, too.
        QVERIFY(rig.number(u"SELECT done FROM public.work"_s) >= counted);
        QVERIFY(rig.number(u"SELECT done FROM public.work"_s) <= counted + crowd.lost());
    }

    /// The server reports a session's end before any of its objects go. Here that takes long: its temporary
    /// table is in use.
    void anEndIsHeardBeforeTheSessionIsGone()
    {
        const LockRig rig(key);
        const auto connection = rig.connect();
        runSql(*connection, u"CREATE TEMP TABLE kept ()"_s).value();
        const auto other = rig.connect();
        QVERIFY(other->begin());
        runSql(*other,
            u"DO $$ BEGIN EXECUTE (SELECT format('LOCK TABLE %s IN ACCESS SHARE MODE', c.oid::regclass) FROM pg_class AS c WHERE c.relname = 'kept'); END $$"_s)
            .value();
        const qint64 session = connection->sessionId().value;
        rig.run(u"DO $$ BEGIN PERFORM pg_terminate_backend(%1); END $$"_s.arg(session));
        const auto heard = connection->waitForNotification(5s);
        VERIFY_FAILS(ErrorKind::Connection, heard);
        QVERIFY2(heard.error().detail.contains(u"ended the session"_s), qPrintable(heard.error().toString()));
        QVERIFY(!connection->isOpen());
        QCOMPARE(rig.number(u"SELECT count(*) FROM pg_stat_activity WHERE pid = %1"_s.arg(session)), 1);
        QVERIFY(other->rollback());
        QVERIFY(connection->reopen());
        QVERIFY(connection->isOpen());
        QVERIFY(runSql(*connection, u"SELECT 1"_s));
    }

    /// The clean-up has locked the table of the keys, and takes long.
    void aLockedTableOfKeysKeepsNobodyForLong_data()
    {
        QTest::addColumn<QString>("cleanUp");
        QTest::addColumn<bool>("isThere"); // the row of the key
        for (const auto* cleanUp :
            {"TRUNCATE lockscope.surrogate_key", "LOCK TABLE lockscope.surrogate_key IN EXCLUSIVE MODE",
                "LOCK TABLE lockscope.surrogate_key"})
            for (const bool isThere : {true, false})
                QTest::addRow("%s, %s", cleanUp, isThere ? "row" : "no row")
                    << QString::fromLatin1(cleanUp) << isThere;
    }
    void aLockedTableOfKeysKeepsNobodyForLong()
    {
        FETCH(QString, cleanUp, bool, isThere);
        const LockRig rig(key);
        Contender next(rig);
        next.within([](Contender& self) { QVERIFY(self.strategy->prepare(u"n"_s)); });
        if (!isThere)
            rig.run(u"DELETE FROM lockscope.surrogate_key"_s);
        next.within([](Contender& self) { QVERIFY(self.connection->begin()); });
        const auto administrator = rig.connect();
        QVERIFY(administrator->begin());
        runSql(*administrator, cleanUp).value();

        const auto took = [&next](milliseconds wait, Outcome expected) {
            const auto begin = Clock::now();
            const LockReply reply = next.acquire(forName(u"n"_s, wait));
            if (reply.error)
                qWarning("%s", qPrintable(reply.error->toString()));
            return !reply.error && reply.outcome == expected && Clock::now() - begin < wait + 2s;
        };
        QVERIFY(took(0ms, Outcome::Denied));
        QVERIFY(took(100ms, Outcome::TimedOut));
        auto asked = next.ask(forName(u"n"_s, forEver));
        QTRY_COMPARE(waiting(rig), 1);
        next.cancel();
        QCOMPARE(soon(std::move(asked)).outcome, Outcome::Cancelled);
        asked = next.ask(forName(u"n"_s, forEver));
        QTRY_COMPARE(waiting(rig), 1);
        QVERIFY(administrator->rollback());
        QVERIFY(soon(std::move(asked)).isGranted());
        next.within([](Contender& self) { QVERIFY(self.connection->commit()); });
    }

    /// The server reports it on the connection itself, without a query.
    void anEndedSessionIsHeardOfAtOnce_data()
    {
        addRows<LockVariant>("variant",
            {{"key", key}, {"table", table},
                {"application lock", LockVariant{Engine::Postgres, LockKind::Application}}});
    }
    void anEndedSessionIsHeardOfAtOnce()
    {
        const LockRig rig = fetchedRig();
        std::ignore = rig.requestFor(u"n"_s);
        // The keeper checks each second: with it less than half of them would be so prompt.
        int prompt = 0;
        for (int i = 0; i < 9; ++i) {
            LockOptions options;
            options.name = u"n"_s;
            options.kind = rig.variant().kind;
            options.wait = 10s; // the end is heard of before the lock is free
            auto lock = locks::acquire(rig.server(), options);
            if (!lock)
                QFAIL(qPrintable(lock.error().toString()));
            std::promise<Clock::time_point> reported;
            lock->onLost(LossHandler([&reported](LossReason) { reported.set_value(Clock::now()); }));
            std::this_thread::sleep_for(20ms); // it holds, and listens
            const auto ended = Clock::now();
            rig.run(
                u"DO $$ BEGIN PERFORM pg_terminate_backend(a.pid) FROM pg_stat_activity AS a WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND EXISTS (SELECT FROM pg_locks AS l WHERE l.pid = a.pid AND l.locktype IN ('transactionid', 'advisory') AND l.mode = 'ExclusiveLock'); END $$"_s);
            prompt += soon(reported.get_future()) - ended < 400ms ? 1 : 0;
        }
        QVERIFY2(prompt >= 6, qPrintable(QString::number(prompt)));
    }
};

LOCKSCOPE_TEST(SurrogateCleanUpTest)

} // namespace tst_SurrogateCleanUp
#include "tst_SurrogateCleanUp.moc"
