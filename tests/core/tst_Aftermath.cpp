// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/Aftermath.h"
#include "core/domain/DangerText.h"
#include "core/domain/Diagnosis.h"
#include "core/domain/Engine.h"
#include "tests/support/GraphText.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TestProgram.h"

namespace tst_Aftermath {

using namespace lockscope;
using test::SnapshotBuilder;

class tst_Aftermath : public QObject {
    Q_OBJECT

    static SnapshotBuilder jam()
    {
        SnapshotBuilder s;
        s.session(990, "report").transaction(660).running("SELECT sum(price) FROM orders");
        s.session(1058, "migration").transaction(240).running("/* 17 */ alter table orders ADD note text");
        s.holds(990, "public.orders", "AccessShareLock", 660);
        s.waits(1058, "public.orders", "AccessExclusiveLock", 240);
        for (const int id : {1061, 1062, 1063}) {
            s.session(id, "web").transaction(30).running("SELECT * FROM orders");
            s.waits(id, "public.orders", "AccessShareLock", 30);
        }
        return s;
    }

private Q_SLOTS:
    void whoGoesOnAndWhoStays_data()
    {
        test::addColumns<QString, QString, QString>("waits", "next", "left");
        test::row("nobody waits", "70<-80", "", "");
        test::row("one", "51<-63", "63", "");
        test::row("two that don't mind each other", "51<-63 51<-70", "63 70", "");
        test::row("in a queue", "51<-63 51<-70 63<-70", "63", "70");
        test::row("a chain", "51<-63 63<-70 70<-80", "63", "70 80");
        test::row("another blocks it, too", "51<-63 55<-63", "", "63");
        test::row("behind one that stays", "51<-63 55<-63 63<-70", "", "63 70");
        test::row("a ring is broken", "51<-63 63<-51", "63", "");
        test::row("a ring below it stays", "51<-63 63<-70 70<-63", "", "63 70");
        test::row("victims of others are none", "51<-63 55<-70", "63", "");
    }
    void whoGoesOnAndWhoStays()
    {
        QFETCH(QString, waits);
        Snapshot snapshot;
        snapshot.waits = test::edgesFromText(waits);
        snapshot.index();
        const Aftermath aftermath = aftermathOf(snapshot, SessionId{51});
        std::vector<SessionId> next;
        for (const Aftermath::Next& each : aftermath.next)
            next.push_back(each.session);
        std::vector<SessionId> left;
        for (const Aftermath::Left& each : aftermath.left)
            left.push_back(each.session);
        QTEST(test::textOf(next), "next");
        QTEST(test::textOf(left), "left");
    }

    void itIsReportedInSentences_data()
    {
        test::addColumns<QString, QString>("waits", "words");
        test::row("nobody", "70<-80", "Nobody waits for it.");
        test::row("a queue", "51<-63 51<-70 63<-70",
            "2 sessions wait for it, directly or behind others. Session 63 gets orders next, as far as is known now. Session 70 stays blocked behind 63.");
        test::row("held by another, too", "51<-63 55<-63", "Session 63 stays blocked by session 55.");
        test::row("behind those that stay", "51<-63 63<-70 70<-80",
            "3 sessions wait for it, directly or behind others. Session 63 gets orders next, as far as is known now. Sessions 70 and 80 stay blocked behind 63.");
        test::row("a ring", "51<-63 63<-70 70<-63",
            "2 sessions wait for it, directly or behind others. Sessions 63 and 70 stay blocked by one another.");
        test::row("many", "51<-61 51<-62 51<-63 51<-64 51<-65 51<-66 51<-67",
            "7 sessions wait for it, directly or behind others. Sessions 61, 62, 63, 64, 65 and 2 more can go on, as far as is known now.");
    }
    void itIsReportedInSentences()
    {
        QFETCH(QString, waits);
        Snapshot snapshot;
        snapshot.waits = test::edgesFromText(waits);
        Resource orders;
        orders.key.kind = ResourceKind::Relation;
        orders.name = u"orders"_s;
        snapshot.resources = {orders};
        for (const WaitEdge& wait : snapshot.waits) {
            LockRequest request;
            request.session = wait.waiter;
            request.state = RequestState::Waiting;
            snapshot.requests.push_back(request);
        }
        snapshot.index();
        QTEST(aftermathInWords(snapshot, SessionId{51}).join(u' '), "words");
    }

