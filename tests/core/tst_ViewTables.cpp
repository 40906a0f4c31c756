// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The double of SQL Server checks its views against the catalogue, and runs T-SQL on them as the server
// would.

#include "core/db/Statement.h"
#include "tests/support/TestProgram.h"
#include "tests/support/tds/Picture.h"
#include "tests/support/tds/TsqlTypes.h"

namespace tst_ViewTables {

using namespace lockscope;
using namespace lockscope::test;
using namespace lockscope::test::tds;

static ViewRows oneRow(const QString& view, const QString& column, const Value& value)
{
    return {view, {column}, {{value}}};
}

static std::vector<Column> columnsOf(const QString& sql)
{
    return tsql::resultColumns(tsql::translate(sql, u"[orders]"_s));
}

class ViewTablesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatContradictsTheCatalogueIsFound_data()
    {
        addColumns<QString, int, QString>("column", "which", "fault");
        test::row("fits", "session_id", 0, QString());
        test::row("no such column", "spid", 0, "sys.dm_exec_requests has no column spid");
        test::row("smallint", "session_id", 1, "is out of range");
        test::row("text for a number", "wait_time", 2, "is no whole number");
        test::row("digits for bytes", "sql_handle", 3, "is not binary");
        test::row("bytes", "sql_handle", 4, QString());
        test::row("too many bytes", "sql_handle", 5, "is too long");
        test::row("too long", "command", 6, "is too long");
        test::row("never NULL", "wait_resource", 7, "wait_resource is never NULL");
        test::row("NULL", "wait_type", 7, QString());
        test::row("number for a moment", "start_time", 0, "is no moment");
        test::row("text for a GUID", "connection_id", 2, "is no uniqueidentifier");
    }

    void whatContradictsTheCatalogueIsFound()
    {
        FETCH(QString, column, int, which, QString, fault);
        const Values values{51, 40'000, u"51"_s, u"0200AA"_s, QByteArray(44, 'x'), QByteArray(65, 'x'),
            QString(33, u'x'), Value()};
        ViewTables tables;
        const QStringList faults =
            tables.add(oneRow(u"sys.dm_exec_requests"_s, column, values[static_cast<size_t>(which)]));
        QCOMPARE(faults.isEmpty(), fault.isEmpty());
        VERIFY_CONTAINS(faults.join(u' '), fault);
    }

    void anUnknownViewIsFound()
    {
        QVERIFY(!ViewTables().add(oneRow(u"sys.dm_tran_lock"_s, u"request_mode"_s, u"X"_s)).isEmpty());
    }

    void theDocumentedRowsFitTheCatalogue()
    {
        ViewTables tables;
        QSet<QString> views;
        for (const ViewRows& rows : documentedContention().viewRows()) {
            QCOMPARE(tables.add(rows), QStringList());
            views.insert(rows.view);
        }
        QVERIFY(views.contains(u"sys.dm_tran_locks"_s) && views.contains(u"sys.dm_os_waiting_tasks"_s));
    }

    void typesOfResultsFollowFromTheCatalogue()
    {
        const auto columns = columnsOf(
            u"SELECT session_id, most_recent_sql_handle, client_net_address, CAST(session_id AS bigint), MAX(most_recent_sql_handle) OVER (), COUNT_BIG(*), connect_time, CASE WHEN session_id = 1 THEN 1 ELSE 0 END AS is_first, N'a' + client_net_address, net_transport FROM sys.dm_exec_connections;"_s);
        const std::vector<Type> types{integer(), varbinary(64), {Type::VarChar, 48}, bigint(), varbinary(64),
            bigint(), datetime(), integer(), nvarchar(49), nvarchar(40)};
        QCOMPARE(columns.size(), types.size());
        for (size_t i = 0; i < types.size(); ++i)
            QVERIFY2(columns[i].type == types[i], qPrintable(QString::number(i)));
        QVERIFY(columns[0].nullable);
        QVERIFY(!columns[9].nullable);
        QCOMPARE(columns[1].name, u"most_recent_sql_handle"_s);
        QCOMPARE(columns[7].name, u"is_first"_s);
    }

