// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// What a parser of T-SQL lets pass and SQL Server does not, and what install.sql and uninstall.sql must have
// in common.

#include "core/db/Statement.h"
#include "core/monitor/OwnAppLock.h"
#include "tests/support/TestProgram.h"

#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

using namespace lockscope;
using namespace Qt::StringLiterals;

namespace {

QString textOf(const char* path)
{
    return QString::fromUtf8(db::Statement::get(path).sql());
}

/// The objects that a script creates or drops, by kind and name.
QSet<QString> objects(const QString& script, const QString& verb)
{
    static const QString kinds = u"(TABLE|VIEW|PROCEDURE|FUNCTION|SEQUENCE)"_s;
    const QRegularExpression expression(u"\\b%1 %2 lockscope\\.(\\w+)"_s.arg(verb, kinds));
    QSet<QString> found;
    for (auto match = expression.globalMatch(script); match.hasNext();) {
        const auto object = match.next();
        found.insert(object.captured(1) + u' ' + object.captured(2));
    }
    return found;
}

/// What the roles may do: the whole of it, as "RIGHT on object" → roles. r, o, a: reader, operator,
/// administrator.
QMap<QString, QString> expectedGrants()
{
    QMap<QString, QString> grants;
    const auto add = [&grants](std::initializer_list<const char*> rights,
                         std::initializer_list<const char*> objects, const char* roles) {
        for (const char* object : objects)
            for (const char* right : rights)
                grants[QLatin1StringView(right) + u" on "_s + QLatin1StringView(object)] =
                    QLatin1StringView(roles);
    };
    add({"SELECT"},
        {"schema_version", "lock_entry", "lock_waiter", "app_lock_name", "surrogate_key", "audit_log",
            "holders", "waiters", "stale", "audit"},
        "roa");
    add({"INSERT", "UPDATE", "DELETE"}, {"lock_entry", "lock_waiter"}, "oa");
    add({"INSERT", "UPDATE"}, {"surrogate_key"}, "oa");
    add({"INSERT"}, {"audit_log", "app_lock_name"}, "oa");
    add({"UPDATE"}, {"fencing"}, "oa");
    add({"EXECUTE"},
        {"AcquireLock", "RenewLock", "ReleaseLock", "LeaveQueue", "PurgeStale", "RegisterAppLockName",
            "AcquireAppLock", "ReleaseAppLock", "LockSurrogateKey", "AppLockFor"},
        "oa");
    add({"EXECUTE"}, {"AddSurrogateTable", "MakeSurrogateTable"}, "a");
    add({"DELETE"}, {"app_lock_name", "surrogate_key", "audit_log"}, "a");
    return grants;
}

QString rolesIn(const QString& list)
{
    QString roles;
    for (const QString& role : list.split(u", "_s)) {
        const qsizetype known =
            QStringList({u"lockscope_reader"_s, u"lockscope_operator"_s, u"lockscope_admin"_s}).indexOf(role);
        roles += known < 0 ? u" to "_s + role : QString(u"roa"_s[known]);
    }
    return roles;
}

} // namespace

