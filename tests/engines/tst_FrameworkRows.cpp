// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/SnapshotComparison.h"
#include "core/frameworks/FrameworkFile.h"
#include "core/monitor/FrameworkProbe.h"
#include "core/monitor/SnapshotSource.h"
#include "tests/support/Standby.h"
#include "tests/support/TestProgram.h"

namespace tst_FrameworkRows {

using namespace lockscope;
using namespace lockscope::test;
using frameworks::FoundTable;
using frameworks::FoundTablePtr;
using frameworks::RowLock;
using frameworks::RowLocks;

/// A file with one lock that is a row; `lock` in the words of the format, with ' for ".
static frameworks::CataloguePtr catalogueOf(const QString& lock, const QString& table, const QString& engines)
{
    const QString text =
        u"{'format': 1, 'name': 'Some', 'about': 'A.', 'locks': [{'id': 'row', 'name': 'some lock', 'kind': 'row', 'engines': [%1], 'purpose': 'p', 'ends': 'e', 'danger': 'd', 'table': %2, 'row': %3}]}"_s
            .arg(engines, table, lock);
    auto framework =
        orDie(frameworks::readFrameworkFile(u"some.json"_s, QString(text).replace(u'\'', u'"').toUtf8()));
    auto catalogue = std::make_shared<frameworks::Catalogue>();
    catalogue->frameworks.push_back(std::make_shared<const Framework>(std::move(framework)));
    return catalogue;
}

/// A database with stub tables, and the snapshots of it.
class Bench {
public:
    explicit Bench(Engine engine, const QString& sql = {})
    {
        if (engine == Engine::Postgres) {
            url = TestServer::shared().freshDatabase(TestServer::Schema::None);
        } else {
            url.engine = engine;
            url.database = freshPath(u"frameworks.db"_s);
        }
        if (engine == Engine::Postgres && !sql.isEmpty()) // by who finds names in `public`
            TestServer::shared().run(url, QString(sql).replace(u"{database}"_s, url.database));
        connection = connect();
        if (engine != Engine::Postgres && !sql.isEmpty())
            orDie(connection->executeScript(sql.toUtf8()));
    }

    std::unique_ptr<db::Connection> connect(const QString& user = {}) const
    {
        db::ServerUrl as = url;
        if (!user.isEmpty())
            as.user = user;
        if (url.engine == Engine::Postgres)
            return orDie(TestServer::shared().at(as).connect());
        return openFile(as);
    }

    std::vector<FoundTablePtr> find(const frameworks::CataloguePtr& catalogue) const
    {
        const db::ServerProfile profile = profileOf(url);
        return find(catalogue, profile, *connection);
    }
    static std::vector<FoundTablePtr> find(const frameworks::CataloguePtr& catalogue,
        const db::ServerProfile& profile, db::Connection& connection)
    {
        frameworks::TableSearch search(connection.dialect(), catalogue, profile);
        for (const auto& result : connection.executeBatch(search.items()))
            orDie(result);
        orDie(search.judgeReferring(connection));
        return search.found();
    }

