// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/SchemaInstaller.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/SnapshotComparison.h"
#include "core/domain/SnapshotJson.h"
#include "tests/support/FaultyNetwork.h"
#include "tests/support/Session.h"
#include "tests/support/TakenSnapshot.h"
#include "tests/support/TestProgram.h"

#include <tuple>

namespace tst_PostgresSnapshot {

using namespace lockscope;
using namespace lockscope::monitor;
using namespace lockscope::test;

constexpr auto server = &TestServer::shared;

static std::unique_ptr<SnapshotSource> sourceFor(const db::ServerUrl& url, const ProbeSelection& probes = {})
{
    return makeSnapshotSource({profileOf(url), server().passwords()}, probes);
}

static SnapshotPtr snapshotOf(const db::ServerUrl& url, const ProbeSelection& probes = {})
{
    return take(*sourceFor(url, probes));
}

static std::vector<LockRequest> requestsOf(const Snapshot& snapshot, SessionId session)
{
    std::vector<LockRequest> own;
    std::copy_if(snapshot.requests.begin(), snapshot.requests.end(), std::back_inserter(own),
        [session](const LockRequest& request) { return request.session == session; });
    return own;
}

/// The one that the session waits for; a request of nobody's if it doesn't wait.
static LockRequest waitOf(const Snapshot& snapshot, SessionId session)
{
    for (const LockRequest& request : requestsOf(snapshot, session)) {
        if (request.isWaiting())
            return request;
    }
    return {};
}

static const LockRequest* requestFor(const Snapshot& snapshot, SessionId session, const QString& resource)
{
    const auto found = std::ranges::find_if(snapshot.requests, [&](const LockRequest& request) {
        return request.session == session && snapshot.resourceOf(request).name == resource;
    });
    return found == snapshot.requests.end() ? nullptr : &*found;
}

static std::vector<SessionId> blockersOf(const Snapshot& snapshot, SessionId waiter)
{
    std::vector<SessionId> blockers;
    for (const WaitEdge& edge : snapshot.waits) {
        if (edge.waiter == waiter)
            blockers.push_back(edge.blocker);
    }
    return blockers;
}

static QString nameOf(const Snapshot& snapshot, const LockRequest& request)
{
    return snapshot.resourceOf(request).name;
}

class tst_PostgresSnapshot : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithPgLocksRowForRow()
    {
        const auto url =
            server().freshDatabase(u"CREATE TABLE public.orders (id int PRIMARY KEY, note text)"_s);
        server().run(url, u"INSERT INTO orders SELECT g, '' FROM generate_series(1, 5) g"_s);
        test::Session ann(server(), url);
        test::Session bob(server(), url);
        test::Session cid(server(), url);
        QVERIFY(ann.begin(u"UPDATE orders SET note = 'a' WHERE id = 1"_s));
        QVERIFY(ann.run(u"SELECT pg_advisory_lock(7), pg_advisory_xact_lock_shared(1, 2)"_s));
        QVERIFY(bob.startWaiting(u"UPDATE orders SET note = 'b' WHERE id = 1"_s));
        cid.start(u"LOCK TABLE orders IN ACCESS EXCLUSIVE MODE"_s);
        cid.wait().has_value(); // refused: outside of a transaction
        QVERIFY(cid.run(u"BEGIN"_s));
        QVERIFY(cid.startWaiting(u"LOCK TABLE orders IN ACCESS EXCLUSIVE MODE"_s));

        const auto source = sourceFor(url, {.internalLocks = true});
        const SnapshotPtr snapshot = take(*source);
        using Line = std::tuple<qint64, QString, bool, int>;
        std::multiset<Line> ours;
        const std::set<SessionId> actors{ann.id(), bob.id(), cid.id()};
        for (const LockRequest& request : snapshot->requests) {
            if (actors.contains(request.session))
                ours.emplace(request.session.value, request.mode.name(), !request.isWaiting(),
                    static_cast<int>(snapshot->resourceOf(request).key.kind));
        }
        std::multiset<Line> theirs;
        const std::map<QString, ResourceKind> kinds{{u"relation"_s, ResourceKind::Relation},
            {u"tuple"_s, ResourceKind::Row}, {u"transactionid"_s, ResourceKind::TransactionId},
            {u"virtualxid"_s, ResourceKind::VirtualTransaction},
            {u"advisory"_s, ResourceKind::ApplicationLock}};
        QVERIFY(runSql(*server().connect(url),
            u"SELECT pid, mode, granted, locktype FROM pg_locks WHERE pid IN (%1, %2, %3)"_s
                .arg(ann.id().value)
                .arg(bob.id().value)
                .arg(cid.id().value),
            {}, [&](const db::Row& row) {
                theirs.emplace(
                    row.int64(0), row.text(1), row.boolean(2), static_cast<int>(kinds.at(row.text(3))));
            }));
        QVERIFY(theirs.size() >= 12);
        QVERIFY(ours == theirs);
    }

