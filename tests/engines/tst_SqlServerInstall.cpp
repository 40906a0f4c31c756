// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The schema on SQL Server: installed, refused if it is of another version, removed. Tests that need a server
// that executes T-SQL are skipped on the double; see resources/help/sqlserver-verified.md.

#include "core/db/SchemaInstaller.h"
#include "tests/support/SqlServerRig.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_SqlServerInstall {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;

const QString acquire = u"EXECUTE lockscope.AcquireLock @Name = @P1, @Token = N't', @LeaseUs = 60000000"_s;
const QString release = u"EXECUTE lockscope.ReleaseLock @Name = @P1, @Token = N't'"_s;

constexpr auto needsTables = "The double has no tables: this needs a server that executes T-SQL.";

/// Returns the findings of schema/check, without the one that the row exists.
static QStringList faults(Connection& connection)
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

static void setVersion(Connection& connection, const QString& version)
{
    orDie(connection.execute(Statement::get("test/sqlserver/rig/set_schema_version"), {version}, {}, {}));
}

class SqlServerInstall : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void installsAsOftenAsOneLikesAndRemovesAll()
    {
        const SqlServerRig rig;
        const auto connection = rig.connect();
        QVERIFY(installSchema(*connection)); // on a real server it is there
        const auto again = installSchema(*connection);
        VERIFY_DONE(again);
        QCOMPARE(again->before, schemaVersion);
        VERIFY_DONE(uninstallSchema(*connection));
        QCOMPARE(installedSchemaVersion(*connection).value_or(-1), 0);
        if (SqlServerRig::isReal())
            QCOMPARE(
                ask(*connection, u"SELECT CASE WHEN SCHEMA_ID(N'lockscope') IS NULL THEN 0 ELSE 1 END"_s),
                u"0"_s);
        QVERIFY(uninstallSchema(*connection));
        const auto installed = installSchema(*connection);
        VERIFY_DONE(installed);
        QCOMPARE(installed->before, 0);
    }

    void anotherVersionIsRefused_data()
    {
        QTest::addColumn<QString>("version"); // empty: none is written there
        for (const char* version : {"0", "2", "99", "", "first"})
            QTest::addRow("version '%s'", version) << QString::fromLatin1(version);
    }
    void anotherVersionIsRefused()
    {
        QFETCH(QString, version);
        if (SqlServerRig::isReal() && version.toInt() == 0 && version != u"0"_s)
            QSKIP("The column takes numbers, and an uninstallation needs one.");
        const SqlServerRig rig;
        const auto connection = rig.connect();
        setVersion(*connection, version);
        const QString what = u"Lockscope's schema has %1; this program knows version 1 only."_s.arg(
            version.isEmpty() ? u"no version"_s : u"version "_s + version);
        for (const Error& error : {installSchema(*connection).error(), uninstallSchema(*connection).error(),
                 installedSchemaVersion(*connection).error()}) {
            QCOMPARE(error.kind, ErrorKind::Unsupported);
            QCOMPARE(error.what, what);
            VERIFY_CONTAINS(error.hint, u"Use the Lockscope that installed it"_s);
        }
        setVersion(*connection, u"1"_s);
        QCOMPARE(installSchema(*connection).value().before, schemaVersion);
    }

    void whatSomebodyElseMadeIsNotAdopted_data()
    {
        addColumns<QByteArray, QString>("theirs", "named");
        row("a procedure that was there before",
            QByteArray(
                "CREATE SCHEMA lockscope\nGO\nCREATE PROCEDURE lockscope.ReleaseLock AS SELECT 1 AS was_ours"),
            "lockscope.ReleaseLock (dbo): it was there before");
        row("a view in place of a table",
            QByteArray("CREATE SCHEMA lockscope\nGO\nCREATE VIEW lockscope.lock_entry AS SELECT 1 AS name"),
            "lockscope.lock_entry (dbo): not what Lockscope makes");
    }
    void whatSomebodyElseMadeIsNotAdopted()
    {
        FETCH(QByteArray, theirs, QString, named);
        if (!SqlServerRig::isReal())
            QSKIP(needsTables);
        const SqlServerRig rig;
        const auto connection = rig.connect();
        QVERIFY(uninstallSchema(*connection));
        QVERIFY(connection->executeScript(theirs));
        const auto refused = installSchema(*connection);
        QVERIFY(!refused);
        VERIFY_CONTAINS(refused.error().toString(), named, Qt::CaseInsensitive);
        QCOMPARE(
            ask(*connection, u"SELECT COUNT(*) FROM sys.tables WHERE schema_id = SCHEMA_ID(N'lockscope')"_s),
            u"0"_s);
    }

    void aTriggerThatIsNotOursIsRefusedAndReported()
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
        VERIFY_STARTS(found[0], u"lockscope.planted");
        for (const Error& error : {installSchema(*connection).error(), uninstallSchema(*connection).error()})
            VERIFY_CONTAINS(error.toString(), u"planted"_s);
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
        QVERIFY(runSql(*connection, u"EXECUTE lockscope.MakeSurrogateTable @Name = N'ours'"_s));
        VERIFY_DONE(uninstallSchema(*connection));
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
