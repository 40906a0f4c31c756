// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The schema's own promises to all participants, by its functions or by plain SQL: the guard, the order of
// fencing numbers, the queue, times that can be used. PostgreSQL.

#include "core/locks/LeaseKeeper.h"
#include "tests/support/LockRig.h"
#include "tests/support/Session.h"
#include "tests/support/TestProgram.h"

namespace tst_LockTableSql {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;

const QString newcomer = u"9223372036854775807"_s;
/// The time beyond a registration that a test must not need, to show that nobody waits for the dead.
constexpr milliseconds lessThanARegistration{6'000};

static QString insertInto(const QString& name, const QString& token)
{
    return u"INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES ('%1', '%2', clock_timestamp() + interval '1 h')"_s
        .arg(name, token);
}

static QString acquireSql(const QString& token, const QString& ticket, const QString& column)
{
    return u"SELECT %3::text FROM lockscope.acquire_lock('n', '%1', 60000000, true, %2, 'o', 'h', 'p', 1)"_s
        .arg(token, ticket, column);
}

class LockTableSql : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_rig = std::make_unique<LockRig>(LockVariant{Engine::Postgres, LockKind::Table});
        m_witness = m_rig->connect();
    }
    void cleanup()
    {
        m_witness.reset();
        m_rig.reset();
    }

    void anOutsiderCannotHoldUpAName()
    {
        // The guard as it was in earlier versions, and as it is.
        const auto outsider = server().connect(server().asRole(m_rig->url()));
        QCOMPARE(ask(*outsider, u"SELECT pg_advisory_lock(1282368363, hashtext('n'))::text"_s), u""_s);
        QVERIFY(!runSql(*outsider, u"SELECT FROM lockscope.lock_name FOR UPDATE"_s));
        QVERIFY(!runSql(*outsider, u"LOCK TABLE lockscope.lock_entry"_s));
        Contender other(*m_rig);
        QCOMPARE(other.acquire(m_rig->requestFor(u"n"_s)).outcome, Outcome::Granted);
    }