    /// The rows that hold a lock, by the one statement of the one table that was found.
    std::vector<RowLock> rows(const frameworks::CataloguePtr& catalogue, qint64 limit = 1'000) const
    {
        const auto found = find(catalogue);
        if (found.size() != 1)
            qFatal("%zu tables were found", found.size());
        const RowLocks reading(connection->dialect(), found.front(), frameworks::matchOf(*found.front()),
            RowLocks::Times::AsStored, limit);
        std::vector<RowLock> rows;
        orDie(connection->execute(reading.statement(), reading.params(),
            [&](const db::Row& row) { rows.push_back(reading.read(row)); }));
        std::erase_if(rows, [this](const RowLock& row) { return !row.isHeld(now()); });
        return rows;
    }
    ServerTime now() const
    {
        ServerTime now;
        const char* clock =
            url.engine == Engine::Postgres ? "postgres/monitor/clock" : "sqlite/monitor/clock";
        orDie(connection->execute(
            db::Statement::get(clock), {}, [&now](const db::Row& row) { now = row.time(0); }));
        return now;
    }

    db::ServerUrl url;
    std::unique_ptr<db::Connection> connection;
};

/// "name host pid since expires stored …": of each row, with times as how many seconds they are ago.
static QStringList rowTexts(const Bench& bench, const std::vector<RowLock>& rows)
{
    QStringList lines;
    const ServerTime now = bench.now();
    const auto ago = [now](std::optional<ServerTime> time) {
        if (!time || !time->isValid())
            return u"-"_s;
        // The test may take its time.
        const auto seconds = std::chrono::round<std::chrono::minutes>(now - *time).count();
        return u"%1 min"_s.arg(seconds);
    };
    for (const RowLock& row : rows) {
        const LockTableEntry& entry = row.entry;
        QString line = QStringList{entry.name, entry.party.host, QString::number(entry.party.processId),
            ago(entry.acquiredAt), ago(entry.expiresAt), ago(entry.heartbeat)}
                           .join(u" | "_s);
        if (entry.isBad())
            line += u" | BAD "_s + entry.badRow;
        lines << line;
    }
    return lines;
}

const QString liquibaseTable =
    u"CREATE TABLE databasechangeloglock (id int PRIMARY KEY, locked boolean NOT NULL, lockgranted timestamp, lockedby varchar(255)); INSERT INTO databasechangeloglock VALUES (1, true, now(), 'build-7 (10.0.0.5)');"_s;
const QString both = u"'postgres', 'sqlite'"_s;

/// Tables of made-up frameworks; tst_FrameworkExamples tests those of the shipped files.
class tst_FrameworkRows : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void reads_data()
    {
        addColumns<Engine, QString, QString, QString, QStringList>(
            "engine", "table", "row", "sql", "expected");
        const auto add = [](const char* name, Engine engine, const char* table, const char* row,
                             const char* sql, const QStringList& expected) {
            test::row(name, engine, QString::fromUtf8(table), QString::fromUtf8(row), QString::fromUtf8(sql),
                expected);
        };
        add("a truth value for a number", Engine::Postgres,
            "{'names': ['migrations_lock'], 'columns': ['index', 'is_locked']}",
            "{'held': [{'column': 'is_locked', 'is': 1}], 'compare': ['index', 'is_locked'], 'update': {'is_locked': 0}}",
            "CREATE TABLE migrations_lock (index int, is_locked boolean); INSERT INTO migrations_lock VALUES (1, true), (2, false)",
            {u"some lock |  | 0 | - | - | -"_s});
        add("a text of ISO 8601", Engine::Postgres, "{'names': ['locks'], 'columns': ['id', 'until']}",
            "{'held': [{'column': 'until', 'future': 'iso text'}], 'name': '{id}', 'expires': {'column': 'until', 'clock': 'iso text'}, 'compare': ['id', 'until'], 'delete': true}",
            "CREATE TABLE locks (id int, until text); INSERT INTO locks VALUES (1, to_char(now() AT TIME ZONE 'utc' + interval '3 min', 'YYYY-MM-DD HH24:MI:SS.MS') || '+00:00'), (2, '2020-01-01T00:00:00Z'), (3, 'soon'), (4, NULL)",
            {u"1 |  | 0 | - | -3 min | -"_s, u"3 |  | 0 | - | - | - | BAD until is 'soon'"_s});
        add("the server's local time", Engine::Postgres, "{'names': ['locks'], 'columns': ['id', 'at']}",
            "{'name': '{id}', 'since': {'column': 'at', 'clock': 'server'}, 'compare': ['id', 'at'], 'delete': true}",
            "ALTER DATABASE {database} SET timezone = 'Asia/Kolkata'; SET timezone = 'Asia/Kolkata'; CREATE TABLE locks (id int, at timestamp); INSERT INTO locks VALUES (1, localtimestamp - interval '8 min'), (2, 'infinity'), (3, NULL)",
            {u"1 |  | 0 | 8 min | - | -"_s, u"2 |  | 0 | - | - | - | BAD at is 'infinity'"_s,
                u"3 |  | 0 | - | - | -"_s});
        add("what nobody but the client can reckon", Engine::Postgres,
            "{'names': ['int_lock'], 'columns': ['lock_key']}",
            "{'name': '{lock_key}', 'expires': {'column': 'expired_after', 'clock': 'application'}, 'compare': ['lock_key', 'expired_after'], 'delete': true}",
            "CREATE TABLE int_lock (lock_key char(36), expired_after timestamp); INSERT INTO int_lock VALUES ('k', '2000-01-01')",
            {u"k |  | 0 | - | - | -"_s});
        add("a name of an enum's", Engine::Postgres, "{'names': ['jobs'], 'columns': ['id', 'status']}",
            "{'held': [{'column': 'status', 'is': 'doing'}, {'column': 'kind', 'is_not': 'x'}], 'name': '{task} {id}', 'compare': ['id', 'status'], 'never': true}",
            "CREATE TYPE job_status AS ENUM ('todo', 'doing'); CREATE TABLE jobs (id int, status job_status, task text, kind text); INSERT INTO jobs VALUES (1, 'doing', 'mail', NULL), (2, 'todo', 'mail', NULL), (3, 'doing', 'mail', 'x')",
            {u"mail 1 |  | 0 | - | - | -"_s});
    }
    void reads()
    {
        FETCH(const Engine, engine, const QString, table, const QString, row, const QString, sql);
        const Bench bench(engine, sql);
        const auto rows = bench.rows(catalogueOf(row, table, both));
        QTEST(rowTexts(bench, rows), "expected");
    }

