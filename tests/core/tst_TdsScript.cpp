// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/Statement.h"
#include "tests/support/TestProgram.h"
#include "tests/support/tds/TsqlScript.h"

namespace tst_TdsScript {

using namespace Qt::StringLiterals;
using namespace lockscope::test::tds;

/// A database with Lockscope's schema, and two logins of it.
class Database {
public:
    Database()
    {
        tables.install();
        for (auto* session : {&ann, &bob}) {
            (*session)->id = session == &ann ? 51 : 52;
            (*session)->login.user = session == &ann ? u"ann"_s : u"bob"_s;
        }
    }

    /// Runs a batch; the error, if there was one: "2627 Violation …".
    QString run(const QString& text, const std::shared_ptr<Session>& session = {})
    {
        const auto asking = session ? session : ann;
        const auto reply =
            std::make_shared<Reply>(std::make_shared<Tokens>(Tokens::To::Batch, u"double"_s), asking, true);
        tsql::ScriptHost host;
        host.nowUs = [this] { return nowUs; };
        host.around.session = asking->id;
        host.around.login = asking->login.user;
        host.around.seesOthers = true;
        host.around.property = [](const QString& name) {
            return name == u"ServerName" ? Value(u"double"_s) : Value();
        };
        host.around.next = [this] { return ++lastNumber; };
        host.around.appLock = [](const QString&, const QString&, const QString& mode, const QString&) {
            return mode.isEmpty() ? Value(u"NoLock"_s) : Value(1);
        };
        host.getAppLock = host.releaseAppLock = [](const tsql::Arguments&) { return 0; };
        tsql::Script(tables, host, asking, *reply).run(text, {});
        status = reply->status();
        const auto error = reply->caughtError();
        return error ? u"%1 %2"_s.arg(error->number).arg(error->text) : QString();
    }
    qint64 count(const QString& rows)
    {
        return tables.query(u"SELECT COUNT(*) FROM "_s + rows).at(0).at(0).toInt64();
    }

    ViewTables tables;
    const std::shared_ptr<Session> ann = std::make_shared<Session>();
    const std::shared_ptr<Session> bob = std::make_shared<Session>();
    qint64 nowUs = 1'800'000'000'000'000;
    qint64 lastNumber = 0;
    int status = 0; ///< of the last call
};

const QString acquire =
    u"EXECUTE lockscope.AcquireLock @Name = N'a', @Token = N'%1', @LeaseUs = 60000000, @WaitMs = 0;"_s;

/// T-SQL as the double of SQL Server runs it, and what Lockscope's schema does by it.
class tst_TdsScript : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void goesTheWayThatIsWritten_data()
    {
        lockscope::test::addColumns<QString, QString>("batch", "error");
        lockscope::test::row(
            "if", "IF 1 = 2 RAISERROR (N'a', 16, 1); ELSE RAISERROR (N'b', 16, 1);", "50000 b");
        lockscope::test::row(
            "null is not true", "DECLARE @a int; IF @a = 1 RAISERROR (N'a', 16, 1);", QString());
        lockscope::test::row("while",
            "DECLARE @a int = 1; WHILE @a < 5 SET @a = @a + 1;RAISERROR (N'%d %s', 16, 1, @a, N'x');",
            "50000 5 x");
        lockscope::test::row("block",
            "IF 1 = 2 BEGIN IF 1 = 1 BEGIN RAISERROR (N'a', 16, 1); END; END ELSE IF 1 = 1 BEGIN RAISERROR (N'b', 16, 1); END;",
            "50000 b");
        lockscope::test::row("caught",
            "BEGIN TRY RAISERROR (N'a', 16, 1); END TRY BEGIN CATCH DECLARE @n int = ERROR_NUMBER(); RAISERROR (N'caught %d', 16, 1, @n); END CATCH;",
            "50000 caught 50000");
        lockscope::test::row("thrown on",
            "BEGIN TRY INSERT INTO lockscope.lock_name (name_key) VALUES (NULL); END TRY BEGIN CATCH IF ERROR_NUMBER() = 515 BEGIN; THROW 50001, N'as it was', 1; END; THROW; END CATCH;",
            "50001 as it was");
        lockscope::test::row("joined texts",
            "DECLARE @a nvarchar(9) = N'a', @b nvarchar(9) = N'b', @c nvarchar(9);SET @c = @a + @b; RAISERROR (N'%s', 16, 1, @c);",
            "50000 ab");
        lockscope::test::row("cut to its type",
            "DECLARE @a nvarchar(3) = N'abcdef'; RAISERROR (N'%s', 16, 1, @a);", "50000 abc");
        lockscope::test::row("json without nulls",
            "DECLARE @a nvarchar(MAX) = (SELECT name, fencing, login FROM lockscope.lock_entry FOR JSON PATH, WITHOUT_ARRAY_WRAPPER); RAISERROR (N'%s', 16, 1, @a);",
            "50000 {\"name\":\"there\",\"fencing\":7}");
    }
    void goesTheWayThatIsWritten()
    {
        QFETCH(QString, batch);
        Database database;
        database.tables.query(
            u"INSERT INTO lockscope.lock_entry (name, token, fencing, acquired_at, expires_at, owner, host, program, session_id) VALUES ('there', 't', 7, '2026-01-01 00:00:00', '2026-01-01 00:01:00', 'x', 'x', 'x', 9)"_s);
        QTEST(database.run(batch), "error");
    }

