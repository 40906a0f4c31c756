// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/WatchedLocks.h"

namespace tst_LockOrder {

using namespace lockscope;
using namespace lockscope::order;
using namespace lockscope::test;

constexpr auto row = ResourceKind::Row;
constexpr auto appLock = ResourceKind::ApplicationLock;
constexpr const char* exclusive = "AccessExclusiveLock";

/// A session waits with each of two tables for the other, once.
static void waitInBothOrders(Watched& server)
{
    for (const auto& [has, wants] : {std::pair{"public.c", "public.d"}, {"public.d", "public.c"}}) {
        server.takes(61, has).takes(9, wants).waitsFor(61, wants).addPoll();
        server.done(61).done(9).addPoll();
    }
}

class tst_LockOrder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oppositeOrdersAreAPotentialDeadlock()
    {
        Watched server;
        goThrough(server, 51, {"public.orders", "public.stock"});
        QVERIFY(server.titles().isEmpty());
        goThrough(server, 63, {"public.stock", "public.orders"});
        COMPARE_TEXTS(server.titles(), "public.orders and public.stock are taken in both orders");

        const PotentialDeadlock found = server.found().front();
        QCOMPARE(found.legs.size(), size_t(2));
        QCOMPARE(found.legs[0].witness.session.id, SessionId{51});
        QCOMPARE(found.legs[0].witness.evidence, Evidence::Transaction);
        QCOMPARE(found.legs[0].witness.statement, u"UPDATE …"_s);
        QCOMPARE(found.legs[1].witness.session.id, SessionId{63});
        QCOMPARE(found.legs[1].first, u"public.stock"_s);
        QVERIFY(found.isCertain());
        QVERIFY(!found.sawWaiting());
        QCOMPARE(found.count(), 1);
    }

    void oneOrderForAllIsNone()
    {
        Watched server;
        for (int i = 0; i < 5; ++i)
            goThrough(server, 51 + i, {"public.orders", "public.stock", "public.log"});
        QVERIFY(server.titles(Guarded::Included).isEmpty());
        QCOMPARE(server.order().edges().size(), 3);
    }

    /// A session does one thing at a time: it took the locks that it holds before it began to wait.
    void whoWaitsHasHadTheRestBefore()
    {
        Watched server;
        server.takes(51, "public.orders").waitsFor(51, "public.stock").takes(9, "public.stock").addPoll();
        server.done(51).done(9).addPoll();
        server.takes(63, "public.stock").waitsFor(63, "public.orders").takes(9, "public.orders").addPoll();
        QCOMPARE(server.titles().size(), 1);
        QVERIFY(server.found().front().sawWaiting());
        QCOMPARE(server.found().front().legs[0].witness.evidence, Evidence::Waiting);
    }

    /// A wait is counted once, however many polls see it.
    void oneWaitIsOneSighting()
    {
        Watched server;
        server.takes(51, "public.orders").waitsFor(51, "public.stock").takes(9, "public.stock");
        for (int i = 0; i < 10; ++i)
            server.addPoll();
        QCOMPARE(server.order().seen(), 1);
    }

    void whatIsNewTogetherHasNoOrder()
    {
        Watched server;
        server.takes(51, "public.orders").takes(51, "public.stock").addPoll().done(51).addPoll();
        server.takes(63, "public.stock").takes(63, "public.orders").addPoll();
        QCOMPARE(server.order().seen(), 0);
        QVERIFY(server.titles(Guarded::Included).isEmpty());
    }

    /// Between the polls another transaction began, which may have taken both the other way round.
    void anotherTransactionIsNoOrder()
    {
        Watched server;
        server.takes(51, "public.orders").addPoll();
        server.otherTransaction(51).takes(51, "public.stock").addPoll();
        QCOMPARE(server.order().seen(), 0);
    }

    /// The server does not show whether a name is held by the transaction or by the session: in one
    /// transaction it counts, with less certainty.
    void aNameThatWasHeldAtBothPollsCountsInOneTransaction()
    {
        Watched server;
        server.takesName(51, "app lock 'a'").addPoll();
        server.takesName(51, "app lock 'b'").addPoll();
        QCOMPARE(server.order().seen(), 1);
        QCOMPARE(server.order().edges().begin()->ways.front().witness.evidence, Evidence::Polls);
        server.otherTransaction(51).takesName(51, "app lock 'c'").addPoll();
        QCOMPARE(server.order().seen(), 1);
        QCOMPARE(server.transactions().unknown, 0);
    }

