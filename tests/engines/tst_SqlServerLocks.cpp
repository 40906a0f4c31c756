// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// SQL Server's part of the contract beyond tst_LockConformance, through the real drivers and the double.

#include "core/db/SchemaInstaller.h"
#include "core/db/sqlserver/SqlServerConnection.h"
#include "core/locks/LeaseKeeper.h"
#include "core/locks/QueueReader.h"
#include "tests/support/Deadlock.h"
#include "tests/support/LockRig.h"
#include "tests/support/SqlServerRig.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/support/tds/LockAnswers.h"
#include "tests/support/tds/SessionAnswers.h"

namespace tst_SqlServerLocks {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;

constexpr milliseconds forEver{-1};
constexpr LockVariant table{Engine::SqlServer, LockKind::Table};
constexpr LockVariant session{Engine::SqlServer, LockKind::Application, LockOwner::Session};
constexpr LockVariant key{Engine::SqlServer, LockKind::LockedKey, LockOwner::Transaction};

static AcquireRequest in(AcquireMode mode, AcquireRequest request)
{
    request.mode = mode;
    return request;
}

/// A server whose answers a test can falsify.
struct Server {
    explicit Server(bool keepsHints = true)
    {
        locks = std::make_unique<tds::LockAnswers>(server, keepsHints);
        tds::addSessionAnswers(server);
    }
    std::unique_ptr<db::Connection> connect()
    {
        return db::Server::at(tds::urlOf(server), db::fixedPassword(tds::passwordOf(server)))
            .connect()
            .value();
    }

    std::unique_ptr<tds::LockAnswers> locks; ///< outlives the server
    tds::TdsServer server;
};

class SqlServerLocks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { tds::addDrivers(); }
    void init()
    {
        QFETCH_GLOBAL(tds::OdbcDriver, driver);
        SKIP_FOR(SqlServerRig::use(driver));
    }

    void modesShareAndExclude_data()
    {
        addColumns<AcquireMode, AcquireMode, bool>("held", "requested", "shared");
        using M = AcquireMode;
        const auto row = [](const char* name, M held, M requested, bool shared) {
            QTest::newRow(name) << held << requested << shared;
        };
        // Microsoft's documentation, "Lock compatibility".
        row("IS IS", M::IntentShared, M::IntentShared, true);
        row("IS S", M::IntentShared, M::Shared, true);
        row("IS U", M::IntentShared, M::Update, true);
        row("IS IX", M::IntentShared, M::IntentExclusive, true);
        row("IS X", M::IntentShared, M::Exclusive, false);
        row("S S", M::Shared, M::Shared, true);
        row("S U", M::Shared, M::Update, true);
        row("S IX", M::Shared, M::IntentExclusive, false);
        row("S X", M::Shared, M::Exclusive, false);
        row("U S", M::Update, M::Shared, true);
        row("U U", M::Update, M::Update, false);
        row("U IX", M::Update, M::IntentExclusive, false);
        row("IX IX", M::IntentExclusive, M::IntentExclusive, true);
        row("IX S", M::IntentExclusive, M::Shared, false);
        row("X IS", M::Exclusive, M::IntentShared, false);
        row("X X", M::Exclusive, M::Exclusive, false);
    }
    void modesShareAndExclude()
    {
        FETCH(AcquireMode, held, AcquireMode, requested, bool, shared);
        const LockRig rig(session);
        Contender one(rig);
        Contender two(rig);
        QCOMPARE(one.acquire(in(held, rig.requestFor(u"n"_s))).outcome, Outcome::Granted);
        QCOMPARE(two.acquire(in(requested, rig.requestFor(u"n"_s))).outcome,
            shared ? Outcome::Granted : Outcome::Denied);
    }

    void cancelledUpgradeKeepsWhatWasHeld()
    {
        const LockRig rig(session);
        Contender one(rig);
        Contender two(rig);
        QVERIFY(one.acquire(in(AcquireMode::Shared, rig.requestFor(u"n"_s))).isGranted());
        QVERIFY(two.acquire(in(AcquireMode::Shared, rig.requestFor(u"n"_s))).isGranted());
        auto waiting = one.ask(rig.requestFor(u"n"_s, forEver));
        QTRY_COMPARE(rig.waiters(u"n"_s), 1);
        one.cancel();
        QCOMPARE(soon(std::move(waiting)).outcome, Outcome::Cancelled);
        QVERIFY(two.release());
        QCOMPARE(two.acquire(rig.requestFor(u"n"_s)).outcome, Outcome::Denied);
        QVERIFY(one.release());
        QVERIFY(two.acquire(rig.requestFor(u"n"_s)).isGranted());
    }