    void aTableWaitNamesTheTableAndItsHolder()
    {
        const auto url = server().freshDatabase(u"CREATE TABLE public.\"Odd Orders\" (id int)"_s);
        test::Session ann(server(), url);
        test::Session bob(server(), url);
        QVERIFY(ann.begin(u"LOCK TABLE \"Odd Orders\" IN SHARE MODE"_s));
        QVERIFY(bob.startWaiting(u"INSERT INTO \"Odd Orders\" VALUES (1)"_s));
        const SnapshotPtr snapshot = snapshotOf(url);
        const LockRequest wait = waitOf(*snapshot, bob.id());
        QCOMPARE(wait.session, bob.id());
        QCOMPARE(wait.sessionStarted, bob.started());
        QCOMPARE(nameOf(*snapshot, wait), u"public.\"Odd Orders\""_s);
        QVERIFY(snapshot->resourceOf(wait).named);
        QCOMPARE(snapshot->resourceOf(wait).database, url.database);
        QCOMPARE(wait.mode.name(), u"RowExclusiveLock"_s);
        QVERIFY(wait.sinceExact);
        QVERIFY(snapshot->ageOf(wait)->exact);
        QCOMPARE(blockersOf(*snapshot, bob.id()), std::vector{ann.id()});
    }

    void aRowWaitNamesTheTransactionAndWhoseItIs()
    {
        const auto url = server().freshDatabase(u"CREATE TABLE public.orders (id int PRIMARY KEY)"_s);
        server().run(url, u"INSERT INTO orders VALUES (1)"_s);
        test::Session ann(server(), url);
        test::Session bob(server(), url);
        test::Session cid(server(), url);
        QVERIFY(ann.begin(u"SELECT * FROM orders WHERE id = 1 FOR UPDATE"_s));
        QVERIFY(bob.startWaiting(u"SELECT * FROM orders WHERE id = 1 FOR UPDATE"_s));
        QVERIFY(cid.startWaiting(u"SELECT * FROM orders WHERE id = 1 FOR UPDATE"_s));
        const SnapshotPtr snapshot = snapshotOf(url);
        const LockRequest wait = waitOf(*snapshot, bob.id());
        QCOMPARE(snapshot->resourceOf(wait).key.kind, ResourceKind::TransactionId);
        QVERIFY(nameOf(*snapshot, wait).startsWith(u"transaction "));
        QVERIFY(nameOf(*snapshot, wait).endsWith(u" (session %1)"_s.arg(ann.id().value)));
        // The third session queues for the row itself, behind the second.
        QCOMPARE(nameOf(*snapshot, waitOf(*snapshot, cid.id())), u"public.orders row (0,1)"_s);
        QCOMPARE(blockersOf(*snapshot, cid.id()), std::vector{bob.id()});
    }

    void advisoryLocksShowTheirRegisteredName()
    {
        const auto url = server().freshDatabase(
            u"INSERT INTO lockscope.app_lock_name (key, name) VALUES (hashtextextended('nightly-run', 0), 'nightly-run')"_s);
        test::Session ann(server(), url);
        QVERIFY(ann.run(
            u"SELECT pg_advisory_lock(hashtextextended('nightly-run', 0)), pg_advisory_lock(-42), pg_advisory_lock(3, -4)"_s));
        const SnapshotPtr snapshot = snapshotOf(url);
        const auto* named = requestFor(*snapshot, ann.id(), u"app lock 'nightly-run'"_s);
        QVERIFY(named);
        QVERIFY(snapshot->resourceOf(*named).named);
        const auto* number = requestFor(*snapshot, ann.id(), u"advisory key -42"_s);
        QVERIFY(number);
        QVERIFY(!snapshot->resourceOf(*number).named);
        QVERIFY(requestFor(*snapshot, ann.id(), u"advisory key (3, -4)"_s));
    }

