// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Facts about a wait on PostgreSQL: the row, its table, its holder and since when it is held.

#include "core/domain/BlockingForest.h"
#include "core/domain/BlockingGraph.h"
#include "core/monitor/DetailQueries.h"
#include "tests/support/Session.h"
#include "tests/support/TakenSnapshot.h"
#include "tests/support/TestProgram.h"

namespace tst_PostgresRows {

using namespace lockscope;
using namespace lockscope::monitor;
using namespace lockscope::test;

constexpr auto server = &TestServer::shared;

static std::unique_ptr<SnapshotSource> sourceFor(const db::ServerUrl& url)
{
    return makeSnapshotSource({profileOf(url), server().passwords()}, {});
}

static std::unique_ptr<db::Connection> monitorOf(const db::ServerUrl& url)
{
    auto connection = db::Server::at(url, server().passwords()).connect(db::Purpose::Monitor);
    if (!connection)
        qWarning("%s", qPrintable(connection.error().toString()));
    return connection ? std::move(*connection) : nullptr;
}

static const LockRequest* find(
    const Snapshot& snapshot, SessionId session, bool waiting, const QString& resource = {})
{
    const auto found = std::ranges::find_if(snapshot.requests, [&](const LockRequest& request) {
        return request.session == session && request.isWaiting() == waiting
            && (resource.isEmpty() || snapshot.resourceOf(request).name == resource);
    });
    return found == snapshot.requests.end() ? nullptr : &*found;
}

/// A row that ann has updated and bob waits for.
struct RowWait {
    db::ServerUrl url = server().freshDatabase();
    std::unique_ptr<test::Session> ann;
    std::unique_ptr<test::Session> bob;

    RowWait(const QString& table, const QString& update)
    {
        server().run(url, table);
        ann = std::make_unique<test::Session>(server(), url);
        bob = std::make_unique<test::Session>(server(), url);
        ready = ann->begin(update);
        bob->start(update);
        ready = ready && bob->waitUntilBlocked();
    }
    /// Returns the row that bob waits for; its resource is invalid if the snapshot does not name it.
    Resource row() const
    {
        const SnapshotPtr snapshot = take(*sourceFor(url));
        const LockRequest* wait = find(*snapshot, bob->id(), true);
        const Resource* target = wait ? WaitTargets(*snapshot).of(*wait) : nullptr;
        return target ? *target : Resource();
    }

    bool ready = false;
};

const QString orders =
    u"CREATE TABLE public.orders (id int PRIMARY KEY, note text);INSERT INTO public.orders SELECT g, '' FROM generate_series(1, 300) g"_s;
const QString update101 = u"UPDATE public.orders SET note = 'x' WHERE id = 101"_s;

class tst_PostgresRows : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aWaitForATransactionTellsRowTableAndStatement()
    {
        RowWait scene(orders, update101);
        QVERIFY(scene.ready);
        const SnapshotPtr snapshot = take(*sourceFor(scene.url));
        const auto forest = blockingForest(*snapshot, LockThresholds().hold.amber);
        QCOMPARE(forest.size(), size_t(1));
        const BlockingRow& waiter = forest[0].children[0].row;
        VERIFY_STARTS(waiter.resource, u"transaction "_s);
        VERIFY_STARTS(waiter.target, u"public.orders row ("_s);
        QCOMPARE(waiter.table, u"public.orders"_s);
        QCOMPARE(waiter.statement, update101);
    }

    void whoWaitsForAKeyIsNotGuessedAt()
    {
        const QString insert = u"INSERT INTO public.orders VALUES (999, '')"_s;
        RowWait scene(orders, insert);
        QVERIFY(scene.ready);
        QCOMPARE(scene.row().key.kind, ResourceKind::Unknown);
        const auto forest = blockingForest(*take(*sourceFor(scene.url)), LockThresholds().hold.amber);
        const BlockingRow& waiter = forest[0].children[0].row;
        QCOMPARE(waiter.table, QString());
        QVERIFY(waiter.target.startsWith(u"transaction "_s));
    }