    void withoutAKnownTransactionNothingCountsAndItIsSaid()
    {
        Watched server;
        server.takesName(51, "app lock 'a'").withoutTransaction(51).addPoll();
        server.takesName(51, "app lock 'b'").addPoll();
        server.takesName(9, "app lock 'c'");
        server.waitsFor(51, "app lock 'c'", "ExclusiveLock", appLock).addPoll(); // what it waits with, it has
        QCOMPARE(server.order().seen(), 2);
        QCOMPARE(server.order().edges().begin()->ways.front().witness.evidence, Evidence::Waiting);
        QCOMPARE(server.transactions().unknown, 1);
    }

    /// Sessions are read after locks: those at the first poll may be of the transaction before.
    void aTransactionThatBeganDuringThePollIsNotFollowed()
    {
        Watched server;
        server.takes(51, "public.orders").beginsDuringPoll(51).addPoll();
        server.takes(51, "public.stock").addPoll();
        QCOMPARE(server.order().seen(), 0);
        server.takes(51, "public.log").addPoll();
        QCOMPARE(server.order().seen(), 2);
    }

    /// "BEGIN; …; COMMIT; BEGIN; …" in one message: both have its start, and numbers of their own.
    void transactionsOfOneMessageAreTwo()
    {
        OrderOfSnapshots order;
        for (const int second : {1, 2}) {
            SnapshotBuilder builder(second);
            builder.session(51, "shop").transaction(second);
            builder.holds(51, "public.orders", exclusive, 1);
            if (second == 2)
                builder.holds(51, "public.stock", exclusive, 1);
            builder.made().sessions.front().transactionId = 800 + second;
            order.add(builder.take());
        }
        QCOMPARE(order.order().seen(), 0);
    }

    /// SELECT … FOR UPDATE of a row, a change of another table, then a change of that row.
    void rowsThatMayHaveBeenLockedBeforeAreNotNew()
    {
        Watched server;
        for (const char* of : {"public.orders row (0,1)", "public.stock row (0,1)"})
            server.waitsFor(9, of, "ExclusiveLock", row);
        server.addPoll().done(9).writes(51);
        server.takes(51, "public.orders", "RowShareLock").addPoll();
        server.takes(51, "public.stock", "RowExclusiveLock").addPoll();
        server.takes(51, "public.orders", "RowExclusiveLock").addPoll().done(51).addPoll();
        server.writes(52);
        goThrough(server, 52, {"public.orders", "public.stock"}, "RowExclusiveLock");
        QVERIFY(server.titles().isEmpty());
        // Without the first statement it is an order of rows.
        goThrough(server, 51, {"public.stock", "public.orders"}, "RowExclusiveLock");
        COMPARE_TEXTS(server.titles(), "public.orders and public.stock are taken in both orders");
    }

    /// LOCK TABLE orders; LOCK TABLE stock; UPDATE orders: nobody else gets between.
    void whatItHasInAStrongerModeIsAGate()
    {
        Watched server;
        const auto go = [&server](const char* mode) {
            server.takes(51, "public.orders", mode).addPoll().takes(51, "public.stock").addPoll();
            server.takes(51, "public.orders", "RowExclusiveLock").addPoll().done(51).addPoll();
        };
        go(exclusive);
        QVERIFY(server.titles().isEmpty());
        QCOMPARE(server.found(Guarded::Included).front().gate, u"public.orders"_s);
        // Two may have it in SHARE mode, and each then waits for the other.
        go("ShareLock");
        COMPARE_TEXTS(server.titles(), "public.orders and public.stock are taken in both orders");
    }

