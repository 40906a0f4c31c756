// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A lock of a transaction ends with the transaction's failure, and with the savepoint in which it was taken:
// its grant says so, and a lock that still exists is not reported as lost.

#include "core/locks/LeaseKeeper.h"
#include "tests/support/LockRig.h"
#include "tests/support/PgBouncer.h"
#include "tests/support/Presets.h"
#include "tests/support/TestProgram.h"

namespace tst_GrantInTransaction {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;

constexpr auto server = &TestServer::shared;

/// A transaction of the caller's own that holds a lock, and a session that requests it.
struct Holder {
    Holder(const LockCase& lock, const db::ServerUrl& url, const db::ServerUrl& direct)
        : kind(lock)
        , connection(server().connect(url))
        , keeper(LeaseKeeper::create(server().at(direct)))
        , strategy(LockStrategy::create(kind.kind, *connection, keeper).value())
        , rivals(server().connect(direct))
        , rival(LockStrategy::create(kind.kind, *rivals).value())
    {
        request.name = u"n"_s;
        request.owner = LockOwner::Transaction;
        orDie(strategy->prepare(request.name));
    }
    bool run(const char* sql) { return connection->executeScript(sql).has_value(); }
    /// Takes the lock by the library, and notes its loss.
    bool take(milliseconds wait = milliseconds(0))
    {
        request.wait = wait;
        auto result = strategy->acquire(request, {}, LossHandler([this](LossReason) { ++losses; }));
        if (!result || !isGranted(result->outcome))
            return false;
        grant = std::move(result->grant);
        return true;
    }
    bool isFree()
    {
        request.wait = milliseconds(0);
        return locks::acquire(*rival, request)->outcome == Outcome::Granted; // and gives it back
    }

    const LockCase kind;
    std::unique_ptr<db::Connection> connection;
    std::shared_ptr<LeaseKeeper> keeper;
    std::unique_ptr<LockStrategy> strategy;
    std::unique_ptr<db::Connection> rivals;
    std::unique_ptr<LockStrategy> rival;
    AcquireRequest request;
    std::atomic<int> losses = 0;
    Grant grant;
};

class GrantInTransactionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data()
    {
        addColumns<LockCase, bool>("kind", "isPooled");
        for (const LockCase& kind : lockCases)
            for (const bool isPooled : {false, true})
                if (kind.owner == LockOwner::Transaction)
                    QTest::addRow("%s%s", kind.name, isPooled ? ", pooled" : "") << kind << isPooled;
    }
    void init()
    {
        QFETCH_GLOBAL(LockCase, kind);
        QFETCH_GLOBAL(bool, isPooled);
        if (isPooled && !PgBouncer::isInstalled())
            QSKIP("PgBouncer is not installed.");
        m_direct = server().freshDatabase();
        if (isPooled)
            m_pooler = std::make_unique<PgBouncer>(server(), PgBouncer::Mode::Transaction, 4);
        m_holder = std::make_unique<Holder>(kind, isPooled ? m_pooler->before(m_direct) : m_direct, m_direct);
    }
    void cleanup()
    {
        m_holder.reset();
        m_pooler.reset();
    }

    void aFailureEndsIt()
    {
        Holder& holder = *m_holder;
        QVERIFY(holder.connection->begin());
        QVERIFY(holder.take());
        QVERIFY(holder.grant.beat());
        QVERIFY(holder.grant.isHeld());
        QVERIFY(!holder.run("SELECT 1 / 0"));
        QVERIFY(holder.isFree());
        QVERIFY(!holder.grant.isHeld());
        VERIFY_FAILS(ErrorKind::Changed, holder.grant.beat());
        QTRY_COMPARE(holder.losses.load(), 1);
        QVERIFY(holder.connection->rollback());
        QVERIFY(!holder.grant.isHeld());
    }

    /// A transaction that acquire began is over, too, and not left open.
    void aFailureEndsOurOwnTransaction()
    {
        Holder& holder = *m_holder;
        auto result = locks::acquire(*holder.strategy, holder.request);
        QVERIFY(result && result->grant.isHeld());
        QVERIFY(!holder.run("SELECT 1 / 0"));
        QVERIFY(!result->grant.isHeld());
        VERIFY_FAILS(ErrorKind::Changed, result->grant.release());
        QVERIFY(!holder.connection->inTransaction());
        {
            auto dropped = locks::acquire(*holder.strategy, holder.request);
            QVERIFY(dropped && dropped->grant.isHeld());
            QVERIFY(!holder.run("SELECT 1 / 0"));
        }
        QVERIFY(!holder.connection->inTransaction());
    }

    void aSavepointTakesItAlong_data()
    {
        addRows<milliseconds>("wait", {{"without waiting", milliseconds(0)}, {"waiting", milliseconds(-1)}});
    }
    void aSavepointTakesItAlong()
    {
        QFETCH(milliseconds, wait);
        Holder& holder = *m_holder;
        QVERIFY(holder.connection->begin());
        QVERIFY(holder.run("SAVEPOINT mine"));
        QVERIFY(holder.take(wait));
        QVERIFY(holder.grant.beat());
        QVERIFY(holder.run("ROLLBACK TO SAVEPOINT mine"));
        QVERIFY(holder.isFree());
        VERIFY_FAILS(ErrorKind::Changed, holder.grant.beat());
        QVERIFY(!holder.grant.isHeld());
        QTRY_COMPARE(holder.losses.load(), 1);
        // A new request gets it.
        QVERIFY(holder.take(wait));
        QVERIFY(holder.grant.beat());
        QVERIFY(holder.grant.isHeld());
        QVERIFY(!holder.isFree());
    }

    /// Nothing is reported for a lock that still exists.
    void whatCameBeforeTheSavepointStays()
    {
        Holder& holder = *m_holder;
        QVERIFY(holder.connection->begin());
        QVERIFY(holder.take());
        QVERIFY(holder.run("SAVEPOINT mine"));
        QVERIFY(!holder.run("SELECT 1 / 0"));
        QVERIFY(!holder.grant.isHeld()); // nothing can be done under it
        QVERIFY(holder.grant.beat());
        QVERIFY(!holder.isFree());
        QVERIFY(holder.run("ROLLBACK TO SAVEPOINT mine"));
        QVERIFY(holder.grant.isHeld());
        QVERIFY(holder.grant.beat());
        QVERIFY(holder.run("RELEASE SAVEPOINT mine"));
        QVERIFY(holder.grant.beat());
        QVERIFY(!holder.isFree());
        QCOMPARE(holder.losses.load(), 0);
        // Nothing is left to go back to.
        QVERIFY(!holder.run("SELECT 1 / 0"));
        QVERIFY(!holder.grant.beat());
        QTRY_COMPARE(holder.losses.load(), 1);
    }

    void aTransactionThatFollowsHasItNot()
    {
        Holder& holder = *m_holder;
        QVERIFY(holder.connection->begin());
        QVERIFY(holder.take());
        QVERIFY(holder.run("ROLLBACK AND CHAIN"));
        QVERIFY(holder.isFree());
        QVERIFY(!holder.grant.beat());
        QVERIFY(!holder.grant.isHeld());
    }

private:
    db::ServerUrl m_direct;
    std::unique_ptr<PgBouncer> m_pooler;
    std::unique_ptr<Holder> m_holder;
};

LOCKSCOPE_TEST(GrantInTransactionTest)

} // namespace tst_GrantInTransaction
#include "tst_GrantInTransaction.moc"
