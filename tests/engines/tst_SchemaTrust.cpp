// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A schema `lockscope` that somebody else made, or may change, is neither adopted nor called: the owner of a
// function or a trigger acts with the rights of everybody who uses it. PostgreSQL.

#include "core/admin/ServerAdmin.h"
#include "core/locks/LockStrategy.h"
#include "core/monitor/SnapshotSource.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_SchemaTrust {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::locks;
using namespace lockscope::test;

/// Runs with the rights of its caller, and says so.
const QString trap =
    u"LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.trapped VALUES (current_user); RETURN true; END $$"_s;
const QString triggerTrap =
    u"RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.trapped VALUES (current_user); RETURN NEW; END $$"_s;

/// Takes a lock and gives it back.
static Result<void> acquire(Connection& connection)
{
    const auto strategy = LockStrategy::create(LockKind::Table, connection).value();
    auto taken = strategy->acquire({.name = u"n"_s});
    if (!taken)
        return Failure(taken.error());
    return taken->grant.release();
}

class SchemaTrust : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_database = server().freshDatabase(TestServer::Schema::None);
        server().run(
            m_database, u"CREATE TABLE public.trapped (who text); GRANT ALL ON public.trapped TO PUBLIC"_s);
        m_mallory = server().asRole(m_database,
            u"GRANT CREATE ON DATABASE \"%1\" TO {role}; GRANT ALL ON SCHEMA public TO {role}"_s.arg(
                m_database.database));
    }
    void cleanup()
    {
        const auto connection = server().connect(m_database);
        QCOMPARE(ask(*connection, u"SELECT count(*) FROM public.trapped"_s), u"0"_s);
    }

    void aForeignSchemaIsNotAdopted()
    {
        asMallory(
            u"CREATE SCHEMA lockscope;CREATE TABLE lockscope.schema_version (version int, installed_at timestamptz);CREATE TABLE lockscope.lock_entry (name text PRIMARY KEY, token text, expires_at timestamptz);CREATE FUNCTION lockscope.release_lock(text, text) RETURNS boolean "_s
            + trap);
        const auto connection = server().connect(m_database);
        const auto refused = installSchema(*connection);
        VERIFY_FAILS(ErrorKind::Permission, refused);
        QVERIFY2(refused.error().detail.contains(m_mallory.user), qPrintable(refused.error().toString()));
        QCOMPARE(ask(*connection, u"SELECT to_regclass('lockscope.audit_log')::text"_s), QString());
    }

    void notEvenATableOfHisIsRead()
    {
        // Planning a query evaluates what its indexes are made of.
        asMallory(
            u"CREATE SCHEMA lockscope;CREATE TABLE lockscope.schema_version (version int PRIMARY KEY, installed_at timestamptz);CREATE TABLE lockscope.lock_entry (name text, token_start text, fencing bigint, acquired_at timestamptz, "
            "expires_at timestamptz, owner text, host text, program text, process_id bigint, session_id int);CREATE FUNCTION lockscope.log() RETURNS boolean "_s
            + trap
            + u";CREATE FUNCTION lockscope.evil(bigint) RETURNS bigint IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'SELECT lockscope.log()'; RETURN 1; END $$;CREATE INDEX ON lockscope.lock_entry (lockscope.evil(process_id));"_s);
        server().run(m_database, u"TRUNCATE public.trapped"_s); // making the index was his own business
        const ServerProfile profile = profileOf(m_database);
        const auto snapshot =
            monitor::makeSnapshotSource({profile, server().passwords()})->take(std::stop_token());
        QVERIFY(snapshot);
        QVERIFY((*snapshot)->isIncomplete());
        const auto connection = server().connect(m_database);
        admin::ServerAdmin admin(*connection, {});
        VERIFY_FAILS(ErrorKind::Permission, admin.previewPurge());
        VERIFY_FAILS(ErrorKind::Permission, admin.audit());
        QVERIFY(!previewUninstall(*connection));
    }

    void theScriptRefusesByItself_data()
    {
        QTest::addColumn<QString>("made");
        QTest::newRow("the whole schema") << u"CREATE SCHEMA lockscope"_s;
        QTest::newRow("a function in it")
            << u"CREATE SCHEMA lockscope; CREATE FUNCTION lockscope.leave_queue(text, text) RETURNS boolean "_s
                + trap;
    }
    void theScriptRefusesByItself()
    {
        QFETCH(QString, made);
        asMallory(made);
        const auto connection = server().connect(m_database);
        const auto refused = connection->executeScript(Statement::get("postgres/install.sql").sql());
        QVERIFY(!refused);
        QVERIFY2(refused.error().detail.contains(m_mallory.user), qPrintable(refused.error().toString()));
    }

    void somethingElseOfTheSameNameIsNoSchemaOfOurs()
    {
        server().run(m_database, u"CREATE SCHEMA lockscope; CREATE TABLE lockscope.lock_entry (name text)"_s);
        const auto refused = installSchema(*server().connect(m_database));
        QVERIFY(!refused);
        QVERIFY2(refused.error().detail.contains(u"not those of Lockscope"_s),
            qPrintable(refused.error().toString()));
    }

    void whatIsPlantedLaterIsFound_data()
    {
        QTest::addColumn<QString>("planted");
        const auto row = [](const char* name, const QString& sql) { QTest::newRow(name) << sql; };
        row("a function",
            u"CREATE FUNCTION lockscope.release_lock(name, name) RETURNS boolean "_s + trap
                + u"; ALTER FUNCTION lockscope.release_lock(name, name) OWNER TO {mallory}"_s);
        row("a table",
            u"CREATE TABLE lockscope.mine (a int); ALTER TABLE lockscope.mine OWNER TO {mallory}"_s);
        row("a type",
            u"CREATE TYPE lockscope.text AS ENUM ('a'); ALTER TYPE lockscope.text OWNER TO {mallory}"_s);
        row("a trigger",
            u"CREATE FUNCTION public.planted() "_s + triggerTrap
                + u"; CREATE TRIGGER planted BEFORE INSERT ON lockscope.lock_entry FOR EACH ROW EXECUTE FUNCTION public.planted()"_s);
        row("row security", u"ALTER TABLE lockscope.lock_entry ENABLE ROW LEVEL SECURITY"_s);
        row("a rule", u"CREATE RULE planted AS ON DELETE TO lockscope.lock_entry DO ALSO NOTIFY planted"_s);
        row("the right to create", u"GRANT CREATE ON SCHEMA lockscope TO {mallory}"_s);
        row("the right to create, for all", u"GRANT CREATE ON SCHEMA lockscope TO PUBLIC"_s);
        row("the right to trigger", u"GRANT TRIGGER ON lockscope.audit_log TO {mallory}"_s);
        // Nothing of his is in the schema, but something there leads to it.
        const auto leading = [&row](const char* name, const QString& sql) {
            row(name,
                u"CREATE FUNCTION public.evil(text) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true';ALTER FUNCTION public.evil(text) OWNER TO {mallory};"_s
                    + sql);
        };
        leading("an index", u"CREATE INDEX ON lockscope.lock_entry (public.evil(owner))"_s);
        leading("a part of an index", u"CREATE INDEX ON lockscope.audit_log (id) WHERE public.evil(who)"_s);
        leading("a check", u"ALTER TABLE lockscope.lock_entry ADD CHECK (public.evil(owner))"_s);
        leading(
            "a default", u"ALTER TABLE lockscope.lock_entry ALTER host SET DEFAULT public.evil('')::text"_s);
        leading("a generated column",
            u"ALTER TABLE lockscope.lock_entry ADD g boolean GENERATED ALWAYS AS (public.evil(owner)) STORED"_s);
        leading("statistics",
            u"CREATE STATISTICS public.s ON (public.evil(owner)), host FROM lockscope.lock_entry"_s);
        leading("a domain",
            u"CREATE DOMAIN public.d AS text CHECK (public.evil(VALUE)); ALTER DOMAIN public.d OWNER TO {mallory}; ALTER TABLE lockscope.lock_entry ADD d public.d"_s);
        leading("a view",
            u"CREATE OR REPLACE VIEW lockscope.stale AS SELECT e.name, e.owner, e.host, e.program, e.process_id, e.session_id, e.acquired_at, e.expires_at, '1 s'::interval AS stale_for FROM lockscope.lock_entry AS e WHERE public.evil(e.name)"_s);
        leading(
            "another schema's view in the way", u"CREATE VIEW lockscope.other AS SELECT public.evil('x')"_s);
        leading("a condition of a trigger",
            u"CREATE TRIGGER t BEFORE DELETE ON lockscope.lock_entry FOR EACH ROW WHEN (public.evil(OLD.name)) EXECUTE FUNCTION lockscope.lock_entry_freed()"_s);
        row("a condition that runs a text",
            u"CREATE TRIGGER t BEFORE DELETE ON lockscope.lock_entry FOR EACH ROW WHEN (query_to_xml(OLD.name, true, true, '') IS NOT NULL) EXECUTE FUNCTION lockscope.lock_entry_freed()"_s);
        row("arguments of a trigger",
            u"CREATE TRIGGER t BEFORE DELETE ON lockscope.lock_entry FOR EACH ROW EXECUTE FUNCTION lockscope.lock_entry_freed('x')"_s);
        row("a table that refers to it",
            u"CREATE TABLE public.follower (name text REFERENCES lockscope.lock_entry ON DELETE CASCADE); ALTER TABLE public.follower OWNER TO {mallory}"_s);
        row("a table that inherits from it",
            u"CREATE TABLE public.heir () INHERITS (lockscope.lock_entry); ALTER TABLE public.heir OWNER TO {mallory}"_s);
        row("a function of the system", u"ALTER FUNCTION pg_catalog.lower(text) OWNER TO {mallory}"_s);
        row("a language of the system", u"ALTER LANGUAGE plpgsql OWNER TO {mallory}"_s);
        row("a type of the system", u"ALTER TYPE pg_catalog.bool OWNER TO {mallory}"_s);
    }
    void whatIsPlantedLaterIsFound()
    {
        QFETCH(QString, planted);
        QVERIFY(installSchema(*server().connect(m_database)));
        QVERIFY(acquire(*server().connect(m_database)));
        server().run(m_database, planted.replace(u"{mallory}"_s, u'"' + m_mallory.user + u'"'));

        const auto connection = server().connect(m_database);
        VERIFY_FAILS(ErrorKind::Permission, acquire(*connection));
        QVERIFY(!installSchema(*connection));
        QVERIFY(!uninstallSchema(*connection));
        LockTableEntry shown;
        shown.name = u"n"_s;
        VERIFY_FAILS(
            ErrorKind::Permission, admin::ServerAdmin(*connection, {}).releaseEntry(shown, u"stuck"_s));
    }

    void aSuperuserCallsNoFunctionsOfOrdinaryPeople()
    {
        const auto app = server().connect(m_mallory);
        VERIFY_DONE(installSchema(*app));
        QVERIFY(acquire(*app)); // it is his own
        const auto refused = acquire(*server().connect(m_database));
        VERIFY_FAILS(ErrorKind::Permission, refused);
        QVERIFY(refused.error().detail.contains(m_mallory.user));
        QVERIFY(refused.error().hint.contains(u"schema_owner"_s));
    }

    void whoIsTrustedByNameIsCalled()
    {
        QVERIFY(installSchema(*server().connect(m_mallory)));
        ServerUrl trusting = m_database;
        trusting.options.insert(u"schema_owner"_s, m_mallory.user);
        VERIFY_DONE(acquire(*server().connect(trusting)));
    }

    void otherPeopleTrustTheOwnerOfTheDatabaseOnly()
    {
        QVERIFY(installSchema(*server().connect(m_mallory)));
        const QString grants =
            u"GRANT USAGE ON SCHEMA lockscope TO {role}; GRANT ALL ON ALL TABLES IN SCHEMA lockscope TO {role}; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA lockscope TO {role}; REVOKE TRIGGER ON ALL TABLES IN SCHEMA lockscope FROM {role}"_s;
        const ServerUrl user = server().asRole(m_database, grants);
        VERIFY_FAILS(ErrorKind::Permission, acquire(*server().connect(user)));
        server().run(
            m_database, u"ALTER DATABASE \"%1\" OWNER TO \"%2\""_s.arg(m_database.database, m_mallory.user));
        VERIFY_DONE(acquire(*server().connect(user)));
    }

private:
    static TestServer& server() { return TestServer::shared(); }
    void asMallory(const QString& sql) const
    {
        VERIFY_DONE(server().connect(m_mallory)->executeScript(sql.toUtf8()));
    }

    ServerUrl m_database;
    ServerUrl m_mallory;
};

LOCKSCOPE_TEST(SchemaTrust)

} // namespace tst_SchemaTrust
#include "tst_SchemaTrust.moc"