    void processesThatAreClosedToUsCloseNoLock_data()
    {
        QTest::addColumn<QString>("rights");
        row("no right to read them", QString());
        row("row security would hide those that live",
            "; GRANT SELECT ON public.processes TO {role}; ALTER TABLE public.processes ENABLE ROW LEVEL SECURITY");
    }
    void processesThatAreClosedToUsCloseNoLock()
    {
        QFETCH(const QString, rights);
        auto& server = TestServer::shared();
        const Bench bench(Engine::Postgres,
            u"CREATE TABLE public.processes (id int); CREATE TABLE public.claims (job int, process int); INSERT INTO public.processes VALUES (7); INSERT INTO public.claims VALUES (1, 7)"_s);
        const auto reader = server.asRole(bench.url, u"GRANT SELECT ON public.claims TO {role}"_s + rights);
        const auto catalogue = catalogueOf(
            u"{'process': {'table': 'processes', 'key': 'id', 'from': 'process'}, 'compare': ['job', 'process'], 'never': true}"_s,
            u"{'names': ['claims'], 'columns': ['job', 'process']}"_s, both);
        const db::ServerProfile profile = profileOf(reader);
        const auto connection = orDie(server.at(reader).connect());
        const auto found = Bench::find(catalogue, profile, *connection);
        QCOMPARE(found.size(), 1u);
        QCOMPARE(found[0]->access, FoundTable::Access::Readable);
        QVERIFY(!found[0]->processes);
        const RowLocks reading(connection->dialect(), found[0], frameworks::matchOf(*found[0]));
        QStringList lives;
        orDie(connection->execute(reading.statement(), reading.params(), [&](const db::Row& row) {
            lives << judgeHolder(reading.read(row).signs, {}, SessionsSeen::All, bench.now()).life.evidence;
        }));
        COMPARE_TEXTS(lives, "The table does not say who holds it.");
    }

    void whatIsComparedComesAsItIsStored()
    {
        const Bench bench(Engine::Postgres,
            u"ALTER DATABASE {database} SET timezone = 'Asia/Kolkata'; ALTER DATABASE {database} SET bytea_output = 'escape'; CREATE TABLE locks (id uuid, free boolean, body bytea, at timestamptz, none int); INSERT INTO locks VALUES "
            u"('6f9619ff-8b86-d011-b42d-00c04fc964ff', false, '\\xff00', '2026-01-02 03:04:05.678901+00', NULL)"_s);
        const auto rows =
            bench.rows(catalogueOf(u"{'compare': ['id', 'free', 'at', 'none'], 'delete': true}"_s,
                u"{'names': ['locks'], 'columns': ['id', 'none']}"_s, both));
        QCOMPARE(rows.size(), 1u);
        const QStringList& stored = rows[0].entry.stored;
        COMPARE_TEXTS(
            stored.first(3), "6f9619ff-8b86-d011-b42d-00c04fc964ff", "false", "2026-01-02 03:04:05.678901");
        QVERIFY(stored[3].isNull());
        QCOMPARE(rows[0].entry.source->table, u"locks"_s);
        QCOMPARE(rows[0].entry.source->column(u"AT"_s)->type, u"timestamptz"_s);
    }

