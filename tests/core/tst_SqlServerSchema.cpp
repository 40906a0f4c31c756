// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Checks of T-SQL beyond a parser, and of what install.sql and uninstall.sql must have in common.

#include "core/db/Statement.h"
#include "core/db/sqlserver/AppLockText.h"
#include "tests/support/TestProgram.h"

namespace tst_SqlServerSchema {

using namespace lockscope;

static QString textOf(const char* path)
{
    return QString::fromUtf8(db::Statement::get(path).sql());
}

/// The objects that a script creates or drops, by kind and name.
static QSet<QString> objects(const QString& script, const QString& verb)
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

/// Returns all rights of the roles, as "RIGHT on object" → roles. r, o, a: reader, operator, administrator.
static QMap<QString, QString> expectedGrants()
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
        {"schema_version", "lock_waiter", "app_lock_name", "surrogate_key", "audit_log", "holders", "waiters",
            "stale", "audit"},
        "roa");
    add({"SELECT", "INSERT", "UPDATE", "DELETE"}, {"lock_entry"}, "oa");
    add({"DELETE"}, {"lock_waiter"}, "oa");
    add({"SELECT"}, {"fencing_epoch"}, "oa");
    add({"INSERT", "UPDATE"}, {"surrogate_key"}, "oa");
    add({"SELECT", "UPDATE"}, {"hint_proof"}, "oa");
    add({"INSERT"}, {"app_lock_name"}, "oa");
    add({"EXECUTE"},
        {"AcquireLock", "RenewLock", "ReleaseLock", "LeaveQueue", "PurgeStale", "RegisterAppLockName",
            "AcquireAppLock", "ReleaseAppLock", "LockSurrogateKey", "RecordAct", "RecordOutcome",
            "AppLockFor", "BellPrincipal"},
        "oa");
    add({"EXECUTE"}, {"AddSurrogateTable", "MakeSurrogateTable"}, "a");
    add({"DELETE"}, {"app_lock_name", "surrogate_key", "audit_log"}, "a");
    return grants;
}

