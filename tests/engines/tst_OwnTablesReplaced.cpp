// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Our schema is dropped, or renamed, while programs use it, and somebody who may make schemas puts his own in
// its place: views for the tables, functions for the routines, all of the same names and columns. Programs
// that used ours before, hold a lock, wait, administer or record, run nothing of that.

#include "core/admin/ServerAdmin.h"
#include "core/locks/LeaseKeeper.h"
#include "core/locks/LockStrategy.h"
#include "core/monitor/SnapshotSource.h"
#include "core/record/postgres/HistorySchema.h"
#include "tests/support/Lockctl.h"
#include "tests/support/TestProgram.h"

namespace tst_OwnTablesReplaced {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::locks;
using namespace lockscope::test;

constexpr auto server = &TestServer::shared;

/// One statement a row: what makes, in the schema {schema}, of everything that is there one of the same name
/// that runs evil(). Read before the schema goes.
const QString copies =
    u"SELECT format('CREATE FUNCTION {schema}.evil(integer) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $f$ BEGIN RAISE LOG ''planted code ran: own for \"%%\"'', current_setting(''application_name''); RETURN NULL; END $f$') UNION ALL (SELECT format('CREATE VIEW {schema}.%I AS SELECT %s', c.relname, "
    "string_agg(format('{schema}.evil(%s)::%s AS %I', a.attnum, format_type(a.atttypid, NULL), a.attname), ', ' ORDER BY a.attnum)) FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid WHERE c.relnamespace = '{schema}'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition "
    "AND a.attnum > 0 AND NOT a.attisdropped GROUP BY c.relname) UNION ALL (SELECT format('CREATE FUNCTION {schema}.%I(%s) RETURNS %s IMMUTABLE LANGUAGE plpgsql AS $f$ BEGIN PERFORM {schema}.evil(1); RETURN%s; END $f$', p.proname, pg_get_function_arguments(p.oid), "
    "pg_get_function_result(p.oid), CASE WHEN p.proallargtypes IS NOT NULL OR p.proretset OR p.prorettype = 'void'::regtype THEN '' ELSE ' NULL' END) FROM pg_proc AS p WHERE p.pronamespace = '{schema}'::regnamespace AND p.prorettype <> 'trigger'::regtype)"_s;

/// Copies the form of our schema, and waits until it is gone.
struct Planter {
    Planter(const ServerUrl& database, const QString& replaced)
        : url(
            server().asRole(database, u"GRANT CREATE ON DATABASE \"%1\" TO {role}"_s.arg(database.database)))
        , schema(replaced)
    {
        orDie(runSql(*server().connect(database), QString(copies).replace(u"{schema}"_s, replaced), {},
            [this](const Row& row) { statements << row.text(0); }));
    }
    /// Those of a routine whose types went with the schema can't be made.
    int plant() const
    {
        const auto connection = server().connect(url);
        // Scripts are not guarded as our statements are.
        int made = connection->executeScript("CREATE SCHEMA " + schema.toUtf8()) ? 1 : 0;
        for (const QString& statement : statements)
            made += connection->executeScript(statement.toUtf8()) ? 1 : 0;
        server().run(url,
            u"GRANT ALL ON SCHEMA %1 TO PUBLIC; GRANT ALL ON ALL TABLES IN SCHEMA %1 TO PUBLIC"_s.arg(
                schema));
        return made;
    }