    void whatIsNotUnderstoodIsRefused()
    {
        QVERIFY_THROWS_EXCEPTION(tsql::Refused, Database().run(u"MERGE INTO t USING u ON 1 = 1;"_s));
        QVERIFY_THROWS_EXCEPTION(tsql::Refused, Database().run(u"SET @a = 1;"_s));
        QVERIFY_THROWS_EXCEPTION(tsql::Refused, Database().run(u"EXECUTE lockscope.NoSuchThing;"_s));
    }

    void aRollbackUndoes()
    {
        Database database;
        const QString begun =
            u"BEGIN TRANSACTION; INSERT INTO lockscope.app_lock_name (name) VALUES (N'a');"_s;
        database.run(begun + u"ROLLBACK TRANSACTION;"_s);
        QCOMPARE(database.count(u"lockscope.app_lock_name"_s), 0);
        database.run(begun + u"COMMIT TRANSACTION;"_s);
        QCOMPARE(database.count(u"lockscope.app_lock_name"_s), 1);
    }

    // --- What the schema does -----------------------------------------------------------------------

    void aNameHasOneHolder()
    {
        Database database;
        QCOMPARE(database.run(acquire.arg(u"t1"_s)), QString());
        QCOMPARE(database.status, 0);
        database.run(acquire.arg(u"t2"_s), database.bob);
        QCOMPARE(database.status, -1);
        QCOMPARE(
            database.count(u"lockscope.lock_entry WHERE token = 't1' AND fencing = 1 AND session_id = 51"_s),
            1);
        const QString release = u"EXECUTE lockscope.ReleaseLock @Name = N'a', @Token = N'%1';"_s;
        database.run(release.arg(u"t2"_s), database.bob); // not his
        QCOMPARE(database.count(u"lockscope.lock_entry"_s), 1);
        database.run(release.arg(u"t1"_s));
        database.run(acquire.arg(u"t2"_s), database.bob);
        QCOMPARE(database.status, 0);
        QCOMPARE(
            database.count(u"lockscope.lock_entry WHERE token = 't2' AND fencing = 2 AND login = 'bob'"_s),
            1);
    }

    void aLeaseEnds()
    {
        Database database;
        database.run(acquire.arg(u"t1"_s));
        database.nowUs += 50'000'000;
        database.run(u"EXECUTE lockscope.RenewLock @Name = N'a', @Token = N't1', @LeaseUs = 60000000;"_s);
        database.nowUs += 59'000'000;
        database.run(acquire.arg(u"t2"_s), database.bob);
        QCOMPARE(database.status, -1);
        database.nowUs += 1'000'000;
        database.run(acquire.arg(u"t2"_s), database.bob);
        QCOMPARE(database.status, 0);
        QCOMPARE(database.count(u"lockscope.lock_entry"_s), 1);
    }

