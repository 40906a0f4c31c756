// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The lock table's own rules on SQL Server, for all writers: needs a server that executes T-SQL. The promises
// of every engine are in tst_LockConformance.

#include "tests/support/SqlServerRig.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_SqlServerTable {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;

const QString insert =
    u"INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES (@P1, @P2, DATEADD(SECOND, 60, SYSUTCDATETIME()))"_s;
const QString acquire =
    u"EXECUTE lockscope.AcquireLock @Name = @P1, @Token = @P2, @LeaseUs = 60000000, @WaitMs = @P3, @Ticket = @P4"_s;
constexpr auto waitsWithin = "This server waits within the call, and tells no ticket before.";
const QString release = u"EXECUTE lockscope.ReleaseLock @Name = @P1, @Token = @P2"_s;

/// A row of AcquireLock.
struct Answer {
    qint64 fencing = 0;
    qint64 ticket = 0;
    qint64 code = -999;
    QString error;
};

static Answer take(Connection& connection, const QString& name, const QString& token, qint64 waitMs = 0,
    std::optional<qint64> ticket = {})
{
    Answer answer;
    const auto asked = runSql(connection, acquire, {name, token, waitMs, ticket ? Param(*ticket) : Param()},
        [&answer](const Row& row) {
            answer.fencing = row.int64(0);
            answer.ticket = row.int64(3);
            answer.code = row.int64(10);
        });
    if (!asked)
        answer.error = asked.error().toString();
    return answer;
}

static bool put(Connection& connection, const QString& name, const QString& token)
{
    return bool(runSql(connection, insert, {name, token}));
}

static qint64 number(Connection& connection, const QString& name)
{
    return ask(connection, u"SELECT fencing FROM lockscope.lock_entry WHERE name = @P1"_s, {name})
        .toLongLong();
}