    void moreThanTheLimitIsCounted_data()
    {
        addRows<Engine>("engine", {{"PostgreSQL", Engine::Postgres}, {"SQLite", Engine::Sqlite}});
    }
    void moreThanTheLimitIsCounted()
    {
        QFETCH(const Engine, engine);
        const Bench bench(engine,
            u"CREATE TABLE locks (id int, locked int); INSERT INTO locks VALUES (1, 1), (2, 1), (3, 1), (4, 0), (5, 1)"_s);
        const auto rows = bench.rows(
            catalogueOf(
                u"{'held': [{'column': 'locked', 'is': 1}], 'name': '{id}', 'compare': ['id', 'locked'], 'delete': true}"_s,
                u"{'names': ['locks'], 'columns': ['id']}"_s, both),
            3);
        QCOMPARE(rows.size(), 3u);
        QCOMPARE(rows[0].rows, 4);
    }

    void tablesAreFoundByNameAndColumnsInEachSchema()
    {
        const Bench bench(Engine::Postgres,
            u"CREATE SCHEMA a; CREATE SCHEMA b; CREATE TABLE a.locks (id int, \"Until\" timestamp); CREATE TABLE b.\"LOCKS\" (\"ID\" int, until timestamp); CREATE TABLE public.locks (id int); CREATE TABLE a.other (id int, until timestamp); CREATE TABLE b.locks (id int, until timestamp, extra int)"_s);
        const auto names = [&](const QString& table) {
            QStringList all;
            for (const FoundTablePtr& found :
                bench.find(catalogueOf(u"{'compare': ['id', 'until'], 'delete': true}"_s, table, both)))
                all << found->shown;
            return all;
        };
        COMPARE_TEXTS(
            names(u"{'names': ['locks'], 'columns': ['until']}"_s), "a.locks", "b.LOCKS", "b.locks");
        COMPARE_TEXTS(
            names(u"{'names': ['locks'], 'schemas': ['B'], 'columns': ['until'], 'without': ['extra']}"_s),
            "b.LOCKS");
        COMPARE_TEXTS(names(u"{'columns': ['id', 'until', 'extra']}"_s), "b.locks");
        COMPARE_TEXTS(names(u"{'names': ['o*r'], 'columns': ['until']}"_s), "a.other");
        COMPARE_TEXTS(names(u"{'names': ['O*']}"_s), "a.other");
    }

