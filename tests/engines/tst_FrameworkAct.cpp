// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Rows of frameworks' tables are freed exactly as they were shown, or not at all.

#include "core/admin/ByHand.h"
#include "core/admin/ServerAdmin.h"
#include "tests/support/FrameworkRows.h"
#include "tests/support/Session.h"
#include "tests/support/TestProgram.h"

namespace tst_FrameworkAct {

using namespace lockscope;
using namespace lockscope::admin;
using namespace lockscope::test;

constexpr auto server = &TestServer::shared;

/// Liquibase's row, as its file has it.
static FrameworkLock changelog()
{
    FrameworkLock lock = rowLock({u"id"_s, u"locked"_s, u"lockgranted"_s, u"lockedby"_s},
        {{u"locked"_s, false}, {u"lockgranted"_s, std::monostate()}, {u"lockedby"_s, std::monostate()}});
    lock.name = u"changelog lock"_s;
    lock.vendorCommand = u"liquibase release-locks"_s;
    return lock;
}

/// An administrator of a database that has the table of Liquibase, with a lock that ann@app01 holds.
struct Bench {
    explicit Bench(Engine engine)
    {
        if (engine == Engine::Postgres) {
            profile.url = server().freshDatabase();
            owner = profile.url;
        } else {
            profile.url = fileUrl(directory.filePath(u"locks.db"_s));
        }
        reconnect();
        if (engine == Engine::Sqlite)
            orDie(db::installSchema(*connection));
        auto names = std::make_shared<LockRowTable>();
        // The servers have them so: Liquibase's names are in upper case where nobody folds them.
        const bool isPostgres = engine == Engine::Postgres;
        names->schema = isPostgres ? u"public"_s : QString();
        names->table = isPostgres ? u"databasechangeloglock"_s : u"DATABASECHANGELOGLOCK"_s;
        const auto named = [isPostgres](const QString& name) { return isPostgres ? name : name.toUpper(); };
        names->columns = {{named(u"id"_s), u"int4"_s}, {named(u"locked"_s), u"bool"_s},
            {named(u"lockgranted"_s), u"timestamp"_s}, {named(u"lockedby"_s), u"varchar"_s}};
        table = names;
        run(u"CREATE TABLE {table} (id int NOT NULL, locked boolean NOT NULL, lockgranted timestamp, lockedby varchar(255))"_s);
        run(u"INSERT INTO {table} VALUES (1, TRUE, '2026-11-22 22:40:19.123456', 'app01 (10.0.0.1)')"_s);
    }

    void reconnect()
    {
        connection = orDie(db::Server{profile, server().passwords()}.connect(
            {.purpose = db::Purpose::Admin, .createFile = true}));
        admin = std::make_unique<ServerAdmin>(*connection, profile);
    }
    QString filled(QString sql) const
    {
        return sql.replace(u"{table}"_s, connection->dialect().quoted(table->schema, table->table));
    }
    /// Runs it as the owner of the database.
    void run(const QString& sql) const
    {
        if (owner)
            return server().run(*owner, filled(sql));
        orDie(runSql(*connection, filled(sql)));
    }
    QString ask(const QString& sql) const
    {
        return owner ? test::ask(*server().connect(*owner), filled(sql))
                     : test::ask(*connection, filled(sql));
    }
    LockTableEntry shown(const FrameworkMatchPtr& match, const QString& where = u"id = 1"_s) const
    {
        const auto reader = owner ? server().connect(*owner) : nullptr;
        return shownRow(reader ? *reader : *connection, match, table, where);
    }
    QString row() const
    {
        return ask(u"SELECT %1 FROM {table}"_s.arg(owner
                ? u"string_agg(t::text, ' ' ORDER BY t::text) FROM {table} AS t --"_s
                : u"group_concat(ID || ',' || LOCKED || ',' || coalesce(LOCKGRANTED, '') || ',' || coalesce(LOCKEDBY, ''), ' ')"_s));
    }
    AuditRecord lastAct() const { return admin->audit().value_or(QList<AuditRecord>()).value(0); }
    void become(const QString& grants)
    {
        profile.url = server().asRole(*owner, grants);
        reconnect();
    }

