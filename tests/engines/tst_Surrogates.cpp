// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The contract of locked tables and keys beyond tst_LockConformance. PostgreSQL; where it costs nothing SQL
// Server, too.

#include "tests/support/Deadlock.h"
#include "tests/support/LockRig.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_Surrogates {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;

constexpr milliseconds forEver{-1};
constexpr LockVariant table{Engine::Postgres, LockKind::LockedTable, LockOwner::Transaction};
constexpr LockVariant key{Engine::Postgres, LockKind::LockedKey, LockOwner::Transaction};

static void addKinds()
{
    addRows<LockVariant>("variant", {{"locked table", table}, {"locked key", key}});
}

static void addKindsOfAllEngines()
{
    addKinds();
    row("SQL Server, locked table",
        LockVariant{Engine::SqlServer, LockKind::LockedTable, LockOwner::Transaction});
    row("SQL Server, locked key",
        LockVariant{Engine::SqlServer, LockKind::LockedKey, LockOwner::Transaction});
}

/// A request whose surrogate nobody prepared.
static AcquireRequest unprepared(const QString& name, milliseconds wait = milliseconds(0))
{
    return {.name = name, .owner = LockOwner::Transaction, .wait = wait};
}

class SurrogatesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A cancelled wait does not say whether the lock is free.
    void aStatementThatAnOperatorCancelsIsAnError_data()
    {
        addKinds();
        row("application lock", LockVariant{Engine::Postgres, LockKind::Application, LockOwner::Session});
    }
    void aStatementThatAnOperatorCancelsIsAnError()
    {
        const LockRig rig = fetchedRig();
        Contender holder(rig);
        Contender one(rig);
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        const QString id = one.valueOf(u"pg_backend_pid()"_s);
        for (const milliseconds wait : {forEver, milliseconds(60'000)}) {
            auto waiting = one.ask(rig.requestFor(u"n"_s, wait));
            QTRY_COMPARE(rig.waiters(u"n"_s), 1);
            rig.run(u"SELECT pg_cancel_backend(%1)"_s.arg(id));
            QVERIFY(soon(std::move(waiting)).error);
        }
        QCOMPARE(one.valueOf(u"set_config('statement_timeout', '20ms', false)"_s), u"20ms"_s);
        QVERIFY(one.acquire(rig.requestFor(u"n"_s, forEver)).error);
    }

    void knowsExclusiveLocksOnly_data() { addKindsOfAllEngines(); }
    void knowsExclusiveLocksOnly()
    {
        QFETCH(LockVariant, variant);
        SKIP_FOR(LockRig::reasonAgainst(variant));
        const LockRig rig(variant);
        Contender one(rig);
        AcquireRequest request = rig.requestFor(u"n"_s);
        request.mode = AcquireMode::Shared;
        const LockReply reply = one.acquire(request);
        QVERIFY(reply.error);
        QCOMPARE(reply.error->kind, ErrorKind::Unsupported);
    }

    void deadlockHasOneVictim_data() { addKinds(); }
    void deadlockHasOneVictim()
    {
        QFETCH(LockVariant, variant);
        lockscope::test::deadlockHasOneVictim(LockRig(variant));
    }

    void keyThatNobodyPreparedIsMade()
    {
        const LockRig rig(key);
        Contender one(rig);
        Contender two(rig);
        for (Contender* each : {&one, &two})
            each->within([](Contender& self) { QVERIFY(self.connection->begin()); });
        QCOMPARE(one.acquire(unprepared(u"new"_s)).outcome, Outcome::Granted);
        // Its row is not committed yet: others meet it all the same.
        QCOMPARE(two.acquire(unprepared(u"new"_s)).outcome, Outcome::Denied);
        auto waiting = two.ask(unprepared(u"new"_s, forEver));
        QTRY_COMPARE(rig.waiters(u"new"_s), 1);
        one.within([](Contender& self) { QVERIFY(self.connection->rollback()); });
        QVERIFY(soon(std::move(waiting)).isGranted());
        two.within([](Contender& self) { QVERIFY(self.connection->commit()); });
        QCOMPARE(rig.number(u"SELECT count(*) FROM lockscope.surrogate_key"_s), 1);
    }

    void tableThatNobodyPreparedIsMissed()
    {
        const LockRig rig(table);
        Contender one(rig);
        one.within([](Contender& self) { QVERIFY(self.connection->begin()); });
        const LockReply reply = one.acquire(unprepared(u"new"_s));
        QVERIFY(reply.error);
        QCOMPARE(reply.error->kind, ErrorKind::MissingObject);
        one.within([](Contender& self) {
            QVERIFY(runSql(*self.connection, u"SELECT 1"_s));
            QVERIFY(self.connection->rollback());
            QVERIFY(self.strategy->prepare(u"new"_s));
            QVERIFY(self.strategy->prepare(u"new"_s));
        });
        QVERIFY(one.acquire(unprepared(u"new"_s)).isGranted());
    }

    void tooLongATableNameIsRefused_data()
    {
        addColumns<LockVariant, QString, QString, QString>("variant", "longest", "tooLong", "kept");
        row("PostgreSQL", table, QString(53, u'n'), QString(54, u'n'), "53 bytes");
        row("PostgreSQL, not ASCII", table, QString(26, u'é'), QString(27, u'é'), "53 bytes");
        const LockVariant sqlServer{Engine::SqlServer, LockKind::LockedTable, LockOwner::Transaction};
        row("SQL Server", sqlServer, QString(118, u'é'), QString(119, u'n'), "118 characters");
    }
    void tooLongATableNameIsRefused()
    {
        FETCH(LockVariant, variant, QString, longest, QString, tooLong, QString, kept);
        const LockRig rig(variant);
        Contender one(rig);
        QVERIFY(one.acquire(rig.requestFor(longest)).isGranted());
        const LockReply reply = one.acquire(unprepared(tooLong));
        QVERIFY(reply.error);
        QCOMPARE(reply.error->kind, ErrorKind::BadInput);
        QVERIFY(reply.error->hint.contains(kept));
    }

    void programsMayHaveSurrogatesOfTheirOwn_data() { addKinds(); }
    void programsMayHaveSurrogatesOfTheirOwn()
    {
        const LockRig rig = fetchedRig();
        rig.run(uR"(CREATE SCHEMA "odd ""schema";
            CREATE TABLE "odd ""schema"."T orders" (unused int);
            CREATE TABLE "odd ""schema"."Keys ; --" ("the ""key" varchar(40) PRIMARY KEY))"_s);
        const Surrogates own{u"odd \"schema"_s, u"T "_s, u"Keys ; --"_s, u"the \"key"_s};
        const auto first = rig.connect();
        const auto second = rig.connect();
        const auto one = LockStrategy::create(rig.variant().kind, *first, {}, own).value();
        const auto two = LockStrategy::create(rig.variant().kind, *second, {}, own).value();
        QVERIFY(one->prepare(u"orders"_s));
        QVERIFY(first->begin());
        QVERIFY(second->begin());
        const auto granted = one->acquire(unprepared(u"orders"_s));
        VERIFY_DONE(granted);
        QCOMPARE(granted->outcome, Outcome::Granted);
        const auto denied = two->acquire(unprepared(u"orders"_s));
        QVERIFY(denied);
        QCOMPARE(denied->outcome, Outcome::Denied);
        QVERIFY(denied->heldBy);
        QCOMPARE(denied->heldBy->session, first->sessionId());
        // Only the product's own tables are made.
        QVERIFY(second->rollback());
        QCOMPARE(bool(two->prepare(u"others"_s)), rig.variant().kind == LockKind::LockedKey);
    }

    void sqliteHasNone_data()
    {
        addRows<LockKind>("kind",
            {{"locked table", LockKind::LockedTable}, {"locked key", LockKind::LockedKey},
                {"application lock", LockKind::Application}});
    }
    void sqliteHasNone()
    {
        QFETCH(LockKind, kind);
        const LockRig rig(LockVariant{Engine::Sqlite, LockKind::Table});
        const auto connection = rig.connect();
        const auto strategy = LockStrategy::create(kind, *connection);
        VERIFY_FAILS(ErrorKind::Unsupported, strategy);
        QVERIFY(!strategy.error().hint.isEmpty());
    }
};

LOCKSCOPE_TEST(SurrogatesTest)

} // namespace tst_Surrogates
#include "tst_Surrogates.moc"
