// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/ByHand.h"
#include "tests/support/FrameworkRows.h"
#include "tests/support/TestProgram.h"

namespace tst_ByHand {

using namespace lockscope;
using namespace lockscope::admin;

static lockscope::Session shown()
{
    lockscope::Session session;
    session.id = {63};
    session.started = {1'795'230'727'123'456};
    session.statementStarted = ServerTime{1'795'230'730'000'001};
    return session;
}

static LockTableEntry entry(const QString& name)
{
    LockTableEntry row;
    row.name = name;
    row.fencing = 4'711;
    return row;
}

static db::ServerProfile profile(Engine engine)
{
    db::ServerProfile at;
    at.url.engine = engine;
    return at;
}

/// A row of a framework, in a table of this name.
static LockTableEntry row(
    const QString& table, const std::vector<std::pair<QString, FrameworkValue>>& update = {})
{
    auto source = std::make_shared<LockRowTable>();
    *source = {u"public"_s, table, {{u"name"_s, u"text"_s}, {u"settime"_s, u"timestamp"_s}}};
    LockTableEntry entry;
    entry.table = table;
    entry.name = u"a"_s;
    entry.framework = test::matchOf(test::rowLock({u"Name"_s, u"SetTime"_s}, update));
    entry.stored = {u"a"_s, u"2026-11-21 03:12:07.123"_s};
    entry.source = source;
    return entry;
}

class tst_ByHand : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void literals_data()
    {
        test::addColumns<QString, QString, QString, QString>("text", "postgres", "sqlServer", "sqlite");
        test::row("plain", "nightly", "'nightly'", "N'nightly'", "'nightly'");
        test::row("empty", QString(), "''", "N''", "''");
        test::row("quotes", "it's; DROP TABLE x --", "'it''s; DROP TABLE x --'", "N'it''s; DROP TABLE x --'",
            "'it''s; DROP TABLE x --'");
        test::row("backslash", "a\\'b", "E'a\\\\''b'", "N'a\\''b'", "'a\\''b'");
        test::row("lines", "a\nGO\n:!! ls", "E'a\\u000aGO\\u000a:!! ls'",
            "(N'a' + NCHAR(10) + N'GO' + NCHAR(10) + N':!! ls')",
            "('a' || char(10) || 'GO' || char(10) || ':!! ls')");
        test::row(
            "escape sequence", "\u001b[2J", "E'\\u001b[2J'", "(NCHAR(27) + N'[2J')", "(char(27) || '[2J')");
        test::row("sqlcmd's variables", "$(PATH)", "'$(PATH)'", "(N'$' + N'(PATH)')", "'$(PATH)'");
        test::row("turned round", "a\u202eb", "E'a\\u202eb'", "(N'a' + NCHAR(8238) + N'b')",
            "('a' || char(8238) || 'b')");
    }
    void literals()
    {
        QFETCH(QString, text);
        QTEST(textLiteral(Engine::Postgres, text), "postgres");
        QTEST(textLiteral(Engine::SqlServer, text), "sqlServer");
        QTEST(textLiteral(Engine::Sqlite, text), "sqlite");
    }

    void theSessionIsComparedByItsStart()
    {
        for (const Engine engine : {Engine::Postgres, Engine::SqlServer}) {
            const QString statement = endByHand(engine, shown());
            VERIFY_CONTAINS(statement, u"1795230727123456"_s);
            VERIFY_CONTAINS(statement, u"63"_s);
            const QString end = engine == Engine::SqlServer ? u";\nGO"_s : u";"_s; // sqlcmd waits for it
            VERIFY_ENDS(statement, end);
            VERIFY_LACKS(statement, u'{');
        }
        QVERIFY(cancelByHand(Engine::Postgres, shown()).contains(u"1795230730000001"_s));
    }

    void whatCannotBeDoneHasNoStatement()
    {
        QCOMPARE(endByHand(Engine::Sqlite, shown()), QString());
        QCOMPARE(cancelByHand(Engine::SqlServer, shown()), QString());
        lockscope::Session prepared = shown();
        prepared.id = {-7'421};
        QCOMPARE(endByHand(Engine::Postgres, prepared), QString());
        lockscope::Session unknown = shown();
        unknown.started = {};
        QCOMPARE(endByHand(Engine::Postgres, unknown), QString());
        lockscope::Session system = shown();
        system.system = true;
        QCOMPARE(endByHand(Engine::Postgres, system), QString());
        LockTableEntry fromFile = row(u"locks"_s);
        fromFile.source.reset(); // of a snapshot from a file
        QCOMPARE(releaseByHand(profile(Engine::Postgres), fromFile), QString());
    }

    void anOrphanIsNamedByItsUnitOfWork()
    {
        lockscope::Session orphan;
        orphan.id = {-123'456};
        orphan.unitOfWork = u"d5499c66-e398-45ca-bf7e-dc9c194b48cf"_s;
        const QString statement = endByHand(Engine::SqlServer, orphan);
        VERIFY_CONTAINS(statement, u"N'KILL ''D5499C66-E398-45CA-BF7E-DC9C194B48CF'''"_s);
        orphan.unitOfWork = u"x'; DROP"_s;
        QCOMPARE(endByHand(Engine::SqlServer, orphan), QString());
    }

    void namesCannotBreakOut()
    {
        // Placeholders in filled-in values are not replaced.
        const QString name = u"{fencing}'; DELETE FROM x; --"_s;
        const QString statement = releaseByHand(profile(Engine::Postgres), entry(name));
        VERIFY_CONTAINS(statement,
            u"name OPERATOR(pg_catalog.=) '{fencing}''; DELETE FROM x; --' AND fencing OPERATOR(pg_catalog.=) 4711"_s);
    }

    void rowsAreComparedByAllThatTheirFileNames()
    {
        LockTableEntry shown = row(u"Odd\"Locks"_s);
        const QString statement = releaseByHand(profile(Engine::Postgres), shown);
        VERIFY_STARTS(statement, u"DELETE FROM \"public\".\"Odd\"\"Locks\""_s);
        VERIFY_CONTAINS(statement,
            u"\"settime\" OPERATOR(pg_catalog.=) ('2026-11-21 03:12:07.123')::pg_catalog.timestamp"_s);
        VERIFY_CONTAINS(statement, u"OPERATOR(pg_catalog.=) 1"_s); // of its kind
        shown.stored[1] = QString();
        QVERIFY(releaseByHand(profile(Engine::Postgres), shown).contains(u"\"settime\" IS NULL"_s));
        const QString changing =
            releaseByHand(profile(Engine::Postgres), row(u"locks"_s, {{u"name"_s, u"{settime}"_s}}));
        VERIFY_STARTS(changing, u"UPDATE \"public\".\"locks\" SET \"name\" = \"settime\"\n"_s);
    }

    void nothingIsLeftToTheSearchPathOfWhoeverRunsIt()
    {
        const db::ServerProfile at = profile(Engine::Postgres);
        for (const QString& statement : {endByHand(Engine::Postgres, shown()),
                 cancelByHand(Engine::Postgres, shown()), releaseByHand(at, entry(u"a"_s)),
                 purgeByHand(at, {entry(u"a"_s)}), releaseByHand(at, row(u"locks"_s)),
                 releaseByHand(at, row(u"locks"_s, {{u"name"_s, u"{name}+1"_s}}))}) {
            QString rest = statement;
            rest.remove(QRegularExpression(u"OPERATOR\\(pg_catalog\\.[=<>*+]+\\)"_s));
            rest.remove(QRegularExpression(u"--[^\n]*"_s));
            rest.remove(QRegularExpression(u"SET \"\\w+\" ="_s));
            QVERIFY2(
                !rest.contains(QRegularExpression(u"[=<>+/]|\\sIN\\s|DISTINCT"_s)), qPrintable(statement));
            rest.remove(u"count(*)"_s);
            QVERIFY2(!rest.contains(u'*'), qPrintable(statement));
            rest.remove(QRegularExpression(u"pg_catalog\\.\\w+"_s));
            rest.remove(QRegularExpression(u"extract\\(|(AND|OR|WHERE) \\("_s)); // the grammar's own
            VERIFY_LACKS(rest, QRegularExpression(u"\\w\\("_s));
            QVERIFY2(!rest.contains(u"::text"_s), qPrintable(statement));
        }
    }

    void sqlServersTablesAreWrittenWithQuotedIdentifiers()
    {
        for (const QString& statement : {releaseByHand(profile(Engine::SqlServer), entry(u"a"_s)),
                 purgeByHand(profile(Engine::SqlServer), {entry(u"a"_s)})})
            QVERIFY2(statement.indexOf(u"SET QUOTED_IDENTIFIER ON;"_s) < statement.indexOf(u"DELETE"_s)
                    && statement.contains(u"SET QUOTED_IDENTIFIER ON;"_s),
                qPrintable(statement));
    }

    void tablesWhoseNamesCannotBeWrittenSafelyHaveNoStatement_data()
    {
        test::addColumns<QString, bool, bool>("name", "onPostgres", "onSqlServer");
        test::row("plain", "Locks", true, true);
        test::row("a line end", "Locks\nGO", false, false);
        test::row("an escape", "Locks\u001b[2J", false, false);
        test::row("sqlcmd's variable", "$(PATH)", true, false);
    }
    void tablesWhoseNamesCannotBeWrittenSafelyHaveNoStatement()
    {
        QFETCH(QString, name);
        const auto has = [&name](
                             Engine engine) { return !releaseByHand(profile(engine), row(name)).isEmpty(); };
        QTEST(has(Engine::Postgres), "onPostgres");
        QTEST(has(Engine::SqlServer), "onSqlServer");
    }

    void eachPurgedRowIsAStatementThatChecksAgain()
    {
        const QString statements = purgeByHand(profile(Engine::Postgres), {entry(u"a"_s), entry(u"b"_s)});
        QCOMPARE(statements.count(u"expires_at OPERATOR(pg_catalog.<=) pg_catalog.clock_timestamp()"_s), 2);
        QCOMPARE(statements.count(u';'), 2);
    }
};

LOCKSCOPE_TEST(tst_ByHand)

} // namespace tst_ByHand
#include "tst_ByHand.moc"