    void theInstallationOfTheSchemaIsShownAsSuch()
    {
        const auto url = server().freshDatabase();
        test::Session ann(server(), url);
        QVERIFY(ann.run(u"SELECT pg_advisory_lock(1282368363, 0)"_s));
        QVERIFY(requestFor(*snapshotOf(url), ann.id(), u"installation of Lockscope's schema"_s));
    }

    void aNameRegisteredLaterAppears()
    {
        const auto url = server().freshDatabase();
        test::Session ann(server(), url);
        QVERIFY(ann.run(u"SELECT pg_advisory_lock(hashtextextended('late', 0))"_s));
        const auto source = sourceFor(url);
        QVERIFY(!requestFor(*take(*source), ann.id(), u"app lock 'late'"_s));
        server().run(url,
            u"INSERT INTO lockscope.app_lock_name (key, name) VALUES (hashtextextended('late', 0), 'late')"_s);
        QVERIFY(
            waitUntil([&] { return requestFor(*take(*source), ann.id(), u"app lock 'late'"_s) != nullptr; }));
    }

    void aTableOfNamesThatIsLockedCostsNoMoreThanThat()
    {
        const auto url = server().freshDatabase(
            u"INSERT INTO lockscope.app_lock_name (key, name) SELECT hashtextextended(n, 0), n FROM unnest('{known,hidden}'::text []) AS n"_s);
        test::Session ann(server(), url);
        test::Session ddl(server(), url);
        QVERIFY(ann.run(u"SELECT pg_advisory_lock(hashtextextended('known', 0))"_s));
        const auto source = sourceFor(url);
        QVERIFY(requestFor(*take(*source), ann.id(), u"app lock 'known'"_s));
        QVERIFY(ddl.begin(u"LOCK TABLE lockscope.app_lock_name"_s));
        QVERIFY(ann.run(u"SELECT pg_advisory_lock(hashtextextended('hidden', 0))"_s));
        const SnapshotPtr meanwhile = take(*source); // it waits for the table, but not for long
        QVERIFY(requestFor(*meanwhile, ann.id(), u"app lock 'known'"_s));
        QVERIFY(!requestFor(*meanwhile, ann.id(), u"app lock 'hidden'"_s));
        QVERIFY(ddl.run(u"ROLLBACK"_s));
        QVERIFY(waitUntil(
            [&] { return requestFor(*take(*source), ann.id(), u"app lock 'hidden'"_s) != nullptr; }));
    }

    void tablesOfAnotherDatabaseAreNumbers()
    {
        const auto url = server().freshDatabase();
        const auto other = server().freshDatabase(u"CREATE TABLE far_away (id int)"_s);
        test::Session ann(server(), other);
        QVERIFY(ann.begin(u"LOCK TABLE far_away"_s));
        const SnapshotPtr snapshot = snapshotOf(url);
        const auto own = requestsOf(*snapshot, ann.id());
        const auto table = std::ranges::find_if(own, [&](const LockRequest& request) {
            return snapshot->resourceOf(request).key.kind == ResourceKind::Relation;
        });
        QVERIFY(table != own.end());
        QVERIFY(nameOf(*snapshot, *table).startsWith(u"database %1: table "_s.arg(other.database)));
        QVERIFY(!snapshot->resourceOf(*table).named);
    }

    void indexesSayThatTheyAreSome()
    {
        const auto url = server().freshDatabase(u"CREATE TABLE public.orders (id int PRIMARY KEY)"_s);
        test::Session ann(server(), url);
        QVERIFY(ann.begin(u"UPDATE orders SET id = 2 WHERE id = 1"_s));
        QVERIFY(requestFor(*snapshotOf(url), ann.id(), u"public.orders_pkey (index)"_s));
    }

    void ownLocksOnTransactionIdsAreNoiseUnlessAskedFor()
    {
        const auto url = server().freshDatabase(u"CREATE TABLE public.orders (id int)"_s);
        test::Session ann(server(), url);
        QVERIFY(ann.begin(u"INSERT INTO orders VALUES (1)"_s));
        const auto kindsIn = [&](const Snapshot& snapshot) {
            std::set<ResourceKind> kinds;
            for (const LockRequest& request : requestsOf(snapshot, ann.id()))
                kinds.insert(snapshot.resourceOf(request).key.kind);
            return kinds;
        };
        QCOMPARE(kindsIn(*snapshotOf(url)), std::set{ResourceKind::Relation});
        const std::set expected{
            ResourceKind::Relation, ResourceKind::TransactionId, ResourceKind::VirtualTransaction};
        QCOMPARE(kindsIn(*snapshotOf(url, {.internalLocks = true})), expected);
    }

