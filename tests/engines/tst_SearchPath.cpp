// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// A user who may create in `public` plants objects that fit our statements better than the system's own, and
// the database's search_path begins there. All our statements are sent as superuser, and nothing planted
// runs.
#include "core/admin/ByHand.h"
#include "core/admin/ServerAdmin.h"
#include "core/locks/LeaseKeeper.h"
#include "core/locks/LockStrategy.h"
#include "core/locks/QueueReader.h"
#include "core/monitor/SnapshotSource.h"
#include "tests/support/Lockctl.h"
#include "tests/support/TestProgram.h"

namespace tst_SearchPath {

using namespace lockscope;
using namespace lockscope::test;
using locks::LockKind;

/// All our statements for PostgreSQL, without comments and texts.
static QString allOurSql()
{
    static const QRegularExpression notCode(
        u"--[^\\n]*|/\\*.*?\\*/|'(?:[^']|'')*'"_s, QRegularExpression::DotMatchesEverythingOption);
    QString all;
    QDirIterator files(u":/schema/postgres"_s, {u"*.sql"_s}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        all += QString::fromUtf8(readFile(files.next())).remove(notCode) + u'\n';
    }
    return all;
}

static QString arrayOf(const QString& sql, const QString& pattern, QSet<QString> names)
{
    QRegularExpressionMatchIterator matches = QRegularExpression(pattern).globalMatch(sql);
    while (matches.hasNext())
        names << matches.next().captured(1).toLower();
    QStringList quoted;
    for (const QString& name : std::as_const(names))
        quoted << u'\'' + name + u'\'';
    quoted.sort();
    return u"ARRAY["_s + quoted.join(u',') + u"]::pg_catalog.text[]"_s;
}

static QString functionsOfOurs()
{
    // Those that the grammar calls, too: extract, AT TIME ZONE, LIKE …
    return arrayOf(allOurSql(), u"\\b([a-z_][a-z0-9_]*)\\s*\\("_s,
        {u"extract"_s, u"timezone"_s, u"like"_s, u"date_part"_s, u"now"_s, u"version"_s, u"nextval"_s});
}

static QString operatorsOfOurs()
{
    return arrayOf(
        allOurSql(), u"([-+*/<>=~!@#%&|]+)"_s, {u"~~"_s, u"!~~"_s, u"<>"_s, u"="_s, u">="_s, u"<="_s});
}

constexpr auto server = &TestServer::shared;

/// Planting takes seconds: it is done once for each kind of types, and each test gets a copy.
struct Planted {
    explicit Planted(const QString& types)
        : url(server().freshDatabase())
    {
        // The server writes there, with an account of its own.
        if (!QFile::setPermissions(sprung.path(), QFile::Permissions(0x7777)))
            qFatal("can't open %s for the server", qPrintable(sprung.path()));
        server().run(url,
            u"CREATE SCHEMA app;CREATE TABLE app.locks (name text, set_time timestamptz);INSERT INTO app.locks VALUES ('old', now() - interval '1 day'), ('older', now() - interval '2 days');CREATE TABLE app.raw_data (id bigint PRIMARY KEY, place int, body text, stamp timestamptz);"
            "CREATE TABLE app.done_data (LIKE app.raw_data);INSERT INTO app.raw_data SELECT g, g, g::text FROM generate_series(1, 9) AS g"_s);
        const auto mallory = server().asRole(url, u"GRANT USAGE, CREATE ON SCHEMA public TO {role}"_s);
        const auto traps = db::Statement::filled("test/postgres_traps.sql",
            {{QLatin1StringView("directory"), sprung.path()},
                {QLatin1StringView("functions"), functionsOfOurs()},
                {QLatin1StringView("operators"), operatorsOfOurs()}, {QLatin1StringView("types"), types}});
        orDie(orDie(server().at(mallory).connect())->executeScript(traps.sql()));
    }