    void onlyTablesOfThoseWhomWeTrustAreReadByThemselves()
    {
        auto& server = TestServer::shared();
        const Bench bench(Engine::Postgres, u"CREATE SCHEMA app"_s);
        const auto ann = server.asRole(bench.url, u"GRANT USAGE ON SCHEMA app TO {role}"_s);
        const auto app = server.asRole(
            bench.url, u"GRANT USAGE, CREATE ON SCHEMA app TO {role}; GRANT {role} TO %1"_s.arg(ann.user));
        const auto mallory = server.asRole(bench.url,
            u"GRANT USAGE, CREATE ON SCHEMA app TO {role}; GRANT USAGE, CREATE ON SCHEMA public TO {role}"_s);
        const auto make = [&](const db::ServerUrl& as, const QString& sql) {
            orDie(orDie(server.at(as).connect())->executeScript(sql.toUtf8()));
        };
        make(bench.url, u"CREATE TABLE app.locks1 (id int); GRANT SELECT ON app.locks1 TO PUBLIC"_s);
        make(app, u"CREATE TABLE app.locks2 (id int); GRANT SELECT ON app.locks2 TO PUBLIC"_s);
        make(mallory,
            u"CREATE TABLE app.locks3 (id int); GRANT SELECT ON app.locks3 TO PUBLIC; CREATE TYPE public.mine AS ENUM ('a')"_s);
        make(app,
            u"CREATE VIEW app.locks4 AS SELECT 1 AS id; GRANT SELECT ON app.locks4 TO PUBLIC; CREATE TABLE app.locks5 (id int); CREATE TABLE app.locks6 (id int, other public.mine); GRANT SELECT ON app.locks6 TO PUBLIC; CREATE TABLE app.locks7 (id int); ALTER TABLE app.locks7 ENABLE ROW LEVEL "
            u"SECURITY; ALTER TABLE app.locks7 FORCE ROW LEVEL SECURITY; GRANT SELECT ON app.locks7 TO PUBLIC"_s);
        const auto catalogue = catalogueOf(
            u"{'compare': ['id'], 'delete': true}"_s, u"{'names': ['locks*'], 'columns': ['id']}"_s, both);
        db::ServerProfile profile;
        const auto access = [&](const db::ServerUrl& as) {
            profile.url = as;
            QString all;
            for (const FoundTablePtr& found :
                Bench::find(catalogue, profile, *orDie(server.at(as).connect())))
                all += QStringList{u"R"_s, u"F"_s, u"N"_s}[int(found->access)];
            return all;
        };
        // Ann is a member of app's role; the superuser is nobody's.
        QCOMPARE(access(ann), u"RRNNRNN"_s);
        QCOMPARE(access(bench.url), u"RNNNNNN"_s);
        QCOMPARE(access(mallory), u"RNRNFNN"_s);
        profile.approvedTables = {
            {u"app"_s, u"locks3"_s, mallory.user}, {u"app"_s, u"locks2"_s, mallory.user}};
        QCOMPARE(access(ann), u"RRRNRNN"_s);
        QCOMPARE(access(bench.url), u"RNRNNNN"_s); // locks2 got another owner since
        profile.approvedTables.clear();
        // The owner of the schema can replace our table.
        make(bench.url,
            u"CREATE SCHEMA theirs AUTHORIZATION %1; CREATE TABLE theirs.locks8 (id int)"_s.arg(
                mallory.user));
        QCOMPARE(access(bench.url), u"RNNNNNNN"_s);
        make(bench.url, u"DROP SCHEMA theirs CASCADE"_s);
        db::ServerUrl trusting = bench.url;
        trusting.options.insert(u"schema_owner"_s, app.user);
        QCOMPARE(access(trusting), u"RRNNRNR"_s); // a superuser is subject to no row security
    }

    void aStrangersIndexRunsNothingWithOurRights()
    {
        auto& server = TestServer::shared();
        const QTemporaryDir sprung;
        // The server writes there, with an account of its own.
        QVERIFY(QFile::setPermissions(sprung.path(), QFile::Permissions(0x7777)));
        const QString trap = sprung.filePath(u"trap"_s);
        const Bench bench(Engine::Postgres);
        const auto mallory = server.asRole(bench.url, u"GRANT USAGE, CREATE ON SCHEMA public TO {role}"_s);
        // Planning a query of the table computes the constants in its indexes.
        const QString planted = QString(
            u"CREATE TABLE public.databasechangeloglock (id int PRIMARY KEY, locked boolean NOT NULL, lockgranted timestamp, lockedby varchar(255)); GRANT SELECT ON public.databasechangeloglock TO PUBLIC; INSERT INTO public.databasechangeloglock VALUES (1, true, now(), 'x');"
            u"CREATE FUNCTION public.spring() RETURNS int VOLATILE LANGUAGE plpgsql AS $$ BEGIN IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN EXECUTE format('COPY (SELECT 1) TO %L', '{file}'); END IF; RETURN 1; END $$;"
            u"CREATE FUNCTION public.trap(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM public.spring(); RETURN $1; END $$;CREATE INDEX ON public.databasechangeloglock ((public.trap(1)), id);"_s)
                                    .replace(u"{file}"_s, trap);
        orDie(orDie(server.at(mallory).connect())->executeScript(planted.toUtf8()));
        const auto sprang = [&] { return QFile::remove(trap); };
        const auto superuser = orDie(server.at(bench.url).connect());
        orDie(runSql(*superuser, u"SELECT id FROM public.databasechangeloglock WHERE id = 1"_s));
        QVERIFY(sprang()); // the trap works

        db::ServerProfile profile = profileOf(bench.url);
        const auto source = monitor::makeSnapshotSource({profile, server.passwords()});
        for (int poll = 0; poll < 3; ++poll) {
            const SnapshotPtr taken = orDie(source->take());
            QCOMPARE(taken->entries.size(), 0u);
            QCOMPARE(taken->unreadTables.size(), 1u);
            QCOMPARE(taken->unreadTables[0].display(), u"public.databasechangeloglock"_s);
            QCOMPARE(taken->unreadTables[0].owner, mallory.user);
            QCOMPARE(taken->unreadTables[0].framework->frameworkName, u"Liquibase"_s);
            QVERIFY(taken->unreadTables[0].reason.contains(mallory.user));
            QVERIFY(taken->unreadTables[0].canBeApproved);
        }
        QVERIFY(!sprang());
        // An approved table is read by a statement that runs no code.
        profile.approvedTables = {{u"public"_s, u"databasechangeloglock"_s, mallory.user}};
        QCOMPARE(
            orDie(monitor::makeSnapshotSource({profile, server.passwords()})->take())->entries.size(), 1u);
        QVERIFY(!sprang());
    }