    void sessionsAreDescribed()
    {
        const auto url = server().freshDatabase();
        test::Session ann(server(), url, u"till 3"_s);
        QVERIFY(ann.begin(u"SELECT 4711"_s));
        const auto source = sourceFor(url);
        const SnapshotPtr snapshot = take(*source);
        const lockscope::Session* session = snapshot->session(ann.id());
        QVERIFY(session);
        QCOMPARE(session->started, ann.started());
        QCOMPARE(session->state, SessionState::IdleInTransaction);
        QCOMPARE(session->user, url.user);
        QCOMPARE(session->database, url.database);
        QCOMPARE(session->program, u"lockscope workload till 3"_s);
        QVERIFY(!session->host.isEmpty());
        QCOMPARE(session->statement, u"SELECT 4711"_s);
        QVERIFY(session->statementVisible);
        QVERIFY(session->transactionStarted && session->statementStarted && session->stateSince);
        QVERIFY(*session->transactionStarted <= *session->statementStarted);
        QVERIFY(!session->own && !session->system);
        QCOMPARE(std::ranges::count_if(snapshot->sessions,
                     [&](const lockscope::Session& s) { return s.own && s.database == url.database; }),
            1);
        QVERIFY(std::ranges::any_of(snapshot->sessions,
            [](const lockscope::Session& s) { return s.system && s.program == u"checkpointer"; }));
        QCOMPARE(snapshot->engine, Engine::Postgres);
        QVERIFY(snapshot->serverVersion.startsWith(u"PostgreSQL "));
        QVERIFY(snapshot->cost.rows > 0 && snapshot->cost.roundTrip.count() > 0);
        QVERIFY(snapshot->cost.server.count() > 0 && snapshot->cost.server <= snapshot->cost.roundTrip);

        QVERIFY(snapshotOf(url, {.statements = false})->session(ann.id())->statement.isEmpty());
    }

    void steadyStateTakesOneRoundTrip()
    {
        const auto url = server().freshDatabase(u"CREATE TABLE public.orders (id int PRIMARY KEY)"_s);
        test::Session ann(server(), url);
        test::Session bob(server(), url);
        QVERIFY(ann.begin(u"LOCK TABLE orders"_s));
        QVERIFY(bob.startWaiting(u"SELECT * FROM orders"_s));
        const auto source = sourceFor(url);
        QVERIFY(take(*source)->cost.roundTrips > 1);
        // An autovacuum worker of another database may work meanwhile.
        QVERIFY(waitUntil([&] { return take(*source)->cost.roundTrips == 1; }));
        const auto second = take(*source);
        QCOMPARE(nameOf(*second, waitOf(*second, bob.id())), u"public.orders"_s);
    }

    void locksAreReadWhileSomebodyWaits()
    {
        const auto url = server().freshDatabase();
        test::Session ann(server(), url);
        test::Session bob(server(), url);
        QVERIFY(ann.run(u"SELECT pg_advisory_lock(4711)"_s));
        const auto source = sourceFor(url);
        source->setLockReading(LockReading::WhenWaitedFor);
        const SnapshotPtr first = take(*source);
        QVERIFY(first->locksRead);
        QCOMPARE(requestsOf(*first, ann.id()).size(), 1);

        // Unread is neither "nothing is held" nor "it was given back".
        SnapshotPtr quiet;
        QVERIFY(waitUntil([&] { return !(quiet = take(*source))->locksRead; }));
        QVERIFY(quiet->requests.empty() && quiet->waits.empty() && quiet->session(ann.id()));
        QVERIFY(diffSnapshots(*first, *quiet).requests.isEmpty());
        QVERIFY(!toJson(*quiet).contains(u"locks"_s) && toJson(*first).contains(u"locks"_s));

        QVERIFY(bob.startWaiting(u"SELECT pg_advisory_lock(4711)"_s));
        const SnapshotPtr waiting = take(*source);
        QVERIFY(waiting->locksRead);
        QCOMPARE(waiting->blocking().blockersOf(bob.id()), std::vector{ann.id()});
        QVERIFY(waiting->cost.server.count() > 0 && waiting->cost.server <= waiting->cost.roundTrip);
        const LockRequest held = requestsOf(*waiting, ann.id()).front();
        QVERIFY(!held.sinceExact && held.since && *held.since <= *waitOf(*waiting, bob.id()).since);
        // A session that waited recently may wait again.
        QVERIFY(take(*source)->locksRead);

        QVERIFY(ann.run(u"SELECT pg_advisory_unlock(4711)"_s));
        QVERIFY(bob.wait());
        QVERIFY(waitUntil([&] { return !take(*source)->locksRead; }));
        source->setLockReading(LockReading::Always);
        const SnapshotPtr all = take(*source);
        QVERIFY(all->locksRead);
        QCOMPARE(requestsOf(*all, bob.id()).size(), 1);
    }

