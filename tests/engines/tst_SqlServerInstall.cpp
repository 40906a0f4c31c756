// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The schema on SQL Server: installed, brought up to date with its data, refused if it is newer, removed.
// What needs a server that executes T-SQL is skipped on the double; see README, "What was verified against
// what".

#include "core/db/SchemaInstaller.h"
#include "tests/support/Ask.h"
#include "tests/support/SqlServerRig.h"
#include "tests/support/TestProgram.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;
using namespace Qt::StringLiterals;

namespace {

const QString acquire = u"EXECUTE lockscope.AcquireLock @Name = @P1, @Token = N't', @LeaseUs = 60000000"_s;
const QString release = u"EXECUTE lockscope.ReleaseLock @Name = @P1, @Token = N't'"_s;

void setVersion(Connection& connection, qint64 version)
{
    const auto set =
        connection.execute(Statement::get("test/sqlserver/set_schema_version.sql"), {version}, {}, {});
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

    void whatAnOlderVersionKeptIsKept()
    {
        if (!SqlServerRig::isReal())
            QSKIP("The double has no tables: this needs a server that executes T-SQL.");
        const SqlServerRig rig;
        const auto connection = rig.connect();
        const qint64 fencing = ask(*connection, acquire, {u"orders/4711"_s}).toLongLong();
        QVERIFY(fencing > 0);
        QVERIFY(connection->executeScript(
            "INSERT INTO lockscope.audit_log (who, origin, act, target, reason, [before], outcome) "
            "VALUES (N'ann', N'till', N'release', N'n', N'stuck', N'{}', N'done')"));
        // As an earlier version would have been: without some of what later ones brought, and other texts.
        QVERIFY(connection->executeScript(
            "DROP VIEW lockscope.stale\nGO\nDROP PROCEDURE lockscope.RenewLock\nGO\n"
            "DROP TABLE lockscope.app_lock_name\nGO\n"
            "DROP PROCEDURE lockscope.PurgeStale\nGO\n"
            "CREATE PROCEDURE lockscope.PurgeStale AS SELECT -1 AS freed"));
        setVersion(*connection, 1);
        const auto migrated = installSchema(*connection);
        QVERIFY2(migrated, migrated ? "" : qPrintable(migrated.error().toString()));
        QCOMPARE(ask(*connection, u"SELECT COUNT(*) FROM lockscope.schema_version"_s), u"2"_s);
        QCOMPARE(ask(*connection, u"SELECT who FROM lockscope.audit"_s), u"ann"_s);
        QCOMPARE(ask(*connection, u"SELECT name FROM lockscope.holders"_s), u"orders/4711"_s);
        QCOMPARE(ask(*connection, u"SELECT COUNT(*) FROM lockscope.stale"_s), u"0"_s);
        QCOMPARE(ask(*connection, u"SELECT COUNT(*) FROM lockscope.app_lock_name"_s), u"0"_s);
        QCOMPARE(ask(*connection, u"EXECUTE lockscope.PurgeStale"_s), u"0"_s);
        QCOMPARE(ask(*connection, release, {u"orders/4711"_s}), u"1"_s);
        QVERIFY(ask(*connection, acquire, {u"n"_s}).toLongLong() > fencing);
    }
};

LOCKSCOPE_TEST(SqlServerInstall)
#include "tst_SqlServerInstall.moc"