class SqlServerTable : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!SqlServerRig::isReal())
            QSKIP("The double has no tables: this needs a server that executes T-SQL.");
        m_rig = std::make_unique<SqlServerRig>();
        for (std::unique_ptr<Connection>* connection : {&m_one, &m_two, &m_three, &m_four})
            *connection = warm();
    }
    void cleanupTestCase()
    {
        for (std::unique_ptr<Connection>* connection : {&m_one, &m_two, &m_three, &m_four})
            connection->reset();
    }
    void cleanup()
    {
        if (!m_one)
            return;
        std::ignore = m_one->rollback();
        QVERIFY(runSql(*m_one, u"SET IMPLICIT_TRANSACTIONS OFF"_s));
        for (const char* table : {"lock_entry", "lock_waiter", "audit_log"})
            QVERIFY(runSql(*m_one, u"DELETE FROM lockscope.%1"_s.arg(QLatin1StringView(table))));
    }

    void plainInsertDoesNotOvertakeWhoWaits()
    {
        if (!m_rig->isBabelfish())
            QSKIP(waitsWithin);
        QVERIFY(take(*m_one, u"n"_s, u"t1"_s).fencing > 0);
        Connection* const waiter = m_three.get();
        const Answer waiting = take(*waiter, u"n"_s, u"t2"_s, 60'000);
        QCOMPARE(waiting.code, 2);
        QCOMPARE(ask(*m_one, release, {u"n"_s, u"t1"_s}), u"1"_s);
        const auto refused = runSql(*m_two, insert, {u"n"_s, u"t3"_s});
        QVERIFY(!refused);
        QCOMPARE(refused.error().nativeCode, u"2627"_s);
        QCOMPARE(ask(*m_one, u"SELECT COUNT(*) FROM lockscope.lock_entry"_s), u"0"_s);
        // It can't be taken with the waiter's own token either: it is not its session.
        QVERIFY(!put(*m_two, u"n"_s, u"t2"_s));
        const Answer granted = take(*waiter, u"n"_s, u"t2"_s, 60'000, waiting.ticket);
        QCOMPARE(granted.code, 0);
        QVERIFY(!put(*m_two, u"n"_s, u"t3"_s));
        QVERIFY(put(*m_two, u"other"_s, u"t3"_s));
    }

    void numbersGrowWithVisibilityWhoeverInserts()
    {
        qint64 last = 0;
        for (int turn = 0; turn < 20; ++turn) {
            const QString token = u"t%1"_s.arg(turn);
            if (turn % 2 == 0)
                QVERIFY(put(*m_one, u"n"_s, token));
            else
                QVERIFY(take(*m_two, u"n"_s, token).fencing > 0);
            const qint64 fencing = number(*m_one, u"n"_s);
            QVERIFY(fencing > last);
            last = fencing;
            QVERIFY(runSql(*m_one, u"DELETE FROM lockscope.lock_entry WHERE name = N'n'"_s));
        }
    }

    /// An example: C draws its number before B, but gets the lock after it.
    void aNumberIsDrawnWhenTheLockIsGot()
    {
        QVERIFY(put(*m_one, u"n"_s, u"a"_s));
        QVERIFY(m_one->begin());
        QVERIFY(runSql(*m_one, u"DELETE FROM lockscope.lock_entry WHERE name = N'n'"_s));
        // Waits for the end of the transaction, in whatever it has drawn or not drawn by then.
        std::atomic<bool> isIn = false;
        std::jthread later([&] {
            const auto connection = m_rig->connect();
            isIn = put(*connection, u"n"_s, u"c"_s);
        });
        QVERIFY(put(*m_two, u"unrelated"_s, u"u"_s));
        QVERIFY(put(*m_one, u"n"_s, u"b"_s));
        const qint64 ofB = number(*m_one, u"n"_s);
        QVERIFY(runSql(*m_one, u"DELETE FROM lockscope.lock_entry WHERE name = N'n'"_s));
        QVERIFY(m_one->commit());
        later.join();
        if (!isIn) // it had met the row of B, which was there for a short time
            QVERIFY(put(*m_two, u"n"_s, u"c"_s));
        QVERIFY(number(*m_two, u"n"_s) > ofB);
    }

    void aTicketCountsWithItsTokenInItsSession()
    {
        if (!m_rig->isBabelfish())
            QSKIP(waitsWithin);
        QVERIFY(take(*m_one, u"n"_s, u"t1"_s).fencing > 0);
        Connection* const first = m_three.get();
        Connection* const second = m_four.get();
        const Answer firstWaits = take(*first, u"n"_s, u"f"_s, 60'000);
        const Answer secondWaits = take(*second, u"n"_s, u"s"_s, 60'000);
        QVERIFY(secondWaits.ticket > firstWaits.ticket);
        QCOMPARE(ask(*m_one, release, {u"n"_s, u"t1"_s}), u"1"_s);
        for (const qint64 ticket : {qint64(0), qint64(-1), firstWaits.ticket, secondWaits.ticket}) {
            const Answer thief = take(*m_two, u"n"_s, u"x"_s, 60'000, ticket);
            QCOMPARE(thief.code, 2);
            QVERIFY(thief.ticket > secondWaits.ticket);
            QVERIFY(runSql(*m_two, u"EXECUTE lockscope.LeaveQueue @Name = N'n', @Token = N'x'"_s));
        }
        // The token alone, in another session, or the ticket alone, under another token.
        QCOMPARE(take(*m_two, u"n"_s, u"f"_s, 60'000, firstWaits.ticket).code, 2);
        QCOMPARE(take(*second, u"n"_s, u"s"_s, 60'000, firstWaits.ticket).code, 2);
        QCOMPARE(take(*first, u"n"_s, u"f"_s, 60'000, firstWaits.ticket).code, 0);
    }

    void whoWaitsInADeadSessionIsSteppedOver()
    {
        if (!m_rig->isBabelfish())
            QSKIP(waitsWithin);
        QVERIFY(take(*m_one, u"n"_s, u"t1"_s).fencing > 0);
        const auto dying = warm();
        const qint64 session = dying->sessionId().value;
        QCOMPARE(take(*dying, u"n"_s, u"d"_s, 60'000).code, 2);
        const Answer next = take(*m_two, u"n"_s, u"t2"_s, 60'000);
        QCOMPARE(next.code, 2);
        QCOMPARE(ask(*m_one, release, {u"n"_s, u"t1"_s}), u"1"_s);
        QCOMPARE(take(*m_two, u"n"_s, u"t2"_s, 60'000, next.ticket).code, 2);
        m_rig->endSession(session);
        QElapsedTimer since;
        since.start();
        QVERIFY(waitUntil([&] { return take(*m_two, u"n"_s, u"t2"_s, 60'000, next.ticket).code == 0; }));
        QVERIFY2(since.elapsed() < 5'000, "it waited for the registration to lapse");
    }

    void onlyTheEndOfALeaseCanBeChanged_data()
    {
        QTest::addColumn<QString>("sql");
        row("another token", "UPDATE lockscope.lock_entry SET token = N'mine'");
        row("another number", "UPDATE lockscope.lock_entry SET fencing = 1");
        row("another login", "UPDATE lockscope.lock_entry SET login = N'bob'");
        row("no end", "UPDATE lockscope.lock_entry SET expires_at = '99991231'");
        row("an end before the beginning", "UPDATE lockscope.lock_entry SET expires_at = '20200101'");
        row("an immortal",
            "INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES (N'm', N't', '99991231')");
        row("an immortal waiter",
            "INSERT INTO lockscope.lock_waiter (name, expires_at) VALUES (N'm', '99991231')");
        row("no lease", "EXECUTE lockscope.AcquireLock @Name = N'm', @Token = N't', @LeaseUs = 0");
        row("a lease before now", "EXECUTE lockscope.RenewLock @Name = N'n', @Token = N't1', @LeaseUs = -1");
    }
    void onlyTheEndOfALeaseCanBeChanged()
    {
        QFETCH(QString, sql);
        QVERIFY(take(*m_one, u"n"_s, u"t1"_s).fencing > 0);
        const QString before =
            ask(*m_one, u"SELECT CONCAT(token, fencing, login, expires_at) FROM lockscope.lock_entry"_s);
        QVERIFY(!runSql(*m_two, sql));
        QCOMPARE(ask(*m_one, u"SELECT CONCAT(token, fencing, login, expires_at) FROM lockscope.lock_entry"_s),
            before);
    }

    void whoKeepsARowLockedDelaysAnAnswerAndNoMore()
    {
        // Returns whether it was not granted; Babelfish can't catch its own time-out, which then reaches the
        // caller.
        const auto isNotGranted = [this](const Answer& answer) {
            return answer.code == -1
                || (m_rig->isBabelfish() && answer.error.contains(u"due to lock timeout"));
        };
        QVERIFY(m_one->begin());
        QVERIFY(put(*m_one, u"n"_s, u"t1"_s));
        QElapsedTimer since;
        for (const qint64 waitMs : {qint64(0), qint64(2'000)}) {
            since.restart();
            const Answer answer = take(*m_two, u"n"_s, u"t2"_s, waitMs);
            QVERIFY2(isNotGranted(answer), qPrintable(u"%1 %2"_s.arg(answer.code).arg(answer.error)));
            QVERIFY2(since.elapsed() < 8'000, qPrintable(QString::number(since.elapsed())));
        }
        QVERIFY(m_one->rollback());
        QVERIFY(take(*m_two, u"n"_s, u"t2"_s).fencing > 0);
        // Nothing of the procedure's settings stays with the session.
        QCOMPARE(ask(*m_two, u"SELECT @@LOCK_TIMEOUT"_s), u"-1"_s);
    }

    void implicitTransactionsLeaveNothingUncommitted()
    {
        QVERIFY(runSql(*m_one, u"SET IMPLICIT_TRANSACTIONS ON"_s));
        const Answer granted = take(*m_one, u"n"_s, u"t1"_s);
        QVERIFY2(granted.fencing > 0, qPrintable(granted.error));
        QCOMPARE(ask(*m_one, u"SELECT @@TRANCOUNT"_s), u"0"_s);
        QCOMPARE(take(*m_two, u"n"_s, u"t2"_s).code, -1);
        QCOMPARE(ask(*m_one, release, {u"n"_s, u"t1"_s}), u"1"_s);
        for (const QString& call : {u"LeaveQueue @Name = N'n', @Token = N't1'"_s, u"PurgeStale"_s,
                 u"RenewLock @Name = N'n', @Token = N't1', @LeaseUs = 1000"_s}) {
            VERIFY_DONE(runSql(*m_one, u"EXECUTE lockscope."_s + call));
            QCOMPARE(ask(*m_one, u"SELECT @@TRANCOUNT"_s), u"0"_s);
        }
        QVERIFY(take(*m_two, u"n"_s, u"t2"_s).fencing > 0);
        // The caller's setting stays the caller's.
        QCOMPARE(ask(*m_one, u"SELECT @@OPTIONS & 2"_s), u"2"_s);
    }

    void aCallersTransactionIsRefusedAndLeftAlone_data()
    {
        QTest::addColumn<QString>("call");
        row("take", "AcquireLock @Name = N'm', @Token = N't1', @LeaseUs = 60000000");
        row("prolong", "RenewLock @Name = N'n', @Token = N't1', @LeaseUs = 90000000");
        row("give back", "ReleaseLock @Name = N'n', @Token = N't1'");
        row("give up", "LeaveQueue @Name = N'n', @Token = N't1'");
        row("purge", "PurgeStale");
        row("make a table", "MakeSurrogateTable @Name = N'n'");
    }
    void aCallersTransactionIsRefusedAndLeftAlone()
    {
        QFETCH(QString, call);
        QVERIFY(take(*m_one, u"n"_s, u"t1"_s).fencing > 0);
        const QString before = ask(*m_one, u"SELECT expires_at FROM lockscope.lock_entry"_s);
        QVERIFY(runSql(*m_one, u"SET XACT_ABORT OFF"_s));
        QVERIFY(m_one->begin());
        QVERIFY(runSql(*m_one, u"INSERT INTO lockscope.app_lock_name (name) VALUES (N'mine')"_s));
        const auto refused = runSql(*m_one, u"EXECUTE lockscope."_s + call);
        QVERIFY(!refused);
        VERIFY_CONTAINS(refused.error().toString(), u"can't be called inside a transaction");
        VERIFY_DONE(m_one->commit());
        QCOMPARE(ask(*m_one, u"SELECT COUNT(*) FROM lockscope.app_lock_name WHERE name = N'mine'"_s), u"1"_s);
        QVERIFY(runSql(*m_one, u"DELETE FROM lockscope.app_lock_name"_s));
        QCOMPARE(ask(*m_one, u"SELECT expires_at FROM lockscope.lock_entry"_s), before);
        QVERIFY(runSql(*m_one, u"SET XACT_ABORT ON"_s));
    }

    void aWaiterWritesEveryFewSecondsOnly()
    {
        if (!m_rig->isBabelfish())
            QSKIP(waitsWithin);
        QVERIFY(take(*m_one, u"n"_s, u"t1"_s).fencing > 0);
        const Answer waiting = take(*m_two, u"n"_s, u"t2"_s, 60'000);
        QCOMPARE(waiting.code, 2);
        const QString read = u"SELECT expires_at FROM lockscope.lock_waiter"_s;
        const QString guard = u"SELECT MAX(used_at) FROM lockscope.lock_name"_s;
        const QString place = ask(*m_one, read);
        const QString used = ask(*m_one, guard);
        QElapsedTimer since;
        since.start();
        QCOMPARE(take(*m_two, u"n"_s, u"t2"_s, 60'000, waiting.ticket).code, 2);
        if (since.elapsed() < 1'500) { // its place is good for ten seconds
            QCOMPARE(ask(*m_one, read), place);
            QCOMPARE(ask(*m_one, guard), used);
        }
        int code = 2;
        QVERIFY(waitUntil([&] {
            code = take(*m_two, u"n"_s, u"t2"_s, 60'000, waiting.ticket).code;
            return code != 2 || ask(*m_one, read) > place;
        }));
        QCOMPARE(code, 2);
        QCOMPARE(ask(*m_one, release, {u"n"_s, u"t1"_s}), u"1"_s);
        QCOMPARE(take(*m_two, u"n"_s, u"t2"_s, 60'000, waiting.ticket).code, 0);
    }

    /// A new key must not lock out its neighbours, and is one key, whichever session is first.
    void newSurrogateKeysAreIndependent()
    {
        const QString key = u"EXECUTE lockscope.LockSurrogateKey @Key = @P1"_s;
        const auto none = runSql(*m_one, key, {u"k5"_s});
        QVERIFY(!none && none.error().toString().contains(u"needs a transaction"));
        QVERIFY(m_one->begin());
        QVERIFY(runSql(*m_one, key, {u"k5"_s}));
        QVERIFY(runSql(*m_two, u"SET LOCK_TIMEOUT 2000"_s));
        for (const QString& other : {u"k4"_s, u"k6"_s}) {
            QVERIFY(m_two->begin());
            VERIFY_DONE(runSql(*m_two, key, {other}));
            QVERIFY(m_two->commit());
        }
        QVERIFY(m_two->begin());
        QVERIFY(!runSql(*m_two, key, {u"k5"_s}));
        std::ignore = m_two->rollback();
        std::jthread later([this, key] {
            QTest::qSleep(500); // within the two seconds: not every server tells who waits for a key
            std::ignore = m_one->commit();
        });
        QVERIFY(m_two->begin());
        VERIFY_DONE(runSql(*m_two, key, {u"k5"_s}));
        QVERIFY(m_two->commit());
        QVERIFY(runSql(*m_two, u"SET LOCK_TIMEOUT -1"_s));
    }

    /// The caller of a client that begins transactions by itself has the key up to its commit.
    void aSurrogateKeyBeginsAnImplicitTransaction()
    {
        QVERIFY(runSql(*m_one, u"SET IMPLICIT_TRANSACTIONS ON"_s));
        VERIFY_DONE(runSql(*m_one, u"EXECUTE lockscope.LockSurrogateKey @Key = N'i'"_s));
        QCOMPARE(ask(*m_one, u"SELECT @@TRANCOUNT"_s), u"1"_s);
        QVERIFY(runSql(*m_one, u"COMMIT TRANSACTION"_s));
    }

    /// 255 code units are 127 pairs of surrogates, which some collations count as 127 characters.
    void longNamesOfPairsHaveLocksOfTheirOwn()
    {
        if (m_rig->isBabelfish())
            QSKIP("Babelfish counts code points in every collation.");
        const QString pairs = QString::fromUcs4(U"\U0001F512").repeated(126);
        const QString name = u"SELECT lockscope.AppLockFor(N'lockscope:', @P1)"_s;
        QVERIFY(
            ask(*m_one, name, {QString(pairs + u"ab"_s)}) != ask(*m_one, name, {QString(pairs + u"ac"_s)}));
        QVERIFY(ask(*m_one, name, {QString(pairs + u"ab"_s)}).size() <= 255);
    }

    void whatAnotherLoginFreesIsOnRecord_data()
    {
        addRows<QString>("sql",
            {{"by a token that was only seen",
                 u"EXECUTE lockscope.ReleaseLock @Name = N'n', @Token = N't1'"_s},
                {"by hand", u"DELETE FROM lockscope.lock_entry WHERE name = N'n'"_s},
                {"by its lease",
                    u"UPDATE lockscope.lock_entry SET expires_at = DATEADD(SECOND, 1, acquired_at) WHERE name = N'n'"_s}});
    }
    void whatAnotherLoginFreesIsOnRecord()
    {
        QFETCH(QString, sql);
        const QString login = u"lockscope_test_%1"_s.arg(QUuid::createUuid().toString(QUuid::Id128).left(12));
        const QString password = u"Aa1!"_s + QUuid::createUuid().toString(QUuid::Id128);
        const auto made = m_one->executeScript(
            u"CREATE LOGIN %1 WITH PASSWORD = '%2'\nGO\nCREATE USER %1 FOR LOGIN %1\nGO\nALTER ROLE lockscope_operator ADD MEMBER %1"_s
                .arg(login, password)
                .toUtf8());
        if (!made && made.error().kind == ErrorKind::Permission)
            QSKIP("This login may not make others.");
        VERIFY_DONE(made);
        ServerUrl url = m_rig->url();
        url.user = login;
        {
            const auto other = db::Server::at(url, fixedPassword(password)).connect();
            VERIFY_DONE(other);
            QVERIFY(take(*m_one, u"n"_s, u"t1"_s).fencing > 0);
            VERIFY_DONE(runSql(**other, sql));
        }
        QCOMPARE(ask(*m_one, u"SELECT who FROM lockscope.audit_log"_s), login);
        QCOMPARE(ask(*m_one, u"SELECT COUNT(*) FROM lockscope.audit_log"_s), u"1"_s);
        QVERIFY(!ask(*m_one, u"SELECT [before] FROM lockscope.audit_log"_s).contains(u"t1"_s));
        // One's own is nobody's business.
        QVERIFY(runSql(*m_one, u"DELETE FROM lockscope.lock_entry"_s));
        QCOMPARE(ask(*m_one, u"SELECT COUNT(*) FROM lockscope.audit_log"_s), u"1"_s);
        QVERIFY(waitUntil([&] {
            return bool(m_one->executeScript(u"DROP USER %1\nGO\nDROP LOGIN %1"_s.arg(login).toUtf8()));
        }));
    }

    void anOutcomeIsChangedByTheTransactionThatRecordedTheAct()
    {
        const QString record =
            u"DECLARE @Id bigint; EXECUTE lockscope.RecordAct @Origin = N'ann', @Act = N'release lock', @Target = N'n', @Reason = N'r', @Before = N'{\"fencing\":7}', @Outcome = N'begun', @Id = @Id OUTPUT; SELECT @Id"_s;
        const QString outcome =
            u"EXECUTE lockscope.RecordOutcome @Id = @P1, @Before = NULL, @Outcome = N'done'"_s;
        QVERIFY(m_one->begin());
        const qint64 id = ask(*m_one, record).toLongLong();
        QVERIFY(id > 0);
        QVERIFY(runSql(*m_one, outcome, {id}));
        QVERIFY(m_one->commit());
        const QString read =
            u"SELECT CONCAT(who, N': ', outcome, N' ', fencing) FROM lockscope.audit_log WHERE id = @P1"_s;
        const QString kept = ask(*m_one, read, {id});
        VERIFY_ENDS(kept, u": done 7");
        QVERIFY(runSql(*m_two,
            u"EXECUTE lockscope.RecordOutcome @Id = @P1, @Before = NULL, @Outcome = N'forged'"_s, {id}));
        QCOMPARE(ask(*m_one, read, {id}), kept);
    }

    void theAuditIsNotRewritten_data()
    {
        QTest::addColumn<QString>("sql");
        row("another login", "UPDATE lockscope.audit_log SET who = N'bob'");
        row("another outcome", "UPDATE lockscope.audit_log SET outcome = N'refused'");
        row("another act", "UPDATE lockscope.audit_log SET act = N'look'");
        row("in another's name",
            "INSERT INTO lockscope.audit_log (who, origin, act, target, reason, [before], outcome) VALUES (N'bob', N'', N'', N'', N'', N'{}', N'done')");
        row("before today",
            "INSERT INTO lockscope.audit_log (at, who, origin, act, target, reason, [before], outcome) VALUES ('20200101', ORIGINAL_LOGIN(), N'', N'', N'', N'', N'{}', N'done')");
    }
    void theAuditIsNotRewritten()
    {
        QFETCH(QString, sql);
        QVERIFY(runSql(*m_one,
            u"EXECUTE lockscope.RecordAct @Origin = N'ann', @Act = N'release lock', @Target = N'n', @Reason = N'r', @Before = N'{}', @Outcome = N'done'"_s));
        const QString read =
            u"SELECT CONCAT(COUNT(*), MAX(who), MAX(act), MAX(outcome)) FROM lockscope.audit_log"_s;
        const QString before = ask(*m_one, read);
        const auto done = runSql(*m_one, sql);
        QVERIFY(!done);
        VERIFY_CONTAINS(done.error().toString(), u"audit can't be rewritten");
        QCOMPARE(ask(*m_one, read), before);
    }

    /// A user who frees by force can't put something else on record instead.
    void aForcedReleaseIsOnRecordWhateverIsSaidOfIt_data()
    {
        addColumns<QString, QString, QString>("act", "target", "outcome");
        row("another act", "note", "the coffee machine", "begun");
        row("another target", "release lock", "the coffee machine", "begun");
        row("the right words", "release lock", "lock 'victim' held by ann on h", "begun");
        row("done before it was", "release lock", "lock 'victim' held by ann on h", "done");
    }
    void aForcedReleaseIsOnRecordWhateverIsSaidOfIt()
    {
        FETCH(QString, act, QString, target, QString, outcome);
        QVERIFY(runSql(*m_two, u"DELETE FROM lockscope.lock_entry"_s));
        QVERIFY(runSql(*m_two, u"DELETE FROM lockscope.audit_log"_s));
        QVERIFY(runSql(*m_two,
            u"INSERT INTO lockscope.lock_entry (name, token, expires_at, owner, host) VALUES (N'victim', N't', DATEADD(SECOND, 60, SYSUTCDATETIME()), N'ann', N'h')"_s));
        // This is another login.
        QVERIFY(runSql(*m_two, u"DISABLE TRIGGER lockscope.lock_entry_changed ON lockscope.lock_entry"_s));
        QVERIFY(runSql(*m_two, u"UPDATE lockscope.lock_entry SET login = N'ann'"_s));
        QVERIFY(runSql(*m_two, u"ENABLE TRIGGER lockscope.lock_entry_changed ON lockscope.lock_entry"_s));
        const qint64 fencing = number(*m_two, u"victim"_s);
        const QString sql =
            u"BEGIN TRANSACTION; DECLARE @Id bigint; EXECUTE lockscope.RecordAct N'o', N'%1', @P1, N'none', @P2, N'%2', @Id OUTPUT; DELETE FROM lockscope.lock_entry WHERE name = N'victim'; EXECUTE lockscope.RecordOutcome @Id, N'{}', N'nothing happened'; COMMIT TRANSACTION"_s
                .arg(act, outcome);
        QVERIFY(runSql(*m_two, sql, {target, u"{\"fencing\":%1}"_s.arg(fencing)}));
        QCOMPARE(
            ask(*m_two,
                u"SELECT COUNT(*) FROM lockscope.audit_log WHERE act = N'release lock' AND outcome = N'done' AND target = N'lock ''victim'' held by ann on h' AND [before] LIKE N'%\"login\":%\"ann\"%'"_s),
            u"1"_s);
    }

    void tSqlLearnsTheNumberOfItsGrant()
    {
        QVERIFY(runSql(*m_one,
            u"DECLARE @Fencing bigint, @Expires bigint; EXECUTE lockscope.AcquireLock @Name = N'told', @Token = N't', @LeaseUs = 60000000, @Fencing = @Fencing OUTPUT, @ExpiresUs = @Expires OUTPUT; INSERT INTO lockscope.surrogate_key ([key]) VALUES (CONVERT(nvarchar(20), @Fencing) + "
            "CASE WHEN @Expires IS NULL THEN N' no end' ELSE N'' END)"_s));
        QCOMPARE(ask(*m_one,
                     u"SELECT COUNT(*) FROM lockscope.surrogate_key WHERE [key] = N'%1'"_s.arg(
                         number(*m_one, u"told"_s))),
            u"1"_s);
    }

    /// The state after a failover: the database says that another instance served it.
    void fencingNeverGoesBackWithAnotherServer()
    {
        QCOMPARE(take(*m_one, u"before"_s, u"t1"_s).code, 0);
        const qint64 before = number(*m_one, u"before"_s);
        for (const QString& sql : {u"UPDATE lockscope.fencing_epoch SET server_name = N'the former one'"_s,
                 u"ALTER SEQUENCE lockscope.fencing RESTART WITH 1"_s})
            QVERIFY(runSql(*m_two, sql));
        QCOMPARE(ask(*m_one,
                     u"EXECUTE lockscope.RenewLock @Name = N'before', @Token = N't1', @LeaseUs = 60000000"_s),
            QString());
        QCOMPARE(take(*m_two, u"before"_s, u"t2"_s).code, -1);
        QCOMPARE(take(*m_two, u"after"_s, u"t2"_s).code, 0);
        const qint64 after = number(*m_two, u"after"_s);
        QVERIFY2(after > before, qPrintable(u"%1, then %2"_s.arg(before).arg(after)));
        QCOMPARE(after >> 40, (before >> 40) + 1);
        QVERIFY(!ask(
            *m_two, u"EXECUTE lockscope.RenewLock @Name = N'after', @Token = N't2', @LeaseUs = 60000000"_s)
                     .isEmpty());
    }

private:
    /// A session's first call may take longer than a place in the queue lasts.
    std::unique_ptr<Connection> warm() const
    {
        auto connection = m_rig->connect();
        const QString name = u"warm %1"_s.arg(connection->sessionId().value);
        if (take(*connection, name, name).fencing == 0 || ask(*connection, release, {name, name}) != u"1")
            qFatal("the session can't take a lock");
        return connection;
    }

    std::unique_ptr<SqlServerRig> m_rig;
    std::unique_ptr<Connection> m_one;
    std::unique_ptr<Connection> m_two;
    std::unique_ptr<Connection> m_three;
    std::unique_ptr<Connection> m_four;
};

LOCKSCOPE_TEST(SqlServerTable)

} // namespace tst_SqlServerTable
#include "tst_SqlServerTable.moc"