    /// SQL Server gives a shared lock back once the row is read, and it may come again.
    void sharedLocksOfStatementsCountOnlyWhereItWaits()
    {
        const auto seen = [](const QString& isolation) {
            OrderOfSnapshots order;
            for (const int second : {1, 2}) {
                SnapshotBuilder builder(second);
                builder.session(51, "shop").transaction(second);
                builder.holds(51, "dbo.orders", "S", 1);
                if (second == 2)
                    builder.holds(51, "dbo.stock", "X", 1);
                auto snapshot = std::make_shared<Snapshot>(*builder.take());
                snapshot->engine = Engine::SqlServer;
                for (LockRequest& request : snapshot->requests)
                    request.mode = LockMode::fromText(Engine::SqlServer, request.mode.name());
                snapshot->sessions.front().isolation = isolation;
                order.add(SnapshotPtr(snapshot));
            }
            return order.order().seen();
        };
        QCOMPARE(seen(u"read committed"_s), 0);
        QCOMPARE(seen(u"repeatable read"_s), 1);
    }

    void whatWasSeenOnceComesLastAndIsMarked()
    {
        Watched server;
        // Once each, with a wait.
        waitInBothOrders(server);
        QVERIFY(server.found().front().isSeenOnce());
        for (int i = 0; i < 2; ++i) {
            goThrough(server, 51, {"public.a", "public.b"});
            goThrough(server, 51, {"public.b", "public.a"});
        }
        COMPARE_TEXTS(server.titles(), "public.a and public.b are taken in both orders",
            "public.c and public.d are taken in both orders");
        QVERIFY(!server.found().front().isSeenOnce());
        const auto section = foundSection(server.found());
        QCOMPARE(std::get<QString>(section.rows[0].cells[5].data), u"in one transaction"_s);
        QCOMPARE(std::get<QString>(section.rows[1].cells[5].data), u"seen once, seen waiting"_s);
        QCOMPARE(std::get<qint64>(section.rows[0].cells[2].data), 2);
    }

    /// A lock that a poll shows newly, after one that left locks out, may have been there.
    void afterAnIncompletePollNothingIsNew()
    {
        Watched server;
        server.takes(51, "public.orders").addPoll(false).takes(51, "public.stock").addPoll();
        QCOMPARE(server.order().seen(), 0);
        server.takes(51, "public.log").addPoll();
        QCOMPARE(server.order().seen(), 2);
    }

    void modesThatGoTogetherAreNone()
    {
        Watched server;
        goThrough(server, 51, {"public.orders", "public.stock"}, "ShareLock");
        goThrough(server, 63, {"public.stock", "public.orders"}, "ShareLock");
        QVERIFY(server.titles(Guarded::Included).isEmpty());
        // One of both sides is enough to keep the others out, on each lock.
        goThrough(server, 64, {"public.stock", "public.orders"}, exclusive);
        QCOMPARE(server.titles().size(), 1);
    }

    void everydayModesAreNotEvenNoted()
    {
        Watched server;
        for (const char* mode : {"AccessShareLock", "RowShareLock", "RowExclusiveLock"}) {
            goThrough(server, 51, {"public.orders", "public.stock"}, mode);
            goThrough(server, 63, {"public.stock", "public.orders"}, mode);
        }
        QCOMPARE(server.order().edges().size(), 0);
    }

    /// A migration and sessions that only read.
    void aReaderThatWaitsAgainstAMigration()
    {
        Watched server;
        server.takes(51, "public.orders", "AccessShareLock").waitsFor(51, "public.stock", "AccessShareLock");
        server.takes(9, "public.stock").addPoll().done(51).done(9).addPoll();
        goThrough(server, 63, {"public.stock", "public.orders"});
        QCOMPARE(server.titles().size(), 1);
    }

    void aCommonLockThatKeepsThemApartIsAGate()
    {
        Watched server;
        goThrough(server, 51, {"public.gate", "public.orders", "public.stock"});
        goThrough(server, 63, {"public.gate", "public.stock", "public.orders"});
        QVERIFY(server.titles().isEmpty());
        QCOMPARE(server.found(Guarded::Included).size(), 1);
        QCOMPARE(server.found(Guarded::Included).front().gate, u"public.gate"_s);
        QVERIFY(explanation(server.found(Guarded::Included).front()).contains(u"Guarded by public.gate"_s));
        // Once without it, and it is none any more.
        goThrough(server, 64, {"public.stock", "public.orders"});
        QCOMPARE(server.titles().size(), 1);
        QCOMPARE(server.found().front().gate, QString());
    }

