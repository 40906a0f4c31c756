// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Locks on a cluster: the primary dies under load, a standby takes over. With synchronous replication nobody
// has a lock twice; with asynchronous replication commits vanish, so earlier grants are reported as lost.
// Either way no fencing number comes twice or goes back. PostgreSQL.

#include "core/locks/LeaseKeeper.h"
#include "core/locks/LockStrategy.h"
#include "tests/support/Standby.h"
#include "tests/support/TestProgram.h"

#include <csignal>

namespace tst_Failover {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;

constexpr milliseconds shortLease{3'000};
constexpr int beforeTheFailover = 60;
constexpr int afterTheFailover = 40;
/// More than a sequence keeps ahead in the write-ahead log.
constexpr int moreThanReserved = 100;

/// A primary, a standby, and an address by which programs find the one that takes writes.
struct Cluster {
    explicit Cluster(Standby::Commit commit)
        : primary(TestServer::replicating())
        , url(primary.overTcp(primary.freshDatabase()))
        , standby(primary, commit)
    {
        const db::ServerUrl there = standby.overTcp(standby.sameDatabase(url));
        url.moreHosts = {{there.host, there.port}};
        url.options.insert(u"target_session_attrs"_s, u"read-write"_s);
    }

    /// Ends the server at once, as a power cut does: it writes nothing more.
    void killPrimary() const { ::kill(static_cast<pid_t>(primary.processId()), SIGQUIT); }
    auto connect() const { return primary.at(url).connect(); }

    TestServer primary;
    db::ServerUrl url;
    Standby standby;
};

/// The common view of all contenders of one name.
struct Watch {
    std::mutex mutex;
    std::vector<qint64> numbers; ///< guarded by mutex; in the order of the grants
    std::atomic<int> holders = 0;
    std::atomic<int> maxHolders = 0;

    void granted(qint64 fencing)
    {
        const int now = ++holders;
        int most = maxHolders;
        while (now > most && !maxHolders.compare_exchange_weak(most, now)) { }
        const std::lock_guard lock(mutex);
        numbers.push_back(fencing);
    }
    qsizetype grants()
    {
        const std::lock_guard lock(mutex);
        return static_cast<qsizetype>(numbers.size());
    }
};

static AcquireRequest requestFor(const QString& name, milliseconds wait)
{
    return {.name = name, .wait = wait, .lease = shortLease};
}

/// Takes and releases the name again and again, on whichever server is the primary.
static void contend(const Cluster& cluster, Watch& watch, const std::stop_token& stop)
{
    const auto keeper = LeaseKeeper::create(cluster.primary.at(cluster.url));
    while (!stop.stop_requested()) {
        const auto connection = cluster.connect();
        if (!connection)
            continue;
        const auto strategy = LockStrategy::create(LockKind::Table, **connection, keeper).value();
        while (!stop.stop_requested() && (*connection)->isOpen()) {
            auto counted = std::make_shared<std::atomic<bool>>(true);
            const auto letGo = [&watch, counted] {
                if (counted->exchange(false))
                    --watch.holders;
            };
            auto taken = strategy->acquire(
                requestFor(u"n"_s, milliseconds(500)), stop, LossHandler([letGo](LossReason) { letGo(); }));
            if (!taken)
                break;
            if (!isGranted(taken->outcome))
                continue;
            watch.granted(taken->grant.fencing());
            std::this_thread::sleep_for(milliseconds(2)); // the work
            // From here on it does nothing more with it, with any outcome of the release.
            letGo();
            (void)taken->grant.release();
        }
    }
}

class Failover : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nobodyHasALockTwiceWithSynchronousReplication()
    {
        Cluster cluster(Standby::Commit::Synchronous);
        Watch watch;
        std::vector<std::jthread> contenders;
        for (int i = 0; i < 3; ++i)
            contenders.emplace_back([&](const std::stop_token& stop) { contend(cluster, watch, stop); });
        QVERIFY(waitUntil([&] { return watch.grants() >= beforeTheFailover; }));
        cluster.killPrimary();
        cluster.standby.promote();
        const auto soFar = watch.grants();
        QVERIFY(waitUntil([&] { return watch.grants() >= soFar + afterTheFailover; }));
        contenders.clear();

        QCOMPARE(watch.maxHolders.load(), 1);
        QVERIFY(std::ranges::is_sorted(watch.numbers));
        QVERIFY(std::ranges::adjacent_find(watch.numbers) == watch.numbers.end());
        QVERIFY(watch.numbers.back() > (qint64(1) << 40)); // of the new server
    }

    void whatVanishedIsReportedAsLostWithAsynchronousReplication()
    {
        Cluster cluster(Standby::Commit::Asynchronous);
        cluster.standby.catchUp();
        stopFollowing(cluster.standby);

        auto connection = cluster.connect();
        QVERIFY(connection);
        const auto keeper = LeaseKeeper::create(cluster.primary.at(cluster.url));
        const auto strategy = LockStrategy::create(LockKind::Table, **connection, keeper).value();
        qint64 highest = 0;
        for (int i = 0; i < moreThanReserved; ++i)
            highest = strategy->acquire(requestFor(u"other"_s, milliseconds(0)))->grant.fencing();
        std::promise<LossReason> lost;
        auto held = strategy->acquire(
            requestFor(u"n"_s, milliseconds(0)), {}, [&lost](LossReason reason) { lost.set_value(reason); });
        QVERIFY(held && isGranted(held->outcome));
        highest = std::max(highest, held->grant.fencing());

        cluster.killPrimary();
        cluster.standby.promote();
        auto loss = lost.get_future();
        QVERIFY(loss.wait_for(patience) == std::future_status::ready);
        const auto elsewhere = cluster.connect();
        QVERIFY(elsewhere);
        const auto next =
            LockStrategy::create(LockKind::Table, **elsewhere).value()->acquire(requestFor(u"n"_s, patience));
        QVERIFY(next && isGranted(next->outcome));
        QVERIFY(next->grant.fencing() > highest);
    }

    void aGrantOfTheFormerServerIsNotRenewed()
    {
        Cluster cluster(Standby::Commit::Synchronous);
        auto connection = cluster.connect();
        QVERIFY(connection);
        const auto keeper = LeaseKeeper::create(cluster.primary.at(cluster.url));
        AcquireRequest request = requestFor(u"n"_s, milliseconds(0));
        request.lease = std::chrono::minutes(10);
        std::promise<LossReason> lost;
        auto held = LockStrategy::create(LockKind::Table, **connection, keeper)
                        .value()
                        ->acquire(request, {}, [&lost](LossReason reason) { lost.set_value(reason); });
        QVERIFY(held && isGranted(held->outcome));
        cluster.killPrimary();
        cluster.standby.promote();
        // Long before the lease ends.
        auto loss = lost.get_future();
        QVERIFY(loss.wait_for(patience) == std::future_status::ready);
        QCOMPARE(loss.get(), LossReason::RowGone);
        held->grant.abandon();
    }

private:
    /// Commits of the primary no longer reach the standby after this.
    static void stopFollowing(const Standby& standby)
    {
        const auto connection = standby.connect();
        QVERIFY(runSql(*connection, u"ALTER SYSTEM SET primary_conninfo = ''"_s));
        QVERIFY(runSql(*connection, u"SELECT pg_reload_conf()"_s));
        QVERIFY(waitUntil(
            [&] { return ask(*connection, u"SELECT count(*) FROM pg_stat_wal_receiver"_s) == u"0"; }));
    }
};

LOCKSCOPE_TEST(Failover)

} // namespace tst_Failover
#include "tst_Failover.moc"
