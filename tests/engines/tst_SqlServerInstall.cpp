// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The schema on SQL Server: installed, brought up to date with its data, refused if it is newer, removed.
// What needs a server that executes T-SQL is skipped on the double; see README, "What was verified against
// what".

#include "core/db/SchemaInstaller.h"
#include "tests/support/Ask.h"
#include "tests/support/SqlServerRig.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

#include <QTest>

namespace tst_SqlServerInstall {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;
using namespace Qt::StringLiterals;

namespace {

const QString acquire = u"EXECUTE lockscope.AcquireLock @Name = @P1, @Token = N't', @LeaseUs = 60000000"_s;
const QString release = u"EXECUTE lockscope.ReleaseLock @Name = @P1, @Token = N't'"_s;

constexpr auto needsTables = "The double has no tables: this needs a server that executes T-SQL.";

/// What schema/check finds, but for the row that it is there.
QStringList faults(Connection& connection)
{
    QStringList found;
    const auto asked = connection.execute(
        Statement::get("sqlserver/schema/check"), {QString(u""_s)}, [&found](const Row& row) {
            if (!row.isNull(2))
                found << row.text(0) + u": "_s + row.text(2);
        });
    if (!asked)
        found << asked.error().toString();
    return found;
}

void setVersion(Connection& connection, qint64 version)
{
    const auto set =
        connection.execute(Statement::get("test/sqlserver/rig/set_schema_version"), {version}, {}, {});
    if (!set)
        qFatal("%s", qPrintable(set.error().toString()));
}

} // namespace

class SqlServerInstall : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void installsAsOftenAsOneLikesAndRemovesAll()
    {
        const SqlServerRig rig;
        const auto connection = rig.connect();
        QVERIFY(installSchema(*connection)); // on a real server it is there
        const auto again = installSchema(*connection);
        QVERIFY2(again, again ? "" : qPrintable(again.error().toString()));
        QCOMPARE(again->before, currentSchemaVersion(Engine::SqlServer));
        const auto removed = uninstallSchema(*connection);
        QVERIFY2(removed, removed ? "" : qPrintable(removed.error().toString()));
        QCOMPARE(installedSchemaVersion(*connection).value_or(-1), 0);
        if (SqlServerRig::isReal())
            QCOMPARE(
                ask(*connection, u"SELECT CASE WHEN SCHEMA_ID(N'lockscope') IS NULL THEN 0 ELSE 1 END"_s),
                u"0"_s);
        QVERIFY(uninstallSchema(*connection));
        const auto installed = installSchema(*connection);
        QVERIFY2(installed, installed ? "" : qPrintable(installed.error().toString()));
        QCOMPARE(installed->before, 0);
    }

    void aNewerVersionIsRefused()
    {
        const SqlServerRig rig;
        const auto connection = rig.connect();
        setVersion(*connection, 99);
        for (const Error& error :
            {installSchema(*connection).error(), uninstallSchema(*connection).error()}) {
            QCOMPARE(error.kind, ErrorKind::Unsupported);
            QVERIFY2(error.what.contains(u"version 99"_s), qPrintable(error.toString()));
            QVERIFY2(error.hint.contains(u"newer Lockscope"_s), qPrintable(error.toString()));
        }
        QCOMPARE(installedSchemaVersion(*connection).value_or(-1), 99);
        setVersion(*connection, currentSchemaVersion(Engine::SqlServer));
    }

    void anOlderVersionIsBroughtUpToDate()
    {
        const SqlServerRig rig;
        const auto connection = rig.connect();
        setVersion(*connection, 1);
        const auto migrated = installSchema(*connection);
        QVERIFY2(migrated, migrated ? "" : qPrintable(migrated.error().toString()));
        QCOMPARE(migrated->before, 1);
        QCOMPARE(migrated->after, currentSchemaVersion(Engine::SqlServer));
        QCOMPARE(installedSchemaVersion(*connection).value_or(-1), currentSchemaVersion(Engine::SqlServer));
    }

    void whatAnOlderVersionKeptIsKept_data()
    {
        QTest::addColumn<int>("version");
        QTest::newRow("2") << 2;
        QTest::newRow("3") << 3;
    }
    void whatAnOlderVersionKeptIsKept()
    {
        QFETCH(int, version);
        if (!SqlServerRig::isReal())
            QSKIP(needsTables);
        const SqlServerRig rig;
        const auto connection = rig.connect();
        QVERIFY(uninstallSchema(*connection));
        const auto older = connection->executeScript(
            Statement::get(version == 2 ? "test/sqlserver/install_v2.sql" : "test/sqlserver/install_v3.sql")
                .sql());
        QVERIFY2(older, older ? "" : qPrintable(older.error().toString()));
        QCOMPARE(installedSchemaVersion(*connection).value_or(-1), version);
        const qint64 fencing = ask(*connection, acquire, {u"orders/4711"_s}).toLongLong();
        QVERIFY(fencing > 0);
        QVERIFY(connection->executeScript(
            "INSERT INTO lockscope.audit_log (who, origin, act, target, reason, [before], outcome) "
            "VALUES (ORIGINAL_LOGIN(), N'till', N'release', N'n', N'stuck', N'{}', N'done')"));
        // What version 3 does not let in any more.
        if (version == 2)
            QVERIFY(connection->executeScript(
                "INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES (N'for ever', N't', "
                "'99991231');"
                "INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES (N'long ago', N't', "
                "'00010101');"
                "INSERT INTO lockscope.lock_waiter (name, expires_at) VALUES (N'for ever', '99991231')"));
        for (int time = 0; time < 2; ++time) {
            const auto migrated = installSchema(*connection);
            QVERIFY2(migrated, migrated ? "" : qPrintable(migrated.error().toString()));
            QCOMPARE(migrated->before, time == 0 ? version : currentSchemaVersion(Engine::SqlServer));
        }
        QCOMPARE(ask(*connection, u"SELECT COUNT(*) FROM lockscope.schema_version"_s), u"2"_s);
        QCOMPARE(ask(*connection, u"SELECT origin FROM lockscope.audit"_s), u"till"_s);
        QCOMPARE(ask(*connection, u"SELECT COUNT(*) FROM lockscope.hint_proof"_s), u"2"_s);
        QCOMPARE(
            ask(*connection, u"SELECT COUNT(*) FROM lockscope.holders"_s), version == 2 ? u"3"_s : u"1"_s);
        QCOMPARE(ask(*connection, u"SELECT COUNT(*) FROM lockscope.lock_waiter"_s), u"0"_s);
        QCOMPARE(
            ask(*connection, u"SELECT token_start FROM lockscope.lock_entry WHERE name = N'orders/4711'"_s),
            u"t..."_s);
        QCOMPARE(
            ask(*connection,
                u"SELECT COUNT(*) FROM lockscope.lock_entry WHERE expires_at > DATEADD(YEAR, 11, SYSUTCDATETIME())"_s),
            u"0"_s);
        if (version == 2)
            QCOMPARE(ask(*connection, u"SELECT name FROM lockscope.stale"_s), u"long ago"_s);
        QCOMPARE(ask(*connection, u"EXECUTE lockscope.PurgeStale"_s), version == 2 ? u"1"_s : u"0"_s);
        QCOMPARE(ask(*connection, release, {u"orders/4711"_s}), u"1"_s);
        QVERIFY(ask(*connection, acquire, {u"n"_s}).toLongLong() > fencing);
    }