    /// A role that may not see whether others wait must not read "nobody waits" from a cheap poll.
    void locksAreAlwaysReadByARoleThatDoesNotSeeWaits()
    {
        const auto url = server().freshDatabase();
        test::Session ann(server(), url);
        const auto source = sourceFor(server().asRole(url));
        source->setLockReading(LockReading::WhenWaitedFor);
        for (int poll = 0; poll < 3; ++poll)
            QVERIFY(take(*source)->locksRead);
    }

    void agesOfGrantedLocksAreLowerBounds()
    {
        const auto url = server().freshDatabase(u"CREATE TABLE public.orders (id int)"_s);
        test::Session ann(server(), url);
        QVERIFY(ann.begin(u"LOCK TABLE orders"_s));
        const auto source = sourceFor(url);
        QVERIFY(waitUntil([&] { return take(*source)->session(ann.id())->state != SessionState::Active; }));
        const auto first = take(*source);
        const auto* held = requestFor(*first, ann.id(), u"public.orders"_s);
        QVERIFY(held && held->since && !held->sinceExact);
        // An idle session took the lock before it became idle: the bound is that time.
        QCOMPARE(*held->since, *first->session(ann.id())->stateSince);
        QVERIFY(*held->since >= *first->session(ann.id())->transactionStarted);

        // A busy session gives no such hint, but the source remembers.
        ann.start(u"SELECT pg_sleep(60)"_s);
        QVERIFY(waitUntil([&] { return take(*source)->session(ann.id())->state == SessionState::Active; }));
        const auto busy = take(*source);
        const auto* stillHeld = requestFor(*busy, ann.id(), u"public.orders"_s);
        QVERIFY(stillHeld && *stillHeld->since <= first->takenAt);
        ann.cancel();

        // A later transaction takes it again: the age must not reach back.
        QVERIFY(!ann.wait());
        QVERIFY(ann.run(u"ROLLBACK"_s) && ann.run(u"BEGIN"_s));
        const ServerTime before = take(*source)->takenAt;
        ann.start(u"LOCK TABLE orders"_s);
        ann.start(u"SELECT pg_sleep(60)"_s);
        QVERIFY(
            waitUntil([&] { return requestFor(*take(*source), ann.id(), u"public.orders"_s) != nullptr; }));
        const auto again = take(*source);
        QVERIFY(*requestFor(*again, ann.id(), u"public.orders"_s)->since > before);
        ann.cancel();
    }

    void sessionsTellWhatTheirTransactionHoldsBack()
    {
        const auto url = server().freshDatabase(u"CREATE TABLE public.orders (id int)"_s);
        test::Session reader(server(), url);
        test::Session writer(server(), url);
        test::Session idle(server(), url);
        QVERIFY(reader.run(u"BEGIN ISOLATION LEVEL REPEATABLE READ"_s) && reader.run(u"SELECT 1"_s));
        for (int i = 0; i < 3; ++i)
            server().run(url, u"INSERT INTO public.orders VALUES (1)"_s);
        QVERIFY(writer.begin(u"INSERT INTO public.orders VALUES (2)"_s));
        const auto ageForTheServer = [&] {
            return test::ask(*server().connect(url),
                u"SELECT age(backend_xmin) FROM pg_stat_activity WHERE pid = %1"_s.arg(reader.id().value))
                .toLongLong();
        };
        const qint64 before = ageForTheServer();
        const SnapshotPtr snapshot = snapshotOf(url);
        const qint64 after = ageForTheServer();
        const auto* reading = snapshot->session(reader.id());
        const auto* writing = snapshot->session(writer.id());
        const auto* resting = snapshot->session(idle.id());
        QVERIFY(reading && writing && resting);
        QVERIFY2(reading->snapshotAge >= 3, qPrintable(QString::number(reading->snapshotAge.value_or(-1))));
        QVERIFY(reading->snapshotAge >= before && reading->snapshotAge <= after);
        QVERIFY(!reading->transactionId);
        QVERIFY(writing->transactionId > 0);
        QVERIFY(!resting->transactionId && !resting->snapshotAge);
        QCOMPARE(resting->address, u"local"_s);
        QVERIFY(!reading->workSinceLogin.cpu); // PostgreSQL does not show it
    }