    void deadlockHasOneVictim_data()
    {
        addRows<LockVariant>("variant", {{"application lock", session}, {"locked key", key}});
    }
    void deadlockHasOneVictim()
    {
        QFETCH(LockVariant, variant);
        SKIP_FOR(SqlServerRig::reasonAgainst(variant.kind));
        const LockRig rig(variant);
        if (!rig.serverWaits())
            QSKIP("Where our side waits by asking again, the server sees no ring.");
        lockscope::test::deadlockHasOneVictim(rig);
    }

    void rollbackByTheServerEndsTheTransactionsLock()
    {
        Server server;
        server.server.answer(u"SELECT 1/0"_s, [](const tds::Request&, tds::Reply& reply) {
            reply.rollback(); // as under XACT_ABORT
            reply.error(8134, u"Divide by zero error encountered."_s, 16);
        });
        const auto connection = server.connect();
        const auto strategy = LockStrategy::create(LockKind::Application, *connection).value();
        QVERIFY(connection->begin());
        const auto result = strategy->acquire({.name = u"n"_s, .owner = LockOwner::Transaction});
        QVERIFY(result);
        QVERIFY(result->grant.isHeld());
        QVERIFY(!runSql(*connection, u"SELECT 1/0"_s));
        QVERIFY(connection->inTransaction()); // up to the program's own rollback
        QVERIFY(!result->grant.isHeld());
    }

    void unknownPrincipalIsAnError()
    {
        const LockRig rig(session);
        const auto connection = rig.connect();
        if (db::SqlServerConnection::factsOf(*connection).isOtherEngine())
            QSKIP("This engine takes any principal.");
        const auto strategy = LockStrategy::create(LockKind::Application, *connection).value();
        AcquireRequest request = rig.requestFor(u"n"_s);
        request.principal = u"nobody"_s;
        const auto result = strategy->acquire(request);
        VERIFY_FAILS(ErrorKind::Server, result);
        QVERIFY(result.error().what.contains(u"-999"_s));
        QVERIFY(result.error().hint.contains(u"nobody"_s));
    }

    void oneRoundTripEach_data()
    {
        addRows<LockKind>(
            "kind", {{"lock table", LockKind::Table}, {"application lock", LockKind::Application}});
    }
    void oneRoundTripEach()
    {
        QFETCH(LockKind, kind);
        Server server;
        const auto connection = server.connect();
        const auto strategy = LockStrategy::create(kind, *connection).value();
        AcquireRequest request;
        request.name = u"n"_s;
        QVERIFY(strategy->acquire(request)->grant.release()); // registers the name, once
        const auto before = server.server.seen().size();
        auto result = strategy->acquire(request);
        QVERIFY(result && isGranted(result->outcome));
        QCOMPARE(server.server.seen().size() - before, std::size_t(1));
        QVERIFY(result->grant.release());
        QCOMPARE(server.server.seen().size() - before, std::size_t(2));
    }