    /// A gate that both share keeps nobody out; and another lock of the class is no gate.
    void aSharedLockAndAnotherLockOfTheClassAreNoGates()
    {
        Watched server;
        for (const auto& [session, gate] :
            {std::pair{51, "app lock 'tenant:1'"}, {63, "app lock 'tenant:2'"}}) {
            server.takes(session, "public.calm", "ShareLock").takesName(session, gate).addPoll();
            const bool isFirst = session == 51;
            server.takes(session, isFirst ? "public.orders" : "public.stock").addPoll();
            server.takes(session, isFirst ? "public.stock" : "public.orders").addPoll();
            server.done(session).addPoll();
        }
        COMPARE_TEXTS(server.titles(), "public.orders and public.stock are taken in both orders");
    }

    void aRingOfThree()
    {
        Watched server;
        goThrough(server, 51, {"public.a", "public.b"});
        goThrough(server, 52, {"public.b", "public.c"});
        QVERIFY(server.titles().isEmpty());
        goThrough(server, 53, {"public.c", "public.a"});
        COMPARE_TEXTS(server.titles(), "public.a, public.b, public.c are taken in a ring of orders");
        // With a short one inside, the long one says nothing new.
        goThrough(server, 54, {"public.b", "public.a"});
        COMPARE_TEXTS(server.titles(), "public.a and public.b are taken in both orders");
    }

    void namesOfOneClass_data()
    {
        addColumns<QString, QString>("name", "pattern");
        test::row("number", "order:4711", "order:*");
        test::row("word", "nightly-run", "nightly-run");
        test::row("digits at the end", "account17/balance", "account*/balance");
        test::row("GUID", "job/0b5f0e8e-2c1e-4c63-9a3a-0f4f0c6a1b77", "job/*");
        test::row("hexadecimal", "run_3f9c12ab_lock", "run_*_lock");
        test::row("words of hexadecimal letters", "facade/decade", "facade/decade");
        test::row("several", "order:4711:line:3", "order:*:line:*");
        test::row("a digit inside", "s3upload", "s3upload");
    }
    void namesOfOneClass()
    {
        QFETCH(QString, name);
        QTEST(namePattern(name), "pattern");
    }

    void namesCountByTheirPattern()
    {
        Watched server;
        server.takesName(51, "app lock 'order:1'").addPoll();
        server.takesName(51, "app lock 'customer:9'").addPoll().done(51).addPoll();
        server.takesName(63, "app lock 'customer:4'").addPoll();
        server.takesName(63, "app lock 'order:2'").addPoll();
        COMPARE_TEXTS(
            server.titles(), "app lock 'customer:*' and app lock 'order:*' are taken in both orders");
    }

    /// Two locks of one class are compared as locks, not by their class.
    void twoOfOneClassByTheLocksThemselves()
    {
        Watched server;
        const auto take = [&server](
                              int session, const char* lock) { server.takesName(session, lock).addPoll(); };
        take(51, "app lock 'account:1'");
        take(51, "app lock 'account:2'");
        server.done(51).addPoll();
        take(63, "app lock 'account:2'");
        take(63, "app lock 'account:3'");
        server.done(63).addPoll();
        QVERIFY2(server.titles().isEmpty(), "each two numbers in one order");
        take(64, "app lock 'account:2'");
        take(64, "app lock 'account:1'");
        COMPARE_TEXTS(
            server.titles(), "app lock 'account:1' and app lock 'account:2' are taken in both orders");
        QVERIFY(server.found().front().isOneClass);
    }

    /// PostgreSQL shows rows only where a session waits: once rows of a table were waited for, a writer's
    /// lock on the table counts as locks on rows.
    void rowsThatNobodyShows()
    {
        Watched server;
        const auto waitsForRow = [&server](int session, const char* written, const char* awaited) {
            server.takes(session, written, "RowExclusiveLock").writes(session).addPoll();
            server.waitsFor(session, awaited, "ExclusiveLock", row).addPoll();
            server.done(session).addPoll();
        };
        waitsForRow(51, "public.orders", "public.stock row (0,1)");
        QVERIFY(server.titles().isEmpty());
        // The table was only written to: nobody was seen to wait for a row of it.
        waitsForRow(52, "public.log", "public.stock row (0,1)");
        waitsForRow(63, "public.stock", "public.orders row (0,7)");
        COMPARE_TEXTS(server.titles(), "public.orders and public.stock are taken in both orders");
        QVERIFY(explanation(server.found().front()).contains(u"which rows a session has changed"_s));
    }

