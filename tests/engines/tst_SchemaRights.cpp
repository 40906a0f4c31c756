// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// An installation leaves exactly the rights in the manual, whatever default privileges give: on every object
// in the schema, for everybody. Roles of our names that somebody else made get nothing. PostgreSQL.

#include "core/db/ConnectionCheck.h"
#include "core/record/postgres/HistorySchema.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_SchemaRights {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;

static QStringList column(db::Connection& connection, const QString& sql)
{
    QStringList found;
    orDie(runSql(connection, sql, {}, [&found](const db::Row& row) { found << row.text(0); }));
    return found;
}

/// "SELECT, UPDATE (a, b)": "SELECT", "UPDATE (a)", "UPDATE (b)".
static QStringList privilegesOf(const QString& cell)
{
    static const QRegularExpression one(u"([A-Z]+)(?: \\(([^)]*)\\))?"_s);
    QStringList privileges;
    for (auto match = one.globalMatch(cell); match.hasNext();) {
        const auto each = match.next();
        if (each.captured(2).isEmpty())
            privileges << each.captured(1);
        else
            for (const QString& name : each.captured(2).remove(u'`').split(u", "_s))
                privileges << u"%1 (%2)"_s.arg(each.captured(1), name);
    }
    return privileges;
}

static QStringList cellsOf(const QString& line)
{
    QStringList cells = line.split(u'|').mid(1);
    for (QString& cell : cells)
        cell = cell.trimmed();
    return cells;
}

/// "`a`, `b`", "the schema", or "surrogate tables".
static QStringList objectsOf(db::Connection& connection, const QString& schema, const QString& cell)
{
    if (cell == u"the schema itself")
        return {schema};
    if (cell == u"surrogate tables")
        return column(connection,
            u"SELECT relname FROM pg_class WHERE relnamespace = '%1'::regnamespace AND relname LIKE 'surrogate:%' AND relkind = 'r'"_s
                .arg(schema));
    static const QRegularExpression quoted(u"`([^`(]+)(?:\\(\\))?`"_s);
    QStringList objects;
    for (auto match = quoted.globalMatch(cell); match.hasNext();)
        objects << match.next().captured(1);
    return objects;
}