    const QTemporaryDir sprung;
    const db::ServerUrl url;
};

static db::ServerUrl copyOf(const db::ServerUrl& original)
{
    static int copies = 0;
    db::ServerUrl copy = original;
    copy.database += u"_%1"_s.arg(++copies);
    orDie(runSql(
        *server().connect(), u"CREATE DATABASE %1 TEMPLATE %2"_s.arg(copy.database, original.database)));
    server().run(copy, u"ALTER DATABASE %1 SET search_path = public, pg_catalog"_s.arg(copy.database));
    return copy;
}

/// A database full of planted objects, and the ones that ran.
class Minefield {
public:
    explicit Minefield(const Planted& planted)
        : url(copyOf(planted.url))
        , m_sprung(planted.sprung.path())
    {
    }

    /// Connects as the product does: TestServer's connections would search `public`.
    std::unique_ptr<db::Connection> connect(db::Purpose purpose) const
    {
        return orDie(server().at(url).connect({.purpose = purpose}));
    }
    Lockctl lockctl() const { return Lockctl(url.toString(), server().password()); }
    db::ServerProfile profile() const
    {
        db::ServerProfile profile = profileOf(url);
        db::AttachedTable attached;
        attached.schema = u"app"_s;
        attached.table = u"locks"_s;
        attached.nameColumn = u"name"_s;
        attached.timeColumn = u"set_time"_s;
        profile.attached << attached;
        attached.utc = false;
        profile.attached << attached;
        return profile;
    }
    /// "text || int4, lockscope": whose rights each trap had. Forgets it.
    QStringList sprung() const
    {
        QStringList all;
        for (const QFileInfo& file : m_sprung.entryInfoList(QDir::Files)) {
            QFile text(file.filePath());
            all << (text.open(QIODevice::ReadOnly) ? QString::fromUtf8(text.readAll()).simplified() : u"?"_s);
            text.remove();
        }
        return all;
    }

    const db::ServerUrl url;

private:
    const QDir m_sprung;
};

/// The statements of all the strategies, with and without waiting, granted and refused.
static void lockInAllWays(const Minefield& field, LockKind kind, LockOwner owner)
{
    const auto first = field.connect(db::Purpose::Lock);
    const auto second = field.connect(db::Purpose::Lock);
    const auto keeper = locks::LeaseKeeper::create(server().at(field.url));
    const auto holder = orDie(locks::LockStrategy::create(kind, *first, keeper));
    const auto rival = orDie(locks::LockStrategy::create(kind, *second));
    locks::AcquireRequest request;
    request.name = u"mine's ü"_s;
    request.owner = owner;
    request.lease = 2s; // renewed soon
    if (owner == LockOwner::Transaction) {
        orDie(first->begin());
        orDie(second->begin());
    }
    if (kind != LockKind::Table && kind != LockKind::Application)
        orDie(orDie(locks::LockStrategy::create(kind, *field.connect(db::Purpose::Lock)))
                  ->prepare(request.name));
    auto held = orDie(holder->acquire(request));
    QVERIFY(locks::isGranted(held.outcome));
    if (kind == LockKind::Table) {
        QVERIFY(held.grant.renew());
        const auto end = held.grant.expiresAt();
        QVERIFY(waitUntil([&] { return held.grant.expiresAt() != end; })); // by the keeper
    }
    QCOMPARE(orDie(rival->acquire(request)).outcome, locks::Outcome::Denied);
    request.wait = 50ms;
    QCOMPARE(orDie(rival->acquire(request)).outcome, locks::Outcome::TimedOut);
    if (owner == LockOwner::Transaction) {
        orDie(first->commit());
        request.wait = 10s;
        QVERIFY(locks::isGranted(orDie(rival->acquire(request)).outcome));
        orDie(second->commit());
    } else {
        QVERIFY(held.grant.release());
    }
}

class tst_SearchPath : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { addRows<QString>("types", {{"domains", u"domain"_s}, {"casts", u"cast"_s}}); }
    void init()
    {
        QFETCH_GLOBAL(QString, types);
        auto& planted = m_planted[types];
        if (!planted)
            planted = std::make_unique<Planted>(types);
        m_field = std::make_unique<Minefield>(*planted);
    }
    void cleanup()
    {
        const QStringList sprung = m_field->sprung();
        m_field.reset();
        QVERIFY2(sprung.isEmpty(), qPrintable(sprung.join(u"; "_s)));
    }

