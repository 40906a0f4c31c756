// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/Connection.h"
#include "core/db/postgres/PostgresDialect.h"
#include "core/db/sqlserver/SqlServerDialect.h"
#include "core/domain/Engine.h"
#include "tests/support/TestProgram.h"

namespace tst_Dialect {

using namespace lockscope;
using namespace lockscope::db;

class tst_Dialect : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsMissingHasAReason_data()
    {
        test::addRows<Engine>("engine",
            {{"PostgreSQL", Engine::Postgres}, {"SQLite", Engine::Sqlite},
                {"SQL Server", Engine::SqlServer}});
    }
    void whatIsMissingHasAReason()
    {
        QFETCH(Engine, engine);
        const auto dialect = Dialect::create(engine);
        QCOMPARE(dialect->engine(), engine);
        for (int i = 0; i <= static_cast<int>(Capability::WaitStartTimes); ++i) {
            const auto capability = static_cast<Capability>(i);
            QCOMPARE(dialect->reasonAgainst(capability).isEmpty(), dialect->can(capability));
        }
        QVERIFY(dialect->can(Capability::LockTables));
        QCOMPARE(dialect->can(Capability::CancelStatement), canCancelStatements(engine));
        QCOMPARE(dialect->can(Capability::UpdateAndIntentModes), engine == Engine::SqlServer);
        QCOMPARE(dialect->can(Capability::DriverChoice), engine == Engine::SqlServer);
        QCOMPARE(dialect->can(Capability::ExplainByHand), engine == Engine::Postgres);
    }

    void behindAPoolerNothingOfASessionCanBeHad()
    {
        const PostgresDialect pooled(PostgresDialect::Link::Pool);
        for (const Capability capability : {Capability::SessionLocks, Capability::Notifications}) {
            QVERIFY(Dialect::create(Engine::Postgres)->can(capability));
            QVERIFY(!pooled.can(capability));
            QVERIFY(pooled.reasonAgainst(capability).contains(u"connect directly"_s));
        }
        QVERIFY(pooled.can(Capability::LockTables));
        QVERIFY(pooled.can(Capability::TransactionOwnedLocks));
    }

    void aServerWithoutAViewSaysSo()
    {
        SqlServerFacts facts;
        facts.views = {u"dm_exec_sessions"_s};
        const SqlServerDialect dialect(facts);
        QVERIFY(dialect.can(Capability::Sessions));
        QVERIFY(!dialect.can(Capability::LockView));
        QVERIFY(dialect.reasonAgainst(Capability::LockView).contains(u"sys.dm_tran_locks"_s));
        QVERIFY(dialect.reasonAgainst(Capability::WaitStartTimes).contains(u"sys.dm_os_waiting_tasks"_s));
        QVERIFY(!dialect.can(Capability::StatementPlans));
        QVERIFY(dialect.can(Capability::ApplicationLocks));
    }

    void saysHowARoleIsGiven()
    {
        QCOMPARE(Dialect::of(Engine::Postgres).grantOfRole(u"readers"_s, u"\"ann\""_s),
            u"GRANT readers TO \"ann\";"_s);
        QCOMPARE(Dialect::of(Engine::SqlServer).grantOfRole(u"readers"_s, u"[ann]"_s),
            u"ALTER ROLE readers ADD MEMBER [ann];"_s);
        for (const Engine engine : {Engine::Postgres, Engine::Sqlite, Engine::SqlServer}) {
            const Dialect& dialect = Dialect::of(engine);
            QCOMPARE(dialect.engine(), engine);
            QCOMPARE(dialect.grantOfRole(u"readers"_s, u"ann"_s).isEmpty(), !dialect.can(Capability::LogIn));
        }
    }

    void quotesIdentifiers()
    {
        for (const Engine engine : {Engine::Postgres, Engine::Sqlite}) {
            const auto dialect = Dialect::create(engine);
            QCOMPARE(dialect->quoted(u"orders"_s), u"\"orders\""_s);
            QCOMPARE(dialect->quoted(u"or\"ders; --"_s), u"\"or\"\"ders; --\""_s);
            QCOMPARE(dialect->quoted(u"public"_s, u"orders"_s), u"\"public\".\"orders\""_s);
            QCOMPARE(dialect->quoted(QString(), u"orders"_s),
                engine == Engine::Sqlite ? u"\"orders\""_s : u"\"public\".\"orders\""_s);
        }
        const auto dialect = Dialect::create(Engine::SqlServer);
        QCOMPARE(dialect->quoted(u"or]ders; --"_s), u"[or]]ders; --]"_s);
        QCOMPARE(dialect->quoted(u"dbo"_s, u"it's [\"🔒\"]"_s), u"[dbo].[it's [\"🔒\"]]]"_s);
    }