    void rowSecurityCantBeAllowedAway()
    {
        auto& server = TestServer::shared();
        const Bench bench(Engine::Postgres, liquibaseTable);
        const auto reader =
            server.asRole(bench.url, u"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}"_s);
        const auto table = orDie(monitor::makeSnapshotSource({profileOf(reader), server.passwords()})->take())
                               ->entries.front()
                               .source;
        server.run(bench.url,
            u"ALTER TABLE \"%1\".\"%2\" ENABLE ROW LEVEL SECURITY"_s.arg(table->schema, table->table));
        db::ServerProfile profile = profileOf(reader);
        for (int allowed = 0; allowed < 2; ++allowed) {
            const SnapshotPtr taken =
                orDie(monitor::makeSnapshotSource({profile, server.passwords()})->take());
            QVERIFY(taken->entries.empty());
            QCOMPARE(taken->unreadTables.size(), 1u);
            QVERIFY(!taken->unreadTables[0].canBeApproved);
            VERIFY_CONTAINS(taken->unreadTables[0].reason, u"row security"_s);
            profile.approvedTables = {{table->schema, table->table, taken->unreadTables[0].owner}};
        }
    }

    void ofALargeTableItsSizeIsTheReason()
    {
        auto& server = TestServer::shared();
        const Bench bench(Engine::Postgres, liquibaseTable);
        const auto table =
            orDie(monitor::makeSnapshotSource({profileOf(bench.url), server.passwords()})->take())
                ->entries.front()
                .source;
        server.run(bench.url,
            u"UPDATE pg_catalog.pg_class SET reltuples = 5000000 WHERE oid = '\"%1\".\"%2\"'::regclass"_s.arg(
                table->schema, table->table));
        db::ServerProfile profile = profileOf(bench.url);
        const SnapshotPtr taken = orDie(monitor::makeSnapshotSource({profile, server.passwords()})->take());
        QCOMPARE(taken->unreadTables.size(), 1u);
        const QString reason = taken->unreadTables[0].reason;
        QVERIFY2(reason.contains(u"5 million rows"_s) && !reason.contains(u"code"_s), qPrintable(reason));
        QVERIFY(taken->unreadTables[0].canBeApproved);
        profile.approvedTables = {{table->schema, table->table, taken->unreadTables[0].owner}};
        QCOMPARE(
            orDie(monitor::makeSnapshotSource({profile, server.passwords()})->take())->entries.size(), 1u);
    }

    void aFailedSearchHidesNoLocks()
    {
        const Bench bench(Engine::Postgres, liquibaseTable);
        const db::ServerProfile profile = profileOf(bench.url);
        monitor::FrameworkProbe probe(*bench.connection, profile);
        probe.judgeSearch(bench.connection->executeBatch(probe.catalogueSearch()));
        std::vector<Result<qint64>> failed;
        for (size_t i = 0; i < probe.catalogueSearch().size(); ++i)
            failed.push_back(failure(ErrorKind::Timeout, u"The catalogue is locked."_s));
        probe.judgeSearch(failed);
        std::vector<db::BatchItem> items;
        probe.addTo(items);
        QCOMPARE(items.size(), 5u); // its rows are read as before, in a transaction of their own
        Snapshot snapshot;
        probe.judge(bench.connection->executeBatch(items), snapshot, {});
        QCOMPARE(snapshot.limitations.size(), 1u); // a limitation says that more can't be found out
    }