    void theRowIsReportedByItsKey_data()
    {
        addColumns<QString, QString, QString>("table", "update", "key");
        row("a number", orders, update101, "id = 101");
        row("two columns, in the key's order",
            "CREATE TABLE public.orders (note text, id int, region text, PRIMARY KEY (region, id)) ; INSERT INTO public.orders VALUES ('', 7, 'eu'), ('', 8, 'o''hara')",
            "UPDATE public.orders SET note = 'x' WHERE id = 8", "region = 'o''hara', id = 8");
        row("odd names",
            "CREATE SCHEMA \"a b\"; CREATE TABLE \"a b\".\"T\"\"%s\" (\"100 %s\" text PRIMARY KEY, n int); INSERT INTO \"a b\".\"T\"\"%s\" VALUES ('ü', 1)",
            "UPDATE \"a b\".\"T\"\"%s\" SET n = 2", "\"100 %s\" = 'ü'");
        // Quoted for one place in the statement, a name must not get to another one.
        row("names that look like placeholders",
            "CREATE TABLE public.\"o', public.trap(), '\" (\"{table}\" int PRIMARY KEY, n int); INSERT INTO public.\"o', public.trap(), '\" VALUES (1, 1)",
            "UPDATE public.\"o', public.trap(), '\" SET n = 2", "\"{table}\" = 1");
        row("a partition",
            "CREATE TABLE public.orders (id int PRIMARY KEY, note text) PARTITION BY RANGE (id); CREATE TABLE public.orders_1 PARTITION OF public.orders FOR VALUES FROM (0) TO (1000); INSERT INTO public.orders VALUES (101, '')",
            update101, "id = 101");
    }
    void theRowIsReportedByItsKey()
    {
        FETCH(QString, table, QString, update);
        RowWait scene(table, update);
        QVERIFY(scene.ready);
        const Resource row = scene.row();
        QVERIFY(hasLockedRow(Engine::Postgres, row));
        const auto connection = monitorOf(scene.url);
        const auto place = lockedRowPlace(*connection, row);
        VERIFY_DONE(place);
        QVERIFY(place->warning.isEmpty()); // one row by its place: nothing to warn of
        const auto found = findLockedRow(*connection, *place);
        VERIFY_DONE(found);
        QFETCH(QString, key);
        QCOMPARE(*found, QStringList{key});
        QVERIFY(!connection->inTransaction());
    }

    void aRowThatHasMovedIsNotThere()
    {
        RowWait scene(orders, update101);
        QVERIFY(scene.ready);
        const Resource row = scene.row();
        QVERIFY(scene.ann->run(u"COMMIT"_s) && scene.bob->wait());
        const auto connection = monitorOf(scene.url);
        const auto place = lockedRowPlace(*connection, row);
        QVERIFY(place);
        const auto found = findLockedRow(*connection, *place);
        QVERIFY(found && found->isEmpty());
    }

    /// The place is as good as before, but no lock shows any more that it is that row's.
    void aPlaceThatNobodyHasLockedIsNotRead()
    {
        RowWait scene(orders, update101);
        QVERIFY(scene.ready);
        const Resource row = scene.row();
        QVERIFY(scene.ann->run(u"ROLLBACK"_s) && scene.bob->wait());
        server().run(scene.url, u"VACUUM FULL public.orders"_s); // another row may stand there now
        const auto connection = monitorOf(scene.url);
        const auto place = lockedRowPlace(*connection, row);
        QVERIFY(place);
        const auto found = findLockedRow(*connection, *place);
        VERIFY_DONE(found);
        QCOMPARE(*found, QStringList());
    }

    void withoutAKeyThatIsSaid()
    {
        RowWait scene(u"CREATE TABLE public.plain (n int); INSERT INTO public.plain VALUES (1)"_s,
            u"UPDATE public.plain SET n = 2"_s);
        QVERIFY(scene.ready);
        const auto place = lockedRowPlace(*monitorOf(scene.url), scene.row());
        QVERIFY(!place);
        VERIFY_CONTAINS(place.error().toString(), u"no primary key"_s);
    }