    void quotesLongIdentifiersWhole_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* part : {"x", "]", "[", "\"", "'", "🔒", "]\"'"}) {
            const QString piece = QString::fromUtf8(part);
            test::row(part, piece.repeated(255 / piece.size()) + QString(255 % piece.size(), u'x'));
        }
    }
    void quotesLongIdentifiersWhole()
    {
        QFETCH(QString, name);
        QCOMPARE(name.size(), 255);
        for (const Engine engine : {Engine::Postgres, Engine::Sqlite, Engine::SqlServer}) {
            const QChar opens = engine == Engine::SqlServer ? u'[' : u'"';
            const QChar closes = engine == Engine::SqlServer ? u']' : u'"';
            const QString quoted = Dialect::create(engine)->quoted(name);
            QVERIFY(quoted.startsWith(opens) && quoted.endsWith(closes));
            // Read as the server reads it: only a doubled closing mark is part of the name.
            QString read = quoted.mid(1, quoted.size() - 2);
            QCOMPARE(read.count(closes), 2 * name.count(closes));
            QCOMPARE(read.replace(QString(2, closes), QString(closes)), name);
        }
    }

    void refusesLockNames_data()
    {
        test::addColumns<QString, bool>("name", "fine");
        const QString lock = u"🔒"_s;
        test::row("plain", "nightly", true);
        test::row("empty", QString(), false);
        test::row("255", QString(255, u'x'), true);
        test::row("256", QString(256, u'x'), false);
        test::row("254 units of emoji", lock.repeated(127), true);
        test::row("256 units of emoji", lock.repeated(128), false);
        test::row("quotes", "it's \"it\"", true);
        test::row("NUL", QString(u"a"_s + QChar(0)), false);
        test::row("half a pair", QString(lock.at(0)), false);
        test::row("pair the wrong way round", QString(lock.at(1)) + lock.at(0), false);
        test::row("space", " ", true);
    }
    void refusesLockNames()
    {
        QFETCH(QString, name);
        const auto refused = Dialect::create(Engine::Postgres)->refuseLockName(name);
        QTEST(!refused, "fine");
        if (refused) {
            QCOMPARE(refused->kind, ErrorKind::BadInput);
            QVERIFY(!refused->hint.isEmpty());
        }
    }

    void mapsPostgresErrors_data()
    {
        test::addColumns<QString, QString, ErrorKind, QString>("code", "text", "kind", "hint");
        const auto row = [](const char* code, const char* text, ErrorKind kind, const char* hint) {
            test::row(*code ? code : text, code, text, kind, hint);
        };
        row("28P01", "password authentication failed for user \"ann\"", ErrorKind::Login,
            "LOCKSCOPE_PASSWORD");
        row("3D000", "database \"x\" does not exist", ErrorKind::Login, "database name");
        row("42501", "permission denied for table t", ErrorKind::Permission, "GRANT");
        row("42P01", "relation \"lockscope.lock_entry\" does not exist", ErrorKind::MissingObject,
            "lockctl install");
        row("3F000", "schema \"lockscope\" does not exist", ErrorKind::MissingObject, "lockctl install");
        row("53300", "too many connections", ErrorKind::Connection, "max_connections");
        row("55P03", "canceling statement due to lock timeout", ErrorKind::Timeout, "Blocking");
        row("57014", "canceling statement due to statement timeout", ErrorKind::Timeout, "statement_timeout");
        row("57P01", "terminating connection due to administrator command", ErrorKind::Connection,
            "Connect again");
        row("57P02", "crash", ErrorKind::Connection, "Connect again");
        row("57P03", "the database system is starting up", ErrorKind::Connection, "Try again");
        row("40P01", "deadlock detected", ErrorKind::Deadlock, "again");
        row("40001", "could not serialize access", ErrorKind::Changed, "again");
        row("23505", "duplicate key", ErrorKind::Duplicate, "");
        row("08006", "connection failure", ErrorKind::Connection, "Connect again");
        row("25006", "cannot execute INSERT in a read-only transaction", ErrorKind::ReadOnly, "read-only");
        row("XX000", "anything else", ErrorKind::Server, "");
        row("", "FATAL: password authentication failed for user \"ann\"", ErrorKind::Login,
            "LOCKSCOPE_PASSWORD");
        row("", "fe_sendauth: no password supplied", ErrorKind::Login, "LOCKSCOPE_PASSWORD");
        row("", "FATAL: no pg_hba.conf entry for host", ErrorKind::Login, "administrator");
        row("", "FATAL: database \"shop\" does not exist", ErrorKind::Login, "database name");
        row("", "FATAL: role \"ann\" does not exist", ErrorKind::Login, "user name");
        row("", "FATAL: sorry, too many clients already", ErrorKind::Connection, "max_connections");
        row("", "FATAL: the database system is shutting down", ErrorKind::Connection, "Try again");
        row("", "connection to server failed: Connection refused", ErrorKind::Connection, "host and port");
        row("", "could not translate host name \"db1\" to address", ErrorKind::Connection, "host name");
        row("", "timeout expired", ErrorKind::Connection, "does not answer");
        row("", "invalid connection option \"x\"", ErrorKind::BadInput, "options");
        row("", "Verbindung verweigert", ErrorKind::Connection, "host and port");
    }
    void mapsPostgresErrors()
    {
        FETCH(QString, code, QString, text, QString, hint);
        const Error error = Dialect::create(Engine::Postgres)->mapError(code, text, u"It failed."_s);
        QTEST(error.kind, "kind");
        QCOMPARE(error.what, u"It failed."_s);
        QCOMPARE(error.detail, text);
        QCOMPARE(error.nativeCode, code);
        QVERIFY2(hint.isEmpty() ? error.hint.isEmpty() : error.hint.contains(hint), qPrintable(error.hint));
    }

    void mapsSqlServerErrors_data()
    {
        test::addColumns<QString, QString, ErrorKind, QString, QString>(
            "codes", "text", "kind", "hint", "deciding");
        const auto row = [](const char* codes, const char* text, ErrorKind kind, const char* hint,
                             const char* deciding) {
            test::row(qPrintable(QString::fromLatin1("%1 %2").arg(QLatin1String(codes), QLatin1String(text))),
                codes, text, kind, hint, deciding);
        };
        row("1205;40001", "was deadlocked on lock resources", ErrorKind::Deadlock, "again", "1205");
        row("1222;42000", "Lock request time out period exceeded.", ErrorKind::Timeout, "Blocking", "1222");
        row("2627;23000", "Violation of UNIQUE KEY constraint", ErrorKind::Duplicate, "", "2627");
        row("2601;23000", "Cannot insert duplicate key row", ErrorKind::Duplicate, "", "2601");
        for (const char* number : {"229", "297", "300", "371", "262"})
            row(number, "permission was denied", ErrorKind::Permission, "GRANT", number);
        row("208;42S02", "Invalid object name 'lockscope.lock_entry'.", ErrorKind::MissingObject,
            "lockctl install", "208");
        row("2812", "Could not find stored procedure 'lockscope.AcquireLock'.", ErrorKind::MissingObject,
            "lockctl install", "2812");
        row("208", "Invalid object name 'dbo.Locks'.", ErrorKind::MissingObject, "", "208");
        row("18456;28000", "Login failed for user 'ann'.", ErrorKind::Login, "LOCKSCOPE_PASSWORD", "18456");
        row("18456;20002", "Login failed for user 'ann'.", ErrorKind::Login, "LOCKSCOPE_PASSWORD", "18456");
        row("4060;18456;20002", "Cannot open database \"shop\" requested by the login.", ErrorKind::Login,
            "database name", "4060");
        row("911", "Database 'shop' does not exist.", ErrorKind::Login, "database name", "911");
        row("18452", "The login is from an untrusted domain", ErrorKind::Login, "klist", "18452");
        row("10054;08S01", "reset by peer", ErrorKind::Connection, "Connect again", "10054");
        row("0;08S01", "Communication link failure", ErrorKind::Connection, "Connect again", "08S01");
        row("20004;20006", "Read from the server failed", ErrorKind::Connection, "Connect again", "20004");
        row("20009;20002", "Unable to connect", ErrorKind::Connection, "host and port", "20009");
        row("20013;20002", "Unknown host machine name", ErrorKind::Connection, "host name", "20013");
        row("20002", "Adaptive Server connection failed", ErrorKind::Connection, "encrypt=", "20002");
        row("08001", "SSL Provider: certificate verify failed", ErrorKind::Connection, "trust=yes", "08001");
        row("08001;HYT00", "TCP Provider: Error code 0x6F", ErrorKind::Connection, "host and port", "08001");
        row("HYT00", "Login timeout expired", ErrorKind::Connection, "does not answer", "HYT00");
        row("HYT00", "Timeout expired", ErrorKind::Timeout, "longer", "HYT00");
        row("HYT01", "Connection timeout expired", ErrorKind::Connection, "does not answer", "HYT01");
        row("HY008", "Operation canceled", ErrorKind::Cancelled, "", "HY008");
        row("0;IM002", "Data source name not found", ErrorKind::Unsupported, "msodbcsql18", "IM002");
        row("01000", "Can't open lib 'libmsodbcsql-18.so' : file not found", ErrorKind::Unsupported,
            "msodbcsql18", "01000");
        row("33557097", "anything", ErrorKind::Server, "another product", "33557097");
        row("33557097", "relation \"shop_lockscope.lock_entry\" does not exist", ErrorKind::MissingObject,
            "lockctl install", "33557097");
        row("33557097", "column \"a\" does not exist", ErrorKind::Server, "another product", "33557097");
        row("33557097", "'ALTER DATABASE' is not currently supported in Babelfish", ErrorKind::Unsupported,
            "", "33557097");
        row("33557097", "canceling statement due to user request", ErrorKind::Cancelled, "", "33557097");
        row("50000;42000", "a text about a certificate", ErrorKind::Server, "", "50000");
        row("", "", ErrorKind::Server, "", "");
    }
    void mapsSqlServerErrors()
    {
        FETCH(QString, codes, QString, text, QString, hint);
        const Error error = Dialect::create(Engine::SqlServer)->mapError(codes, text, u"It failed."_s);
        QTEST(error.kind, "kind");
        QCOMPARE(error.what, u"It failed."_s);
        QCOMPARE(error.detail, text);
        QTEST(error.nativeCode, "deciding");
        QVERIFY2(hint.isEmpty() ? error.hint.isEmpty() : error.hint.contains(hint), qPrintable(error.hint));
    }

    void mapsSqliteErrors_data()
    {
        test::addColumns<int, QString, ErrorKind>("code", "text", "kind");
        test::row("busy", 5, "database is locked", ErrorKind::Timeout);
        test::row("busy snapshot", 517, "database is locked", ErrorKind::Timeout);
        test::row("interrupted", 9, "interrupted", ErrorKind::Cancelled);
        test::row("unique", 2067, "UNIQUE constraint failed", ErrorKind::Duplicate);
        test::row("primary key", 1555, "UNIQUE constraint failed", ErrorKind::Duplicate);
        test::row("check", 275, "CHECK constraint failed", ErrorKind::Server);
        test::row("read-only", 8, "attempt to write a readonly database", ErrorKind::Permission);
        test::row("can't open", 14, "unable to open database file", ErrorKind::Connection);
        test::row("no database", 26, "file is not a database", ErrorKind::Login);
        test::row("missing", 1, "no such table: lockscope_lock_entry", ErrorKind::MissingObject);
        test::row("syntax", 1, "near \"x\": syntax error", ErrorKind::Server);
    }
    void mapsSqliteErrors()
    {
        FETCH(int, code, QString, text);
        const Error error =
            Dialect::create(Engine::Sqlite)->mapError(QString::number(code), text, u"It failed."_s);
        QTEST(error.kind, "kind");
        QCOMPARE(error.nativeCode, QString::number(code));
    }
};

LOCKSCOPE_TEST(tst_Dialect)

} // namespace tst_Dialect
#include "tst_Dialect.moc"