    void onACopyNobodysSessionsAreSeen()
    {
        TestServer primary(TestServer::replicating());
        Standby standby(primary, Standby::Commit::Asynchronous);
        const auto url = primary.freshDatabase(TestServer::Schema::None, liquibaseTable);
        standby.catchUp();
        const auto lifeAt = [](db::Connection& connection, const db::ServerUrl& server) {
            const db::ServerProfile profile = profileOf(server);
            monitor::FrameworkProbe probe(connection, profile);
            probe.judgeSearch(connection.executeBatch(probe.catalogueSearch()));
            std::vector<db::BatchItem> items;
            probe.addTo(items);
            Snapshot snapshot;
            probe.judge(connection.executeBatch(items), snapshot, {});
            probe.finish(snapshot, SessionsSeen::All);
            return snapshot.entries.empty() ? HolderLife{} : snapshot.entries[0].holderLife;
        };
        const auto original = primary.connect(url);
        QVERIFY(!lifeAt(*original, url).evidence.join(u' ').contains(u"a copy"_s));
        const auto copy = standby.connect(standby.sameDatabase(url));
        const HolderLife life = lifeAt(*copy, standby.sameDatabase(url));
        QCOMPARE(life.verdict, HolderLife::Verdict::Unknown);
        QVERIFY2(life.evidence.join(u' ').contains(u"a copy"_s), qPrintable(verdictText(life)));
    }

    void aPollReadsThemInItsOneRoundTrip()
    {
        auto& server = TestServer::shared();
        const Bench bench(Engine::Postgres,
            liquibaseTable
                + u"CREATE TABLE mine (\"Name\" text, \"SetTime\" timestamp, who text, until timestamp, state int); INSERT INTO mine VALUES ('a', timezone('utc', now()) - interval '1 min', 'web', timezone('utc', now()) + interval '1 min', 1), ('free', now(), NULL, NULL, 0)"_s);
        db::ServerProfile profile = profileOf(bench.url);
        db::AttachedTable attached;
        attached.table = u"mine"_s;
        attached.holderColumn = u"who"_s;
        attached.expiresColumn = u"until"_s;
        attached.heldColumn = u"state"_s;
        attached.heldValue = u"1"_s;
        profile.attached = {attached};
        const auto source = monitor::makeSnapshotSource({profile, server.passwords()});
        orDie(source->take()); // names are looked up
        const SnapshotPtr taken = orDie(source->take());
        QCOMPARE(taken->cost.roundTrips, 1);
        QVERIFY(taken->frameworkRows);
        QCOMPARE(taken->entries.size(), 2u);
        const LockTableEntry& mine = taken->entries[0];
        QVERIFY(mine.framework->isAttached());
        QCOMPARE(mine.name, u"a"_s);
        QCOMPARE(mine.party.host, u"web"_s);
        QVERIFY(mine.expiresAt && !mine.isStale(taken->takenAt) && mine.acquiredAt < taken->takenAt);
        QCOMPARE(mine.stored.size(), 5); // the row is compared by all that makes it a lock
        const LockTableEntry& changelog = taken->entries[1];
        QCOMPARE(changelog.framework->framework, u"liquibase"_s);
        QVERIFY(changelog.framework->lockDefinition);
        QCOMPARE(changelog.table, u"public.databasechangeloglock"_s);
        QCOMPARE(changelog.party.host, u"build-7"_s);
        QCOMPARE(changelog.holderText, u"build-7 (10.0.0.5)"_s);
        // The test's own session came by the local socket.
        QCOMPARE(changelog.holderLife.verdict, HolderLife::Verdict::Unknown);
        const QString evidence = changelog.holderLife.evidence.join(u' ');
        VERIFY_CONTAINS(evidence, u"local socket"_s);
        QVERIFY(!taken->isIncomplete());
    }