    void theTrapsSnapForWhoeverWalksIntoThem()
    {
        // In a session without our settings, nearly all our statements would run them.
        const auto connection = m_field->connect(db::Purpose::Admin);
        orDie(connection->executeScript("RESET search_path"));
        std::ignore = connection->executeScript(
            "SELECT 1::float8 * 1::int4 WHERE version() IS NULL; SELECT 'x'::text || 1::int4");
        const QStringList sprung = m_field->sprung();
        QVERIFY2(sprung.size() >= 2, qPrintable(sprung.join(u"; "_s)));
        QVERIFY(sprung.join(u' ').contains(m_field->url.user));
    }

    void everyConnectionHasASafePath_data()
    {
        addRows<db::Purpose>("purpose",
            {{"monitor", db::Purpose::Monitor}, {"lock", db::Purpose::Lock}, {"admin", db::Purpose::Admin},
                {"workload", db::Purpose::Workload}});
    }
    void everyConnectionHasASafePath()
    {
        QFETCH(db::Purpose, purpose);
        QCOMPARE(ask(*m_field->connect(purpose), u"SHOW search_path"_s), u"pg_catalog, pg_temp"_s);
    }

    void aUrlCanNotChangeThePath_data()
    {
        QTest::addColumn<QString>("options");
        for (const char* options :
            {"-c search_path=public", "-csearch_path=public,pg_catalog", "--search_path=public",
                "--search-path=public", "-c jit=off -c SEARCH_PATH=public", "-c search\\_path=public"})
            row(options, QString::fromLatin1(options));
    }
    void aUrlCanNotChangeThePath()
    {
        QFETCH(QString, options);
        db::ServerUrl url = m_field->url;
        url.options.insert(u"options"_s, options);
        const auto refused = server().at(url).connect();
        VERIFY_FAILS(ErrorKind::BadInput, refused);
        QVERIFY(refused.error().hint.contains(u"search_path"_s));
    }
    void onlyAWorkloadHasTheSchemaOfItsRun()
    {
        db::ServerUrl url = m_field->url;
        url.options.insert(u"run_schema"_s, u"app"_s);
        db::ConnectOptions options;
        for (const auto& [purpose, path] : {std::pair(db::Purpose::Workload, u"app, pg_temp"_s),
                 std::pair(db::Purpose::Lock, u"pg_catalog, pg_temp"_s)}) {
            options.purpose = purpose;
            const auto connection = orDie(server().at(url).connect(options));
            QCOMPARE(ask(*connection, u"SHOW search_path"_s).remove(u'"'), path);
        }
    }

    void polling()
    {
        const auto url = m_field->url;
        const auto ann = m_field->connect(db::Purpose::Lock);
        // Locks of every kind, and names of every kind.
        orDie(ann->executeScript("SELECT pg_advisory_lock(7), pg_advisory_lock(7, 7)"));
        for (const QString& sql : {u"BEGIN"_s, u"LOCK TABLE app.locks"_s, u"COMMENT ON SCHEMA app IS 'x'"_s,
                 u"CREATE TABLE app.fresh (id int PRIMARY KEY)"_s, u"PREPARE TRANSACTION 'p'"_s, u"BEGIN"_s,
                 u"LOCK TABLE app.raw_data IN SHARE MODE"_s, u"COMMENT ON TYPE app.raw_data IS 'x'"_s})
            orDie(runSql(*ann, sql));
        db::ServerProfile profile = m_field->profile();
        const auto source = monitor::makeSnapshotSource(
            {profile, server().passwords()}, {.statements = true, .internalLocks = true});
        for (int poll = 0; poll < 3; ++poll) {
            const auto taken = source->take(); // without the attached table, which is locked
            VERIFY_DONE(taken);
            QVERIFY(!(*taken)->requests.empty());
        }
        orDie(runSql(*ann, u"ROLLBACK"_s));
        orDie(runSql(*ann, u"ROLLBACK PREPARED 'p'"_s));
        const auto taken = orDie(source->take());
        QCOMPARE(taken->entries.size(), 4u); // two rows, attached twice
    }