    void whereTheRoleMayNotReadNothingIsRead()
    {
        RowWait scene(orders, update101);
        QVERIFY(scene.ready);
        const Resource row = scene.row();
        const auto limited = server().asRole(scene.url);
        auto place = lockedRowPlace(*monitorOf(limited), row);
        VERIFY_FAILS(ErrorKind::Permission, place);
        VERIFY_CONTAINS(place.error().hint, u"GRANT SELECT (id, ctid) ON"_s);
        // The columns of the key are not enough: the row is looked for by its place.
        const auto half = server().asRole(scene.url, u"GRANT SELECT (id) ON public.orders TO {role}"_s);
        QVERIFY(!lockedRowPlace(*monitorOf(half), row));
        const auto reader =
            server().asRole(scene.url, u"GRANT SELECT (id, ctid) ON public.orders TO {role}"_s);
        const auto connection = monitorOf(reader);
        place = lockedRowPlace(*connection, row);
        VERIFY_DONE(place);
        const auto found = findLockedRow(*connection, *place);
        QVERIFY(found && *found == QStringList{u"id = 101"_s});
    }

    /// A policy may call any function of its author's, with the rights of the reader.
    void policiesOfOthersDoNotRun()
    {
        RowWait scene(orders
                + u"; CREATE TABLE public.seen (who text); GRANT INSERT ON public.seen TO PUBLIC;CREATE FUNCTION public.trap() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''trapped''; END'; ALTER TABLE public.orders ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON public.orders USING (public.trap())"_s,
            update101);
        QVERIFY(scene.ready);
        const Resource row = scene.row();
        const auto reader = server().asRole(scene.url, u"GRANT SELECT ON public.orders TO {role}"_s);
        const auto connection = monitorOf(reader);
        const auto place = lockedRowPlace(*connection, row);
        QVERIFY(place);
        const auto found = findLockedRow(*connection, *place);
        QVERIFY(!found);
        VERIFY_LACKS(found.error().toString(), u"trapped"_s);
        VERIFY_CONTAINS(found.error().toString(), u"row-level security"_s);
    }

    void aTableThatIsLockedIsWaitedForAMomentOnly()
    {
        RowWait scene(orders, update101);
        QVERIFY(scene.ready);
        const auto connection = monitorOf(scene.url);
        const auto place = lockedRowPlace(*connection, scene.row());
        QVERIFY(place);
        QVERIFY(scene.ann->run(u"LOCK TABLE public.orders"_s));
        VERIFY_FAILS(ErrorKind::Timeout, findLockedRow(*connection, *place));
        QVERIFY(!connection->inTransaction());
    }

    void rowsOfOtherDatabasesAndOtherThingsHaveNone()
    {
        RowWait scene(orders, update101);
        QVERIFY(scene.ready);
        const SnapshotPtr elsewhere = take(*sourceFor(server().freshDatabase()));
        const LockRequest* wait = find(*elsewhere, scene.bob->id(), true);
        QVERIFY(wait);
        const Resource* row = WaitTargets(*elsewhere).of(*wait);
        QVERIFY(row && row->key.kind == ResourceKind::Row);
        QVERIFY(!hasLockedRow(Engine::Postgres, *row));
        Resource table = scene.row();
        table.key.kind = ResourceKind::Relation;
        QVERIFY(!hasLockedRow(Engine::Postgres, table));
    }