static QString rolesIn(const QString& list)
{
    QString roles;
    for (const QString& role : list.split(u", "_s)) {
        const qsizetype known =
            QStringList({u"lockscope_reader"_s, u"lockscope_operator"_s, u"lockscope_admin"_s}).indexOf(role);
        roles += known < 0 ? u" to "_s + role : QString(u"roa"_s[known]);
    }
    return roles;
}

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
        QCOMPARE(count, 11);
    }

    /// A member of a Windows group is no principal of the database: NOT IN (…, NULL) is never true.
    void nobodyIsTakenForTheOwnerForWantOfAName()
    {
        for (const char* file :
            {"sqlserver/install.sql", "sqlserver/uninstall.sql", "sqlserver/schema/check"}) {
            const QString sql = textOf(file);
            QVERIFY(sql.contains(u"ISNULL(DATABASE_PRINCIPAL_ID(USER_NAME()), -1)"_s));
            QCOMPARE(sql.count(u"DATABASE_PRINCIPAL_ID(USER_NAME())"_s),
                sql.count(u"ISNULL(DATABASE_PRINCIPAL_ID(USER_NAME()), -1)"_s));
        }
    }

    /// Columns of one collation and of another can't be put together on SQL Server (error 451).
    void namesAreReportedInTheDatabasesCollation()
    {
        static const QRegularExpression pattern(u"\\+ d\\.name( COLLATE DATABASE_DEFAULT)? \\+"_s);
        const QString install = textOf("sqlserver/install.sql");
        int count = 0;
        for (auto match = pattern.globalMatch(install); match.hasNext(); ++count)
            QVERIFY(!match.next().captured(1).isEmpty());
        QCOMPARE(count, 2);
    }

    void modulesStartTheirBatch()
    {
        static const QRegularExpression comments(u"^--[^\\n]*$"_s, QRegularExpression::MultilineOption);
        static const QRegularExpression ends(u"^GO$"_s, QRegularExpression::MultilineOption);
        // Those that EXECUTE makes don't count: they have a batch of their own.
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
            QVERIFY2(
                procedure.captured(0).contains(
                    u"LEN(CONVERT(nvarchar(MAX), %1) + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND "_s
                        .arg(procedure.captured(2))),
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
        QVERIFY(install.contains(
            u"GRANT SELECT, UPDATE ON ' + @Table\n                + N' TO lockscope_operator, lockscope_admin;'"_s));
        // These rights exist only on one of the two kinds of servers.
        const QString byServer = install.section(u"N'GRANT SELECT ON lockscope.lock_entry (name"_s, 1);
        const auto [onServer, onBabelfish] =
            std::pair(byServer.section(u"ELSE\n"_s, 0, 0), byServer.section(u"ELSE\n"_s, 1));
        QVERIFY(onServer.contains(u"login, token_start) TO lockscope_reader;"_s));
        QVERIFY(!onServer.contains(u" token,"_s));
        for (const QString& denial : {u"SELECT, INSERT, UPDATE, DELETE ON lockscope.lock_name"_s,
                 u"INSERT, UPDATE, DELETE ON lockscope.fencing_epoch"_s,
                 u"INSERT, UPDATE ON lockscope.audit_log"_s, u"INSERT, UPDATE ON lockscope.lock_waiter"_s})
            QVERIFY2(onServer.contains(u"N'DENY %1 TO public;'"_s.arg(denial)), qPrintable(denial));
        QCOMPARE(onBabelfish.count(u"GRANT"_s), 6);
        static const QRegularExpression word(u"\\bGRANT\\b"_s);
        QCOMPARE(install.count(word), read + 1 + 1 + 6);
        // The administrators are operators, and nobody joins anything else.
        QCOMPARE(install.count(u"ADD MEMBER"_s), 1);
        QVERIFY(install.contains(u"ALTER ROLE lockscope_operator ADD MEMBER lockscope_admin;"_s));
        static const QRegularExpression otherWays(
            u"\\b(sp_addrolemember|WITH GRANT OPTION|GRANT [^;]*TO public|CONTROL)\\b"_s,
            QRegularExpression::CaseInsensitiveOption);
        QVERIFY(!install.contains(otherWays));
        QCOMPARE(install.count(u"ALTER AUTHORIZATION"_s),
            install.count(u"ALTER AUTHORIZATION ON SCHEMA::lockscope TO dbo"_s));
    }

    void theCheckKnowsAllThatInstallMakes()
    {
        static const QHash<QString, QString> types{{u"TABLE"_s, u"U"_s}, {u"VIEW"_s, u"V"_s},
            {u"PROCEDURE"_s, u"P"_s}, {u"FUNCTION"_s, u"FN"_s}, {u"SEQUENCE"_s, u"SO"_s}};
        const QString install = textOf("sqlserver/install.sql");
        QSet<QString> made;
        for (const QString& object : objects(install, u"CREATE"_s))
            made.insert(object.section(u' ', 1) + u' ' + types[object.section(u' ', 0, 0)]);
        static const QRegularExpression trigger(
            u"^CREATE TRIGGER lockscope\\.(\\w+)"_s, QRegularExpression::MultilineOption);
        for (auto match = trigger.globalMatch(install); match.hasNext();)
            made.insert(match.next().captured(1) + u" TR"_s);
        const QString check = textOf("sqlserver/schema/check");
        static const QRegularExpression known(
            u"^ +\\(N'(\\w+)', N'(\\w+)'\\),?$"_s, QRegularExpression::MultilineOption);
        QSet<QString> listed;
        for (auto match = known.globalMatch(check); match.hasNext();) {
            const auto object = match.next();
            listed.insert(object.captured(1) + u' ' + object.captured(2));
        }
        QCOMPARE(listed, made);
        // The installation asks the same.
        const QString asked =
            check.section(u"FROM (\n"_s, 1)
                .section(u"    UNION ALL\n    SELECT\n        N'schema lockscope',"_s, 0, 0);
        QVERIFY(asked.contains(u"VALUES"_s));
        QVERIFY(install.contains(asked));
    }

    void routinesSayTheSettingsThatTheyNeed()
    {
        static const QRegularExpression routine(
            u"^CREATE PROCEDURE lockscope\\.(\\w+)[\\s\\S]*?\\nBEGIN\\n([\\s\\S]*?)\\nGO$"_s,
            QRegularExpression::MultilineOption);
        const QSet<QString> waitAsTheirCallerDoes{
            u"AcquireAppLock"_s, u"ReleaseAppLock"_s, u"LockSurrogateKey"_s, u"MakeSurrogateTable"_s};
        int count = 0;
        for (auto match = routine.globalMatch(textOf("sqlserver/install.sql")); match.hasNext(); ++count) {
            const auto found = match.next();
            const QByteArray name = found.captured(1).toUtf8();
            for (const char* setting : {"NOCOUNT ON", "ROWCOUNT 0", "ANSI_WARNINGS ON", "ANSI_PADDING ON",
                     "ARITHABORT ON", "CONCAT_NULL_YIELDS_NULL ON", "NUMERIC_ROUNDABORT OFF"})
                QVERIFY2(found.captured(2).contains(u"    SET %1;"_s.arg(QLatin1StringView(setting))),
                    name + ": " + setting);
            // A key belongs to its caller's transaction, which it may begin.
            QCOMPARE(found.captured(2).contains(u"    SET IMPLICIT_TRANSACTIONS OFF;"_s),
                found.captured(1) != u"LockSurrogateKey");
            // No wait for somebody else's lock is without an end.
            if (!waitAsTheirCallerDoes.contains(found.captured(1)))
                QVERIFY2(found.captured(2).contains(u"SET LOCK_TIMEOUT "_s), name);
        }
        QCOMPARE(count, 12);
    }

    /// A rollback must not undo their answer.
    void routinesThatAnswerForARowRefuseATransaction()
    {
        const QString install = textOf("sqlserver/install.sql");
        for (const char* name :
            {"AcquireLock", "RenewLock", "ReleaseLock", "LeaveQueue", "PurgeStale", "MakeSurrogateTable"}) {
            const QString routine =
                install.section(u"\nCREATE PROCEDURE lockscope.%1\n"_s.arg(QLatin1StringView(name)), 1)
                    .section(u"\nGO\n"_s, 0, 0);
            const QString before = routine.section(u"    IF @@TRANCOUNT > 0\n"_s, 0, 0);
            QVERIFY2(before != routine, name);
            // An implicit transaction of its own would be one; XACT_ABORT would end the caller's.
            QVERIFY2(before.contains(u"SET IMPLICIT_TRANSACTIONS OFF;"_s), name);
            QVERIFY2(!before.contains(u"XACT_ABORT"_s), name);
            QVERIFY2(!before.contains(u"SELECT"_s), name);
            QVERIFY2(
                routine.contains(u"RAISERROR (N'lockscope.%1 can''t be called inside a transaction: "_s.arg(
                    QLatin1StringView(name))),
                name);
        }
    }

    /// With a collation of supplementary characters LEFT counts a pair as one: its result may not fit.
    void piecesAreCutByCodeUnits()
    {
        static const QRegularExpression left(u"\\bLEFT\\("_s);
        static const QRegularExpression byUnits(
            u"\\bLEFT\\((?:[@\\w.]+|\\([^\\n]*\\)) COLLATE Latin1_General_BIN2, \\d+\\)"_s);
        const QString install = textOf("sqlserver/install.sql");
        QCOMPARE(install.count(byUnits), install.count(left));
        QVERIFY(install.count(left) >= 6);
    }

    /// With READ_COMMITTED_SNAPSHOT on, READPAST by itself is an error.
    void whoSkipsLockedRowsReadsByLocks()
    {
        static const QRegularExpression hints(u"\\(([A-Z, ]*\\bREADPAST\\b[A-Z, ]*)\\)"_s);
        int count = 0;
        QDirIterator files(u":/schema/sqlserver"_s, {u"*.sql"_s}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString text = QString::fromUtf8(test::readFile(files.next()));
            for (auto match = hints.globalMatch(text); match.hasNext(); ++count)
                QVERIFY2(
                    match.next().captured(1).contains(u"READCOMMITTEDLOCK"_s), qPrintable(files.filePath()));
        }
        QCOMPARE(count, 3);
    }

    /// DATEADD takes an int: 24.8 days in milliseconds.
    void aQueueIsPatientForLongerThanMilliseconds()
    {
        const QString take = textOf("sqlserver/queue/take");
        QVERIFY(take.contains(u"DATEADD(MILLISECOND, -@Milliseconds, DATEADD(DAY, -@Days, {now}))"_s));
        QVERIFY(!take.contains(u"CAST(@P2 AS int)"_s));
    }

    void namesOfTheCatalogueAreComparedInOneCollation()
    {
        QVERIFY(textOf("sqlserver/uninstall.sql")
                    .contains(u"ON r.name COLLATE DATABASE_DEFAULT = o.name COLLATE DATABASE_DEFAULT"_s));
    }

    void connectionsSayTheirSettings_data()
    {
        QTest::addColumn<QString>("path");
        for (const char* purpose : {"lock", "monitor", "admin", "workload"})
            test::row(purpose, u"sqlserver/session/%1"_s.arg(QLatin1StringView(purpose)));
    }
    void connectionsSayTheirSettings()
    {
        QFETCH(QString, path);
        const QString text = textOf(path.toUtf8());
        for (const char* setting : {"QUOTED_IDENTIFIER ON", "ANSI_NULLS ON", "ANSI_WARNINGS ON",
                 "ANSI_PADDING ON", "ARITHABORT ON", "CONCAT_NULL_YIELDS_NULL ON", "NUMERIC_ROUNDABORT OFF",
                 "IMPLICIT_TRANSACTIONS OFF", "ROWCOUNT 0"})
            QVERIFY2(text.contains(u"SET %1;\n"_s.arg(QLatin1StringView(setting))), setting);
    }

    void everyNameSaysItsSchema()
    {
        static const QRegularExpression comment(u"--[^\\n]*"_s);
        static const QRegularExpression procedure(
            u"(?<!GRANT )\\bEXEC(UTE)?\\s+(@\\w+\\s*=\\s*)?(\\w[\\w.]*)"_s);
        static const QRegularExpression table(
            u"\\b(FROM|JOIN|INTO|UPDATE)\\s+(?!lockscope[._]|sys\\.|\\{|@|\\()(\\w+)(?!\\w|\\.|\\s*\\()"_s);
        // Made by the statement itself or by the server: rows of a trigger, a common table expression.
        const QSet<QString> local{u"inserted"_s, u"deleted"_s, u"q"_s, // tables of a trigger, of a statement
            u"lockscope_reader"_s, u"lockscope_operator"_s, u"lockscope_admin"_s}; // REVOKE … FROM a role
        int calls = 0;
        QDirIterator files(u":/schema/sqlserver"_s, {u"*.sql"_s}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString text = QString::fromUtf8(test::readFile(files.next())).remove(comment);
            for (auto match = procedure.globalMatch(text); match.hasNext(); ++calls) {
                const QString name = match.next().captured(3);
                if (name == u"AS")
                    continue;
                QVERIFY2(name.startsWith(u"sys."_s) || name.startsWith(u"lockscope."_s),
                    qPrintable(files.filePath() + u": "_s + name));
            }
            for (auto match = table.globalMatch(text); match.hasNext();) {
                const auto found = match.next();
                const QString name = found.captured(2);
                if (name == name.toUpper() || local.contains(name))
                    continue; // a keyword: ON UPDATE …
                QVERIFY2(false, qPrintable(files.filePath() + u": "_s + found.captured(0)));
            }
        }
        QVERIFY(calls > 20);
    }

    void onlyTheProceduresAndTriggersWriteTheAudit()
    {
        QDirIterator files(u":/schema/sqlserver"_s, {u"*.sql"_s}, QDir::Files, QDirIterator::Subdirectories);
        static const QRegularExpression writes(u"(INSERT INTO|UPDATE|DELETE FROM) lockscope\\.audit_log"_s);
        while (files.hasNext()) {
            const QString text = QString::fromUtf8(test::readFile(files.next()));
            if (files.fileName() != u"install.sql")
                QVERIFY2(!text.contains(writes), qPrintable(files.filePath()));
        }
        // The login is never a parameter, a given column, or a name that EXECUTE AS changes.
        static const QRegularExpression insert(
            u"INSERT INTO lockscope\\.audit_log \\(who, [\\s\\S]*?(?:VALUES \\(|SELECT)\\s+(\\S+),"_s);
        int count = 0;
        for (auto match = insert.globalMatch(textOf("sqlserver/install.sql")); match.hasNext(); ++count)
            QCOMPARE(match.next().captured(1), u"ORIGINAL_LOGIN()"_s);
        QCOMPARE(count, 3);
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
            QVERIFY2(db::ownAppLock(name), qPrintable(name));
    }

    void blocksBeforeElseHaveNoSemicolon()
    {
        static const QRegularExpression wrong(u"\\bEND;\\s+ELSE\\b"_s);
        QVERIFY(!textOf("sqlserver/install.sql").contains(wrong));
    }

    // Rules that the double of a server keeps by itself, so that no other test would notice their absence in
    // the text:

    void whoEndsASessionRecordsWhatTheServerKnewOfIt()
    {
        const QString text = textOf("sqlserver/admin/end_session").simplified();
        const QString found = text.section(u"@found nvarchar(MAX) = ("_s, 1).section(u')', 0, 0);
        for (const QString& column : {u"session_id"_s, u"login_time"_s, u"login_name"_s, u"program_name"_s})
            QVERIFY2(found.section(u" FROM "_s, 0, 0).contains(column), qPrintable(found));
        VERIFY_CONTAINS(found, u"FROM sys.dm_exec_sessions WHERE session_id = @P1 FOR JSON"_s);
        QVERIFY(text.contains(u"SET @before = N'{\"found\":' + COALESCE(@found, "_s));
    }

    void messagesAreLiterals()
    {
        static const QRegularExpression wrong(u"RAISERROR \\(\\s*N'(?:[^']|'')*'\\s*\\+"_s);
        QVERIFY(!textOf("sqlserver/install.sql").contains(wrong));
    }
};

LOCKSCOPE_TEST(SqlServerSchema)

} // namespace tst_SqlServerSchema
#include "tst_SqlServerSchema.moc"