    void nobodyOvertakesALiveWaiter()
    {
        Database database;
        database.tables.query(
            u"INSERT INTO lockscope.lock_waiter (name, registered_at, expires_at, owner, host, program, session_id) VALUES ('a', '2027-01-15 08:00:00.000000', '2027-01-15 08:00:09.000000', 'x', 'x', 'x', 99)"_s);
        database.run(acquire.arg(u"t1"_s));
        QCOMPARE(database.status, -1);
        // Plain SQL can't set it either: programs know one answer to a name that they can't have.
        const QString insert =
            u"INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES (N'a', N't1', DATEADD(MINUTE, 1, SYSUTCDATETIME()));"_s;
        QVERIFY(database.run(insert).startsWith(u"2627 "));
        QCOMPARE(database.count(u"lockscope.lock_entry"_s), 0);
        database.nowUs += 9'000'000; // it is silent
        QCOMPARE(database.run(insert), QString());
        QCOMPARE(database.count(u"lockscope.lock_entry WHERE fencing > 0 AND token_start = 't1...'"_s), 1);
    }

    void whatAnotherLoginFreesIsOnRecord()
    {
        Database database;
        database.run(acquire.arg(u"t1"_s));
        const QString act =
            u"lockscope.audit_log WHERE act = 'release lock' AND who = 'bob' AND fencing = 1"_s;
        database.run(u"DELETE FROM lockscope.lock_entry WHERE token = N't1';"_s, database.bob);
        QCOMPARE(database.count(act), 1);
        database.run(acquire.arg(u"t2"_s));
        database.run(u"EXECUTE lockscope.ReleaseLock @Name = N'a', @Token = N't2';"_s);
        QCOMPARE(database.count(u"lockscope.audit_log"_s), 1); // its own: no act
    }

    /// Another session may insert the key's row between our check and our insert, and remove it again.
    void aKeyIsGrantedWithItsRow_data()
    {
        QTest::addColumn<QString>("meanwhile"); // SQLite's
        QTest::addColumn<QString>("error");
        lockscope::test::row("nobody", QString(), QString());
        lockscope::test::row("somebody is quicker",
            "INSERT INTO surrogate_key (key) VALUES (NEW.key); SELECT RAISE(FAIL, 'UNIQUE constraint failed: surrogate_key.key');",
            QString());
        lockscope::test::row("it is removed again and again",
            "SELECT RAISE(FAIL, 'UNIQUE constraint failed: surrogate_key.key');", "51000 ");
        lockscope::test::row("the table drops it", "SELECT RAISE(IGNORE);", "51000 ");
        lockscope::test::row(
            "somebody keeps it", "SELECT RAISE(FAIL, '1222 Lock request time out');", "60000 -1");
        lockscope::test::row(
            "another error", "SELECT RAISE(FAIL, '547 It conflicts with the CHECK constraint');", "547 ");
    }
    void aKeyIsGrantedWithItsRow()
    {
        FETCH(QString, meanwhile, QString, error);
        Database database;
        if (!meanwhile.isEmpty())
            database.tables.query(
                u"CREATE TRIGGER lockscope.meanwhile BEFORE INSERT ON surrogate_key BEGIN %1 END"_s.arg(
                    meanwhile));
        const auto lock = lockscope::db::Statement::filled("sqlserver/surrogates/key_lock",
            {{"table"_L1, u"lockscope.surrogate_key"_s}, {"key"_L1, u"[key]"_s}, {"timeout"_L1, u"0"_s}});
        const QString message =
            database.run(u"DECLARE @P1 nvarchar(255) = N'n', @P2 bit = 0, @P3 nvarchar(32) = N's';\n"_s
                + QString::fromUtf8(lock.sql()) + u";\nIF @Answer <> 0 THROW 60000, N'-1', 1;"_s);
        QVERIFY2(error.isEmpty() ? message.isEmpty() : message.startsWith(error), qPrintable(message));
        QCOMPARE(database.count(u"lockscope.surrogate_key WHERE \"key\" = 'n'"_s), error.isEmpty() ? 1 : 0);
    }

    void ofALockOnlyTheEndMayChange()
    {
        Database database;
        database.run(acquire.arg(u"t1"_s));
        const QString refused = database.run(u"UPDATE lockscope.lock_entry SET token = N't9';"_s);
        VERIFY_STARTS(refused, u"3609 "); // it ended in the trigger
        QCOMPARE(database.count(u"lockscope.lock_entry WHERE token = 't1'"_s), 1);
    }
};

LOCKSCOPE_TEST(tst_TdsScript)

} // namespace tst_TdsScript
#include "tst_TdsScript.moc"