    void contendedTablesOfOtherDatabasesAreNamed()
    {
        const auto other = server().freshDatabase(u"CREATE TABLE public.far_away (id int)"_s);
        test::Session ann(server(), other);
        QVERIFY(ann.begin(u"LOCK TABLE far_away"_s));
        const auto here = server().freshDatabase();
        const auto source = sourceFor(here);
        const SnapshotPtr quiet = take(*source);
        QVERIFY(quiet->cost.visited.isEmpty()); // nobody waits for it
        test::Session bob(server(), other);
        QVERIFY(bob.startWaiting(u"SELECT * FROM far_away"_s));
        const SnapshotPtr named = take(*source);
        const LockRequest* wait = find(*named, bob.id(), true);
        QVERIFY(wait);
        QCOMPARE(named->resourceOf(*wait).name, u"database %1: public.far_away"_s.arg(other.database));
        QVERIFY(std::ranges::none_of(named->limitations,
            [](const Limitation& limit) { return limit.what.startsWith(u"Tables of other databases"_s); }));
        // The connection was for that query only: the cost names it, it is closed, and it does not come
        // again.
        QCOMPARE(named->cost.visited, other.database);
        const SnapshotPtr again = take(*source);
        QVERIFY(again->cost.visited.isEmpty());
        QCOMPARE(again->resourceOf(*find(*again, bob.id(), true)).name, named->resourceOf(*wait).name);
        QVERIFY(test::waitUntil([&] { // the server ends it when it gets round to it
            const SnapshotPtr now = take(*source);
            return std::ranges::none_of(now->sessions, [&](const lockscope::Session& session) {
                return session.program == u"lockscope monitor"_s && session.database == other.database;
            });
        }));
    }

    void contendedTablesOfClosedDatabasesAreSaidToBeNumbers()
    {
        const auto other = server().freshDatabase();
        server().run(other,
            u"CREATE TABLE public.far_away (id int); REVOKE CONNECT ON DATABASE \"%1\" FROM PUBLIC"_s.arg(
                other.database));
        test::Session ann(server(), other);
        QVERIFY(ann.begin(u"LOCK TABLE far_away"_s));
        const auto source =
            sourceFor(server().asRole(server().freshDatabase(), u"GRANT pg_read_all_stats TO {role}"_s));
        const auto remedy = [&] {
            const SnapshotPtr snapshot = take(*source);
            for (const Limitation& limit : snapshot->limitations) {
                if (limit.what.startsWith(u"Tables of other databases"_s))
                    return limit.remedy;
            }
            return QString();
        };
        QCOMPARE(remedy(), QString()); // nobody waits for it
        test::Session bob(server(), other);
        QVERIFY(bob.startWaiting(u"SELECT * FROM far_away"_s));
        const QString text = remedy();
        VERIFY_STARTS(text, u"In database %1: SELECT "_s.arg(other.database));
        // The remedy in the message helps.
        QString name;
        QVERIFY(runSql(*server().connect(other),
            text.section(u": "_s, 1).replace(u"::regclass"_s, u"::regclass::text"_s), {},
            [&name](const db::Row& row) { name = row.text(0); }));
        VERIFY_ENDS(name, u"far_away"_s);
    }

    void aHoldersAgeIsBoundedByItsLongestWaiter()
    {
        const auto url = server().freshDatabase(u"CREATE TABLE public.orders (id int)"_s);
        test::Session ann(server(), url);
        test::Session bob(server(), url);
        QVERIFY(ann.begin(u"LOCK TABLE orders"_s));
        QVERIFY(bob.startWaiting(u"SELECT * FROM orders"_s));
        ann.start(u"SELECT pg_sleep(60)"_s); // a busy session gives no hint of its own
        const auto isActive = [&](const Snapshot& snapshot) {
            const auto* session = snapshot.session(ann.id());
            return session && session->state == SessionState::Active;
        };
        QVERIFY(waitUntil([&] { return isActive(*take(*sourceFor(url))); }));
        const SnapshotPtr first = take(*sourceFor(url)); // the first poll of a source
        const LockRequest* held = find(*first, ann.id(), false, u"public.orders"_s);
        const LockRequest* wait = find(*first, bob.id(), true);
        QVERIFY(held && wait && held->since && wait->since && !held->sinceExact);
        QVERIFY2(*held->since <= *wait->since, "the holder seems to be younger than its waiter");
        QVERIFY(*held->since >= *first->session(ann.id())->transactionStarted);
        ann.cancel();
    }