    /// A session that waits for the end of another transaction keeps its place at the row: it waits for the
    /// row, which the other one holds.
    void whoWaitsForATransactionWaitsForARow()
    {
        Watched server;
        const auto meets = [&server](int waiter, int holder, const char* has, const char* awaited) {
            server.takes(waiter, has, "ShareLock").addPoll();
            server.takes(holder, "transaction 900", "ExclusiveLock", ResourceKind::TransactionId);
            server.takes(waiter, awaited, "ExclusiveLock", row);
            server.waitsFor(waiter, "transaction 900", "ShareLock", ResourceKind::TransactionId).addPoll();
        };
        meets(51, 9, "public.orders", "public.stock row (0,1)");
        const auto& edges = server.order().edges();
        QCOMPARE(edges.size(), 1);
        const Witness witness = edges.begin()->ways.front().witness;
        QCOMPARE(witness.first.name->className, u"public.orders"_s);
        QCOMPARE(witness.second.name->name, u"public.stock row (0,1)"_s);
        QCOMPARE(witness.evidence, Evidence::Waiting);
        // Its holder has that row, and waits for a table now.
        server.done(51).takes(51, "public.orders", "ShareLock").waitsFor(9, "public.orders").addPoll();
        COMPARE_TEXTS(server.titles(), "public.orders and public.stock are taken in both orders");
    }

    void ownSessionsAndThoseOfTheServerDontCount()
    {
        SnapshotBuilder first(1);
        first.session(51, "lockscope monitor").transaction(1).own();
        first.session(52, "autovacuum").transaction(1).system();
        SnapshotBuilder second(2);
        second.session(51, "lockscope monitor").transaction(2).own();
        second.session(52, "autovacuum").transaction(2).system();
        for (const int session : {51, 52}) {
            first.holds(session, "public.orders", exclusive, 1);
            second.holds(session, "public.orders", exclusive, 2).holds(session, "public.stock", exclusive, 1);
        }
        OrderOfSnapshots order;
        order.add(first.take());
        order.add(second.take());
        QCOMPARE(order.order().seen(), 0);
    }

    /// The entries of a lock table say when they were taken: one poll is enough.
    void entriesOfALockTableHaveTheirTimes()
    {
        OrderOfSnapshots order;
        int second = 0;
        for (const auto& [session, first, later] :
            {std::tuple{51, "import:1", "report:1"}, {52, "report:2", "import:2"}}) {
            SnapshotBuilder builder(++second);
            builder.session(session, "nightly");
            builder.entry(later, "ann").lease(600, 5);
            builder.entry(first, "ann").lease(600, 10);
            for (LockTableEntry& entry : builder.made().entries)
                entry.party.session = SessionId{session};
            order.add(builder.take());
        }
        const auto found = potentialDeadlocks(order.order()).all;
        QCOMPARE(found.size(), 1);
        QCOMPARE(found.front().title(),
            u"'import:*' in lockscope.lock_entry and 'report:*' in lockscope.lock_entry are taken in both orders"_s);
        QCOMPARE(found.front().legs.front().witness.evidence, Evidence::Exact);
    }

    /// A lock of a session may be released and taken again between two polls.
    void locksOfSessionsAreLessCertain()
    {
        OrderOfSnapshots order;
        int at = 0;
        for (const auto& [session, first, later] :
            {std::tuple{51, "app lock 'a'", "app lock 'b'"}, {52, "app lock 'b'", "app lock 'a'"}}) {
            for (const bool hasBoth : {false, true}) {
                SnapshotBuilder builder(++at);
                builder.session(session, "worker").transaction(hasBoth ? 1 : 0);
                builder.holds(session, first, "ExclusiveLock", 1, false, appLock);
                if (hasBoth)
                    builder.holds(session, later, "ExclusiveLock", 1, false, appLock);
                for (LockRequest& request : builder.made().requests)
                    request.owner = LockOwner::Other;
                order.add(builder.take());
            }
        }
        const auto found = potentialDeadlocks(order.order()).all;
        QCOMPARE(found.size(), 1);
        QVERIFY(!found.front().isCertain());
        QVERIFY(legText(found.front().legs.front()).contains(u"may have released it"_s));
    }