    ServerUrl url;
    QString schema;
    QStringList statements;
};

static bool hasRun(const QString& application = {})
{
    return server().log().contains(u"planted code ran: own for \""_s + application);
}

static AcquireRequest request(const QString& name, milliseconds wait = milliseconds(0))
{
    return {.name = name, .wait = wait, .lease = milliseconds(2'000)};
}

class OwnTablesReplaced : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingOfTheOtherSchemaRuns_data()
    {
        addRows<QString>("gone",
            {{"dropped", u"DROP SCHEMA lockscope CASCADE"_s},
                {"renamed", u"ALTER SCHEMA lockscope RENAME TO former"_s}});
    }
    void nothingOfTheOtherSchemaRuns()
    {
        QFETCH(QString, gone);
        const ServerUrl url = server().freshDatabase();
        const Planter mallory(url, u"lockscope"_s);
        const ServerProfile profile = profileOf(url);

        // All have used ours before, by statements that the server keeps.
        const auto source = monitor::makeSnapshotSource({profile, server().passwords()});
        QVERIFY(source->take());
        const auto connection = server().connect(url);
        const auto keeper = LeaseKeeper::create(server().at(url));
        std::atomic<int> losses = 0;
        auto strategy = LockStrategy::create(LockKind::Table, *connection, keeper).value();
        auto held = strategy->acquire(request(u"held"_s), {}, [&losses](LossReason) { ++losses; });
        QVERIFY(held && isGranted(held->outcome));
        auto other = strategy->acquire(request(u"other"_s));
        QVERIFY(other && isGranted(other->outcome));
        QVERIFY(source->take());
        const auto keys = server().connect(url);
        auto keyed = LockStrategy::create(LockKind::LockedKey, *keys).value();
        for (int i = 0; i < 2; ++i) {
            auto taken = locks::acquire(*keyed, request(u"key"_s));
            QVERIFY(taken && isGranted(taken->outcome) && taken->grant.release());
        }
        const auto administration = server().connect(url, {.purpose = Purpose::Admin});
        admin::ServerAdmin admin(*administration, profile);
        QVERIFY(admin.audit() && admin.previewPurge());

        server().run(url, gone);
        QVERIFY(mallory.plant() > 15);

        for (int i = 0; i < 3; ++i) {
            const auto taken = source->take();
            VERIFY_DONE(taken);
            QVERIFY((*taken)->entries.empty());
        }
        QVERIFY(waitUntil([&losses] { return losses > 0; })); // the keeper tried to renew
        QVERIFY(!held->grant.release());
        QVERIFY(!other->grant.release());
        for (int i = 0; i < 2; ++i) {
            VERIFY_FAILS(ErrorKind::Permission, strategy->acquire(request(u"n"_s)));
            QVERIFY(!locks::acquire(*keyed, request(u"key"_s)));
        }
        QVERIFY(!admin.audit() && !admin.previewPurge());
        LockTableEntry shown;
        shown.name = u"held"_s;
        QVERIFY(!admin.releaseEntry(shown, u"stuck"_s));
        QVERIFY(!hasRun());
    }

    /// A new installation is another schema, too; its waiters need no new connection.
    void oursMadeAgainIsUsedAtOnce()
    {
        const ServerUrl url = server().freshDatabase();
        const auto source = monitor::makeSnapshotSource({profileOf(url), server().passwords()});
        QVERIFY(source->take());
        const auto connection = server().connect(url);
        auto strategy = LockStrategy::create(LockKind::Table, *connection).value();
        QVERIFY(strategy->acquire(request(u"n"_s)).value().grant.release());
        server().run(url, u"DROP SCHEMA lockscope CASCADE"_s);
        VERIFY_FAILS(ErrorKind::MissingObject, strategy->acquire(request(u"n"_s)));
        QVERIFY(installSchema(*server().connect(url)));
        auto again = strategy->acquire(request(u"n"_s));
        VERIFY_DONE(again);
        QVERIFY(waitUntil([&source] { return !source->take().value()->entries.empty(); }));
        QVERIFY(again->grant.release());
        // Prepared statements are gone, and nobody said so.
        QVERIFY(connection->executeScript("DISCARD ALL"));
        QVERIFY(strategy->acquire(request(u"n"_s)).value().grant.release());
    }

    /// A user who may now create in it could add a function that fits better.
    void aRightThatWasGivenLaterIsSeen()
    {
        const ServerUrl url = server().freshDatabase();
        const auto connection = server().connect(url);
        auto strategy = LockStrategy::create(LockKind::Table, *connection).value();
        QVERIFY(strategy->acquire(request(u"n"_s)).value().grant.release());
        server().run(url, u"GRANT CREATE ON SCHEMA lockscope TO PUBLIC"_s);
        VERIFY_FAILS(ErrorKind::Permission, strategy->acquire(request(u"n"_s)));
    }

    void nothingOfTheOtherHistoryRuns()
    {
        const ServerUrl url = server().freshDatabase();
        QVERIFY(record::installHistory(*server().connect(url)));
        const Planter mallory(url, u"lockscope_history"_s);
        const auto reader = server().connect(url);
        QVERIFY(record::checkHistory(*reader));
        const auto& recordings = Statement::get("recording/postgres/history/recordings");
        QVERIFY(reader->execute(recordings));
        const QTemporaryDir folder;
        Lockctl lockctl(url.toString(), server().password());
        for (const QString& variable : {u"XDG_CONFIG_HOME"_s, u"XDG_STATE_HOME"_s, u"XDG_DATA_HOME"_s})
            lockctl.set(variable, folder.path());
        const auto recorder = lockctl.start(
            "record --interval 100ms --out %1 --into %2", folder.filePath(u"file"_s), url.toString());
        const auto observer = server().connect(url);
        QVERIFY(waitUntil([&observer] {
            return ask(*observer, u"SELECT (count(*) > 0)::int FROM lockscope_history.frame"_s) == u"1"_s;
        }));

        server().run(url, u"DROP SCHEMA lockscope_history CASCADE"_s);
        QVERIFY(mallory.plant() > 10);
        for (int i = 0; i < 2; ++i)
            QVERIFY(!reader->execute(recordings));
        QTest::qWait(2'000); // the recorder sends each second: it must have tried, and nothing tells of that
        recorder->terminate();
        QVERIFY(recorder->waitForFinished(20'000));
        QVERIFY(!hasRun());
    }

    /// This test comes last, because it leaves its mark in the log.
    void theTrapWorks()
    {
        const ServerUrl url = server().freshDatabase();
        const Planter mallory(url, u"lockscope"_s);
        server().run(url, u"DROP SCHEMA lockscope CASCADE"_s);
        mallory.plant();
        const auto control = server().connect(mallory.url);
        QVERIFY(control->executeScript(
            "SELECT * FROM lockscope.acquire_lock('n', 't', 1, false, 1, 'o', 'h', 'p', 1, 1)"));
        QVERIFY(waitUntil([] { return hasRun(); }));
    }
};

LOCKSCOPE_TEST(OwnTablesReplaced)

} // namespace tst_OwnTablesReplaced
#include "tst_OwnTablesReplaced.moc"