    void whatSomebodyElseMadeIsNotAdopted_data()
    {
        QTest::addColumn<QByteArray>("theirs");
        QTest::addColumn<QString>("named");
        QTest::newRow("a procedure that was there before") << QByteArray(
            "CREATE SCHEMA lockscope\nGO\nCREATE PROCEDURE lockscope.ReleaseLock AS SELECT 1 "
            "AS was_ours") << u"lockscope.ReleaseLock (dbo): it was there before"_s;
        QTest::newRow("a view in place of a table")
            << QByteArray("CREATE SCHEMA lockscope\nGO\nCREATE VIEW lockscope.lock_entry AS SELECT 1 AS name")
            << u"lockscope.lock_entry (dbo): not what Lockscope makes"_s;
    }
    void whatSomebodyElseMadeIsNotAdopted()
    {
        QFETCH(QByteArray, theirs);
        QFETCH(QString, named);
        if (!SqlServerRig::isReal())
            QSKIP(needsTables);
        const SqlServerRig rig;
        const auto connection = rig.connect();
        QVERIFY(uninstallSchema(*connection));
        QVERIFY(connection->executeScript(theirs));
        const auto refused = installSchema(*connection);
        QVERIFY(!refused);
        QVERIFY2(refused.error().toString().contains(named, Qt::CaseInsensitive),
            qPrintable(refused.error().toString()));
        QCOMPARE(
            ask(*connection, u"SELECT COUNT(*) FROM sys.tables WHERE schema_id = SCHEMA_ID(N'lockscope')"_s),
            u"0"_s);
    }

    void aTriggerThatIsNotOursIsRefusedAndTold()
    {
        if (!SqlServerRig::isReal())
            QSKIP(needsTables);
        const SqlServerRig rig;
        const auto connection = rig.connect();
        QCOMPARE(faults(*connection), QStringList());
        QVERIFY(connection->executeScript(
            "CREATE TRIGGER lockscope.planted ON lockscope.lock_waiter AFTER INSERT AS SELECT 1 AS planted"));
        const QStringList found = faults(*connection);
        QCOMPARE(found.size(), 1);
        QVERIFY2(found[0].startsWith(u"lockscope.planted"), qPrintable(found[0]));
        for (const Error& error : {installSchema(*connection).error(), uninstallSchema(*connection).error()})
            QVERIFY2(error.toString().contains(u"planted"_s), qPrintable(error.toString()));
        QVERIFY(connection->executeScript("DROP TRIGGER lockscope.planted"));
        QVERIFY(installSchema(*connection));
    }

    void removingLeavesWhatOthersPutThere()
    {
        if (!SqlServerRig::isReal())
            QSKIP(needsTables);
        const SqlServerRig rig;
        const auto connection = rig.connect();
        QVERIFY(connection->executeScript("CREATE TABLE lockscope.theirs (a int)\nGO\n"
                                          "CREATE TABLE lockscope.[surrogate:theirs] (a int, b int)"));
        QVERIFY(connection->execute(sqlStatement(u"EXECUTE lockscope.MakeSurrogateTable @Name = N'ours'"_s)));
        const auto removed = uninstallSchema(*connection);
        QVERIFY2(removed, removed ? "" : qPrintable(removed.error().toString()));
        QCOMPARE(
            ask(*connection, u"SELECT COUNT(*) FROM sys.objects WHERE schema_id = SCHEMA_ID(N'lockscope')"_s),
            u"2"_s);
        QCOMPARE(ask(*connection, u"SELECT COUNT(*) FROM lockscope.theirs"_s), u"0"_s);
        QVERIFY(connection->executeScript(
            "DROP TABLE lockscope.theirs\nGO\nDROP TABLE lockscope.[surrogate:theirs]\nGO\n"
            "DROP SCHEMA lockscope"));
        QVERIFY(installSchema(*connection));
    }
};

LOCKSCOPE_TEST(SqlServerInstall)

} // namespace tst_SqlServerInstall
#include "tst_SqlServerInstall.moc"