    /// Somebody looks, and begins his migration: not minutes later.
    void aTableMadeSoonAfterTheFirstPollIsFoundSoon()
    {
        auto& server = TestServer::shared();
        const Bench bench(Engine::Postgres, {});
        const auto source = monitor::makeSnapshotSource(server.at(bench.url));
        QVERIFY(orDie(source->take())->entries.empty());
        server.run(bench.url,
            u"CREATE TABLE public.shedlock (name text PRIMARY KEY, lock_until timestamptz, locked_at timestamptz, locked_by text);INSERT INTO public.shedlock VALUES ('nightly', now() + interval '1 h', now(), 'app01')"_s);
        TRY_COMPARE(orDie(source->take())->entries.size(), 1u);
    }

    void rowsAreReadOnlyWhileTheyAreShown()
    {
        auto& server = TestServer::shared();
        const Bench bench(Engine::Postgres,
            liquibaseTable
                + u"CREATE TABLE mine (\"Name\" text, \"SetTime\" timestamp); INSERT INTO mine VALUES ('a', now())"_s);
        db::ServerProfile profile = profileOf(bench.url);
        db::AttachedTable attached;
        attached.table = u"mine"_s;
        profile.attached = {attached};
        const auto source =
            monitor::makeSnapshotSource({profile, server.passwords()}, {.frameworkRows = false});
        const SnapshotPtr without = orDie(source->take());
        QCOMPARE(without->entries.size(), 1u);
        QVERIFY(without->entries[0].framework->isAttached());
        QVERIFY(!without->frameworkRows);
        source->setReadsFrameworkRows(true);
        const SnapshotPtr with = orDie(source->take());
        QCOMPARE(with->entries.size(), 2u);
        QVERIFY(with->frameworkRows);
        // That is no change on the server.
        QVERIFY(diffSnapshots(*without, *with).entries.isEmpty());
        QVERIFY(diffSnapshots(*with, *without).entries.isEmpty());
    }

    void whatMayNotBeReadIsReportedWithTheGrant()
    {
        auto& server = TestServer::shared();
        const Bench bench(Engine::Postgres,
            u"CREATE SCHEMA app;"_s
                + QString(liquibaseTable)
                      .replace(u"databasechangeloglock"_s, u"app.databasechangeloglock"_s));
        const auto reader = server.asRole(bench.url);
        const db::ServerProfile profile = profileOf(reader);
        const auto source = monitor::makeSnapshotSource({profile, server.passwords()});
        const SnapshotPtr taken = orDie(source->take());
        QCOMPARE(taken->entries.size(), 0u);
        const auto about = std::ranges::find_if(taken->limitations,
            [](const Limitation& limit) { return limit.what.contains(u"(Liquibase)"_s); });
        QVERIFY(about != taken->limitations.end());
        QCOMPARE(about->kind, Limitation::Kind::MissingPermission);
        QCOMPARE(about->remedy,
            u"GRANT USAGE ON SCHEMA \"app\" TO \"%1\"; GRANT SELECT ON \"app\".\"databasechangeloglock\" TO \"%1\";"_s
                .arg(reader.user));
        QVERIFY(!taken->isIncomplete()); // that a framework's table is closed is usual
        server.run(bench.url, about->remedy);
        QCOMPARE(
            orDie(monitor::makeSnapshotSource({profile, server.passwords()})->take())->entries.size(), 1u);
    }

    void aTableThatSomebodyAltersIsLeftAloneForAWhile()
    {
        auto& server = TestServer::shared();
        const Bench bench(Engine::Postgres, liquibaseTable);
        const auto source = monitor::makeSnapshotSource({profileOf(bench.url), server.passwords()});
        QCOMPARE(orDie(source->take())->entries.size(), 1u);
        orDie(bench.connection->begin());
        orDie(
            runSql(*bench.connection, u"LOCK TABLE public.databasechangeloglock IN ACCESS EXCLUSIVE MODE"_s));
        for (int poll = 0; poll < 2; ++poll) {
            const SnapshotPtr taken = orDie(source->take());
            QCOMPARE(taken->entries.size(), 0u);
            QVERIFY(taken->isIncomplete());
            if (poll == 1) // it did not wait for its second a second time
                QVERIFY2(taken->cost.roundTrip < std::chrono::milliseconds(900),
                    qPrintable(QString::number(taken->cost.roundTrip.count())));
        }
        orDie(bench.connection->rollback());
    }
};

LOCKSCOPE_TEST(tst_FrameworkRows)

} // namespace tst_FrameworkRows
#include "tst_FrameworkRows.moc"