    /// A reader blocks a session that requests the table exclusively, and can take more of it past that one.
    void aModeThatCameLaterIsNotAsOldAsTheWait()
    {
        const auto url = server().freshDatabase(u"CREATE TABLE public.orders (id int)"_s);
        test::Session ann(server(), url);
        test::Session bob(server(), url);
        QVERIFY(ann.begin(u"SELECT * FROM orders"_s));
        QVERIFY(bob.startWaiting(u"ALTER TABLE orders ADD paid boolean"_s));
        const auto source = sourceFor(url);
        const ServerTime before = take(*source)->takenAt;
        QVERIFY(ann.run(u"LOCK TABLE orders IN ROW EXCLUSIVE MODE"_s));
        ann.start(u"SELECT pg_sleep(60)"_s);
        const auto sinceOf = [&ann](const Snapshot& snapshot, const QString& mode) {
            const auto found = std::ranges::find_if(snapshot.requests, [&](const LockRequest& request) {
                return request.session == ann.id() && request.mode.name() == mode
                    && snapshot.resourceOf(request).name == u"public.orders"_s;
            });
            return found == snapshot.requests.end() ? std::nullopt : found->since;
        };
        for (const SnapshotPtr& snapshot : {take(*source), take(*sourceFor(url))}) {
            const auto writing = sinceOf(*snapshot, u"RowExclusiveLock"_s);
            QVERIFY(writing);
            QVERIFY2(*writing > before, "it was taken after that poll");
        }
        const auto reading = sinceOf(*take(*source), u"AccessShareLock"_s);
        QVERIFY(reading && *reading <= before);
        ann.cancel();
    }

    /// cid has waited longer than bob has held the lock: a poll saw that bob got it later.
    void aLockThatChangedHandsIsAsOldAsItsNewHolderHasIt()
    {
        const auto url = server().freshDatabase(u"CREATE TABLE public.orders (id int)"_s);
        test::Session ann(server(), url);
        test::Session bob(server(), url);
        test::Session cid(server(), url);
        QVERIFY(ann.begin(u"LOCK TABLE orders"_s) && bob.run(u"BEGIN"_s));
        QVERIFY(bob.startWaiting(u"LOCK TABLE orders"_s));
        QVERIFY(cid.startWaiting(u"SELECT * FROM orders"_s));
        const auto source = sourceFor(url);
        const ServerTime before = take(*source)->takenAt;
        bob.start(u"SELECT pg_sleep(60)"_s);
        QVERIFY(ann.run(u"COMMIT"_s));
        SnapshotPtr after;
        const LockRequest* held = nullptr;
        QVERIFY(waitUntil([&] {
            after = take(*source);
            held = find(*after, bob.id(), false, u"public.orders"_s);
            return held != nullptr;
        }));
        QVERIFY(held->since && *held->since > before);
        QVERIFY(*held->since > *find(*after, cid.id(), true)->since);
        QVERIFY(*find(*take(*source), bob.id(), false, u"public.orders"_s)->since > before); // nor later
        bob.cancel();
    }

    void preparedTransactionsGoByTheirName()
    {
        const auto url = server().freshDatabase(u"CREATE TABLE public.orders (id int)"_s);
        const auto ann = server().connect(url);
        for (const auto& sql :
            {u"BEGIN"_s, u"LOCK TABLE public.orders"_s, u"PREPARE TRANSACTION 'or''ders'"_s})
            QVERIFY(runSql(*ann, sql));
        test::Session bob(server(), url);
        QVERIFY(bob.startWaiting(u"SELECT * FROM orders"_s));
        const auto forest = blockingForest(*take(*sourceFor(url)), LockThresholds().hold.amber);
        QCOMPARE(forest.size(), size_t(1));
        QCOMPARE(forest[0].row.name, u"prepared 'or''ders'"_s);
        QCOMPARE(forest[0].children[0].row.blockedBy, u"prepared 'or''ders'"_s);
        const QString remedy = forest[0].row.diagnosis.remedy;
        const QString statement = u"ROLLBACK PREPARED 'or''ders'"_s;
        QVERIFY2(remedy.contains(statement) && remedy.contains(url.database), qPrintable(remedy));
        QVERIFY(runSql(*server().connect(url), statement));
        QVERIFY(bob.wait());
    }
};

LOCKSCOPE_TEST(tst_PostgresRows)

} // namespace tst_PostgresRows
#include "tst_PostgresRows.moc"