    void waitIsOneRoundTripToo()
    {
        Server server;
        const auto first = server.connect();
        const auto second = server.connect();
        const auto holder = LockStrategy::create(LockKind::Table, *first).value();
        AcquireRequest request;
        request.name = u"n"_s;
        request.lease = milliseconds(300); // not renewed
        const auto held = holder->acquire(request);
        QVERIFY(held && isGranted(held->outcome));
        const auto waiter = LockStrategy::create(LockKind::Table, *second).value();
        request.wait = forEver;
        request.lease = milliseconds(60'000);
        QVERIFY(db::usableSchema(*second, db::SchemaUse::Calling)); // asked once per connection
        const auto before = server.server.seen().size();
        const auto result = waiter->acquire(request);
        QVERIFY(result);
        QCOMPARE(result->outcome, Outcome::GrantedAfterWait);
        QCOMPARE(server.server.seen().size() - before, std::size_t(1));
    }

    /// The lease begins with the grant, not with the request.
    void waitCostsNothingOfTheLease()
    {
        Server server;
        const auto first = server.connect();
        const auto second = server.connect();
        const auto holder = LockStrategy::create(LockKind::Table, *first).value();
        AcquireRequest request;
        request.name = u"n"_s;
        request.lease = milliseconds(3'000); // not renewed
        const auto held = holder->acquire(request);
        QVERIFY(held && isGranted(held->outcome));
        const auto waiter = LockStrategy::create(LockKind::Table, *second).value();
        request.wait = forEver;
        const auto result = waiter->acquire(request);
        QVERIFY(result);
        QCOMPARE(result->outcome, Outcome::GrantedAfterWait);
        QVERIFY(result->grant.isHeld());
    }

    void zombieReleasesNobodyElsesLock()
    {
        const LockRig rig(table);
        Contender zombie(rig);
        Contender next(rig);
        // The first call on a connection may take longer than the lease below.
        for (Contender* one : {&zombie, &next}) {
            QVERIFY(one->acquire(rig.requestFor(u"n"_s)).isGranted());
            QVERIFY(one->release());
        }
        AcquireRequest request = rig.requestFor(u"n"_s);
        request.lease = milliseconds(1'000);
        const LockReply first = zombie.acquire(request);
        QVERIFY(first.isGranted());
        const LockReply second = next.acquire(rig.requestFor(u"n"_s, milliseconds(60'000)));
        QVERIFY(second.isGranted());
        QVERIFY(second.fencing > first.fencing);
        VERIFY_FAILS(ErrorKind::Changed, zombie.release());
        QVERIFY(next.release());
    }

    void keeperRenewsLeasesAndTellsVanishedRows()
    {
        const LockRig rig(table);
        std::atomic<int> losses = 0;
        Contender holder(rig, LeaseKeeper::create(rig.server()));
        AcquireRequest request = rig.requestFor(u"n"_s);
        request.lease = milliseconds(2'000);
        const LockReply reply = holder.acquire(
            request, [&losses](LossReason reason) { losses += reason == LossReason::RowGone ? 1 : 100; });
        QVERIFY(reply.isGranted());
        ServerTime first;
        holder.within([&first](Contender& self) { first = *self.grants.back().expiresAt(); });
        holder.within([first](Contender& self) { QTRY_VERIFY(*self.grants.back().expiresAt() > first); });
        const auto connection = rig.connect();
        QVERIFY(connection->execute(db::Statement::get("sqlserver/locks/release"), {u"n"_s, reply.token}));
        QTRY_COMPARE(losses.load(), 1);
    }

    void ignoredHintsRefuseTheStrategies()
    {
        Server liar(false);
        const auto connection = liar.connect();
        for (const LockKind kind : {LockKind::LockedTable, LockKind::LockedKey}) {
            const auto refused = LockStrategy::create(kind, *connection);
            VERIFY_FAILS(ErrorKind::Unsupported, refused);
            QVERIFY(refused.error().what.contains(u"ignores"_s));
        }
        VERIFY_FAILS(ErrorKind::Unsupported, QueueReader::create(*connection, {}));
        // Locks that need no hint work.
        QVERIFY(LockStrategy::create(LockKind::Table, *connection));
        QVERIFY(LockStrategy::create(LockKind::Application, *connection));
    }

    void hintsAreTriedOnce()
    {
        Server server;
        const auto connection = server.connect();
        QVERIFY(LockStrategy::create(LockKind::LockedKey, *connection));
        const auto before = server.server.seen().size();
        QVERIFY(LockStrategy::create(LockKind::LockedTable, *connection));
        QVERIFY(QueueReader::create(*connection, {}));
        QCOMPARE(server.server.seen().size(), before);
    }

    /// The database's settings count, and a temporary table is in another database.
    void hintsAreTriedInTheDatabaseItself_data()
    {
        addRows<bool>("hasTable", {{"with the schema", true}, {"without it", false}});
    }
    void hintsAreTriedInTheDatabaseItself()
    {
        QFETCH(bool, hasTable);
        Server server;
        QString tried;
        server.server.answer("sqlserver/hints/place", [hasTable](const tds::Request&, tds::Reply& reply) {
            reply.table({{u""_s, tds::bit()}}, {{hasTable}});
        });
        server.server.answer(
            "sqlserver/hints/readpast", [&tried](const tds::Request& request, tds::Reply& reply) {
                tried = request.filledIn.value(0);
                reply.table({{u""_s, tds::integer()}}, {{2}});
            });
        const auto connection = server.connect();
        QVERIFY(QueueReader::create(*connection, {}));
        QString seen;
        server.server.run([&] { seen = tried; });
        QCOMPARE(seen == u"lockscope.hint_proof", hasTable);
        QCOMPARE(seen.startsWith(u"[##"), !hasTable);
    }

    void namesAreWholeForTheMonitor()
    {
        Server server;
        const auto connection = server.connect();
        const auto strategy = LockStrategy::create(LockKind::Application, *connection).value();
        AcquireRequest request;
        request.name = QString(200, u'n');
        QVERIFY(isGranted(strategy->acquire(request)->outcome));
        QCOMPARE(server.locks->registeredNames(), QStringList{request.name});
    }
};

LOCKSCOPE_TEST(SqlServerLocks)

} // namespace tst_SqlServerLocks
#include "tst_SqlServerLocks.moc"