class SqlServerSchema : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void uninstallRemovesAllThatInstallMakes()
    {
        const QSet<QString> made = objects(textOf("sqlserver/install.sql"), u"CREATE"_s);
        QVERIFY(made.size() > 20);
        QCOMPARE(objects(textOf("sqlserver/uninstall.sql"), u"DROP"_s), made);
    }

    void installingAgainKeepsWhatIsKept()
    {
        const QString install = textOf("sqlserver/install.sql");
        static const QRegularExpression losing(u"\\b(DROP (TABLE|SEQUENCE)|TRUNCATE|RESTART WITH)\\b"_s);
        QVERIFY(!install.contains(losing));
        static const QRegularExpression created(
            u"\\bCREATE (TABLE|SEQUENCE) (lockscope\\.\\w+)[\\s\\S]*?\\nGO\\n"_s);
        int count = 0;
        for (auto match = created.globalMatch(install); match.hasNext(); ++count) {
            const auto object = match.next();
            const QString batch =
                install.left(object.capturedStart()).section(u"\nGO\n"_s, -1); // what stands before it
            const QString guard = u"IF OBJECT_ID(N'%1', N'%2') IS NULL"_s.arg(
                object.captured(2), object.captured(1) == u"TABLE" ? u"U"_s : u"SO"_s);
            QVERIFY2(batch.contains(guard), qPrintable(object.captured(2)));
        }
        QCOMPARE(count, 8);
    }

    void modulesStartTheirBatch()
    {
        static const QRegularExpression comments(u"^--[^\\n]*$"_s, QRegularExpression::MultilineOption);
        static const QRegularExpression ends(u"^GO$"_s, QRegularExpression::MultilineOption);
        // Not those that EXECUTE makes, which have a batch of their own.
        static const QRegularExpression module(u"(?<!')\\bCREATE (VIEW|PROCEDURE|FUNCTION)\\b"_s);
        for (QString batch : textOf("sqlserver/install.sql").split(ends)) {
            batch = batch.remove(comments).trimmed();
            const auto created = module.match(batch);
            QVERIFY2(!created.hasMatch() || created.capturedStart() == 0, qPrintable(batch.left(200)));
        }
    }

    void everyProcedureIsGranted()
    {
        const QString install = textOf("sqlserver/install.sql");
        for (const QString& object : objects(install, u"CREATE"_s))
            if (object.startsWith(u"PROCEDURE "_s))
                QVERIFY2(
                    install.contains(u"GRANT EXECUTE ON lockscope.%1 TO "_s.arg(object.section(u' ', 1))),
                    qPrintable(object));
    }

    void namesAreRefusedRatherThanCut()
    {
        // A parameter of 255 characters would take longer ones and cut them, and two names become one.
        static const QRegularExpression named(
            u"^CREATE PROCEDURE lockscope\\.(\\w+)\\s+[^;]*?(@(?:Name|Key)) nvarchar\\((\\w+)\\)[\\s\\S]*?\\nGO$"_s,
            QRegularExpression::MultilineOption);
        int count = 0;
        for (auto match = named.globalMatch(textOf("sqlserver/install.sql")); match.hasNext(); ++count) {
            const auto procedure = match.next();
            const QByteArray name = procedure.captured(1).toUtf8();
            QVERIFY2(procedure.captured(3) == u"4000", name);
            QVERIFY2(procedure.captured(0).contains(
                         u"LEN(%1 + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND "_s.arg(
                             procedure.captured(2))),
                name);
        }
        QCOMPARE(count, 9);
    }

    void rolesHaveTheseRightsAndNoMore()
    {
        const QString install = textOf("sqlserver/install.sql");
        static const QRegularExpression grant(
            u"^GRANT ([A-Z, ]+) ON lockscope\\.(\\w+) TO ([^;]+);$"_s, QRegularExpression::MultilineOption);
        QMap<QString, QString> grants;
        int read = 0;
        for (auto match = grant.globalMatch(install); match.hasNext(); ++read) {
            const auto found = match.next();
            for (const QString& right : found.captured(1).split(u", "_s))
                grants[right + u" on "_s + found.captured(2)] += rolesIn(found.captured(3));
        }
        QCOMPARE(grants.keys(), expectedGrants().keys());
        for (const auto& [what, roles] : expectedGrants().asKeyValueRange())
            QVERIFY2(grants.value(what) == roles, qPrintable(what + u": "_s + grants.value(what)));
        // Nothing was written in a way that the above does not read; surrogate tables are granted by name.
        static const QRegularExpression word(u"\\bGRANT\\b"_s);
        QCOMPARE(install.count(word), read + 1);
        QVERIFY(install.contains(
            u"GRANT SELECT, UPDATE ON ' + @Table\n                + N' TO lockscope_operator, lockscope_admin;'"_s));
        static const QRegularExpression otherWays(
            u"\\b(ADD MEMBER|sp_addrolemember|ALTER AUTHORIZATION|WITH GRANT OPTION|TO public|CONTROL)\\b"_s,
            QRegularExpression::CaseInsensitiveOption);
        QVERIFY(!install.contains(otherWays));
    }

    void onlySurrogateTablesAreMadeWithRightsOfTheOwner()
    {
        const QString install = textOf("sqlserver/install.sql");
        QCOMPARE(install.count(u"EXECUTE AS"_s), 1);
        const qsizetype procedure = install.indexOf(u"CREATE PROCEDURE"_s, install.indexOf(u"EXECUTE AS"_s));
        // It does nothing but call the one that makes them.
        QVERIFY(QStringView(install).mid(procedure).startsWith(
            u"CREATE PROCEDURE lockscope.AddSurrogateTable @Name nvarchar(4000) ' + @As\n"
            "    + N' AS EXECUTE lockscope.MakeSurrogateTable @Name = @Name;'"));
    }

    void monitorKnowsTheApplicationLocksThatTheSchemaTakes()
    {
        static const QRegularExpression taken(
            u"AppLockFor ?\\(N'([^']+)', @Name\\)|@Resource = N'([^']+)'"_s);
        QStringList names;
        for (auto match = taken.globalMatch(textOf("sqlserver/install.sql")); match.hasNext();) {
            const auto found = match.next();
            names << (found.captured(1).isEmpty() ? found.captured(2) : found.captured(1) + u"n"_s);
        }
        QVERIFY(names.size() >= 3);
        for (const QString& name : names)
            QVERIFY2(monitor::ownAppLock(name), qPrintable(name));
    }

    void blocksBeforeElseHaveNoSemicolon()
    {
        static const QRegularExpression wrong(u"\\bEND;\\s+ELSE\\b"_s);
        QVERIFY(!textOf("sqlserver/install.sql").contains(wrong));
    }

    // What the double of a server does by itself, so that no other test would miss it in the text:

    void threadsThatWaitForEachOtherAreLeftOut()
    {
        const QString condition =
            textOf("sqlserver/monitor/waiting_tasks.sql").section(u"WHERE"_s, 1).simplified();
        QCOMPARE(condition.chopped(condition.endsWith(u';') ? 1 : 0),
            u"session_id IS NOT NULL AND (wait_type LIKE N'LCK[_]%' OR blocking_session_id <> session_id) "
            "AND wait_type NOT LIKE N'CX%' AND wait_type <> N'EXCHANGE'"_s);
    }

    void whoEndsASessionRecordsWhatTheServerKnewOfIt()
    {
        const QString text = textOf("sqlserver/admin/end_session.sql").simplified();
        const QString found = text.section(u"@found nvarchar(MAX) = ("_s, 1).section(u')', 0, 0);
        for (const QString& column : {u"session_id"_s, u"login_time"_s, u"login_name"_s, u"program_name"_s})
            QVERIFY2(found.section(u" FROM "_s, 0, 0).contains(column), qPrintable(found));
        QVERIFY2(found.contains(u"FROM sys.dm_exec_sessions WHERE session_id = @P1 FOR JSON"_s),
            qPrintable(found));
        QVERIFY(text.contains(u"SET @before = N'{\"found\":' + COALESCE(@found, "_s));
    }

    void messagesAreLiterals()
    {
        static const QRegularExpression wrong(u"RAISERROR \\(\\s*N'(?:[^']|'')*'\\s*\\+"_s);
        QVERIFY(!textOf("sqlserver/install.sql").contains(wrong));
    }
};

LOCKSCOPE_TEST(SqlServerSchema)
#include "tst_SqlServerSchema.moc"