    void whatIsNotUnderstoodIsRefused_data()
    {
        QTest::addColumn<QString>("sql");
        test::row("column", "SELECT spid FROM sys.dm_exec_sessions");
        test::row("column of an alias", "SELECT s.sql_handle FROM sys.dm_exec_sessions AS s");
        test::row("view", "SELECT 1 FROM sys.dm_tran_lock");
        test::row("function", "SELECT NEWID() FROM sys.dm_exec_sessions");
        test::row("type", "SELECT CAST(session_id AS money) FROM sys.dm_exec_sessions");
        test::row("no SELECT", "DELETE FROM sys.dm_exec_sessions");
    }

    void whatIsNotUnderstoodIsRefused()
    {
        QFETCH(QString, sql);
        QVERIFY_THROWS_EXCEPTION(tsql::Refused, columnsOf(sql));
    }

    void functionsAreTablesOfTheirArguments()
    {
        const auto statement = tsql::translate(
            u"SET LOCK_TIMEOUT 50; SELECT TOP (@P1) r.session_id, t.text FROM sys.dm_exec_requests AS r OUTER APPLY sys.dm_exec_sql_text(r.sql_handle) AS t ORDER BY r.session_id;"_s,
            u"[orders]"_s);
        QCOMPARE(statement.statement.simplified(),
            u"SELECT r . session_id , t . text FROM (SELECT * FROM sys.dm_exec_requests WHERE tsql_sees(session_id)) AS r LEFT JOIN sys.dm_exec_sql_text AS t ON t.argument1 = (r . sql_handle ) ORDER BY r . session_id LIMIT (@P1 )"_s);
        const auto columns = tsql::resultColumns(statement);
        QVERIFY(columns.size() == 2 && columns[0].type == smallint() && columns[1].type == nvarchar());
        QVERIFY(columns[0].nullable); // an outer join may leave any column empty
    }

    void everyStatementOnTheServersViewsIsTyped()
    {
        static const QRegularExpression reads(
            u"^sqlserver/((monitor|names|details)/|frameworks/(tables|parts|schemas)$)"_s);
        const QString print = QString::fromUtf8(db::Statement::get("sqlserver/frameworks/print").sql())
                                  .mid(qsizetype(qstrlen("SELECT ")));
        int typed = 0;
        for (const QString& path : statementPaths()) {
            if (!reads.match(path).hasMatch())
                continue;
            const QString text = QString::fromUtf8(db::Statement::get(path.toUtf8().constData()).sql())
                                     .replace(u"{database_name}"_s, u"[a ]] b]"_s)
                                     .replace(u"{object_print}"_s, print);
            if (!text.contains(u" sys."_s) && !text.contains(u".sys."_s))
                continue;
            try {
                for (const Column& column : columnsOf(text))
                    QVERIFY2(column.type.kind != Type::Untyped, qPrintable(path));
                ++typed;
            } catch (const tsql::Refused& refused) {
                QFAIL(qPrintable(path + u": "_s + QString::fromUtf8(refused.what())));
            }
        }
        QVERIFY(typed > 10);
    }

    void patternsAreThoseOfTsql_data()
    {
        addColumns<QString, QString, bool>("text", "pattern", "matches");
        test::row("set", "LCK_M_X", "LCK[_]%", true);
        test::row("set, not matched", "LCKxM_X", "LCK[_]%", false);
        test::row("one", "LCKxM_X", "LCK_M%", true);
        test::row("case", "lck_m_x", "LCK[_]%", true);
        test::row("none of", "b", "[^a]", true);
        test::row("whole", "ab", "a", false);
    }

    void patternsAreThoseOfTsql()
    {
        FETCH(QString, text, QString, pattern);
        QTEST(tsql::isLike(text, pattern), "matches");
    }
};

LOCKSCOPE_TEST(ViewTablesTest)

} // namespace tst_ViewTables
#include "tst_ViewTables.moc"