    void lockTableAndItsQueueAreShown()
    {
        const auto url = server().freshDatabase(
            u"INSERT INTO lockscope.lock_entry (name, token, expires_at, owner, host, program, process_id) VALUES ('nightly', 't1', clock_timestamp() + interval '1 hour', 'ann', 'app01', 'batch', 17), ('it''s \"odd\" 🔒', 't2', clock_timestamp() - interval '1 s', '', '', '', 0)"_s);
        server().run(url,
            u"INSERT INTO lockscope.lock_waiter (name, expires_at, owner) VALUES ('nightly', clock_timestamp() + interval '1 hour', 'bob'), ('nightly', clock_timestamp() + interval '1 hour', 'cid')"_s);
        const SnapshotPtr snapshot = snapshotOf(url);
        QCOMPARE(snapshot->entries.size(), 2u);
        const LockTableEntry& nightly = snapshot->entries[1];
        QCOMPARE(nightly.table, u"lockscope.lock_entry"_s);
        QCOMPARE(nightly.name, u"nightly"_s);
        QCOMPARE(nightly.token, u"t1..."_s);
        QVERIFY(nightly.fencing > 0);
        QCOMPARE(nightly.party.owner, u"ann"_s);
        QCOMPARE(nightly.party.host, u"app01"_s);
        QCOMPARE(nightly.party.processId, 17);
        QVERIFY(!nightly.isStale(snapshot->takenAt));
        QCOMPARE(snapshot->entries[0].name, u"it's \"odd\" 🔒"_s);
        QVERIFY(snapshot->entries[0].isStale(snapshot->takenAt));
        QCOMPARE(snapshot->entryWaiters.size(), 2u);
        QCOMPARE(snapshot->entryWaiters[0].party.owner, u"bob"_s);
        QVERIFY(snapshot->entryWaiters[0].ticket < snapshot->entryWaiters[1].ticket);
        QVERIFY(!limitation(*snapshot, Limitation::Kind::MissingSchema));
    }

    void aSchemaInstalledLaterIsNoticed()
    {
        const auto url = server().freshDatabase(TestServer::Schema::None);
        const auto source = sourceFor(url);
        const SnapshotPtr without = take(*source);
        QVERIFY(limitation(*without, Limitation::Kind::MissingSchema));
        QVERIFY(limitation(*without, Limitation::Kind::MissingSchema)->remedy.contains(u"lockctl install"));
        QVERIFY(!without->sessions.empty());
        QVERIFY(db::installSchema(*server().connect(url)));
        server().run(
            url, u"INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES ('n', 't', now())"_s);
        QVERIFY(waitUntil([&] { return take(*source)->entries.size() == 1; }));
        QVERIFY(!limitation(*take(*source), Limitation::Kind::MissingSchema));
        // The reverse: it is dropped between two polls.
        QVERIFY(db::uninstallSchema(*server().connect(url)));
        QVERIFY(limitation(*take(*source), Limitation::Kind::Failed));
        QVERIFY(limitation(*take(*source), Limitation::Kind::MissingSchema));
    }