    void onlyWhatCanBeGotIsNamed_data()
    {
        test::addColumns<ResourceKind, bool, bool>("kind", "asks", "isNamed");
        test::row("a table", ResourceKind::Relation, true, true);
        test::row("a row", ResourceKind::Row, true, true);
        test::row("the holder's transaction", ResourceKind::TransactionId, true, false);
        test::row("a virtual one", ResourceKind::VirtualTransaction, true, false);
        test::row("an insertion on trial", ResourceKind::SpeculativeToken, true, false);
        test::row("what it did not ask for", ResourceKind::Relation, false, false);
    }
    void onlyWhatCanBeGotIsNamed()
    {
        FETCH(ResourceKind, kind, bool, asks, bool, isNamed);
        Snapshot snapshot;
        snapshot.waits = test::edgesFromText(u"51<-63"_s);
        Resource resource;
        resource.key.kind = kind;
        resource.name = u"the thing"_s;
        snapshot.resources = {resource};
        LockRequest request;
        request.session = SessionId{63};
        request.state = asks ? RequestState::Waiting : RequestState::Granted;
        snapshot.requests = {request};
        snapshot.index();
        QCOMPARE(whoGoesOn(snapshot, SessionId{51}),
            QStringList{isNamed ? u"Session 63 gets the thing next, as far as is known now."_s
                                : u"Session 63 can go on, as far as is known now."_s});
    }

    void otherLocksAreThoseThatGoWithTheSession()
    {
        // 51 has "orders" twice, 52 works for 51; "mine" is of no interest to others, "taken" is 63's.
        Snapshot snapshot = test::snapshotFromText(
            u"key: 51 Exclusive, 63 ?Exclusive; orders: 51 RowShare, 51 RowExclusive; items: 51 Share, 70 ?Exclusive; mine: 51 Exclusive; taken: 63 Share; parts: 52/51 Share"_s);
        for (Resource& resource : snapshot.resources)
            resource.internal = resource.name == u"mine"_s;
        const auto text = [&snapshot](int session, const QString& freed) {
            const auto resource = std::ranges::find_if(
                snapshot.resources, [&freed](const Resource& each) { return each.name == freed; });
            QStringList all;
            for (const LockRequest* lock : otherLocks(snapshot, SessionId{session},
                     static_cast<quint32>(resource - snapshot.resources.begin())))
                all << lock->mode.name() + u' ' + snapshot.resourceOf(*lock).name;
            return all;
        };
        // The lock that others wait for comes first, and each lock has its strongest mode.
        COMPARE_TEXTS(text(51, u"key"_s), "ShareLock items", "RowExclusiveLock orders", "ShareLock parts");
        QCOMPARE(text(63, u"taken"_s), QStringList()); // what it waits for it does not have
        const auto words = otherLocksInWords(snapshot, SessionId{51}, 0);
        QCOMPARE(words,
            u"It also holds 3 other locks, which go with it: ShareLock on items, RowExclusiveLock on orders, ShareLock on parts."_s);
        QCOMPARE(otherLocksInWords(snapshot, SessionId{80}, 0), u"It holds no other lock."_s);
    }

    /// Only on PostgreSQL; on other engines the lock of a row is the row.
    void aPlaceInTheQueueOfARowIsNoLockThatIsFreed()
    {
        SnapshotBuilder s;
        s.sessions({{51, "billing"}, {63, "web"}});
        s.holds(51, "transaction 740", "ExclusiveLock", 60, true, ResourceKind::TransactionId);
        s.holds(63, "public.orders row (0,7)", "ExclusiveLock", 40, true, ResourceKind::Row);
        s.waits(63, "transaction 740", "ShareLock", 40, ResourceKind::TransactionId);
        Snapshot snapshot = *s.take();
        const auto locks = [&snapshot] {
            const QString end = describeEnd(snapshot.sessions[1], &snapshot, snapshot.takenAt)
                                    .consequences.filter(u"freed"_s)
                                    .join(u' ');
            return std::pair(otherLocksInWords(snapshot, SessionId{63}, 0), end);
        };
        QCOMPARE(locks(), std::pair(u"It holds no other lock."_s, QString()));
        snapshot.engine = Engine::SqlServer;
        VERIFY_CONTAINS(locks().first, u"public.orders row (0,7)"_s);
        VERIFY_CONTAINS(locks().second, u"One lock is freed: public.orders row (0,7)."_s);
    }