    void theWorstComesFirst()
    {
        Watched server;
        goThrough(server, 51, {"public.a", "public.b"});
        goThrough(server, 52, {"public.b", "public.a"});
        waitInBothOrders(server);
        COMPARE_TEXTS(server.titles(), "public.c and public.d are taken in both orders",
            "public.a and public.b are taken in both orders");
    }

    /// Random sessions that keep to one order have no finding, with any modes and polls; one that does not is
    /// found as soon as it was seen.
    void whoKeepsToOneOrderIsNeverAccused()
    {
        static const char* const tables[] = {
            "public.a", "public.b", "public.c", "public.d", "public.e", "public.f"};
        static const char* const modes[] = {"AccessShareLock", "RowExclusiveLock", "ShareLock",
            "ShareRowExclusiveLock", "AccessExclusiveLock"};
        for (unsigned seed = 1; seed <= 30; ++seed) {
            std::mt19937 random(seed);
            const auto pick = [&random](int count) { return int(random() % unsigned(count)); };
            Watched server;
            std::map<int, int> reached; // by session: the next table that it may take
            for (int step = 0; step < 300; ++step) {
                const int session = 51 + pick(8);
                int& next = reached[session];
                if (next >= 6 || pick(5) == 0) {
                    server.done(session);
                    next = 0;
                } else {
                    next += pick(2);
                    if (next < 6)
                        server.takes(session, tables[next++], modes[pick(5)]);
                }
                if (pick(3) > 0)
                    server.addPoll(pick(20) > 0);
            }
            QVERIFY2(server.order().seen() > 20, "the test has seen too little");
            QVERIFY2(server.titles(Guarded::Included).isEmpty(),
                qPrintable(u"seed %1: %2"_s.arg(seed).arg(server.titles().join(u", "_s))));
            goThrough(server, 99, {"public.b", "public.f"});
            goThrough(server, 99, {"public.f", "public.b"});
            QVERIFY(server.titles().contains(u"public.b and public.f are taken in both orders"_s));
        }
    }

    /// The memory is bounded for any number of classes and pairs.
    void itsMemoryIsBounded()
    {
        OrderOfSnapshots order;
        for (int i = 0; i < 400; ++i) {
            for (const bool isSecond : {false, true}) {
                SnapshotBuilder builder(2 * i + (isSecond ? 1 : 0));
                builder.session(51, "shop").transaction(isSecond ? 1 : 0);
                for (int table = 0; table < (isSecond ? 10 : 9); ++table)
                    builder.holds(51, qPrintable(u"public.t%1x%2x"_s.arg(i).arg(table)), exclusive, 1);
                order.add(builder.take());
                QVERIFY(order.order().edges().size() <= LockOrder::maxEdges);
            }
        }
        for (int i = 0; i < 40; ++i) {
            const auto hold = [i](SnapshotBuilder& builder, int from, int to) {
                builder.session(51, "shop").transaction(from == 0 ? 0 : 1);
                for (int lock = 0; lock < to; ++lock)
                    builder.holds(51, qPrintable(u"public.u%1x%2x"_s.arg(i).arg(lock)), exclusive, 1);
            };
            SnapshotBuilder first(1'000 + 2 * i);
            hold(first, 0, 30);
            order.add(first.take());
            SnapshotBuilder second(1'001 + 2 * i);
            hold(second, 1, 60);
            order.add(second.take());
        }
        QVERIFY(order.order().edges().size() <= LockOrder::maxEdges);
        QVERIFY(order.order().forgotten() > 0);
        QVERIFY(potentialDeadlocks(order.order()).all.isEmpty());
    }

    /// The id depends on the names only, and not on sessions and times.
    void theIdIsThatOfTheNames()
    {
        Watched one;
        goThrough(one, 51, {"public.a", "public.b"});
        goThrough(one, 52, {"public.b", "public.a"});
        Watched other;
        goThrough(other, 70, {"public.b", "public.a"}, "ShareRowExclusiveLock");
        goThrough(other, 71, {"public.a", "public.b"}, "ShareRowExclusiveLock");
        QCOMPARE(one.found().front().id, other.found().front().id);
    }
};

LOCKSCOPE_TEST(tst_LockOrder)

} // namespace tst_LockOrder
#include "tst_LockOrder.moc"
