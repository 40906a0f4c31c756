// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The roles that a session trusts on PostgreSQL, and the objects of others that it finds: one text, in all
// places that ask.

#include "core/admin/ServerAdmin.h"
#include "core/record/postgres/HistorySchema.h"
#include "tests/support/FrameworkRows.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_TrustRule {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;

constexpr auto server = &TestServer::shared;

/// Returns the SQL without indentation.
static QString flat(const QString& sql)
{
    QStringList lines;
    for (const QString& line : sql.split(u'\n'))
        if (const QString text = line.trimmed(); !text.isEmpty())
            lines << text;
    return lines.join(u'\n');
}

static QString between(const QString& script, const QString& name)
{
    return script.section(u"-- trust/%1: begins\n"_s.arg(name), 1, 1)
        .section(u"-- trust/%1: ends"_s.arg(name), 0, 0);
}

/// The roles that `connection` trusts, by name.
static QStringList trusted(Connection& connection)
{
    const Statement owners = Statement::filled("postgres/trust/owners", {{"parameter"_L1, u"''"_s}});
    QStringList names;
    orDie(runSql(connection,
        u"SELECT o.oid::pg_catalog.regrole::text FROM (%1) AS o"_s.arg(QString::fromUtf8(owners.sql())), {},
        [&names](const Row& row) { names << row.text(0).remove(u'"'); }));
    return names;
}

static LockRowTablePtr lockTable(const QString& schema)
{
    auto table = std::make_shared<LockRowTable>();
    table->schema = schema;
    table->table = u"turns"_s;
    table->columns = {{u"name"_s, u"text"_s}};
    return table;
}