/// Every right in a schema of ours that somebody else than the object's owner has, from the server's
/// catalogue: "lock_entry|lockscope_reader|SELECT (name)". A right that may be passed on ends with an
/// asterisk.
static QStringList rightsIn(db::Connection& connection, const QString& schema)
{
    return column(connection, uR"(
        WITH here AS (SELECT * FROM pg_namespace WHERE nspname = '%1'),
        things (name, attribute, owner, acl) AS (
            SELECT nspname::text, NULL, nspowner, coalesce(nspacl, acldefault('n', nspowner)) FROM here
            UNION ALL
            SELECT relname, NULL, relowner,
                coalesce(relacl, acldefault(CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", relowner))
            FROM pg_class, here WHERE relnamespace = here.oid AND relkind NOT IN ('i', 'I', 'c', 't')
            UNION ALL
            SELECT relname, attname, relowner, attacl
            FROM pg_attribute, pg_class AS c, here WHERE attrelid = c.oid AND relnamespace = here.oid AND attacl IS NOT NULL
            UNION ALL
            SELECT proname, NULL, proowner, coalesce(proacl, acldefault('f', proowner))
            FROM pg_proc, here WHERE pronamespace = here.oid
            UNION ALL
            SELECT 'type ' || typname, NULL, typowner, coalesce(typacl, acldefault('T', typowner))
            FROM pg_type, here WHERE typnamespace = here.oid AND typcategory <> 'A'
        )
        SELECT DISTINCT name || '|' || coalesce(rolname, 'PUBLIC') || '|' || privilege_type
            || coalesce(' (' || attribute || ')', '') || CASE WHEN is_grantable THEN '*' ELSE '' END
        FROM things CROSS JOIN LATERAL aclexplode(acl) LEFT JOIN pg_roles AS r ON r.oid = grantee
        WHERE grantee <> owner
        ORDER BY 1)"_s.arg(schema));
}

/// The same by the manual, from the table on this schema in the chapter "Security". Surrogate tables and days
/// of a history are those that exist.
static QStringList rightsOfTheManual(db::Connection& connection, const QString& schema)
{
    const QStringList lines =
        QString::fromUtf8(readFile(sourcePath(u"resources/help/security.md"_s))).split(u'\n');
    const QString heading = u"| in `%1` |"_s.arg(schema);
    qsizetype line = 0;
    while (line < lines.size() && !lines[line].startsWith(heading))
        ++line;
    if (line == lines.size())
        qFatal("no table on the rights in the schema %s", qPrintable(schema));
    const QStringList roles = cellsOf(lines[line]);
    QStringList rights;
    for (line += 2; lines.value(line).startsWith(u'|'); ++line) {
        const QStringList cells = cellsOf(lines[line]);
        for (const QString& object : objectsOf(connection, schema, cells[0])) {
            for (qsizetype role = 1; role < roles.size(); ++role) {
                const QString name =
                    roles[role] == u"everybody" ? u"PUBLIC"_s : QString(roles[role]).remove(u'`');
                for (const QString& privilege : name.isEmpty() ? QStringList() : privilegesOf(cells[role]))
                    rights << u"%1|%2|%3"_s.arg(object, name, privilege);
            }
        }
    }
    return rights;
}

struct ObjectType {
    QString name;
    QStringList privileges;
};

const std::vector<ObjectType> objectTypes{
    {u"TABLES"_s,
        {u"SELECT"_s, u"INSERT"_s, u"UPDATE"_s, u"DELETE"_s, u"TRUNCATE"_s, u"REFERENCES"_s, u"TRIGGER"_s,
            u"ALL"_s}},
    {u"SEQUENCES"_s, {u"USAGE"_s, u"SELECT"_s, u"UPDATE"_s}},
    {u"FUNCTIONS"_s, {u"EXECUTE"_s}},
    {u"TYPES"_s, {u"USAGE"_s}},
    {u"SCHEMAS"_s, {u"USAGE"_s, u"CREATE"_s}},
};

/// Returns the default privileges; in a schema that does not exist yet there are none for schemas.
static QString everything(const QString& scope, const QString& grantee, const QString& option)
{
    QString sql;
    for (const ObjectType& type : objectTypes)
        if (scope.isEmpty() || type.name != u"SCHEMAS")
            sql += u"ALTER DEFAULT PRIVILEGES %1 GRANT ALL ON %2 TO %3 %4;"_s.arg(
                scope, type.name, grantee, option);
    return sql;
}

const QString allGrantees = u"PUBLIC, lockscope_reader, lockscope_operator, lockscope_admin, test_stranger"_s;
const QString historyRoles = u", lockscope_history_reader, lockscope_history_writer"_s;
const QString inSchema = u"IN SCHEMA lockscope"_s;

static QString stepsText(const std::vector<CheckStep>& steps)
{
    QStringList lines;
    for (const CheckStep& step : steps)
        lines << step.finding + u" → "_s + step.remedy;
    return lines.join(u'\n');
}

class SchemaRights : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        server().freshDatabase(); // makes the roles
        server().run(server().url(), u"CREATE ROLE test_stranger"_s);
    }

    void theRightsAreThoseOfTheManual_data()
    {
        QTest::addColumn<QString>("defaults");
        const auto row = [](const QString& name, const QString& sql) {
            QTest::newRow(qPrintable(name)) << sql;
        };
        row(u"none"_s, {});
        for (const ObjectType& type : objectTypes) {
            for (const QString& privilege : type.privileges)
                row(privilege + u" on "_s + type.name,
                    u"ALTER DEFAULT PRIVILEGES GRANT %1 ON %2 TO %3"_s.arg(
                        privilege, type.name, allGrantees));
        }
        for (const QString& grantee : allGrantees.split(u", "_s)) {
            for (const QString& scope : {QString(), inSchema}) {
                row(u"all to %1 %2"_s.arg(grantee, scope), everything(scope, grantee, {}));
                if (grantee != u"PUBLIC")
                    row(u"all to %1 %2, to pass on"_s.arg(grantee, scope),
                        everything(scope, grantee, u"WITH GRANT OPTION"_s));
            }
        }
        QString taken;
        for (const ObjectType& type : objectTypes)
            taken += u"ALTER DEFAULT PRIVILEGES REVOKE ALL ON %1 FROM CURRENT_USER, PUBLIC;"_s.arg(type.name);
        row(u"nothing, not even to the owner"_s, taken);
    }
    void theRightsAreThoseOfTheManual()
    {
        QFETCH(QString, defaults);
        const ServerUrl url = server().freshDatabase(TestServer::Schema::None);
        for (const ServerUrl& installer : {plainOwner(url), url}) {
            const auto connection = prepared(installer, defaults);
            VERIFY_DONE(installSchema(*connection));
            compareWithManual(installer);
            // This holds for later objects, too.
            QVERIFY(runSql(*connection, u"SELECT lockscope.add_surrogate_table('n')"_s));
            compareWithManual(installer);
            QVERIFY(installSchema(*connection));
            compareWithManual(installer);
            VERIFY_DONE(uninstallSchema(*connection));
            if (installer.user != url.user)
                continue;
            QVERIFY(installSchema(*connection));
            compareWithManual(installer);
        }
    }

    void nobodyDoesMoreWhateverTheDefaults_data()
    {
        QTest::addColumn<QString>("role");
        for (const char* role : {"none", "stranger", "reader", "operator", "admin"})
            QTest::newRow(role) << QString::fromLatin1(role);
    }
    void nobodyDoesMoreWhateverTheDefaults()
    {
        QFETCH(QString, role);
        const ServerUrl url = server().freshDatabase(TestServer::Schema::None);
        QVERIFY(installSchema(*prepared(url, everything({}, allGrantees, {}))));
        server().run(url, u"GRANT ALL ON SCHEMA public TO PUBLIC"_s);
        const QString grant = role == u"none" ? QString()
            : role == u"stranger"             ? u"GRANT test_stranger TO {role}"_s
                                              : u"GRANT lockscope_%1 TO {role}"_s.arg(role);
        const auto connection = server().connect(server().asRole(url, grant));
        for (const QString& act : forbidden(role)) {
            const auto done = connection->executeScript(act.toUtf8());
            QVERIFY2(!done, qPrintable(act));
            QVERIFY2(done.error().kind == ErrorKind::Permission,
                qPrintable(act + u": "_s + done.error().toString()));
        }
        if (role != u"operator" && role != u"admin")
            return;
        QVERIFY(connection->executeScript(
            "INSERT INTO lockscope.lock_entry (name, token, fencing, expires_at) VALUES ('n', 't', 999, now() + interval '1 hour')"));
        QVERIFY(ask(*connection, u"SELECT fencing FROM lockscope.lock_entry WHERE name = 'n'"_s) != u"999");
    }

    void theCheckNamesWhatDiffers_data()
    {
        addColumns<QString, QString, QString>("sql", "finding", "remedy");
        const auto row = [](const char* name, const QString& sql, const QString& finding,
                             const QString& remedy) { QTest::newRow(name) << sql << finding << remedy; };
        row("a sequence", u"GRANT UPDATE ON SEQUENCE lockscope.fencing TO lockscope_operator"_s,
            u"lockscope_operator has UPDATE on sequence lockscope.fencing: not given by the installation"_s,
            u"REVOKE UPDATE ON SEQUENCE lockscope.fencing FROM lockscope_operator CASCADE;"_s);
        row("a column", u"GRANT SELECT (token) ON lockscope.lock_entry TO PUBLIC"_s,
            u"PUBLIC has SELECT on table lockscope.lock_entry (token): not given by the installation"_s,
            u"REVOKE SELECT (token) ON TABLE lockscope.lock_entry FROM PUBLIC CASCADE;"_s);
        row("a function",
            u"GRANT EXECUTE ON FUNCTION lockscope.record_loss(lockscope.lock_entry, text) TO test_stranger"_s,
            u"test_stranger has EXECUTE on function lockscope.record_loss(lost lockscope.lock_entry, how text): not given by the installation"_s,
            u"REVOKE EXECUTE ON ROUTINE lockscope.record_loss(lost lockscope.lock_entry, how text) FROM test_stranger CASCADE;"_s);
        row("a type", u"GRANT USAGE ON TYPE lockscope.lock_entry TO test_stranger"_s,
            u"test_stranger has USAGE on type lockscope.lock_entry: not given by the installation"_s,
            u"REVOKE USAGE ON TYPE lockscope.lock_entry FROM test_stranger CASCADE;"_s);
        row("the schema", u"GRANT USAGE ON SCHEMA lockscope TO test_stranger"_s,
            u"test_stranger has USAGE on schema lockscope: not given by the installation"_s,
            u"REVOKE USAGE ON SCHEMA lockscope FROM test_stranger CASCADE;"_s);
        row("to pass on", u"GRANT SELECT ON lockscope.audit TO lockscope_reader WITH GRANT OPTION"_s,
            u"lockscope_reader may pass on SELECT on view lockscope.audit: not given by the installation"_s,
            u"REVOKE GRANT OPTION FOR SELECT ON TABLE lockscope.audit FROM lockscope_reader CASCADE;"_s);
        row("missing", u"REVOKE DELETE ON lockscope.lock_entry FROM lockscope_operator"_s,
            u"lockscope_operator lacks DELETE on table lockscope.lock_entry: the installation gives it"_s,
            u"GRANT DELETE ON TABLE lockscope.lock_entry TO lockscope_operator;"_s);
    }
    void theCheckNamesWhatDiffers()
    {
        FETCH(QString, sql, QString, finding, QString, remedy);
        const ServerUrl url = server().freshDatabase();
        // A login without a right on the schema sees it, too.
        const auto anybody = server().connect(server().asRole(url));
        auto steps = checkRights(*anybody);
        QVERIFY2(
            steps.size() == 1 && steps[0].outcome == CheckStep::Outcome::Good, qPrintable(stepsText(steps)));
        server().run(url, sql);
        steps = checkRights(*anybody);
        QVERIFY2(steps.size() == 1, qPrintable(stepsText(steps)));
        // An additional right is a fault.
        QCOMPARE(steps[0].outcome,
            remedy.startsWith(u"GRANT"_s) ? CheckStep::Outcome::Note : CheckStep::Outcome::Failed);
        QCOMPARE(steps[0].finding, finding);
        QCOMPARE(steps[0].remedy, remedy);
        server().run(url, remedy);
        QCOMPARE(checkRights(*anybody).at(0).outcome, CheckStep::Outcome::Good);
        server().run(url, sql);
        QVERIFY(installSchema(*server().connect(url)));
        QCOMPARE(checkRights(*anybody).at(0).outcome, CheckStep::Outcome::Good);
    }

    void aRightThatWasPassedOnGoesToo()
    {
        const ServerUrl url = server().freshDatabase(
            u"GRANT SELECT ON lockscope.audit_log TO test_stranger WITH GRANT OPTION; GRANT USAGE ON SCHEMA lockscope TO test_stranger; REVOKE SELECT ON lockscope.audit_log FROM lockscope_reader; SET ROLE test_stranger; GRANT SELECT ON lockscope.audit_log TO lockscope_reader, PUBLIC"_s);
        QVERIFY(installSchema(*server().connect(url)));
        compareWithManual(url);
    }

    void theCheckNamesLoginsThatMayDoAllTheSame()
    {
        const ServerUrl url = server().freshDatabase();
        const ServerUrl writer = server().asRole(url, u"GRANT pg_write_all_data TO {role}"_s);
        const auto connection = server().connect(url);
        const QString steps = stepsText(checkRights(*connection));
        VERIFY_CONTAINS(steps,
            u"%1 may change every table, the audit too (pg_write_all_data) → REVOKE pg_write_all_data FROM %1;"_s
                .arg(writer.user));
        server().run(url, u"DROP ROLE "_s + writer.user);
        QCOMPARE(checkRights(*connection).size(), 1U);
    }

    void aTeamsHistoryGivesNothingElseEither_data()
    {
        addRows<QString>("defaults",
            {{"none", QString()}, {"all to all", everything({}, allGrantees + historyRoles, {})},
                {"all, to pass on",
                    everything({}, u"test_stranger"_s + historyRoles, u"WITH GRANT OPTION"_s)}});
    }
    void aTeamsHistoryGivesNothingElseEither()
    {
        QFETCH(QString, defaults);
        // Makes the roles that the defaults name.
        QVERIFY(record::installHistory(*server().connect(server().freshDatabase(TestServer::Schema::None))));
        const ServerUrl url = server().freshDatabase(TestServer::Schema::None);
        const auto connection = prepared(url, defaults);
        for (int times = 0; times < 2; ++times) {
            VERIFY_DONE(record::installHistory(*connection));
            compareWithManual(url, u"lockscope_history"_s);
        }
        const auto steps = checkRights(*connection);
        QVERIFY2(
            steps.size() == 1 && steps[0].outcome == CheckStep::Outcome::Good, qPrintable(stepsText(steps)));
        server().run(url, u"GRANT ALL ON SCHEMA public TO PUBLIC"_s);
        QStringList acts;
        for (const QString& table :
            {u"frame"_s, u"event"_s, u"surroundings"_s, u"stored_text"_s, u"resource"_s, u"party"_s,
                u"lock_interval"_s, u"open_interval"_s, u"recording"_s, u"pin"_s, u"setting"_s})
            acts << u"TRUNCATE lockscope_history."_s + table << u"DELETE FROM lockscope_history."_s + table;
        acts << u"SELECT setval('lockscope_history.recording_key_seq', 1)"_s
             << u"SELECT lockscope_history.make_part('frame', 'mine')"_s
             << u"SELECT lockscope_history.set_rights()"_s
             << u"UPDATE lockscope_history.setting SET keep_days = 36500"_s
             << u"CREATE TABLE lockscope_history.mine (a int)"_s
             << u"CREATE TABLE public.mine (r lockscope_history.recording)"_s
             << u"INSERT INTO lockscope_history.%1 DEFAULT VALUES"_s.arg(
                    ask(*connection, u"SELECT inhrelid::regclass::text FROM pg_inherits LIMIT 1"_s)
                        .section(u'.', -1));
        for (const QString& role : {u"reader"_s, u"writer"_s}) {
            const auto other =
                server().connect(server().asRole(url, u"GRANT lockscope_history_%1 TO {role}"_s.arg(role)));
            for (const QString& act : acts) {
                const auto done = other->executeScript(act.toUtf8());
                QVERIFY2(!done, qPrintable(act));
                QVERIFY2(done.error().kind == ErrorKind::Permission,
                    qPrintable(act + u": "_s + done.error().toString()));
            }
        }
    }

    /// Each of the two scripts has the text, because a script stands by itself; except for the list of rights
    /// the text is the same.
    void bothInstallationsCompareByTheSameText()
    {
        const auto comparison = [](const char* script, const char* from, const char* to) {
            const QByteArray text = Statement::get(script).sql();
            const qsizetype begin = text.indexOf(from);
            return begin < 0 ? QByteArray() : text.mid(begin, text.indexOf(to, begin) - begin);
        };
        for (const auto& [from, to] : {std::pair("-- Whatever can have rights", "$$;"),
                 std::pair("-- \"first\" is the membership", "$$;")}) {
            const QByteArray one = comparison("postgres/install.sql", from, to);
            QVERIFY(one.size() > 1000);
            QCOMPARE(comparison("recording/postgres/install.sql", from, to), one);
        }
    }

private:
    static TestServer& server() { return TestServer::shared(); }

    /// A role that may make a schema of its own.
    static ServerUrl plainOwner(const ServerUrl& url)
    {
        return server().asRole(url, u"GRANT CREATE ON DATABASE \"%1\" TO {role}"_s.arg(url.database));
    }
    static std::unique_ptr<Connection> prepared(const ServerUrl& installer, const QString& defaults)
    {
        auto connection = server().connect(installer);
        const QString schema =
            defaults.contains(inSchema) ? u"CREATE SCHEMA IF NOT EXISTS lockscope;"_s : QString();
        orDie(connection->executeScript((schema + defaults + u";SELECT 1"_s).toUtf8()));
        return connection;
    }
    static void compareWithManual(const ServerUrl& url, const QString& schema = u"lockscope"_s)
    {
        const auto connection = server().connect(url);
        const QStringList found = rightsIn(*connection, schema);
        const QStringList requested = rightsOfTheManual(*connection, schema);
        QVERIFY2(requested.size() > 25, qPrintable(requested.join(u"; "_s)));
        QStringList tooMany = found;
        QStringList missing = requested;
        for (const QString& right : requested)
            tooMany.removeAll(right);
        for (const QString& right : found)
            missing.removeAll(right);
        QVERIFY2(tooMany.isEmpty(), qPrintable(u"not in the manual: "_s + tooMany.join(u"; "_s)));
        QVERIFY2(missing.isEmpty(), qPrintable(u"in the manual only: "_s + missing.join(u"; "_s)));
    }
    static QStringList forbidden(const QString& role)
    {
        QStringList acts{
            u"SELECT setval('lockscope.fencing', 1)"_s,
            u"SELECT nextval('lockscope.fencing')"_s,
            u"SELECT last_value FROM lockscope.fencing"_s,
            u"SELECT setval('lockscope.lock_waiter_ticket_seq', 1)"_s,
            u"SELECT setval('lockscope.audit_log_id_seq', 1)"_s,
            u"SELECT lockscope.record_loss(e, 'forged') FROM lockscope.lock_entry AS e"_s,
            u"SELECT lockscope.record_loss(NULL, 'forged')"_s,
            u"SELECT lockscope.lock_entry_taken()"_s,
            u"SELECT lockscope.set_rights()"_s,
            u"SELECT lockscope.wrong_rights()"_s,
            u"SELECT lockscope.wrong_roles()"_s,
            u"INSERT INTO lockscope.lock_waiter (ticket, name, expires_at) OVERRIDING SYSTEM VALUE VALUES (-1, 'n', now())"_s,
            u"UPDATE lockscope.lock_waiter SET registered_at = now()"_s,
            u"INSERT INTO lockscope.audit_log (who, origin, act, target, reason, before, outcome) VALUES ('a', 'b', 'c', 'd', 'e', '{}', 'done')"_s,
            u"UPDATE lockscope.audit_log SET who = 'bob'"_s,
            u"UPDATE lockscope.audit SET who = 'bob'"_s,
            u"UPDATE lockscope.fencing_epoch SET epoch = 0"_s,
            u"DELETE FROM lockscope.fencing_epoch"_s,
            u"INSERT INTO lockscope.lock_name VALUES ('n')"_s,
            u"SELECT FROM lockscope.lock_name FOR UPDATE"_s,
            u"UPDATE lockscope.schema_version SET version = 1"_s,
            u"CREATE TABLE lockscope.mine (a int)"_s,
            u"CREATE FUNCTION lockscope.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'"_s,
            u"CREATE TRIGGER mine BEFORE INSERT ON lockscope.lock_entry FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()"_s,
            u"CREATE TABLE public.mine (k text REFERENCES lockscope.surrogate_key)"_s,
            u"CREATE TABLE public.mine (e lockscope.lock_entry)"_s,
            u"ALTER TABLE lockscope.lock_entry ADD COLUMN mine int"_s,
        };
        for (const char* table : {"lock_entry", "lock_waiter", "app_lock_name", "audit_log", "surrogate_key",
                 "schema_version", "lock_name", "fencing_epoch"})
            acts << u"TRUNCATE lockscope.%1"_s.arg(QLatin1StringView(table));
        if (role != u"admin")
            acts << u"DELETE FROM lockscope.audit_log"_s << u"DELETE FROM lockscope.surrogate_key"_s
                 << u"SELECT lockscope.add_surrogate_table('n')"_s;
        if (role == u"operator" || role == u"admin")
            return acts;
        acts << u"SELECT token FROM lockscope.lock_entry"_s << u"SELECT token FROM lockscope.lock_waiter"_s
             << u"SELECT FROM lockscope.lock_entry FOR UPDATE"_s << u"DELETE FROM lockscope.lock_entry"_s
             << u"SELECT lockscope.purge_stale()"_s
             << u"SELECT lockscope.audit_act('o', 'a', 't', 'r', '{}', 'done')"_s
             << u"INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES ('n', 't', now())"_s;
        if (role != u"reader")
            acts << u"SELECT * FROM lockscope.holders"_s << u"SELECT lockscope.acquire_app_lock('n')"_s;
        return acts;
    }
};

LOCKSCOPE_TEST(SchemaRights)

} // namespace tst_SchemaRights
#include "tst_SchemaRights.moc"