    /// Notifications of an outsider make a waiter ask ten times a second at most.
    void anOutsiderCannotKeepWaitersBusy()
    {
        m_rig->run(u"ALTER DATABASE \"%1\" SET track_functions = 'pl'"_s.arg(m_rig->url().database));
        const auto outsider = server().connect(server().asRole(m_rig->url()));
        auto holder = std::make_unique<Contender>(*m_rig);
        QCOMPARE(holder->acquire(m_rig->requestFor(u"n"_s)).outcome, Outcome::Granted);
        auto waiter = std::make_unique<Contender>(*m_rig);
        auto waiting = waiter->ask(m_rig->requestFor(u"n"_s, lessThanARegistration));
        QVERIFY(waitUntil([&] { return see(u"SELECT count(*) FROM lockscope.lock_waiter"_s) == u"1"; }));
        const QByteArray notify = "NOTIFY lockscope_turn_"
            + see(u"SELECT session_id FROM lockscope.lock_waiter"_s).toUtf8() + ", 'n'";
        QElapsedTimer clock;
        clock.start();
        int sent = 0;
        for (; clock.elapsed() < 1'500; ++sent)
            QVERIFY(outsider->executeScript(notify));
        const double seconds = static_cast<double>(clock.elapsed()) / 1'000;
        QVERIFY(holder->release());
        QCOMPARE(soon(std::move(waiting)).outcome, Outcome::GrantedAfterWait);
        holder.reset();
        waiter.reset(); // the server counts a session's calls at its end
        const auto calls = [this] {
            return see(u"SELECT calls FROM pg_stat_user_functions WHERE funcname = 'acquire_lock'"_s).toInt();
        };
        QVERIFY(waitUntil([&] { return calls() > 2; }));
        constexpr int besides = 5; // the holder's, the waiter's first ones and the last
        QVERIFY2(calls() <= 10 * seconds + besides && sent > 50,
            qPrintable(u"%1 calls, %2 notifications in %3 s"_s.arg(calls()).arg(sent).arg(seconds)));
    }

    void anOpenTransactionHoldsUpNobodyForLongerThanHeAsked()
    {
        test::Session ann(server(), m_rig->url());
        QVERIFY(ann.begin(insertInto(u"n"_s, u"a"_s)));
        Contender other(*m_rig);
        QCOMPARE(other.acquire(m_rig->requestFor(u"n"_s)).outcome, Outcome::Denied);
        QCOMPARE(other.acquire(m_rig->requestFor(u"n"_s, milliseconds(100))).outcome, Outcome::TimedOut);
        auto waiting = other.ask(m_rig->requestFor(u"n"_s, milliseconds(-1)));
        other.cancel();
        QCOMPARE(soon(std::move(waiting)).outcome, Outcome::Cancelled);
        QVERIFY(ann.run(u"ROLLBACK"_s));
        QCOMPARE(other.acquire(m_rig->requestFor(u"n"_s)).outcome, Outcome::Granted);
    }

    void theNumberIsDrawnAfterTheWait()
    {
        test::Session ann(server(), m_rig->url());
        test::Session bob(server(), m_rig->url());
        QVERIFY(ann.begin(insertInto(u"n"_s, u"a"_s)));
        const QString drawn = see(u"SELECT last_value FROM lockscope.fencing"_s);
        QVERIFY(bob.startWaiting(insertInto(u"n"_s, u"b"_s)));
        QCOMPARE(see(u"SELECT last_value FROM lockscope.fencing"_s), drawn);
        QVERIFY(ann.run(u"ROLLBACK"_s));
        QVERIFY(bob.wait());
        QVERIFY(see(u"SELECT fencing FROM lockscope.lock_entry"_s).toLongLong() > drawn.toLongLong());
    }

    void nobodyChoosesHisNumber()
    {
        m_rig->run(
            u"INSERT INTO lockscope.lock_entry (name, token, expires_at, fencing, login) VALUES ('n', 'a', clock_timestamp() + interval '1 h', 4711, 'somebody')"_s);
        QCOMPARE(see(u"SELECT fencing FROM lockscope.lock_entry"_s), u"1"_s);
        QCOMPARE(see(u"SELECT (login = session_user)::text FROM lockscope.lock_entry"_s), u"true"_s);
        m_rig->run(u"UPDATE lockscope.lock_entry SET fencing = 4711, login = 'somebody'"_s);
        QCOMPARE(see(u"SELECT fencing FROM lockscope.lock_entry"_s), u"1"_s);
        m_rig->run(u"UPDATE lockscope.lock_entry SET token = 'b'"_s); // somebody else's from now on
        QCOMPARE(see(u"SELECT fencing FROM lockscope.lock_entry"_s), u"2"_s);
        QVERIFY(!runSql(*m_witness, u"UPDATE lockscope.lock_entry SET name = 'other'"_s));
    }

    void plainSqlRespectsTheQueue()
    {
        m_rig->run(insertInto(u"n"_s, u"holder"_s));
        const auto waiter = m_rig->connect();
        const QString ticket = ask(*waiter, acquireSql(u"w"_s, newcomer, u"ticket"_s));
        QVERIFY(ticket.toLongLong() > 0);
        m_rig->run(u"DELETE FROM lockscope.lock_entry"_s);
        VERIFY_FAILS(ErrorKind::Duplicate, runSql(*m_witness, insertInto(u"n"_s, u"pusher"_s)));
        QVERIFY(ask(*waiter, acquireSql(u"w"_s, ticket, u"fencing"_s)).toLongLong() > 0);
    }

    void aTicketCountsForNobodyElse()
    {
        m_rig->run(insertInto(u"n"_s, u"holder"_s));
        const auto first = m_rig->connect();
        const auto second = m_rig->connect();
        const QString ticket = ask(*first, acquireSql(u"first"_s, newcomer, u"ticket"_s));
        m_rig->run(u"DELETE FROM lockscope.lock_entry"_s);
        for (const QString& claimed : {ticket, u"0"_s, u"-1"_s}) {
            QCOMPARE(ask(*second, acquireSql(u"second"_s, claimed, u"fencing"_s)), QString());
            // It can't be taken with the right token either, as long as the session that has it exists.
            QCOMPARE(ask(*second, acquireSql(u"first"_s, claimed, u"fencing"_s)), QString());
        }
        QVERIFY(ask(*first, acquireSql(u"first"_s, ticket, u"fencing"_s)).toLongLong() > 0);
    }

    void whoSeesAnOlderStateTakesNothing()
    {
        test::Session ann(server(), m_rig->url());
        QVERIFY(ann.run(u"BEGIN ISOLATION LEVEL REPEATABLE READ"_s));
        ann.start(insertInto(u"n"_s, u"a"_s));
        const auto refused = ann.wait();
        QVERIFY(!refused);
        QCOMPARE(refused.error().nativeCode, u"25000"_s);
    }

    void placesAreTheServersToGive()
    {
        const auto op =
            server().connect(server().asRole(m_rig->url(), u"GRANT lockscope_operator TO {role}"_s));
        for (const char* sql :
            {"INSERT INTO lockscope.lock_waiter (ticket, name, token, expires_at) OVERRIDING SYSTEM VALUE VALUES (-5, 'n', 'x', now() + interval '9 s')",
                "UPDATE lockscope.lock_waiter SET ticket = DEFAULT"}) {
            VERIFY_FAILS(ErrorKind::Permission, runSql(*op, QString::fromLatin1(sql)));
        }
        QVERIFY(ask(*op, acquireSql(u"mine"_s, newcomer, u"fencing"_s)).toLongLong() > 0);
        QVERIFY(ask(*op, acquireSql(u"other"_s, newcomer, u"ticket"_s)).toLongLong() > 0);
    }

    void aTokenThatWasReadIsNoGrant()
    {
        m_rig->run(insertInto(u"n"_s, u"secret"_s));
        const auto op =
            server().connect(server().asRole(m_rig->url(), u"GRANT lockscope_operator TO {role}"_s));
        QCOMPARE(ask(*op, acquireSql(u"secret"_s, newcomer, u"fencing"_s)), QString());
    }

    void noTextIsTooLongToBeShown()
    {
        QVERIFY(!runSql(*m_witness,
            u"INSERT INTO lockscope.lock_entry (name, token, expires_at, owner) VALUES ('n', 't', now() + interval '1 h', repeat('x', 1001))"_s));
        QVERIFY(!runSql(*m_witness,
            u"INSERT INTO lockscope.app_lock_name (key, name) VALUES (hashtextextended('nightly', 0), 'payroll')"_s));
    }

    void aPlaceInTheQueueSurvivesItsSession()
    {
        m_rig->run(insertInto(u"n"_s, u"holder"_s));
        auto first = m_rig->connect();
        const QString ticket = ask(*first, acquireSql(u"first"_s, newcomer, u"ticket"_s));
        const auto second = m_rig->connect();
        QVERIFY(
            ask(*second, acquireSql(u"second"_s, newcomer, u"ticket"_s)).toLongLong() > ticket.toLongLong());
        const QString gone = QString::number(first->sessionId().value);
        first.reset();
        QVERIFY(waitUntil(
            [&] { return see(u"SELECT count(*) FROM pg_stat_activity WHERE pid = "_s + gone) == u"0"; }));
        first = m_rig->connect();
        QCOMPARE(ask(*first, acquireSql(u"first"_s, ticket, u"ticket"_s)), ticket);
        m_rig->run(u"DELETE FROM lockscope.lock_entry"_s);
        QCOMPARE(ask(*second, acquireSql(u"second"_s, newcomer, u"fencing"_s)), QString());
        QVERIFY(ask(*first, acquireSql(u"first"_s, ticket, u"fencing"_s)).toLongLong() > 0);
    }

    void nobodyWaitsForTheDead()
    {
        Contender holder(*m_rig);
        QVERIFY(holder.acquire(m_rig->requestFor(u"n"_s)).isGranted());
        auto dead = m_rig->connect();
        QVERIFY(ask(*dead, acquireSql(u"dead"_s, newcomer, u"ticket"_s)).toLongLong() > 0);
        Contender next(*m_rig);
        auto waiting = next.ask(m_rig->requestFor(u"n"_s, lessThanARegistration));
        QVERIFY(waitUntil([&] { return see(u"SELECT count(*) FROM lockscope.lock_waiter"_s) == u"2"; }));
        const QString gone = QString::number(dead->sessionId().value);
        dead.reset();
        QVERIFY(waitUntil(
            [&] { return see(u"SELECT count(*) FROM pg_stat_activity WHERE pid = "_s + gone) == u"0"; }));
        QVERIFY(holder.release());
        QCOMPARE(soon(std::move(waiting)).outcome, Outcome::GrantedAfterWait);
    }

    void theFirstLiveWaiterIsReported_data()
    {
        QTest::addColumn<QString>("inFront");
        QTest::newRow("in front of him: nobody") << QString();
        QTest::newRow("one whose session has ended")
            << u"clock_timestamp() + interval '9 s', 2147483647"_s; // no process has such an id
        QTest::newRow("one who is registered for ever") << u"'9000-01-01', pg_backend_pid()"_s;
        QTest::newRow("one who has not renewed") << u"clock_timestamp(), pg_backend_pid()"_s;
    }
    /// By the release itself, and not only when it tries again.
    void theFirstLiveWaiterIsReported()
    {
        QFETCH(QString, inFront);
        m_rig->run(insertInto(u"n"_s, u"holder"_s));
        if (!inFront.isEmpty())
            QVERIFY(runSql(*m_witness,
                u"INSERT INTO lockscope.lock_waiter (name, token, expires_at, session_id) VALUES ('n', 'x', %1)"_s
                    .arg(inFront)));
        const auto waiter = m_rig->connect();
        const QString ticket = ask(*waiter, acquireSql(u"w"_s, newcomer, u"ticket"_s));
        m_rig->run(u"DELETE FROM lockscope.lock_entry"_s);
        const auto result = waiter->waitForNotification(lessThanARegistration, {});
        QVERIFY(result);
        QCOMPARE(result->value_or(QString()), ticket);
        QVERIFY(ask(*waiter, acquireSql(u"w"_s, ticket, u"fencing"_s)).toLongLong() > 0);
    }

    void anEndlessRegistrationIsNoneThatCounts()
    {
        m_rig->run(
            u"INSERT INTO lockscope.lock_waiter (name, token, expires_at) VALUES ('n', 'x', '9000-01-01')"_s);
        Contender other(*m_rig);
        QCOMPARE(other.acquire(m_rig->requestFor(u"n"_s)).outcome, Outcome::Granted);
    }

    void onlyTimesThatCanBeReckonedWith_data()
    {
        QTest::addColumn<QString>("sql");
        const auto row = [](const char* name, const QString& sql) { QTest::newRow(name) << sql; };
        for (const char* table : {"lock_entry", "lock_waiter"})
            for (const char* time : {"infinity", "-infinity", "0044-03-15 BC", "20000-01-01"})
                row(qPrintable(u"%1 %2"_s.arg(QLatin1StringView(table), QLatin1StringView(time))),
                    u"INSERT INTO lockscope.%1 (name, token, expires_at) VALUES ('n', 't', '%2')"_s.arg(
                        QLatin1StringView(table), QLatin1StringView(time)));
        row("taken in the Bronze Age",
            u"INSERT INTO lockscope.lock_entry (name, token, acquired_at, expires_at) VALUES ('n', 't', '-infinity', now())"_s);
        for (const char* lease : {"0", "-1", "NULL", "315360000000001"}) {
            row(qPrintable(u"acquire for %1"_s.arg(QLatin1StringView(lease))),
                u"SELECT lockscope.acquire_lock('n', 't', %1, false, 1, 'o', 'h', 'p', 1)"_s.arg(
                    QLatin1StringView(lease)));
            row(qPrintable(u"renew for %1"_s.arg(QLatin1StringView(lease))),
                u"SELECT lockscope.renew_lock('n', 't', %1)"_s.arg(QLatin1StringView(lease)));
        }
        row("no token", u"SELECT lockscope.acquire_lock('n', '', 1000, false, 1, 'o', 'h', 'p', 1)"_s);
    }
    void onlyTimesThatCanBeReckonedWith()
    {
        QFETCH(QString, sql);
        const auto done = runSql(*m_witness, sql);
        QVERIFY(!done);
        QVERIFY2(done.error().nativeCode == u"23514" || done.error().nativeCode == u"22023",
            qPrintable(done.error().toString()));
    }

    void afterAFailoverNumbersGoOnAndOldGrantsAreLost()
    {
        const auto keeper = LeaseKeeper::create(m_rig->server());
        Contender before(*m_rig, keeper);
        std::promise<LossReason> lost;
        const LockReply first =
            before.acquire(m_rig->requestFor(u"n"_s), [&lost](LossReason reason) { lost.set_value(reason); });
        QVERIFY(first.isGranted());
        // A promoted standby finds this: the numbers of a server of another timeline.
        m_rig->run(u"UPDATE lockscope.fencing_epoch SET timeline = timeline + 7"_s);
        QCOMPARE(soon(lost.get_future()), LossReason::RowGone);
        Contender after(*m_rig);
        const LockReply other = after.acquire(m_rig->requestFor(u"m"_s));
        QVERIFY(other.fencing > (qint64(1) << 40));
        QCOMPARE(see(u"SELECT (renew_lock IS NULL)::text FROM lockscope.renew_lock('n', '%1', 1000000)"_s.arg(
                     first.token)),
            u"true"_s);
        // It stays until its lease ends: he who has it may not know yet.
        QCOMPARE(after.acquire(m_rig->requestFor(u"n"_s)).outcome, Outcome::Denied);
    }

    void purgeForgetsNamesThatNobodyUses()
    {
        Contender holder(*m_rig);
        QVERIFY(holder.acquire(m_rig->requestFor(u"gone"_s)).isGranted());
        QVERIFY(holder.release());
        QVERIFY(holder.acquire(m_rig->requestFor(u"kept"_s)).isGranted());
        m_rig->run(u"SELECT lockscope.purge_stale()"_s);
        QCOMPARE(see(u"SELECT string_agg(name, ',') FROM lockscope.lock_name"_s), u"kept"_s);
        QVERIFY(holder.acquire(m_rig->requestFor(u"gone"_s)).isGranted());
    }

private:
    static TestServer& server() { return TestServer::shared(); }
    QString see(const QString& sql) const { return ask(*m_witness, sql); }

    std::unique_ptr<LockRig> m_rig;
    std::unique_ptr<db::Connection> m_witness;
};

LOCKSCOPE_TEST(LockTableSql)

} // namespace tst_LockTableSql
#include "tst_LockTableSql.moc"