    const QTemporaryDir directory;
    db::ServerProfile profile;
    std::optional<db::ServerUrl> owner; ///< not on SQLite
    std::unique_ptr<db::Connection> connection;
    std::unique_ptr<ServerAdmin> admin;
    LockRowTablePtr table;
};

static void addEngines()
{
    addRows<Engine>("engine", {{"PostgreSQL", Engine::Postgres}, {"SQLite", Engine::Sqlite}});
}

static QString whyNot(const Result<Done>& done)
{
    return done ? QString() : done.error().toString();
}

class tst_FrameworkAct : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void freesTheRowThatWasShown_data() { addEngines(); }
    void freesTheRowThatWasShown()
    {
        QFETCH(Engine, engine);
        Bench bench(engine);
        bench.run(u"INSERT INTO {table} VALUES (2, TRUE, NULL, 'somebody else')"_s);
        LockTableEntry shown = bench.shown(matchOf(changelog(), u"Liquibase"_s));
        shown.holderText = u"app01 (10.0.0.1)"_s;
        const auto done = bench.admin->releaseEntry(shown, u"  its machine is gone "_s);
        VERIFY_DONE(done);
        VERIFY_STARTS(done->message, u"Lock 'changelog lock' released; "_s);
        const QString freed = engine == Engine::Postgres ? u"(1,f,,)"_s : u"1,0,,"_s;
        VERIFY_STARTS(bench.row(), freed);
        VERIFY_CONTAINS(bench.row(), u"somebody else"_s);
        const AuditRecord record = bench.lastAct();
        QCOMPARE(record.id, done->auditId);
        QCOMPARE(record.act, actName(Act::ReleaseEntry));
        QCOMPARE(record.target,
            u"Liquibase lock 'changelog lock' of %1, held by app01 (10.0.0.1)"_s.arg(shown.table));
        QCOMPARE(record.reason, u"its machine is gone"_s);
        QCOMPARE(record.outcome, u"done"_s);
        VERIFY_CONTAINS(record.before, u"app01 (10.0.0.1)"_s); // the row
        VERIFY_CONTAINS(record.before, u"22:40:19.123456"_s);
        QVERIFY(!bench.connection->inTransaction());
    }

    void whatIsNotAsShownIsLeftAlone_data()
    {
        addColumns<Engine, QString, QString>("engine", "meanwhile", "now");
        const auto add = [](const char* name, const QString& meanwhile, const QString& now) {
            QTest::addRow("%s, PostgreSQL", name) << Engine::Postgres << meanwhile << now;
            QTest::addRow("%s, SQLite", name) << Engine::Sqlite << meanwhile << now;
        };
        add("another holder", u"UPDATE {table} SET lockedby = 'app02 (10.0.0.2)'"_s,
            u"lockedby is 'app02 (10.0.0.2)' (was 'app01 (10.0.0.1)')"_s);
        add("the same in capitals", u"UPDATE {table} SET lockedby = 'APP01 (10.0.0.1)'"_s,
            u"lockedby is 'APP01 (10.0.0.1)'"_s);
        add("a blank more", u"UPDATE {table} SET lockedby = 'app01 (10.0.0.1) '"_s,
            u"lockedby is 'app01 (10.0.0.1) '"_s);
        add("a microsecond later", u"UPDATE {table} SET lockgranted = '2026-11-22 22:40:19.123457'"_s,
            u"lockgranted is '2026-11-22 22:40:19.123457' (was '2026-11-22 22:40:19.123456')"_s);
        add("no time any more", u"UPDATE {table} SET lockgranted = NULL"_s,
            u"lockgranted is NULL (was '2026-11-22 22:40:19.123456')"_s);
        add("no holder any more", u"UPDATE {table} SET lockedby = NULL"_s, u"lockedby is NULL"_s);
        add("free", u"UPDATE {table} SET locked = FALSE, lockgranted = NULL, lockedby = NULL"_s,
            u"lockgranted is NULL"_s);
        add("another lock", u"UPDATE {table} SET id = 2"_s, u"its row is gone"_s);
        add("gone", u"DELETE FROM {table}"_s, u"its row is gone"_s);
    }
    void whatIsNotAsShownIsLeftAlone()
    {
        FETCH(Engine, engine, QString, meanwhile, QString, now);
        Bench bench(engine);
        const auto shown = bench.shown(matchOf(changelog()));
        bench.run(meanwhile);
        const QString before = bench.row();
        const auto done = bench.admin->releaseEntry(shown, u"stuck"_s);
        QVERIFY(!done);
        QVERIFY2(done.error().kind == ErrorKind::Changed, qPrintable(whyNot(done)));
        QVERIFY2(done.error().what.contains(now), qPrintable(whyNot(done)));
        QCOMPARE(bench.row(), before);
        const QString outcome = bench.lastAct().outcome;
        QVERIFY2(outcome.startsWith(u"changed meanwhile: "_s) && outcome.contains(now), qPrintable(outcome));
    }