    void whatIsCopiedForOtherClients()
    {
        const auto victim = m_field->connect(db::Purpose::Lock);
        const auto psql = m_field->connect(db::Purpose::Admin);
        orDie(runSql(*psql,
            u"INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES ('stale', 't1', clock_timestamp() - interval '1 h'), ('held', 't2', clock_timestamp() + interval '1 h')"_s));
        const db::ServerProfile profile = m_field->profile();
        const auto taken = orDie(monitor::makeSnapshotSource({profile, server().passwords()})->take());
        const auto* const shown = taken->session(victim->sessionId());
        QVERIFY(shown && taken->entries.size() == 6u);
        QStringList statements{
            admin::cancelByHand(Engine::Postgres, *shown), admin::endByHand(Engine::Postgres, *shown)};
        for (const LockTableEntry& entry : taken->entries) {
            statements << admin::purgeByHand(profile, {entry});
            if (entry.name == u"held" || entry.framework)
                statements << admin::releaseByHand(profile, entry);
        }
        // A user who pastes it has this: nothing binds the path there.
        orDie(psql->executeScript("RESET search_path"));
        for (const QString& statement : std::as_const(statements))
            orDie(psql->executeScript(statement.toUtf8())); // nor is it guarded as our statements are
        QVERIFY(waitUntil([&] { return !runSql(*victim, u"SELECT 1"_s); }));
        orDie(psql->executeScript("SET search_path = pg_catalog, pg_temp"));
        QCOMPARE(ask(*psql, u"SELECT count(*)::text FROM lockscope.lock_entry"_s), u"0"_s);
    }

    void locking_data()
    {
        addColumns<LockKind, LockOwner>("kind", "owner");
        row("lock table", LockKind::Table, LockOwner::Other);
        row("application lock", LockKind::Application, LockOwner::Session);
        row("of a transaction", LockKind::Application, LockOwner::Transaction);
        row("locked table", LockKind::LockedTable, LockOwner::Transaction);
        row("locked key", LockKind::LockedKey, LockOwner::Transaction);
    }
    void locking()
    {
        FETCH(LockKind, kind, LockOwner, owner);
        lockInAllWays(*m_field, kind, owner);
    }

    void readingAQueue()
    {
        const auto connection = m_field->connect(db::Purpose::Lock);
        locks::QueueTable table;
        table.schema = u"app"_s;
        table.table = u"raw_data"_s;
        table.orderColumn = u"place"_s;
        table.stampColumn = u"stamp"_s;
        table.clock = locks::QueueTable::Clock::WithZone;
        table.columns = {u"body"_s};
        const auto reader = orDie(locks::QueueReader::create(*connection, table));
        const auto rows = orDie(reader->take(3));
        QCOMPARE(rows.size(), 3u);
        QCOMPARE(orDie(reader->giveBack(std::span(rows).first(1))), 1);
        QCOMPARE(orDie(reader->done(std::span(rows).last(2))), 2);
        table.doneSchema = u"app"_s;
        table.doneTable = u"done_data"_s;
        const auto mover = orDie(locks::QueueReader::create(*connection, table));
        QCOMPARE(orDie(mover->done(orDie(mover->take(2)))), 2);
    }

    void administration()
    {
        const auto connection = m_field->connect(db::Purpose::Admin);
        admin::ServerAdmin admin(*connection, m_field->profile());
        const auto ann = m_field->connect(db::Purpose::Lock);
        const auto strategy = orDie(locks::LockStrategy::create(LockKind::Table, *ann));
        locks::AcquireRequest request;
        request.name = u"nightly"_s;
        auto held = orDie(strategy->acquire(request));
        const auto source = monitor::makeSnapshotSource({m_field->profile(), server().passwords()});
        const auto entries = orDie(source->take())->entries;
        QCOMPARE(entries.size(), 5u);
        for (const LockTableEntry& entry : entries)
            if (entry.name == request.name || entry.name == u"old"_s)
                std::ignore = admin.releaseEntry(entry, u"stuck"_s); // one row is attached twice
        request.name = u"short"_s;
        request.lease = 1ms;
        auto brief = orDie(strategy->acquire(request));
        QList<LockTableEntry> stale;
        QVERIFY(waitUntil([&] { return (stale = orDie(admin.previewPurge())).size() == 3; }));
        QVERIFY(admin.purgeStale(stale, u"stale"_s));
        held.grant.abandon();
        brief.grant.abandon();

        const auto shownNow = [&](const db::Connection& one) {
            return *orDie(source->take())->session(one.sessionId());
        };
        const auto idle = admin.cancelSession(shownNow(*ann), u"too long"_s);
        QVERIFY(!idle); // it runs nothing
        QVERIFY(admin.endSession(shownNow(*ann), u"too long"_s));
        const auto records = orDie(admin.audit());
        QVERIFY(records.size() >= 4);
    }

