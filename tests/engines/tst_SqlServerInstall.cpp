// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The schema on SQL Server: installed, brought up to date, refused if it is newer, removed.

#include "core/db/SchemaInstaller.h"
#include "tests/support/SqlServerRig.h"
#include "tests/support/TestProgram.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;
using namespace Qt::StringLiterals;

namespace {

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
};

LOCKSCOPE_TEST(SqlServerInstall)
#include "tst_SqlServerInstall.moc"
