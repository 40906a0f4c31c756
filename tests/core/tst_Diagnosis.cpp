// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Duration.h"
#include "core/domain/Diagnosis.h"
#include "core/domain/Thresholds.h"
#include "tests/support/TestProgram.h"

namespace tst_Diagnosis {

using namespace lockscope;
using Kind = Diagnosis::Kind;

constexpr ServerTime now{1'800'000'000'000'000};

static Session session(qint64 id, SessionState state, microseconds inState)
{
    Session s;
    s.id = {id};
    s.started = now - 1h;
    s.state = state;
    s.stateSince = now - inState;
    s.statementStarted = s.stateSince;
    return s;
}

struct Scene {
    Snapshot snapshot;

    explicit Scene(std::vector<Session> sessions)
    {
        snapshot.takenAt = now;
        snapshot.sessions = std::move(sessions);
        Resource orders;
        orders.key.kind = ResourceKind::Relation;
        orders.name = u"public.orders"_s;
        Resource nightly;
        nightly.key.kind = ResourceKind::ApplicationLock;
        nightly.name = u"app lock 'nightly'"_s;
        snapshot.resources = {orders, nightly};
        snapshot.index();
    }
    Scene& waits(qint64 waiter, qint64 blocker, microseconds since)
    {
        snapshot.waits.push_back({{waiter}, {blocker}, 0, WaitEdge::Kind::Holder});
        LockRequest request;
        request.session = {waiter};
        request.state = RequestState::Waiting;
        request.mode = LockMode::exclusive(Engine::Postgres);
        request.since = now - since;
        request.sinceExact = true;
        snapshot.requests.push_back(request);
        return *this;
    }
    Scene& holdsApplicationLock(qint64 holder)
    {
        LockRequest request;
        request.session = {holder};
        request.resource = 1;
        snapshot.requests.push_back(request);
        return *this;
    }
    Diagnosis of(qint64 id) const { return diagnose(Snapshot(snapshot), {id}, LockThresholds().hold.amber); }
};

class tst_Diagnosis : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void idleInTransactionNeedsSomebody()
    {
        const Scene scene({session(51, SessionState::IdleInTransaction, 6min)});
        const Diagnosis diagnosis = scene.of(51);
        QCOMPARE(diagnosis.kind, Kind::IdleInTransaction);
        QCOMPARE(diagnosis.lasting, milliseconds(6min));
        QCOMPARE(diagnosis.summary,
            u"idle in transaction for 6 min: nothing will happen until somebody ends it or the client goes on"_s);
        QVERIFY(diagnosis.remedy.contains(u"commit or roll back"_s));
    }

    void endingAnIdleSessionFreesItsLocksAtOnceOnPostgresOnly()
    {
        Scene scene({session(51, SessionState::IdleInTransaction, 6min)});
        QVERIFY(scene.of(51).remedy.contains(u"free at once"_s));
        scene.snapshot.engine = Engine::SqlServer;
        const QString remedy = scene.of(51).remedy;
        VERIFY_LACKS(remedy, u"at once"_s);
        VERIFY_CONTAINS(remedy, u"as long as its work did"_s);
        VERIFY_LACKS(remedy, u"Cancelling"_s);
    }

    void aWaiterNamesItsBlockerAndTheHeadOfItsChain()
    {
        Scene scene({session(51, SessionState::IdleInTransaction, 6min),
            session(63, SessionState::Active, 41s), session(70, SessionState::Active, 30s)});
        scene.waits(63, 51, 41s).waits(70, 63, 30s);
        const Diagnosis diagnosis = scene.of(70);
        QCOMPARE(diagnosis.kind, Kind::Waiting);
        QCOMPARE(diagnosis.lasting, milliseconds(30s));
        VERIFY_CONTAINS(diagnosis.summary, u"public.orders, behind 63"_s);
        VERIFY_CONTAINS(diagnosis.remedy, u"The chain ends at 51"_s);
        QVERIFY(!scene.of(63).remedy.contains(u"chain ends"_s));
    }

    void aRingIsADeadlock()
    {
        Scene scene({session(51, SessionState::Active, 2s), session(63, SessionState::Active, 1s)});
        scene.waits(63, 51, 1s).waits(51, 63, 1s);
        QCOMPARE(scene.of(51).kind, Kind::DeadlockCycle);
        QVERIFY(scene.of(63).summary.contains(u"51, 63"_s));
    }

    void kindByState_data()
    {
        test::addColumns<SessionState, int, Kind>("state", "seconds", "kind");
        test::row("running", SessionState::Active, 3, Kind::Running);
        test::row("running long", SessionState::Active, 61, Kind::RunningLong);
        test::row("failed", SessionState::IdleInFailedTransaction, 3, Kind::IdleInFailedTransaction);
        test::row("rolling back", SessionState::RollingBack, 3, Kind::RollingBack);
        test::row("idle", SessionState::Idle, 3, Kind::Idle);
        test::row("background", SessionState::Background, 3, Kind::Background);
        test::row("hidden", SessionState::Hidden, 3, Kind::Hidden);
        test::row("unknown", SessionState::Unknown, 3, Kind::Hidden);
    }
    void kindByState()
    {
        FETCH(SessionState, state, int, seconds);
        const Scene scene({session(51, state, std::chrono::seconds(seconds))});
        const Diagnosis diagnosis = scene.of(51);
        QTEST(diagnosis.kind, "kind");
        QVERIFY(!diagnosis.summary.isEmpty());
        QVERIFY(!diagnosis.remedy.isEmpty());
    }

    void anIdleSessionWithAnApplicationLockForgotIt()
    {
        Scene scene({session(51, SessionState::Idle, 6min)});
        scene.holdsApplicationLock(51);
        QCOMPARE(scene.of(51).kind, Kind::IdleHoldingApplicationLock);
        QVERIFY(scene.of(51).summary.contains(u"app lock 'nightly'"_s));
    }

    /// A session waits for the last one. The benchmark measures how fast that is found.
    void oneOfAHundredThousandLocksIsEnough()
    {
        Scene scene({session(51, SessionState::Idle, 6min), session(63, SessionState::Active, 1min)});
        constexpr int locks = 100'000;
        for (int i = 0; i < locks; ++i)
            scene.holdsApplicationLock(51);
        scene.waits(63, 51, 1min);
        const Snapshot snapshot(scene.snapshot);
        QCOMPARE(
            diagnose(snapshot, {51}, LockThresholds().hold.amber).kind, Kind::IdleHoldingApplicationLock);
        QCOMPARE(diagnose(snapshot, {63}, LockThresholds().hold.amber).kind, Kind::Waiting);
    }

    void aStatementThatWaitsForItsClient()
    {
        Session slow = session(51, SessionState::Active, 20s);
        slow.waitEvent = u"Client: ClientWrite"_s;
        QCOMPARE(Scene({slow}).of(51).kind, Kind::WaitingForClient);
    }

    void aPreparedTransactionHasNoSession()
    {
        Scene scene({session(63, SessionState::Active, 5s)});
        scene.waits(63, 0, 5s);
        QCOMPARE(scene.of(0).kind, Kind::PreparedTransaction);
        QVERIFY(scene.of(63).summary.contains(u"a prepared transaction"_s));
    }

    void whoHasGoneIsSaidToHaveGone() { QCOMPARE(Scene({}).of(51).kind, Kind::NotSeen); }

    void anOrphanIsEndedByItsUnitOfWork()
    {
        Session orphan = session(-4711, SessionState::IdleInTransaction, 5min);
        orphan.unitOfWork = u"D5499C66-E398-45CA-BF7E-DC9C194B48CF"_s;
        Scene scene({orphan, session(63, SessionState::Active, 5s)});
        scene.snapshot.engine = Engine::SqlServer;
        scene.waits(63, -4711, 5s);
        QCOMPARE(scene.of(-4711).kind, Kind::OrphanedTransaction);
        QVERIFY(scene.of(-4711).remedy.contains(orphan.unitOfWork));
        QCOMPARE(scene.of(-2).kind, Kind::OrphanedTransaction); // the locks were not seen
        QVERIFY(scene.of(-2).remedy.contains(u"request_owner_guid"_s));
    }

    void whatTheServerBlocksItselfIsNobodysSession()
    {
        Scene scene({});
        scene.snapshot.engine = Engine::SqlServer;
        for (const qint64 id : {-3, -4, -5})
            QCOMPARE(scene.of(id).kind, Kind::ServerInternal);
        QVERIFY(scene.of(-3).summary.contains(u"recovery"_s));
        QVERIFY(scene.of(-4).summary.contains(u"latch"_s));
    }

    void aRollbackTellsHowFarItIs()
    {
        Session undoing = session(51, SessionState::RollingBack, 2min);
        QCOMPARE(
            Scene({undoing}).of(51).summary, u"rolling back for 2 min: its locks stay until it is through"_s);
        undoing.percentDone = 40.9;
        undoing.timeLeft = 30s;
        QCOMPARE(Scene({undoing}).of(51).summary,
            u"rolling back for 2 min, 40 % done, about 30 s left: its locks stay until it is through"_s);
    }

    void sqlServerCancelsNobodysStatement()
    {
        Session slow = session(51, SessionState::Active, 20s);
        slow.waitEvent = u"ASYNC_NETWORK_IO"_s;
        Scene scene({slow, session(63, SessionState::Active, 90s)});
        scene.snapshot.engine = Engine::SqlServer;
        QCOMPARE(scene.of(51).kind, Kind::WaitingForClient);
        QCOMPARE(scene.of(63).kind, Kind::RunningLong);
        for (const qint64 id : {51, 63})
            QVERIFY(!scene.of(id).remedy.contains(u"cancel the statement"_s));
    }
};

LOCKSCOPE_TEST(tst_Diagnosis)

} // namespace tst_Diagnosis
#include "tst_Diagnosis.moc"