    /// A holder that takes the same lock again under the same name and time has another revision.
    void aRevisionTellsOneTurnFromTheNext_data() { addEngines(); }
    void aRevisionTellsOneTurnFromTheNext()
    {
        QFETCH(Engine, engine);
        Bench bench(engine);
        bench.run(u"ALTER TABLE {table} ADD COLUMN revision int NOT NULL DEFAULT 7"_s);
        auto names = std::make_shared<LockRowTable>(*bench.table);
        names->columns.append({u"revision"_s, u"int4"_s});
        bench.table = names;
        const auto match = matchOf(rowLock({u"id"_s, u"lockedby"_s, u"revision"_s},
            {{u"lockedby"_s, std::monostate()}, {u"revision"_s, u"{revision}+1"_s}, {u"locked"_s, false}}));
        const auto shown = bench.shown(match);
        bench.run(u"UPDATE {table} SET revision = revision + 1"_s);
        const auto refused = bench.admin->releaseEntry(shown, u"stuck"_s);
        QVERIFY2(!refused && refused.error().what.contains(u"revision is '8' (was '7')"_s),
            qPrintable(whyNot(refused)));
        VERIFY_DONE(bench.admin->releaseEntry(bench.shown(match), u"stuck"_s));
        QCOMPARE(bench.ask(u"SELECT revision FROM {table}"_s), u"9"_s);
    }

    void rowsThatAreAlikeAreLeftAlone_data() { addEngines(); }
    void rowsThatAreAlikeAreLeftAlone()
    {
        QFETCH(Engine, engine);
        Bench bench(engine);
        const auto shown = bench.shown(matchOf(changelog()));
        bench.run(u"INSERT INTO {table} SELECT * FROM {table}"_s);
        const QString before = bench.row();
        const auto done = bench.admin->releaseEntry(shown, u"stuck"_s);
        QVERIFY(!done);
        QVERIFY2(done.error().kind == ErrorKind::BadInput && done.error().what.contains(u"several rows"_s),
            qPrintable(whyNot(done)));
        QCOMPARE(bench.row(), before);
        VERIFY_STARTS(bench.lastAct().outcome, u"refused: "_s);
        QVERIFY(!releaseByHand(bench.profile, shown).isEmpty());
        QVERIFY(runSql(*bench.connection, releaseByHand(bench.profile, shown)));
        QCOMPARE(bench.row(), before); // nor does what is copied
    }

    void nullIsComparedAsNull_data() { addEngines(); }
    void nullIsComparedAsNull()
    {
        QFETCH(Engine, engine);
        Bench bench(engine);
        bench.run(u"UPDATE {table} SET lockedby = NULL"_s);
        const auto shown = bench.shown(matchOf(changelog()));
        bench.run(u"UPDATE {table} SET lockedby = ''"_s);
        VERIFY_FAILS(ErrorKind::Changed, bench.admin->releaseEntry(shown, u"stuck"_s));
        bench.run(u"UPDATE {table} SET lockedby = NULL"_s);
        VERIFY_DONE(bench.admin->releaseEntry(shown, u"stuck"_s));
        QCOMPARE(bench.ask(u"SELECT count(*) FROM {table} WHERE NOT locked"_s), u"1"_s);
    }