    void aLimitedRoleSeesWhatIsMissingAndTheGrant()
    {
        const auto url = server().freshDatabase();
        test::Session ann(server(), url);
        QVERIFY(ann.run(u"SELECT 'secret'"_s));
        const auto limitedUrl = server().asRole(url);
        const auto source = sourceFor(limitedUrl);
        const SnapshotPtr limited = take(*source);
        const lockscope::Session* session = limited->session(ann.id());
        QVERIFY(session);
        QCOMPARE(session->state, SessionState::Hidden);
        QVERIFY(!session->statementVisible);
        QVERIFY(session->statement.isEmpty());
        const QString role = u"\"%1\""_s.arg(limitedUrl.user);
        QStringList remedies;
        for (const Limitation& limit : limited->limitations) {
            if (limit.kind == Limitation::Kind::MissingPermission)
                remedies << limit.remedy;
        }
        QVERIFY(remedies.contains(u"GRANT pg_read_all_stats TO %1;"_s.arg(role)));
        QVERIFY(remedies.contains(u"GRANT lockscope_reader TO %1;"_s.arg(role)));
        QVERIFY(limited->entries.empty());

        // The remedy in the Limitation helps.
        server().run(url, remedies.join(u' '));
        QVERIFY(waitUntil([&] { return !limitation(*take(*source), Limitation::Kind::MissingPermission); }));
        QCOMPARE(take(*source)->session(ann.id())->statement, u"SELECT 'secret'"_s);
    }

    void cappedRowsAreCountedAndKeepWhoeverWaits()
    {
        const auto url = server().freshDatabase(u"CREATE TABLE public.orders (id int)"_s);
        test::Session ann(server(), url);
        test::Session bob(server(), url);
        QVERIFY(ann.run(u"SELECT pg_advisory_lock(g) FROM generate_series(1, 500) g"_s));
        QVERIFY(ann.begin(u"LOCK TABLE orders"_s));
        QVERIFY(bob.startWaiting(u"SELECT * FROM orders"_s));
        ProbeSelection few;
        few.maxRequests = 20;
        const SnapshotPtr snapshot = snapshotOf(url, few);
        QCOMPARE(snapshot->requests.size(), 20u);
        QCOMPARE(blockersOf(*snapshot, bob.id()), std::vector{ann.id()});
        QVERIFY(requestFor(*snapshot, ann.id(), u"public.orders"_s));
        const Limitation* capped = limitation(*snapshot, Limitation::Kind::CappedRows);
        QVERIFY(capped);
        QCOMPARE(capped->shown, 20);
        QVERIFY(capped->total >= 502);
        few.maxRequests = 0;
        QCOMPARE(blockersOf(*snapshotOf(url, few), bob.id()), std::vector{ann.id()});
    }

    void preparedTransactionsHoldLocksWithoutASession()
    {
        const auto url = server().freshDatabase(u"CREATE TABLE public.orders (id int)"_s);
        const auto ann = server().connect(url);
        for (const auto& sql :
            {u"BEGIN"_s, u"LOCK TABLE public.orders"_s, u"PREPARE TRANSACTION 'or''ders'"_s})
            QVERIFY(runSql(*ann, sql));
        // Only its locks show it.
        const auto source = sourceFor(url);
        source->setLockReading(LockReading::WhenWaitedFor);
        for (int poll = 0; poll < 3; ++poll)
            QVERIFY(take(*source)->locksRead);
        test::Session bob(server(), url);
        QVERIFY(bob.startWaiting(u"SELECT * FROM orders"_s));
        const SnapshotPtr snapshot = take(*source);
        const auto blockers = blockersOf(*snapshot, bob.id());
        QCOMPARE(blockers.size(), 1u);
        QVERIFY(blockers[0].value < 0);
        const lockscope::Session* prepared = snapshot->session(blockers[0]);
        QVERIFY(prepared && prepared->started.isValid());
        QCOMPARE(prepared->statement, u"PREPARE TRANSACTION 'or''ders'"_s);
        const Limitation* limit = limitation(*snapshot, Limitation::Kind::Unsupported);
        QVERIFY(limit);
        QCOMPARE(limit->remedy, u"ROLLBACK PREPARED 'or''ders';"_s);
        QVERIFY(runSql(*server().connect(url), limit->remedy));
        QVERIFY(bob.wait());
    }

    void reconnectsAfterItsSessionWasEnded()
    {
        const auto url = server().freshDatabase();
        const auto source = sourceFor(url);
        const SnapshotPtr before = take(*source);
        server().run(url,
            u"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'lockscope monitor%'"_s);
        VERIFY_FAILS(ErrorKind::Connection, source->take());
        const SnapshotPtr after = take(*source);
        QVERIFY(!after->sessions.empty());
        QCOMPARE(after->number, before->number + 1);
    }