    /// A report runs, ALTER TABLE waits for it, all others wait for ALTER TABLE.
    void inAJamTheOtherActIsOffered()
    {
        SnapshotBuilder s = jam();
        s.session(99, "other").transaction(5);
        s.waits(99, "public.orders", "AccessExclusiveLock", 5); // frees nobody: it is the last one
        const SnapshotPtr snapshot = s.take();
        QCOMPARE(snapshot->blocking().jamBehind({990}), SessionId{1058});
        QCOMPARE(
            snapshot->blocking().freedBy({1058}), int(aftermathOf(*snapshot, SessionId{1058}).next.size()));
        const auto other = otherActThanEnding(*snapshot, {990});
        QVERIFY(other);
        QCOMPARE(other->session, SessionId{1058});
        QVERIFY(other->cancels && other->isBetter);
        QCOMPARE(other->text, u"cancel 1058 (ALTER TABLE): 3 go on, 990 keeps running"_s);
        QCOMPARE(other->losses,
            u"That loses a transaction of 4 min that has written nothing; ending 990 loses a transaction of 11 min that has written nothing, and 1 goes on."_s);
        // It stands wherever the head blocker's remedy does.
        QVERIFY(diagnose(*snapshot, {990}, LockThresholds().hold.amber)
                    .remedy.endsWith(u"Better: "_s + other->text + u". "_s + other->losses));
        QVERIFY(!otherActThanEnding(*snapshot, {1058})); // of a head only
    }

    void whoLosesMoreIsNotTheBetterOne()
    {
        Snapshot snapshot = *jam().take();
        const auto session = [&snapshot](int id) -> lockscope::Session& {
            return *std::ranges::find(snapshot.sessions, SessionId{id}, &lockscope::Session::id);
        };
        session(1058).transactionId = 4711; // it has written before
        auto other = otherActThanEnding(snapshot, {990});
        QVERIFY(other && !other->isBetter);
        QVERIFY(other->toString().startsWith(u"Or cancel 1058 (ALTER TABLE): 3 go on"_s));
        QVERIFY(other->losses.startsWith(u"That loses a transaction of 4 min that has written; "_s));
        session(990).transactionId = 4712; // so has the other, for longer
        session(990).state = SessionState::IdleInTransaction;
        other = otherActThanEnding(snapshot, {990});
        QVERIFY(other && other->isBetter);
        QVERIFY(other->text.endsWith(u"990 keeps its transaction"_s));
        // Nothing is said about a statement that the login may not see.
        session(1058).statementVisible = false;
        other = otherActThanEnding(snapshot, {990});
        QCOMPARE(other->text, u"cancel 1058: 3 go on, 990 keeps its transaction"_s);
        QVERIFY(other->losses.startsWith(u"That loses a transaction of 4 min; "_s));
        snapshot.engine = Engine::SqlServer; // it counts bytes, and cancels nothing of others
        session(1058).logUsed = 3'000'000;
        session(990).logUsed = 1'000;
        other = otherActThanEnding(snapshot, {990});
        QVERIFY(other && !other->cancels && !other->isBetter);
        QVERIFY(other->text.startsWith(u"end 1058"_s));
        QVERIFY(other->losses.startsWith(u"That loses a transaction of 4 min with 2.9 MB of log; "_s));
    }

    /// A session that holds a lock and is itself blocked has work of its own: cancelling it is never the
    /// better action.
    void aVictimInTheMiddleIsNoJam()
    {
        Snapshot snapshot = test::waitingFromText(
            u"a: 51 Exclusive, 63 ?Exclusive@900; b: 63 Exclusive, 70 ?Exclusive@910, 71 ?Exclusive@920"_s);
        QVERIFY(!otherActThanEnding(snapshot, {51}));
        // The same holds for one that others wait for after the head blocker's own lock.
        Snapshot queue = test::waitingFromText(
            u"a: 51 Exclusive, 63 ?Exclusive@900, 70 ?Exclusive@910, 71 ?Exclusive@920"_s);
        QVERIFY(!otherActThanEnding(queue, {51}));
    }

    void whatWasPredictedIsReportedAsSuch()
    {
        QCOMPARE(aftermathAsSeen({u"One."_s, u"Two."_s}), u"As predicted from the last poll: One. Two."_s);
        QCOMPARE(aftermathAsSeen({}), QString());
    }

    void onlyWhereTheServerUndoesChangeByChangeItTakesTime()
    {
        QVERIFY(!rollbackTakesTime[Engine::Postgres]);
        QVERIFY(rollbackTakesTime[Engine::SqlServer]);
    }
};

LOCKSCOPE_TEST(tst_Aftermath)

} // namespace tst_Aftermath
#include "tst_Aftermath.moc"