    void deletesWhereTheFileSaysSo_data() { addEngines(); }
    void deletesWhereTheFileSaysSo()
    {
        QFETCH(Engine, engine);
        Bench bench(engine);
        bench.run(u"INSERT INTO {table} VALUES (2, TRUE, NULL, 'b')"_s);
        const auto shown = bench.shown(matchOf(rowLock({u"id"_s, u"lockgranted"_s})));
        VERIFY_DONE(bench.admin->releaseEntry(shown, u"stuck"_s));
        QCOMPARE(bench.ask(u"SELECT max(id) || ' of ' || count(*) FROM {table}"_s), u"2 of 1"_s);
        QVERIFY(bench.lastAct().before.contains(u"app01 (10.0.0.1)"_s));
    }

    void newValuesAreValuesAndNothingElse_data() { addEngines(); }
    void newValuesAreValuesAndNothingElse()
    {
        QFETCH(Engine, engine);
        Bench bench(engine);
        const QString odd = u"it's\\ {0}; --\n"_s;
        const auto match = matchOf(rowLock({u"id"_s, u"lockedby"_s},
            {{u"lockedby"_s, odd}, {u"locked"_s, qint64(0)}, {u"lockgranted"_s, u"{lockgranted}"_s}}));
        VERIFY_DONE(bench.admin->releaseEntry(bench.shown(match), u"stuck"_s));
        QCOMPARE(bench.ask(u"SELECT lockedby FROM {table}"_s), odd);
        QCOMPARE(bench.ask(u"SELECT count(*) FROM {table} WHERE NOT locked AND lockgranted IS NOT NULL"_s),
            u"1"_s);
    }

    void neverIsNever_data() { addEngines(); }
    void neverIsNever()
    {
        QFETCH(Engine, engine);
        Bench bench(engine);
        FrameworkLock lock = rowLock({u"id"_s});
        lock.row.mayBeFreed = false;
        lock.danger = u"ShedLock would run the task at once on every machine."_s;
        const auto shown = bench.shown(matchOf(lock));
        const auto done = bench.admin->releaseEntry(shown, u"stuck"_s);
        VERIFY_FAILS(ErrorKind::BadInput, done);
        QVERIFY2(done.error().toString().contains(lock.danger), qPrintable(whyNot(done)));
        QCOMPARE(bench.ask(u"SELECT count(*) FROM {table}"_s), u"1"_s);
        QVERIFY(bench.lastAct().outcome.startsWith(u"refused: "_s));
        QCOMPARE(releaseByHand(bench.profile, shown), QString());
    }

    void onlyWhatIsOverForEverybodyIsPurged_data()
    {
        addColumns<Engine, FrameworkClock, bool, bool, int, bool>(
            "engine", "clock", "isCompared", "mayBeFreed", "minutesLeft", "isPurged");
        for (const auto& [engine, name] :
            {std::pair(Engine::Postgres, "PostgreSQL"), std::pair(Engine::Sqlite, "SQLite")}) {
            QTest::addRow("over, %s", name) << engine << FrameworkClock::Utc << true << true << -1 << true;
            QTest::addRow("not yet, %s", name) << engine << FrameworkClock::Utc << true << true << 1 << false;
            QTest::addRow("some client's clock, %s", name)
                << engine << FrameworkClock::Application << true << true << -1 << false;
            QTest::addRow("an end that is not compared, %s", name)
                << engine << FrameworkClock::Utc << false << true << -1 << false;
            QTest::addRow("never, %s", name) << engine << FrameworkClock::Utc << true << false << -1 << false;
        }
    }
    void onlyWhatIsOverForEverybodyIsPurged()
    {
        FETCH(Engine, engine, FrameworkClock, clock, bool, isCompared, bool, mayBeFreed, int, minutesLeft,
            bool, isPurged);
        Bench bench(engine);
        FrameworkLock lock =
            rowLock(isCompared ? QStringList{u"id"_s, u"lockgranted"_s} : QStringList{u"id"_s});
        lock.row.expires = FrameworkTime{u"lockgranted"_s, {{engine, clock}}, {}};
        lock.row.mayBeFreed = mayBeFreed;
        auto shown = bench.shown(matchOf(lock));
        ServerTime now;
        QVERIFY(bench.connection->execute(db::schemaStatement(bench.connection->dialect(), "monitor/clock"),
            {}, [&now](const db::Row& row) { now = row.time(0); }));
        shown.expiresAt = now + std::chrono::minutes(minutesLeft);
        const auto done = bench.admin->purgeStale({shown}, u"Monday"_s);
        QVERIFY2(done.has_value() == isPurged, qPrintable(whyNot(done)));
        QCOMPARE(bench.ask(u"SELECT count(*) FROM {table}"_s), isPurged ? u"0"_s : u"1"_s);
    }

