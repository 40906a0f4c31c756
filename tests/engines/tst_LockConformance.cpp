// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// One contract for every engine × strategy. tst_LockTable, tst_AppLock and tst_Surrogates test the rest of
// each variant.

#include "core/locks/LeaseKeeper.h"
#include "tests/support/LockRig.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_LockConformance {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;

constexpr milliseconds forEver{-1};
constexpr milliseconds longEnough{60'000};

static void addAllVariants()
{
    addVariants();
    for (const tds::OdbcDriver driver : {tds::OdbcDriver::FreeTds, tds::OdbcDriver::Microsoft,
             tds::OdbcDriver::FreeTdsByQt, tds::OdbcDriver::MicrosoftByQt}) {
        const auto row = [driver](const char* what, LockKind kind, LockOwner owner) {
            QTest::addRow("SQL Server%s%s, %s", isFreeTds(driver) ? "" : " by Microsoft's driver",
                isByQt(driver) ? " by Qt" : "", what)
                << LockVariant{.engine = Engine::SqlServer, .kind = kind, .owner = owner, .driver = driver};
        };
        row("lock table", LockKind::Table, LockOwner::Session);
        row("application lock of the session", LockKind::Application, LockOwner::Session);
        row("application lock of the transaction", LockKind::Application, LockOwner::Transaction);
        row("locked table", LockKind::LockedTable, LockOwner::Transaction);
        row("locked key", LockKind::LockedKey, LockOwner::Transaction);
    }
}

class LockConformance : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { addAllVariants(); }
    void init()
    {
        QFETCH_GLOBAL(LockVariant, variant);
        SKIP_FOR(LockRig::reasonAgainst(variant));
        m_variant = variant;
    }

    void freeNameIsGrantedAtOnce()
    {
        const LockRig rig(m_variant);
        Contender one(rig);
        const LockReply reply = one.acquire(rig.requestFor(u"orders/4711"_s));
        QVERIFY2(!reply.error, qPrintable(reply.error.value_or(Error()).toString()));
        QCOMPARE(reply.outcome, Outcome::Granted);
        QCOMPARE(reply.fencing > 0, m_variant.isTable());
        QVERIFY(one.release());
    }

    void secondIsDeniedAndToldWhoHasIt()
    {
        const LockRig rig(m_variant);
        Contender one(rig);
        Contender two(rig);
        AcquireRequest request = rig.requestFor(u"n"_s);
        request.party = {.owner = u"anna"_s,
            .host = u"till-3"_s,
            .program = u"cashier"_s,
            .processId = 4711,
            .session = {}};
        QCOMPARE(one.acquire(request).outcome, Outcome::Granted);
        const LockReply denied = two.acquire(rig.requestFor(u"n"_s));
        QVERIFY(!denied.error);
        QCOMPARE(denied.outcome, Outcome::Denied);
        QCOMPARE(denied.heldBy.has_value(), rig.tellsHolder());
        if (m_variant.isTable()) {
            QCOMPARE(denied.heldBy->owner, u"anna"_s);
            QCOMPARE(denied.heldBy->host, u"till-3"_s);
            QCOMPARE(denied.heldBy->program, u"cashier"_s);
            QCOMPARE(denied.heldBy->processId, 4711);
        }
        if (m_variant.engine != Engine::Sqlite && rig.tellsHolder())
            one.within(
                [&](Contender& self) { QCOMPARE(denied.heldBy->session, self.connection->sessionId()); });
    }

    void releasedNameIsGrantedAgain()
    {
        const LockRig rig(m_variant);
        Contender one(rig);
        Contender two(rig);
        QVERIFY(one.acquire(rig.requestFor(u"n"_s)).isGranted());
        QVERIFY(one.release());
        const LockReply second = two.acquire(rig.requestFor(u"n"_s));
        QCOMPARE(second.outcome, Outcome::Granted);
        QVERIFY(two.release());
    }

    void differentNamesDontMeet()
    {
        const LockRig rig(m_variant);
        Contender one(rig);
        Contender two(rig);
        QVERIFY(one.acquire(rig.requestFor(u"customers/1"_s)).isGranted());
        QVERIFY(two.acquire(rig.requestFor(u"customers/2"_s)).isGranted());
    }

    void waiterIsGrantedAfterTheRelease()
    {
        const LockRig rig(m_variant);
        Contender one(rig);
        Contender two(rig);
        QVERIFY(one.acquire(rig.requestFor(u"n"_s)).isGranted());
        auto waiting = two.ask(rig.requestFor(u"n"_s, forEver));
        QTRY_COMPARE(rig.waiters(u"n"_s), 1);
        QVERIFY(one.release());
        QCOMPARE(soon(std::move(waiting)).outcome, Outcome::GrantedAfterWait);
        QCOMPARE(rig.waiters(u"n"_s), 0);
        QVERIFY(two.release());
    }

    void waitEndsWithItsTime()
    {
        const LockRig rig(m_variant);
        Contender one(rig);
        Contender two(rig);
        QVERIFY(one.acquire(rig.requestFor(u"n"_s)).isGranted());
        const LockReply late = two.acquire(rig.requestFor(u"n"_s, milliseconds(50)));
        QVERIFY(!late.error);
        QCOMPARE(late.outcome, Outcome::TimedOut);
        QCOMPARE(late.heldBy.has_value(), rig.tellsHolder());
        QCOMPARE(rig.waiters(u"n"_s), 0);
        // Neither the lock nor the connection suffered.
        QVERIFY(one.release());
        QVERIFY(two.acquire(rig.requestFor(u"n"_s)).isGranted());
    }

    void waitForEverCanBeCancelled()
    {
        const LockRig rig(m_variant);
        Contender one(rig);
        Contender two(rig);
        QVERIFY(one.acquire(rig.requestFor(u"n"_s)).isGranted());
        auto waiting = two.ask(rig.requestFor(u"n"_s, forEver));
        QTRY_COMPARE(rig.waiters(u"n"_s), 1);
        two.cancel();
        const LockReply reply = soon(std::move(waiting));
        QVERIFY2(!reply.error, qPrintable(reply.error.value_or(Error()).toString()));
        QCOMPARE(reply.outcome, Outcome::Cancelled);
        QCOMPARE(rig.waiters(u"n"_s), 0);
        QVERIFY(one.release());
        QVERIFY(two.acquire(rig.requestFor(u"n"_s)).isGranted());
    }

    void cancelThatRacesWithTheGrantLeavesNothing()
    {
        const LockRig rig(m_variant);
        Contender one(rig);
        Contender two(rig);
        for (int i = 0; i < 40; ++i) {
            QVERIFY(one.acquire(rig.requestFor(u"n"_s)).isGranted());
            auto waiting = two.ask(rig.requestFor(u"n"_s, forEver));
            QVERIFY(waitUntil([&rig] { return rig.waiters(u"n"_s) == 1; })); // eighty times: QTRY is slow
            std::thread canceller([&] { two.cancel(); });
            QVERIFY(one.release());
            canceller.join();
            const LockReply reply = soon(std::move(waiting));
            QVERIFY2(!reply.error, qPrintable(reply.error.value_or(Error()).toString()));
            if (reply.isGranted())
                QVERIFY(two.release());
            else
                QCOMPARE(reply.outcome, Outcome::Cancelled);
            QVERIFY(waitUntil([&rig] { return rig.waiters(u"n"_s) == 0; })); // a busy file forgets later
        }
        QVERIFY(one.acquire(rig.requestFor(u"n"_s)).isGranted());
    }

    void requestCancelledBeforeItBegan()
    {
        const LockRig rig(m_variant);
        Contender one(rig);
        one.within([&](Contender& self) {
            if (m_variant.owner == LockOwner::Transaction)
                QVERIFY(self.connection->begin());
            std::stop_source stopped;
            stopped.request_stop();
            const auto result = self.strategy->acquire(rig.requestFor(u"n"_s, forEver), stopped.get_token());
            QVERIFY(result);
            QCOMPARE(result->outcome, Outcome::Cancelled);
        });
    }

    void waitersAreServedInTheirOrder()
    {
        const LockRig rig(m_variant);
        if (!rig.serverWaits())
            QSKIP("On this server an application lock is waited for by asking again: there is no order.");
        Contender holder(rig);
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        Contender first(rig);
        Contender second(rig);
        Contender third(rig);
        const std::array queue{&first, &second, &third};
        std::vector<std::future<LockReply>> replies;
        for (Contender* waiter : queue) {
            replies.push_back(waiter->ask(rig.requestFor(u"n"_s, longEnough)));
            QTRY_COMPARE(rig.waiters(u"n"_s), qint64(replies.size()));
        }
        QVERIFY(holder.release());
        for (std::size_t i = 0; i < queue.size(); ++i) {
            QCOMPARE(soon(std::move(replies[i])).outcome, Outcome::GrantedAfterWait);
            for (std::size_t later = i + 1; later < queue.size(); ++later)
                QCOMPARE(replies[later].wait_for(milliseconds(0)), std::future_status::timeout);
            QVERIFY(queue[i]->release());
        }
    }

    void neverTwoHolders()
    {
        const LockRig rig(m_variant);
        std::atomic<int> holders = 0;
        std::atomic<int> violations = 0;
        std::atomic<int> turns = 0;
        qint64 lastFencing = 0; // guarded by the lock under test: thread sanitizer sees it, too
        std::mutex seenByTsan;
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] {
                Contender contender(rig);
                for (int turn = 0; turn < 25; ++turn) {
                    const LockReply reply = contender.acquire(rig.requestFor(u"n"_s, longEnough));
                    if (!reply.isGranted())
                        return;
                    if (holders.fetch_add(1) != 0)
                        ++violations;
                    {
                        const std::lock_guard lock(seenByTsan);
                        if (m_variant.isTable() && reply.fencing <= lastFencing)
                            ++violations;
                        lastFencing = reply.fencing;
                    }
                    ++turns;
                    --holders;
                    if (!contender.release())
                        return;
                }
            });
        threads.clear();
        QCOMPARE(violations.load(), 0);
        QCOMPARE(turns.load(), 100);
    }

    void oddNamesAreKeptApart()
    {
        const LockRig rig(m_variant);
        Contender one(rig);
        Contender two(rig);
        const QStringList names{QString(255, u'n'), u"o'brien"_s, u"\"quoted\""_s, u"back\\slash"_s, u"🔒"_s,
            u" n"_s, u"n "_s, u"n"_s, u"N"_s, u"'; DROP TABLE lock_entry; --"_s, u"%_"_s, u"$1"_s, u"\n"_s,
            u"é"_s, u"e\u0301"_s};
        for (const QString& name : names) {
            if (!rig.canName(name))
                continue;
            const LockReply granted = one.acquire(rig.requestFor(name));
            QVERIFY2(granted.isGranted(), qPrintable(name));
            QCOMPARE(two.acquire(rig.requestFor(name)).outcome, Outcome::Denied);
            if (m_variant.owner == LockOwner::Transaction)
                two.within([](Contender& self) { QVERIFY(self.connection->rollback()); });
        }
    }

    void impossibleNamesAreRefused()
    {
        const LockRig rig(m_variant);
        Contender one(rig);
        for (const QString& name :
            {QString(), QString(256, u'n'), QString(u"a"_s + QChar(0) + u"b"_s), QString(QChar(0xd83d))}) {
            const LockReply reply = one.acquire(rig.requestFor(name));
            QVERIFY(reply.error);
            QCOMPARE(reply.error->kind, ErrorKind::BadInput);
        }
        const LockReply negative = one.acquire(rig.requestFor(u"n"_s, milliseconds(-2)));
        QVERIFY(negative.error);
        QCOMPARE(negative.error->kind, ErrorKind::BadInput);
        QVERIFY(one.acquire(rig.requestFor(u"n"_s)).isGranted());
    }

    void secondReleaseIsRefused()
    {
        if (m_variant.owner == LockOwner::Transaction)
            QSKIP("Such a lock ends with its transaction only.");
        const LockRig rig(m_variant);
        Contender one(rig);
        QVERIFY(one.acquire(rig.requestFor(u"n"_s)).isGranted());
        one.within([](Contender& self) {
            Grant& grant = self.grants.back();
            QVERIFY(grant.release());
            QVERIFY(!grant.isHeld());
            VERIFY_FAILS(ErrorKind::Changed, grant.release());
        });
    }

    void nextTransactionDoesNotHoldTheLock()
    {
        if (m_variant.owner != LockOwner::Transaction)
            QSKIP("Such a lock has nothing to do with transactions.");
        const LockRig rig(m_variant);
        Contender one(rig);
        Contender two(rig);
        for (const auto end : {&db::Connection::commit, &db::Connection::rollback}) {
            QVERIFY(one.acquire(rig.requestFor(u"n"_s)).isGranted());
            one.within([end](Contender& self) {
                QVERIFY(self.grants.back().isHeld());
                // Nobody asks about the grant between the two transactions.
                QVERIFY((*self.connection.*end)());
                QVERIFY(self.connection->begin());
                QVERIFY(!self.grants.back().isHeld());
                VERIFY_FAILS(ErrorKind::Changed, self.grants.back().release());
            });
            QVERIFY(two.acquire(rig.requestFor(u"n"_s)).isGranted());
            QVERIFY(two.release());
        }
    }

    void droppedGrantIsReleased()
    {
        const LockRig rig(m_variant);
        Contender one(rig);
        Contender two(rig);
        QVERIFY(one.acquire(rig.requestFor(u"n"_s)).isGranted());
        one.within([](Contender& self) { self.grants.clear(); });
        QVERIFY(two.acquire(rig.requestFor(u"n"_s)).isGranted());
    }

    void movedGrantReleasesWhatItHeld()
    {
        if (m_variant.owner == LockOwner::Transaction)
            QSKIP("Such a lock ends with its transaction only.");
        const LockRig rig(m_variant);
        Contender one(rig);
        Contender two(rig);
        QVERIFY(one.acquire(rig.requestFor(u"a"_s)).isGranted());
        QVERIFY(one.acquire(rig.requestFor(u"b"_s)).isGranted());
        one.within([](Contender& self) {
            self.grants[0] = std::move(self.grants[1]);
            self.grants.pop_back();
            QCOMPARE(self.grants[0].name(), u"b"_s);
            QVERIFY(self.grants[0].isHeld());
        });
        QVERIFY(two.acquire(rig.requestFor(u"a"_s)).isGranted());
        QCOMPARE(two.acquire(rig.requestFor(u"b"_s)).outcome, Outcome::Denied);
    }
    void eachAcquireNeedsItsRelease()
    {
        if (m_variant.kind != LockKind::Application || m_variant.owner != LockOwner::Session)
            QSKIP("Such a lock is not counted.");
        const LockRig rig(m_variant);
        Contender holder(rig);
        Contender other(rig);
        for (int i = 0; i < 3; ++i)
            QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        for (int i = 0; i < 3; ++i) {
            QCOMPARE(other.acquire(rig.requestFor(u"n"_s)).outcome, Outcome::Denied);
            QVERIFY(holder.release());
        }
        QVERIFY(other.acquire(rig.requestFor(u"n"_s)).isGranted());
    }

    void needsATransaction()
    {
        if (m_variant.owner != LockOwner::Transaction)
            QSKIP("Such a lock has nothing to do with transactions.");
        const LockRig rig(m_variant);
        const auto connection = rig.connect();
        const auto strategy = LockStrategy::create(m_variant.kind, *connection).value();
        VERIFY_FAILS(ErrorKind::BadInput, strategy->acquire(rig.requestFor(u"n"_s)));
        QVERIFY(connection->begin());
        if (m_variant.isSurrogate())
            VERIFY_FAILS(ErrorKind::BadInput, strategy->prepare(u"other"_s));
    }

    void endsWithItsTransactionOnly()
    {
        if (m_variant.owner != LockOwner::Transaction)
            QSKIP("Such a lock has nothing to do with transactions.");
        const LockRig rig(m_variant);
        Contender one(rig);
        Contender other(rig);
        one.within([](Contender& self) { QVERIFY(self.connection->begin()); });
        QVERIFY(one.acquire(rig.requestFor(u"n"_s)).isGranted());
        one.within([](Contender& self) {
            Grant& grant = self.grants.back();
            VERIFY_FAILS(ErrorKind::Unsupported, grant.release());
            QVERIFY(grant.isHeld());
            QVERIFY(self.connection->rollback());
            QVERIFY(!grant.isHeld());
        });
        QVERIFY(other.acquire(rig.requestFor(u"n"_s)).isGranted());
    }

    void endedSessionIsReported()
    {
        if (m_variant.isTable())
            QSKIP("A row outlives its session.");
        const LockRig rig(m_variant);
        std::atomic<int> losses = 0;
        const auto count = [&losses](LossReason reason) {
            losses += reason == LossReason::ConnectionGone ? 1 : 100;
        };
        Contender holder(rig, LeaseKeeper::create(rig.server()));
        if (m_variant.owner == LockOwner::Transaction)
            holder.within([](Contender& self) { QVERIFY(self.connection->begin()); });
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s), count).isGranted());
        qint64 id = 0;
        holder.within([this, &id](Contender& self) {
            if (m_variant.owner == LockOwner::Transaction)
                QVERIFY(!self.grants.back().release()); // refused: it is still held, and still watched
            id = self.connection->sessionId().value;
        });
        rig.endSession(id);
        QTRY_COMPARE(losses.load(), 1);
        holder.within([](Contender& self) { QVERIFY(!self.grants.back().isHeld()); });
    }

    void failedWaitLeavesTheTransactionAlive()
    {
        if (m_variant.engine != Engine::Postgres || m_variant.isTable())
            QSKIP("This is about PostgreSQL's own locks.");
        const LockRig rig(m_variant);
        rig.run(u"CREATE TABLE work (step int)"_s);
        Contender holder(rig);
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());

        Contender one(rig);
        one.within([](Contender& self) {
            QVERIFY(runSql(*self.connection, u"SET lock_timeout = '7s'"_s));
            QVERIFY(self.connection->begin());
            QVERIFY(runSql(*self.connection, u"INSERT INTO work VALUES (1)"_s));
        });
        const QString lockTimeout = u"current_setting('lock_timeout')"_s;
        QCOMPARE(one.acquire(rig.requestFor(u"n"_s)).outcome, Outcome::Denied);
        QCOMPARE(one.acquire(rig.requestFor(u"n"_s, milliseconds(30))).outcome, Outcome::TimedOut);
        QCOMPARE(one.valueOf(lockTimeout), u"7s"_s);
        auto waiting = one.ask(rig.requestFor(u"n"_s, forEver));
        QTRY_COMPARE(rig.waiters(u"n"_s), 1);
        one.cancel();
        QCOMPARE(soon(std::move(waiting)).outcome, Outcome::Cancelled);
        QVERIFY(holder.release());
        QCOMPARE(one.acquire(rig.requestFor(u"n"_s, longEnough)).outcome, Outcome::Granted);
        QCOMPARE(one.valueOf(lockTimeout), u"7s"_s);
        one.within([](Contender& self) {
            QVERIFY(runSql(*self.connection, u"INSERT INTO work VALUES (2)"_s));
            QVERIFY(self.connection->commit());
        });
        QCOMPARE(rig.number(u"SELECT count(*) FROM work"_s), 2);
    }

private:
    LockVariant m_variant;
};

LOCKSCOPE_TEST_AT_ONCE(LockConformance)

} // namespace tst_LockConformance
#include "tst_LockConformance.moc"