    void programs()
    {
        const Lockctl lockctl = m_field->lockctl();
        for (const QStringList& command : std::initializer_list<QStringList>{{u"install"_s}, {u"list"_s},
                 {u"tree"_s}, {u"watch"_s, u"-n"_s, u"2"_s, u"--interval"_s, u"100ms"_s}, {u"audit"_s},
                 {u"purge"_s}, {u"run"_s, u"job"_s, u"--"_s, u"true"_s}}) {
            VERIFY_CODE(0, lockctl(command));
        }
    }

    void scenarios()
    {
        // One variant that is safe, so that the exit code shows success; its locks are of the product.
        VERIFY_CODE(0, m_field->lockctl()("scenario run lost-update --duration 300ms --variant app-lock"));
    }

    void installingAndUninstalling()
    {
        const auto connection = m_field->connect(db::Purpose::Admin);
        QVERIFY(db::uninstallSchema(*connection)); // this one was there before the traps
        QVERIFY(db::installSchema(*connection));
        QVERIFY(db::installSchema(*connection));
        QVERIFY(db::previewUninstall(*connection));
        QVERIFY(db::uninstallSchema(*connection));
    }

    // The functions of the schema are safe for callers whose search path is not.
    void theSchemasFunctions_data()
    {
        QTest::addColumn<QString>("call");
        row("acquire_lock",
            "acquire_lock('n'::pg_catalog.text, 't'::pg_catalog.text, 60000000::bigint, false, 9223372036854775807::bigint, 'o'::pg_catalog.text, 'h'::pg_catalog.text, 'p'::pg_catalog.text, 1::bigint)");
        row("acquire_lock, waiting",
            "acquire_lock('held'::pg_catalog.text, 't'::pg_catalog.text, 60000000::bigint, true, 9223372036854775807::bigint, 'o'::pg_catalog.text, 'h'::pg_catalog.text, 'p'::pg_catalog.text, 1::bigint)");
        row("renew_lock", "renew_lock('held'::pg_catalog.text, 't'::pg_catalog.text, 60000000::bigint)");
        row("release_lock", "release_lock('held'::pg_catalog.text, 't'::pg_catalog.text)");
        row("leave_queue", "leave_queue('held'::pg_catalog.text, 't'::pg_catalog.text)");
        row("purge_stale", "purge_stale()");
        row("acquire_app_lock", "acquire_app_lock('n'::pg_catalog.text, 10)");
        row("release_app_lock", "release_app_lock('n'::pg_catalog.text)");
        row("lock_surrogate_key", "lock_surrogate_key('n'::pg_catalog.text)");
        row("add_surrogate_table", "add_surrogate_table('n'::pg_catalog.text)");
    }
    void theSchemasFunctions()
    {
        QFETCH(QString, call);
        const auto connection = m_field->connect(db::Purpose::Admin);
        const auto ann = m_field->connect(db::Purpose::Lock);
        auto held =
            orDie(orDie(locks::LockStrategy::create(LockKind::Table, *ann))->acquire({.name = u"held"_s}));
        orDie(connection->executeScript("SET search_path = public, pg_catalog"));
        VERIFY_DONE(connection->executeScript("SELECT lockscope." + call.toUtf8()));
    }

private:
    std::map<QString, std::unique_ptr<Planted>> m_planted;
    std::unique_ptr<Minefield> m_field;
};

LOCKSCOPE_TEST(tst_SearchPath)

} // namespace tst_SearchPath
#include "tst_SearchPath.moc"