    void anyTypeIsComparedExactly_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("name"); // in the catalogue
        addColumns<QString, QString>("value", "other");
        const auto add = [](const char* type, const char* name, const char* value, const char* other) {
            QTest::newRow(type) << QString::fromLatin1(type) << QString::fromLatin1(name)
                                << QString::fromLatin1(value) << QString::fromLatin1(other);
        };
        add("int", "int4", "7", "8");
        add("bigint", "int8", "9007199254740993", "9007199254740992");
        add("uuid", "uuid", "'d5499c66-e398-45ca-bf7e-dc9c194b48cf'",
            "'d5499c66-e398-45ca-bf7e-dc9c194b48ce'");
        add("text", "text", "'a'", "'a '");
        add("text COLLATE public.nobody_cares", "text", "'a'", "'A'");
        add("varchar(9)", "varchar", "'a'", "'A'");
        add("char(4)", "bpchar", "'a'", "'b'");
        add("boolean", "bool", "true", "false");
        add("timestamp", "timestamp", "'2026-03-29 02:30:00.000001'", "'2026-03-29 02:30:00'");
        add("timestamptz", "timestamptz", "'2026-10-25 00:30:00+00'", "'2026-10-25 01:30:00+00'");
        add("timestamptz(3)", "timestamptz", "'infinity'", "'-infinity'");
        add("date", "date", "'2026-03-29'", "'2026-03-30'");
        add("numeric", "numeric", "1.10", "1.1");
        add("double precision", "float8", "0.1::float8 + 0.2::float8", "0.3");
        add("bytea", "bytea", "'\\x0102'", "'\\x0103'");
        add("jsonb", "jsonb", "'{\"a\": 1}'", "'{\"a\": 2}'");
        add("json", "json", "'{\"a\":1}'", "'{\"a\": 1}'");
        add("public.mood", "mood", "'sad'", "'glad'");
        add("int[]", "_int4", "'{1,2}'", "'{1,3}'");
        add("interval", "interval", "'1 day'", "'24 hours'");
        add("inet", "inet", "'10.0.0.1'", "'10.0.0.2'");
    }
    void anyTypeIsComparedExactly()
    {
        FETCH(QString, type, QString, name, QString, value, QString, other);
        Bench bench(Engine::Postgres);
        // A copied statement runs in a session with other settings, and with traps in its search path.
        const auto psql = server().connect(*bench.owner);
        const auto inPsql = [&psql](const QString& sql) { return runSql(*psql, sql); };
        if (type.contains(u"nobody_cares"_s)) {
            if (bench.ask(u"SELECT count(*) FROM pg_collation WHERE collprovider = 'i'"_s) == u"0"_s)
                QSKIP("This server was built without collations that compare loosely.");
            bench.run(
                u"CREATE COLLATION public.nobody_cares (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"_s);
        }
        bench.run(
            u"CREATE TYPE public.mood AS ENUM ('sad', 'glad'); CREATE TABLE public.typed (id int, value %1)"_s
                .arg(type));
        QVERIFY(inPsql(u"SET TimeZone = 'Europe/Berlin'"_s));
        QVERIFY(inPsql(u"SET search_path = public, pg_catalog"_s));
        auto names = std::make_shared<LockRowTable>();
        *names = {u"public"_s, u"typed"_s, {{u"id"_s, u"int4"_s}, {u"value"_s, name}}};
        bench.table = names;
        const auto match = matchOf(rowLock({u"value"_s, u"id"_s}));
        for (const bool isByHand : {false, true}) {
            bench.run(u"INSERT INTO public.typed VALUES (1, %1)"_s.arg(value));
            const auto shown = bench.shown(match);
            const QString byHand = releaseByHand(bench.profile, shown);
            const auto act = [&]() -> QString {
                if (!isByHand)
                    return whyNot(bench.admin->releaseEntry(shown, u"stuck"_s));
                const auto done = inPsql(byHand);
                return done ? QString() : done.error().toString();
            };
            bench.run(u"UPDATE public.typed SET value = %1"_s.arg(other));
            const QString refusal = act();
            QVERIFY2(isByHand ? refusal.isEmpty() : refusal.contains(u"was not released"_s),
                qPrintable(refusal + byHand));
            QCOMPARE(bench.ask(u"SELECT count(*) FROM public.typed"_s), u"1"_s);
            bench.run(u"UPDATE public.typed SET value = %1"_s.arg(value));
            const QString fault = act();
            QVERIFY2(fault.isEmpty(), qPrintable(fault + byHand));
            QVERIFY2(bench.ask(u"SELECT count(*) FROM public.typed"_s) == u"0"_s, qPrintable(byHand));
        }
    }

    void whatIsCopiedFreesTheSameRow_data() { addEngines(); }
    void whatIsCopiedFreesTheSameRow()
    {
        QFETCH(Engine, engine);
        Bench bench(engine);
        const auto shown = bench.shown(matchOf(changelog()));
        const QString statement = releaseByHand(bench.profile, shown);
        bench.run(u"UPDATE {table} SET lockedby = 'b'"_s);
        const QString before = bench.row();
        QVERIFY(runSql(*bench.connection, statement));
        QCOMPARE(bench.row(), before);
        bench.run(u"UPDATE {table} SET lockedby = 'app01 (10.0.0.1)'"_s);
        QVERIFY(runSql(*bench.connection, statement));
        QCOMPARE(bench.ask(u"SELECT count(*) FROM {table} WHERE lockedby IS NULL"_s), u"1"_s);
    }

    /// A user who may make triggers waits for somebody with more rights to change a row.
    void noStrangersCodeRuns_data()
    {
        QTest::addColumn<QString>("owner");
        QTest::addColumn<QString>("trap"); // {stranger}: the role that sets it
        QTest::addColumn<bool>("isApproved");
        QTest::addColumn<QString>("why"); // empty: it may be freed
        const QString function =
            u"CREATE FUNCTION public.spring() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.sprung VALUES (current_user); RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END; END $$;"_s;
        const QString trigger = function
            + u"CREATE TRIGGER trap BEFORE UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION public.spring();"_s;
        QTest::newRow("a stranger's table") << u"stranger"_s << QString() << false << u"its owner"_s;
        QTest::newRow("that was approved") << u"stranger"_s << QString() << true << QString();
        QTest::newRow("with a trigger") << u"stranger"_s << trigger << true << u"trigger trap"_s;
        QTest::newRow("with a rule")
            << u"stranger"_s
            << u"CREATE RULE trap AS ON UPDATE TO {table} DO ALSO INSERT INTO public.sprung VALUES (current_user);"_s
            << true << u"rule trap"_s;
        QTest::newRow("with a check of its own")
            << u"stranger"_s
            << u"CREATE FUNCTION public.fine(bool) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.sprung VALUES (current_user); RETURN true; END $$; ALTER TABLE {table} ADD CHECK (public.fine(locked)) NOT VALID;"_s
            << true << u"public.fine"_s;
        QTest::newRow("with statistics, which are computed with each plan")
            << u"stranger"_s
            << u"CREATE FUNCTION public.trap(bool) RETURNS bool IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN $1; END $$; CREATE STATISTICS public.planted ON (public.trap(locked)), id FROM {table};"_s
            << true << u"public.trap"_s;
        QTest::newRow("with an enum, which may get a cast to text")
            << u"stranger"_s
            << u"CREATE TYPE public.mine AS ENUM ('a'); ALTER TABLE {table} ADD COLUMN kind public.mine;"_s
            << true << u"column kind"_s;
        QTest::newRow("with row security")
            << u"stranger"_s << u"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;"_s << true
            << u"row security"_s;
        QTest::newRow("a stranger's trigger on our table")
            << u"me"_s << trigger << false << u"trigger trap"_s;
        QTest::newRow("one that is off")
            << u"me"_s << trigger + u"ALTER TABLE {table} DISABLE TRIGGER trap;"_s << false << QString();
        QTest::newRow("our own table") << u"me"_s << QString() << false << QString();
    }
    void noStrangersCodeRuns()
    {
        FETCH(QString, owner, QString, trap, bool, isApproved, QString, why);
        Bench bench(Engine::Postgres); // as a superuser
        const QString stranger =
            server().asRole(*bench.owner, u"GRANT CREATE ON SCHEMA public TO {role}"_s).user;
        bench.run(u"CREATE TABLE public.sprung (who text); GRANT ALL ON public.sprung TO PUBLIC;"_s);
        if (owner == u"stranger"_s)
            bench.run(u"ALTER TABLE {table} OWNER TO \"%1\""_s.arg(stranger));
        else
            bench.run(u"GRANT TRIGGER ON {table} TO \"%1\""_s.arg(stranger));
        if (!trap.isEmpty()) {
            const bool isAltered = trap.contains(u"DISABLE"_s); // that is the owner's to do
            bench.run(u"SET ROLE \"%1\"; %2 RESET ROLE; %3"_s.arg(stranger,
                isAltered ? trap.section(u"ALTER TABLE"_s, 0, 0) : trap,
                isAltered ? u"ALTER TABLE"_s + trap.section(u"ALTER TABLE"_s, 1) : QString()));
        }
        if (isApproved)
            bench.profile.approvedTables = {{u"public"_s, bench.table->table, stranger}};
        bench.reconnect();
        const auto done = bench.admin->releaseEntry(bench.shown(matchOf(changelog())), u"stuck"_s);
        QVERIFY2(done.has_value() == why.isEmpty(), qPrintable(whyNot(done)));
        QCOMPARE(bench.ask(u"SELECT count(*) FROM {table} WHERE locked"_s), why.isEmpty() ? u"0"_s : u"1"_s);
        QCOMPARE(bench.ask(u"SELECT count(*) FROM public.sprung"_s), u"0"_s);
        if (why.isEmpty())
            return;
        QCOMPARE(done.error().kind, ErrorKind::Permission);
        VERIFY_CONTAINS(whyNot(done), why);
        VERIFY_STARTS(bench.lastAct().outcome, u"refused: "_s);
    }

    /// The approval was for the table of one owner, not for another table of this name.
    void anotherOwnersTableWasNotApproved()
    {
        Bench bench(Engine::Postgres);
        const QString stranger = server().asRole(*bench.owner).user;
        bench.run(u"ALTER TABLE {table} OWNER TO \"%1\""_s.arg(stranger));
        bench.profile.approvedTables = {{u"public"_s, bench.table->table, u"somebody"_s}};
        bench.reconnect();
        VERIFY_FAILS(
            ErrorKind::Permission, bench.admin->releaseEntry(bench.shown(matchOf(changelog())), u"stuck"_s));
    }

    void theMissingRightIsNamed()
    {
        Bench bench(Engine::Postgres);
        const auto shown = bench.shown(matchOf(changelog()));
        bench.become(
            u"GRANT lockscope_operator TO {role}; GRANT SELECT ON public.databasechangeloglock TO {role}"_s);
        const auto done = bench.admin->releaseEntry(shown, u"stuck"_s);
        VERIFY_FAILS(ErrorKind::Permission, done);
        VERIFY_CONTAINS(whyNot(done), u"GRANT SELECT, UPDATE ON \"public\".\"databasechangeloglock\""_s);
        QVERIFY(bench.lastAct().outcome.startsWith(u"refused: "_s));
    }

    /// A transaction that changes the row is neither waited for nor held up.
    void aRowInUseIsNotWaitedFor()
    {
        Bench bench(Engine::Postgres);
        const auto shown = bench.shown(matchOf(changelog()));
        test::Session app(server(), *bench.owner);
        QVERIFY(app.begin(u"UPDATE public.databasechangeloglock SET lockedby = 'b'"_s));
        QElapsedTimer timer;
        timer.start();
        const auto done = bench.admin->releaseEntry(shown, u"stuck"_s);
        QVERIFY(!done);
        QVERIFY2(timer.elapsed() < 10'000, "it waited");
        VERIFY_CONTAINS(whyNot(done), u"right now"_s);
        QVERIFY(app.run(u"COMMIT"_s));
        VERIFY_FAILS(ErrorKind::Changed, bench.admin->releaseEntry(shown, u"stuck"_s));
    }
};

LOCKSCOPE_TEST(tst_FrameworkAct)

} // namespace tst_FrameworkAct
#include "tst_FrameworkAct.moc"
