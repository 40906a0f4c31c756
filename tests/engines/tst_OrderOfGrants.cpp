// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The order in which a program's own threads take their locks by the library: opposite orders are reported
// before they become a deadlock.

#include "core/locks/Lock.h"
#include "core/order/OrderOfGrants.h"
#include "tests/support/LockRig.h"
#include "tests/support/TestProgram.h"

#include <QThread>

namespace tst_OrderOfGrants {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;
using order::OrderOfGrants;
using order::PotentialDeadlock;

constexpr milliseconds soonEnough{60'000};

/// A thread that takes locks one after another.
class Worker {
public:
    Worker(const LockRig& rig, const OrderOfGrants& order)
        : m_rig(rig)
        , m_listener(order.listener())
    {
        m_context.moveToThread(&m_thread);
        m_thread.start();
    }
    ~Worker()
    {
        gives();
        m_thread.quit();
        m_thread.wait();
    }
    Q_DISABLE_COPY_MOVE(Worker)

    /// Returns how it ended; none = by an error.
    std::optional<Outcome> take(LockOptions options)
    {
        options.kind = m_rig.variant().kind;
        options.party.program = u"nightly"_s;
        options.stepListener = m_listener;
        std::optional<Outcome> outcome;
        within([&] {
            auto lock = acquire(m_rig.server(), options);
            outcome = lock ? lock->outcome() : lock.error().outcome;
            if (lock)
                m_locks.push_back(std::move(*lock));
        });
        return outcome;
    }
    bool takes(std::initializer_list<const char16_t*> names, milliseconds wait = soonEnough)
    {
        return std::ranges::all_of(names, [&](const char16_t* name) {
            const auto outcome = take({.name = QString::fromUtf16(name), .wait = wait});
            return outcome && isGranted(*outcome);
        });
    }
    bool gives()
    {
        bool gives = true;
        within([&] {
            for (; !m_locks.empty(); m_locks.pop_back())
                gives = m_locks.back().release() && gives;
        });
        return gives;
    }
    bool holdsAll() const { return std::ranges::all_of(m_locks, &Lock::isHeld); }

private:
    void within(const std::function<void()>& act)
    {
        QMetaObject::invokeMethod(&m_context, act, Qt::BlockingQueuedConnection);
    }

    const LockRig& m_rig;
    const OwnStepListener m_listener;
    std::vector<Lock> m_locks;
    QThread m_thread;
    QObject m_context;
};

static QStringList titles(const OrderOfGrants& order, order::Guarded guarded = order::Guarded::LeftOut)
{
    QStringList titles = textsOf(order.potentialDeadlocks(guarded).all, &PotentialDeadlock::title);
    return titles;
}

static void addVariants()
{
    addRows<LockVariant>("variant",
        {{"PostgreSQL, lock table", LockVariant{Engine::Postgres, LockKind::Table}},
            {"PostgreSQL, application locks", LockVariant{Engine::Postgres, LockKind::Application}},
            {"SQLite, lock table", LockVariant{Engine::Sqlite, LockKind::Table}}});
}

class tst_OrderOfGrants : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// One after the other: no deadlock happens, and no thread waits.
    void oppositeOrdersAreReported_data() { addVariants(); }
    void oppositeOrdersAreReported()
    {
        const LockRig rig = fetchedRig();
        const OrderOfGrants order([] { return u"the nightly run"_s; });
        Worker billing(rig, order);
        Worker importer(rig, order);
        QVERIFY(billing.takes({u"order:17", u"stock"}) && billing.gives());
        QVERIFY(titles(order).isEmpty());
        QVERIFY(importer.takes({u"stock", u"order:4"}) && importer.gives());

        const auto found = order.potentialDeadlocks().all;
        QCOMPARE(found.size(), 1);
        QCOMPARE(found[0].legs.size(), 2U);
        QVERIFY(found[0].isCertain() && !found[0].sawWaiting());
        VERIFY_CONTAINS(found[0].title(), u"'order:*'"_s);
        QStringList threads;
        for (const order::Leg& leg : found[0].legs) {
            const order::Witness& witness = leg.witness;
            threads << witness.who();
            QVERIFY2(witness.who().startsWith(u"thread "_s) && witness.who().endsWith(u" of nightly"_s),
                qPrintable(witness.who()));
            QCOMPARE(witness.evidence, order::Evidence::Exact);
            QCOMPARE(witness.statement, u"the nightly run"_s);
            QCOMPARE(witness.at.isValid(), rig.variant().isTable()); // other kinds have no time of the server
            QVERIFY(witness.here.isValid());
            const bool isBilling = witness.first.name->name.contains(u"order:17"_s);
            QVERIFY(witness.second.name->name.contains(isBilling ? u"'stock'"_s : u"'order:4'"_s));
        }
        QVERIFY(threads[0] != threads[1]);
    }

    void oneOrderIsSilent_data() { addVariants(); }
    void oneOrderIsSilent()
    {
        const LockRig rig = fetchedRig();
        const OrderOfGrants order;
        Worker billing(rig, order);
        Worker importer(rig, order);
        QVERIFY(billing.takes({u"a", u"b", u"c"}) && billing.gives());
        QVERIFY(importer.takes({u"a", u"c"}) && importer.gives());
        QVERIFY(importer.takes({u"b", u"c"}) && importer.gives());
        QCOMPARE(order.order().edges().size(), 3);
        QVERIFY(titles(order).isEmpty());
    }

    void givenBackBeforeTheNextIsSilent_data() { addVariants(); }
    void givenBackBeforeTheNextIsSilent()
    {
        const LockRig rig = fetchedRig();
        const OrderOfGrants order;
        Worker billing(rig, order);
        Worker importer(rig, order);
        QVERIFY(billing.takes({u"a", u"b"}) && billing.gives());
        QVERIFY(importer.takes({u"b"}) && importer.gives() && importer.takes({u"a"}) && importer.gives());
        QVERIFY(titles(order).isEmpty());
    }

    void aGateKeepsThemApart_data() { addVariants(); }
    void aGateKeepsThemApart()
    {
        const LockRig rig = fetchedRig();
        const OrderOfGrants order;
        Worker billing(rig, order);
        Worker importer(rig, order);
        QVERIFY(billing.takes({u"gate", u"a", u"b"}) && billing.gives());
        QVERIFY(importer.takes({u"gate", u"b", u"a"}) && importer.gives());
        QVERIFY(titles(order).isEmpty());
        QCOMPARE(titles(order, order::Guarded::Included).size(), 1);
        // One that does without is enough.
        QVERIFY(importer.takes({u"b", u"a"}) && importer.gives());
        QCOMPARE(titles(order).size(), 1);
    }

    /// A request that gives up if the lock is not free waits for nobody; others may wait for its lock.
    void triedLocksComeAfterNothing()
    {
        const LockRig rig({Engine::Sqlite, LockKind::Table});
        const OrderOfGrants order;
        Worker billing(rig, order);
        Worker importer(rig, order);
        QVERIFY(billing.takes({u"a"}) && billing.takes({u"b"}, milliseconds(0)) && billing.gives());
        QVERIFY(importer.takes({u"b", u"a"}) && importer.gives());
        QVERIFY(titles(order).isEmpty());
        QVERIFY(billing.takes({u"a"}, milliseconds(0)) && billing.takes({u"b"}) && billing.gives());
        QCOMPARE(titles(order).size(), 1);
    }

    /// A request that was not granted is still a witness: it waited with the locks that it held.
    void whoGaveUpWaitingCounts()
    {
        const LockRig rig({Engine::Postgres, LockKind::Table});
        const OrderOfGrants order;
        Worker billing(rig, order);
        Worker importer(rig, order);
        QVERIFY(billing.takes({u"a", u"b"}));
        Worker third(rig, order);
        QVERIFY(third.takes({u"c"}));
        QCOMPARE(third.take({.name = u"a"_s, .wait = milliseconds(100)}), Outcome::TimedOut);
        QVERIFY(third.gives() && billing.gives());
        QVERIFY(importer.takes({u"a", u"c"}) && importer.gives());
        const auto found = order.potentialDeadlocks().all;
        QCOMPARE(found.size(), 1);
        QVERIFY(found[0].sawWaiting());
    }

    /// Readers don't keep each other waiting.
    void sharedLocksAreSilent()
    {
        const LockRig rig({Engine::Postgres, LockKind::Application});
        const OrderOfGrants order;
        Worker billing(rig, order);
        const auto take = [&billing](const QString& name, AcquireMode mode) {
            const auto outcome = billing.take({.name = name, .mode = mode, .wait = soonEnough});
            return outcome && isGranted(*outcome);
        };
        constexpr auto shared = AcquireMode::Shared;
        constexpr auto exclusive = AcquireMode::Exclusive;
        QVERIFY(take(u"a"_s, shared) && take(u"b"_s, exclusive) && billing.gives());
        QVERIFY(take(u"b"_s, exclusive) && take(u"a"_s, shared) && billing.gives());
        QVERIFY(titles(order).isEmpty()); // nobody waits for a
        QVERIFY(take(u"a"_s, exclusive) && take(u"b"_s, shared) && billing.gives());
        QCOMPARE(titles(order).size(), 1);
    }

    /// Each lock has a connection of its own, but the thread that waits for one has the other.
    void locksOfOwnConnections()
    {
        const LockRig rig({Engine::Postgres, LockKind::Table});
        const OrderOfGrants order;
        const auto acquired = [&](const char16_t* name) {
            return orDie(acquire(rig.server(),
                {.name = QString::fromUtf16(name), .wait = soonEnough, .stepListener = order.listener()}));
        };
        {
            const Lock a = acquired(u"a");
            const Lock b = acquired(u"b");
        }
        {
            Lock b = acquired(u"b");
            QVERIFY(b.release());
            const Lock a = acquired(u"a");
        }
        // Another thread has none of this one's locks.
        {
            const Lock b = acquired(u"b");
            std::thread([&] { const Lock a = acquired(u"a"); }).join();
        }
        // Given back elsewhere, given back.
        {
            Lock b = acquired(u"b");
            std::thread([given = std::move(b)] {}).join();
            const Lock a = acquired(u"a");
        }
        QVERIFY(titles(order).isEmpty());
        std::thread([&] {
            const Lock b = acquired(u"b");
            const Lock a = acquired(u"a");
        }).join();
        QCOMPARE(titles(order).size(), 1);
        const auto found = order.potentialDeadlocks().all;
        QVERIFY(found[0].legs[0].witness.who() != found[0].legs[1].witness.who());
    }

    /// No server can see that ring.
    void acrossTwoServers()
    {
        const LockRig one({Engine::Sqlite, LockKind::Table});
        const LockRig other({Engine::Sqlite, LockKind::Table});
        const OrderOfGrants order;
        const auto inTurn = [&order](const LockRig& first, const LockRig& second) {
            const LockOptions options{
                .name = u"stock"_s, .wait = soonEnough, .stepListener = order.listener()};
            const auto outer = acquire(first.server(), options);
            return outer && acquire(second.server(), options);
        };
        QVERIFY(inTurn(one, other));
        QVERIFY(titles(order).isEmpty());
        QVERIFY(inTurn(other, one));
        const QStringList found = titles(order);
        QCOMPARE(found.size(), 1);
        VERIFY_CONTAINS(found[0], other.url().database); // else both have one name
    }

    void aLostLockIsNotHeld()
    {
        const LockRig rig({Engine::Sqlite, LockKind::Table});
        const OrderOfGrants order;
        Worker billing(rig, order);
        QCOMPARE(billing.take({.name = u"a"_s, .wait = soonEnough, .lease = milliseconds(1'500)}),
            Outcome::Granted);
        rig.run(u"DELETE FROM %1"_s.arg(rig.entryTable()));
        QVERIFY(waitUntil([&] { return !billing.holdsAll(); }));
        QVERIFY(billing.takes({u"b"}));
        QVERIFY(order.order().edges().isEmpty());
    }

    /// Many threads share one order; each has locks of its own.
    void manyThreads()
    {
        const OrderOfGrants order;
        constexpr int rounds = 50;
        constexpr int workers = 4;
        std::vector<std::thread> threads;
        for (int number = 0; number < workers; ++number)
            threads.emplace_back([listener = order.listener(), number] {
                OwnStep step;
                step.thread = number + 1;
                step.held = {{Engine::Postgres, u"db/shop"_s, u"app lock '%1'"_s, u"a"_s,
                    LockMode::exclusive(Engine::Postgres)}};
                step.taken = step.held.front();
                for (int i = 0; i < rounds; ++i) {
                    step.taken.name = u"b%1"_s.arg(i);
                    listener(step);
                }
            });
        while (order.order().seen() < qint64(workers) * rounds)
            QVERIFY(titles(order).isEmpty());
        for (std::thread& thread : threads)
            thread.join();
        QCOMPARE(order.order().edges().size(), 1); // a, then b*
        QCOMPARE(order.order().edges().begin()->count(), qint64(workers) * rounds);
    }
};

LOCKSCOPE_TEST(tst_OrderOfGrants)

} // namespace tst_OrderOfGrants
#include "tst_OrderOfGrants.moc"