class TrustRule : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theScriptsHaveTheSameText_data()
    {
        addRows<QByteArray>("script",
            {{"lock table", QByteArray("postgres/install.sql")},
                {"history", QByteArray("recording/postgres/install.sql")}});
    }
    void theScriptsHaveTheSameText()
    {
        QFETCH(QByteArray, script);
        const QString text = QString::fromUtf8(Statement::get(script.constData()).sql());
        const Statement owners = Statement::filled("postgres/trust/owners", {{"parameter"_L1, u"''"_s}});
        QCOMPARE(flat(between(text, u"owners"_s)), flat(QString::fromUtf8(owners.sql())));
        QCOMPARE(flat(between(text, u"closure"_s)),
            flat(QString::fromUtf8(Statement::get("postgres/trust/closure").sql())));
    }

    /// A database may set another role than that of the login, which goes back to its own at any time.
    void theLoginMustTrustToo()
    {
        const ServerUrl url = server().freshDatabase();
        const QString mallory = server().asRole(url).user;
        const auto connection = server().connect(url);
        QVERIFY(!trusted(*connection).contains(mallory));
        QVERIFY(connection->executeScript(u"SET ROLE \"%1\""_s.arg(mallory).toUtf8()));
        QVERIFY(!trusted(*connection).contains(mallory));
        QVERIFY(trusted(*connection).contains(url.user));
        QVERIFY(trusted(*server().connect(server().asRole(url))).contains(url.user));
    }

    /// Members of a group can give it their objects: a member of such a group trusts nobody in it.
    void groupsOfTasksAreNotTrusted()
    {
        const ServerUrl url = server().freshDatabase();
        const ServerUrl ann = server().asRole(url, u"GRANT pg_monitor, lockscope_operator TO {role}"_s);
        const ServerUrl bob = server().asRole(url, u"GRANT \"%1\" TO {role}"_s.arg(ann.user));
        const QStringList anns = trusted(*server().connect(ann));
        QVERIFY(anns.contains(ann.user));
        QVERIFY2(!anns.contains(u"pg_monitor"_s) && !anns.contains(u"lockscope_operator"_s),
            qPrintable(anns.join(u' ')));
        QVERIFY(!anns.contains(bob.user));
        QVERIFY(trusted(*server().connect(bob)).contains(ann.user)); // a role of his
        // pg_database_owner is as good as the owner of the database.
        QVERIFY(anns.contains(u"pg_database_owner"_s));
        server().run(url, u"ALTER DATABASE \"%1\" OWNER TO \"%2\""_s.arg(url.database, bob.user));
        QVERIFY(!trusted(*server().connect(url)).contains(u"pg_database_owner"_s));
        QVERIFY(trusted(*server().connect(ann)).contains(bob.user));
    }

    /// The function is Lockscope's or the system's own; the condition is not.
    void conditionsOfTriggersAreJudged()
    {
        const ServerUrl url = server().freshDatabase();
        const ServerUrl mallory = server().asRole(url,
            u"GRANT CREATE ON DATABASE \"%1\" TO {role}; GRANT USAGE ON SCHEMA lockscope TO {role}"_s.arg(
                url.database));
        const QString condition =
            u"CREATE SCHEMA m; CREATE FUNCTION m.evil() RETURNS boolean LANGUAGE sql AS 'SELECT true'"_s;
        QVERIFY(server().connect(mallory)->executeScript(condition.toUtf8()));
        server().run(url,
            u"CREATE FUNCTION lockscope.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';CREATE TRIGGER trap BEFORE UPDATE ON lockscope.lock_entry FOR EACH ROW WHEN (m.evil()) EXECUTE FUNCTION lockscope.nothing()"_s);
        const auto connection = server().connect(url);
        const auto found = trustSchema(*connection, SchemaUse::Calling);
        QVERIFY(!found);
        VERIFY_CONTAINS(found.error().detail, u"m.evil()"_s);
        const auto script = connection->executeScript(Statement::get("postgres/install.sql").sql());
        QVERIFY(!script);
        QVERIFY2(script.error().detail.contains(u"m.evil()"_s), qPrintable(script.error().toString()));
    }

    /// Nobody checks who may call the functions in a trigger's condition: the right TRIGGER is enough to
    /// have them called as everybody who changes a row. The same holds for a trigger's function that
    /// makes a statement of its arguments.
    void whoMayMakeTriggersCallsNothingThroughUs_data()
    {
        addColumns<QString, QString>("trigger", "named");
        QTest::newRow("condition")
            << u"FOR EACH ROW WHEN (app.grow('mal')) EXECUTE FUNCTION suppress_redundant_updates_trigger()"_s
            << u"grow(text)"_s;
        QTest::newRow("operator of a condition")
            << u"FOR EACH ROW WHEN (OLD.name::text OPERATOR(app.=>>) 'mal'::text) EXECUTE FUNCTION suppress_redundant_updates_trigger()"_s
            << u"grow_by(text,text)"_s;
        QTest::newRow("condition that says it only computes")
            << u"FOR EACH ROW WHEN (app.grow_pure('mal')) EXECUTE FUNCTION suppress_redundant_updates_trigger()"_s
            << u"grow_pure(text)"_s;
        QTest::newRow("function for other tables")
            << u"FOR EACH ROW EXECUTE FUNCTION ops.sweep()"_s << u"sweep()"_s;
        QTest::newRow("arguments") << u"FOR EACH ROW EXECUTE FUNCTION app.run('ALTER ROLE mal SUPERUSER')"_s
                                   << u"run()"_s;
        // The catalogue's record of the right is lost with a dump, and with a change of the owner.
        QTest::newRow("arguments, and has lost the right")
            << u"FOR EACH ROW EXECUTE FUNCTION app.run('ALTER ROLE mal SUPERUSER')"_s
            << u"trap on table app.turns"_s;
        QTest::newRow("arguments, and was the owner")
            << u"FOR EACH ROW EXECUTE FUNCTION app.run('ALTER ROLE mal SUPERUSER')"_s
            << u"trap on table app.turns"_s;
    }
    void whoMayMakeTriggersCallsNothingThroughUs()
    {
        FETCH(QString, trigger, QString, named);
        const ServerUrl url = server().freshDatabase(
            u"CREATE SCHEMA app; GRANT USAGE ON SCHEMA app TO PUBLIC; CREATE TABLE app.turns (name text);INSERT INTO app.turns VALUES ('a');CREATE FUNCTION app.grow(text) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN true; END';"
            "CREATE FUNCTION app.grow_by(text, text) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN true; END';CREATE FUNCTION app.grow_pure(text) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN true; END'; CREATE SCHEMA ops; GRANT USAGE ON SCHEMA ops TO PUBLIC; CREATE FUNCTION ops.sweep() "
            "RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END';CREATE OPERATOR app.=>> (LEFTARG = text, RIGHTARG = text, FUNCTION = app.grow_by);CREATE FUNCTION app.run() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN EXECUTE TG_ARGV[0]; RETURN OLD; END'"_s);
        const ServerUrl mallory = server().asRole(url, u"GRANT TRIGGER ON app.turns TO {role}"_s);
        const QByteArray row = QTest::currentDataTag();
        if (row.endsWith("the owner"))
            server().run(url, u"ALTER TABLE app.turns OWNER TO \"%1\""_s.arg(mallory.user));
        const QString plant = u"CREATE TRIGGER trap BEFORE UPDATE ON app.turns "_s + trigger;
        QVERIFY(server().connect(mallory)->executeScript(plant.toUtf8()));
        if (row.endsWith("the owner"))
            server().run(url, u"ALTER TABLE app.turns OWNER TO CURRENT_USER"_s);
        if (named.contains(u"trap"_s)) {
            server().run(url, u"REVOKE TRIGGER ON app.turns FROM \"%1\""_s.arg(mallory.user));
            server().run(url, u"UPDATE pg_class SET relacl = NULL WHERE oid = 'app.turns'::regclass"_s);
        }
        const auto connection = server().connect(url);
        FrameworkMatchPtr match = matchOf(rowLock({u"name"_s}));
        const auto shown = shownRow(*connection, match, lockTable(u"app"_s), u"name = 'a'"_s);
        const ServerProfile profile = profileOf(url);
        const auto done = admin::ServerAdmin(*connection, profile).releaseEntry(shown, u"stuck"_s);
        QVERIFY(!done);
        QVERIFY2(done.error().detail.contains(named), qPrintable(done.error().toString()));
        QCOMPARE(ask(*connection, u"SELECT count(*) FROM app.turns"_s), u"1"_s);
    }

    void soAreThoseOfATeamsHistory()
    {
        const ServerUrl url = server().freshDatabase(TestServer::Schema::None);
        const auto connection = server().connect(url);
        QVERIFY(record::installHistory(*connection));
        QVERIFY(record::installHistory(*connection));
        const ServerUrl mallory =
            server().asRole(url, u"GRANT CREATE ON DATABASE \"%1\" TO {role}"_s.arg(url.database));
        QVERIFY(server().connect(mallory)->executeScript(
            "CREATE SCHEMA m; CREATE FUNCTION m.evil() RETURNS boolean LANGUAGE sql AS 'SELECT true'"));
        server().run(url,
            u"CREATE FUNCTION lockscope_history.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';CREATE TRIGGER trap BEFORE UPDATE ON lockscope_history.setting FOR EACH ROW WHEN (m.evil()) EXECUTE FUNCTION lockscope_history.nothing()"_s);
        const auto found = record::checkHistory(*connection);
        QVERIFY(!found);
        QVERIFY2(found.error().detail.contains(u"m.evil()"_s), qPrintable(found.error().toString()));
    }

    void nobodyWasGivenWhatIsTheSystems()
    {
        const ServerUrl url = server().freshDatabase();
        const QString mallory = server().asRole(url).user;
        QVERIFY(trustSchema(*server().connect(url), SchemaUse::Reading));
        server().run(url, u"ALTER FUNCTION pg_catalog.lower(text) OWNER TO \"%1\""_s.arg(mallory));
        const auto found = trustSchema(*server().connect(url), SchemaUse::Reading);
        QVERIFY(!found);
        VERIFY_CONTAINS(found.error().detail, u"lower(text)"_s);
    }

    /// Its owner could give the schema's name to another one, between the check of the table and the
    /// action.
    void theSchemasNameIsHeld()
    {
        const ServerUrl url = server().freshDatabase();
        const ServerUrl mallory = server().asRole(url);
        const ServerUrl ann = server().asRole(url, u"GRANT lockscope_operator TO {role}"_s);
        server().run(url,
            u"CREATE SCHEMA app AUTHORIZATION \"%1\"; CREATE TABLE app.turns (name text); GRANT ALL ON app.turns TO PUBLIC;GRANT USAGE ON SCHEMA app TO PUBLIC; INSERT INTO app.turns VALUES ('a')"_s
                .arg(mallory.user));
        const auto match = matchOf(rowLock({u"name"_s}));
        const auto shown = shownRow(*server().connect(url), match, lockTable(u"app"_s), u"name = 'a'"_s);
        ServerProfile profile = profileOf(ann);
        const auto refused =
            admin::ServerAdmin(*server().connect(ann), profile).releaseEntry(shown, u"stuck"_s);
        QVERIFY(!refused);
        QVERIFY2(refused.error().detail.contains(u"schema app"_s), qPrintable(refused.error().toString()));

        profile.url = url;
        VERIFY_DONE(admin::ServerAdmin(*server().connect(url), profile).releaseEntry(shown, u"stuck"_s));
    }

    /// A constraint may name a function that its maker has no right to. In an approved or an attached
    /// table, it would run as the person who frees a row.
    void whatAStrangersTableNamesIsNotCalled_data()
    {
        addRows<QString>("plant",
            {{"constraint", u"ADD CHECK (ops.run('alter role mal superuser')) NOT VALID"_s},
                {"operator",
                    u"ADD CHECK (name::text OPERATOR(ops.=>>) 'alter role mal superuser'::text) NOT VALID"_s},
                {"domain", u"ADD CHECK ('alter role mal superuser'::ops.told IS NOT NULL) NOT VALID"_s},
                {"column of a domain", u"ADD extra ops.told[]"_s}});
    }
    void whatAStrangersTableNamesIsNotCalled()
    {
        QFETCH(QString, plant);
        const ServerUrl url = server().freshDatabase(
            u"CREATE SCHEMA ops; GRANT USAGE ON SCHEMA ops TO PUBLIC; CREATE TABLE ops.ran (what text);CREATE FUNCTION ops.run(text) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN INSERT INTO ops.ran VALUES ($1); RETURN true; END'; CREATE FUNCTION ops.run_two(text, text) RETURNS boolean LANGUAGE "
            "sql AS 'SELECT ops.run($2)'; REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA ops FROM PUBLIC;CREATE OPERATOR ops.=>> (LEFTARG = text, RIGHTARG = text, FUNCTION = ops.run_two);CREATE DOMAIN ops.told AS text CHECK (ops.run(VALUE))"_s);
        const ServerUrl mallory =
            server().asRole(url, u"GRANT CREATE ON DATABASE \"%1\" TO {role}"_s.arg(url.database));
        const auto planting = server().connect(mallory);
        QVERIFY(planting->executeScript(
            "CREATE SCHEMA m; CREATE TABLE m.turns (name text);INSERT INTO m.turns VALUES ('a')"));
        VERIFY_DONE(planting->executeScript(u"ALTER TABLE m.turns %1"_s.arg(plant).toUtf8()));
        const auto connection = server().connect(url);
        const auto match = matchOf(rowLock({u"name"_s}, {{u"name"_s, u"b"_s}}));
        auto shown = shownRow(*server().connect(mallory), match, lockTable(u"m"_s), u"name = 'a'"_s);
        shown.table = u"m.turns"_s;
        ServerProfile approving = profileOf(url);
        ServerProfile attaching = approving;
        approving.approvedTables << ApprovedTable{u"m"_s, u"turns"_s, mallory.user};
        attaching.attached << AttachedTable{u"m"_s, u"turns"_s};
        for (const ServerProfile& profile : {approving, attaching}) {
            admin::ServerAdmin admin(*connection, profile);
            const auto fired = admin.codeFiredBy({shown});
            VERIFY_DONE(fired);
            QVERIFY(fired->isLeftAlone && !fired->strangers.isEmpty());
            VERIFY_CONTAINS(fired->runs.join(u' '), u"ops.run"_s);
            const auto done = admin.releaseEntry(shown, u"stuck"_s);
            QVERIFY(!done);
            QVERIFY2(done.error().detail.contains(u"ops.run"_s), qPrintable(done.error().toString()));
        }
        QCOMPARE(ask(*connection, u"SELECT count(*) FROM ops.ran"_s), u"0"_s);
    }

    /// Objects of others that compare and print any value do only that in a stranger's table.
    void whatComparesAndPrintsMayRun()
    {
        const ServerUrl url = server().freshDatabase(
            u"CREATE EXTENSION citext SCHEMA public; CREATE EXTENSION btree_gist SCHEMA public;CREATE FUNCTION public.fresh() RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'"_s);
        const ServerUrl mallory =
            server().asRole(url, u"GRANT CREATE ON DATABASE \"%1\" TO {role}"_s.arg(url.database));
        VERIFY_DONE(server().connect(mallory)->executeScript(
            "CREATE SCHEMA m; CREATE TABLE m.host (name public.citext PRIMARY KEY); CREATE TABLE m.turns (name public.citext REFERENCES m.host, id text DEFAULT public.fresh(), number int CHECK (number > 0), EXCLUDE USING gist (number WITH =)); CREATE INDEX ON m.turns (name); INSERT INTO m.host VALUES "
            "('a'); INSERT INTO m.turns VALUES ('a', 'x', 1)"));
        const auto connection = server().connect(url);
        auto table = std::make_shared<LockRowTable>();
        table->schema = u"m"_s;
        table->table = u"turns"_s;
        table->columns = {{u"id"_s, u"text"_s}};
        const auto match = matchOf(rowLock({u"id"_s}));
        const auto shown = shownRow(*server().connect(mallory), match, table, u"id = 'x'"_s);
        ServerProfile profile = profileOf(url);
        profile.approvedTables << ApprovedTable{u"m"_s, u"turns"_s, mallory.user};
        VERIFY_DONE(admin::ServerAdmin(*connection, profile).releaseEntry(shown, u"stuck"_s));
    }

    /// The schema's owner renames it when the table is locked and not yet judged, and may put another one
    /// there: a missing table, or one that is not locked, never counts as faultless.
    void whatIsJudgedIsWhatIsLocked_data()
    {
        addColumns<QString, QString>("put", "fault");
        QTest::newRow("gone") << QString() << u"it is not there any more"_s;
        QTest::newRow("another")
            << u"CREATE SCHEMA m; CREATE TABLE m.turns (name text); INSERT INTO m.turns VALUES ('a')"_s
            << u"it is another table"_s;
    }
    void whatIsJudgedIsWhatIsLocked()
    {
        FETCH(QString, put, QString, fault);
        const ServerUrl url = server().freshDatabase();
        const ServerUrl mallory =
            server().asRole(url, u"GRANT CREATE ON DATABASE \"%1\" TO {role}"_s.arg(url.database));
        const auto his = server().connect(mallory);
        QVERIFY(his->executeScript(
            "CREATE SCHEMA m; CREATE TABLE m.turns (name text); INSERT INTO m.turns VALUES ('a')"));
        const auto match = matchOf(rowLock({u"name"_s}));
        const auto shown = shownRow(*his, match, lockTable(u"m"_s), u"name = 'a'"_s);
        // Judging waits for a catalogue that locking does not read.
        const auto holder = server().connect(url);
        QVERIFY(holder->begin());
        QVERIFY(runSql(*holder, u"LOCK TABLE pg_catalog.pg_ts_dict IN ACCESS EXCLUSIVE MODE"_s));
        auto freeing = std::async(std::launch::async, [&url, &shown, &mallory] {
            ServerProfile profile = profileOf(url);
            profile.approvedTables << ApprovedTable{u"m"_s, u"turns"_s, mallory.user};
            const auto connection = server().connect(url);
            return admin::ServerAdmin(*connection, profile).releaseEntry(shown, u"stuck"_s);
        });
        const auto watcher = server().connect(url);
        const bool waits = waitUntil([&watcher] {
            return ask(*watcher,
                       u"SELECT count(*) FROM pg_catalog.pg_locks AS l INNER JOIN pg_catalog.pg_stat_activity AS a ON a.pid = l.pid WHERE NOT l.granted AND a.backend_type = 'client backend' AND l.relation = 'pg_catalog.pg_ts_dict'::regclass"_s)
                != u"0"_s;
        });
        const auto moved = his->executeScript(u"ALTER SCHEMA m RENAME TO away; %1"_s.arg(put).toUtf8());
        QVERIFY(holder->rollback());
        const auto done = freeing.get();
        QVERIFY(waits && moved);
        QVERIFY(!done);
        QVERIFY2(done.error().detail.contains(fault), qPrintable(done.error().toString()));
    }

    /// Triggers of trusted owners fire, and are named before; with arguments only those of the system.
    void ourOwnTriggersFire()
    {
        const ServerUrl url = server().freshDatabase(
            u"CREATE TABLE public.turns (name text); INSERT INTO public.turns VALUES ('a');CREATE TABLE public.noted (name text); CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.noted VALUES (OLD.name); RETURN OLD; END';"
            "CREATE TRIGGER kept BEFORE DELETE ON public.turns FOR EACH ROW EXECUTE FUNCTION public.note();ALTER TABLE public.turns ADD words tsvector;CREATE TRIGGER indexed BEFORE UPDATE ON public.turns FOR EACH ROW EXECUTE FUNCTION tsvector_update_trigger('words', 'pg_catalog.english', 'name');"
            "CREATE TRIGGER other BEFORE UPDATE ON public.turns FOR EACH ROW EXECUTE FUNCTION public.note();GRANT TRIGGER ON public.turns TO PUBLIC;CREATE FUNCTION public.told(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN $1; "
            "END'; ALTER TABLE public.turns ADD CONSTRAINT told CHECK (public.told(name) IS NOT NULL)"_s);
        const auto connection = server().connect(url);
        const auto match = matchOf(rowLock({u"name"_s}));
        const auto shown = shownRow(*connection, match, lockTable(u"public"_s), u"name = 'a'"_s);
        const auto fired = admin::firedByFreeing(*connection, shown);
        QVERIFY(fired);
        QCOMPARE(fired->size(), 2);
        QVERIFY2(fired->first().contains(u"constraint told on table"_s)
                && fired->first().contains(u"told(text)"_s),
            qPrintable(fired->first()));
        QVERIFY2(fired->last().contains(u"trigger kept"_s) && fired->last().contains(u"note()"_s),
            qPrintable(fired->last()));
        // In our own table only objects that did not come with it.
        LockTableEntry entry;
        entry.name = u"nightly"_s;
        QCOMPARE(admin::firedByFreeing(*connection, entry).value_or(QStringList(u"?"_s)), QStringList());
        server().run(url,
            u"CREATE TRIGGER added BEFORE DELETE ON lockscope.lock_entry FOR EACH ROW EXECUTE FUNCTION public.note()"_s);
        COMPARE_TEXTS(admin::firedByFreeing(*connection, entry).value_or(QStringList(u"?"_s)),
            "trigger added on lockscope.lock_entry (note())");
        server().run(url, u"DROP TRIGGER added ON lockscope.lock_entry"_s);
        const ServerProfile profile = profileOf(url);
        VERIFY_DONE(admin::ServerAdmin(*connection, profile).releaseEntry(shown, u"stuck"_s));
        QCOMPARE(ask(*connection, u"SELECT count(*) FROM public.noted"_s), u"1"_s);
    }
};

LOCKSCOPE_TEST(TrustRule)

} // namespace tst_TrustRule
#include "tst_TrustRule.moc"