    /// Each request is answered by the server: how soon to ask again is for the scheduler to decide.
    void eachPollTriesAnew()
    {
        FaultyNetwork network(server().url());
        network.cut();
        const auto source = sourceFor(network.url());
        for (int poll = 0; poll < 5; ++poll) {
            const auto failed = source->take();
            VERIFY_FAILS(ErrorKind::Connection, failed);
            QVERIFY(!failed.error().server.isEmpty());
        }
        network.mend();
        QVERIFY(take(*source));
    }

    void waitsForASafeSnapshotAreShown()
    {
        const auto url = server().freshDatabase(u"CREATE TABLE public.orders (id int)"_s);
        test::Session ann(server(), url);
        test::Session bob(server(), url);
        test::Session cid(server(), url);
        for (test::Session* writer : {&ann, &bob})
            QVERIFY(writer->run(u"BEGIN ISOLATION LEVEL SERIALIZABLE"_s)
                && writer->run(u"INSERT INTO orders VALUES (1)"_s));
        QVERIFY(cid.run(u"BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE"_s));
        cid.start(u"SELECT count(*) FROM orders"_s);
        const auto source = sourceFor(url);
        QVERIFY(waitUntil([&] { return waitOf(*take(*source), cid.id()).session == cid.id(); }));
        const SnapshotPtr snapshot = take(*source);
        const LockRequest wait = waitOf(*snapshot, cid.id());
        QCOMPARE(snapshot->resourceOf(wait).key.kind, ResourceKind::SafeSnapshot);
        QCOMPARE(wait.mode.name(), u"SafeSnapshot"_s);
        QVERIFY(wait.since && wait.sinceExact);
        auto blockers = blockersOf(*snapshot, cid.id());
        std::sort(blockers.begin(), blockers.end());
        auto writers = std::vector{ann.id(), bob.id()};
        std::sort(writers.begin(), writers.end());
        QCOMPARE(blockers, writers);
        // Blockers are asked for only while a session waits in this way, by the poll that finds it, too.
        QCOMPARE(blockersOf(*take(*sourceFor(url)), cid.id()).size(), 2u);
        QVERIFY(waitUntil([&] { return take(*source)->cost.roundTrips == 1; }));
        QVERIFY(ann.run(u"ROLLBACK"_s));
        QVERIFY(waitUntil([&] { return blockersOf(*take(*source), cid.id()) == std::vector{bob.id()}; }));
        QVERIFY(bob.run(u"ROLLBACK"_s));
        QVERIFY(cid.wait());
        QVERIFY(blockersOf(*take(*source), cid.id()).empty());
    }

    void parallelWorkersCountAsTheirLeader()
    {
        const auto url = server().freshDatabase(
            u"CREATE TABLE public.many AS SELECT g AS id FROM generate_series(1, 100000) g"_s);
        server().run(url, u"ANALYZE many"_s);
        test::Session ann(server(), url);
        test::Session bob(server(), url);
        QVERIFY(ann.run(u"SET min_parallel_table_scan_size = 0"_s)
            && ann.run(u"SET parallel_setup_cost = 0"_s) && ann.run(u"SET parallel_tuple_cost = 0"_s)
            && ann.run(
                u"SELECT set_config(name, 'on', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')"_s));
        QVERIFY(ann.run(
            u"CREATE FUNCTION slow(i int) RETURNS int LANGUAGE plpgsql PARALLEL SAFE AS $$ BEGIN IF i % 1000 = 0 THEN PERFORM pg_sleep(0.5); END IF; RETURN i; END $$"_s));
        ann.start(u"SELECT sum(slow(id)) FROM many"_s);
        const auto source = sourceFor(url);
        QVERIFY(waitUntil([&] {
            const auto snapshot = take(*source);
            return std::ranges::any_of(
                snapshot->sessions, [&](const lockscope::Session& s) { return s.leader == ann.id(); });
        }));
        QVERIFY(bob.run(u"BEGIN"_s));
        QVERIFY(bob.startWaiting(u"LOCK TABLE many"_s));
        QCOMPARE(blockersOf(*take(*source), bob.id()), std::vector{ann.id()});
        ann.cancel();
    }
};

LOCKSCOPE_TEST(tst_PostgresSnapshot)

} // namespace tst_PostgresSnapshot
#include "tst_PostgresSnapshot.moc"
