// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Snapshots of a server on which somebody with a login attacks: as many locks, waiters, chains and names as
// it takes to block a monitor. All computations on a snapshot must take a time in proportion to its size.
#include "core/alert/EventFinder.h"
#include "core/alert/rules/RuleFile.h"
#include "core/domain/Aftermath.h"
#include "core/domain/BlockingForest.h"
#include "core/domain/FrameworkText.h"
#include "core/domain/Snapshot.h"
#include "core/domain/SnapshotComparison.h"
#include "core/domain/SnapshotJson.h"
#include "core/monitor/History.h"
#include "core/order/OrderOfSnapshots.h"
#include "tests/support/TestProgram.h"

#include <ctime>

namespace tst_HostileSnapshots {

using namespace lockscope;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int slower = 15;
#else
constexpr int slower = 1;
#endif

const ServerTime now{1'795'230'727'000'000};

/// A snapshot in numbers: sessions from 1 on, resources from 0 on.
class Maker {
public:
    Maker()
    {
        m_snapshot.takenAt = now;
        m_snapshot.server = u"shop@db1"_s;
    }
    Maker& sessions(int count, SessionState state = SessionState::Idle)
    {
        for (int i = 1; i <= count; ++i) {
            Session session;
            session.id = {i};
            session.started = {now.us - 3'600'000'000 + i};
            session.state = state;
            session.stateSince = session.started;
            session.user = u"mal"_s;
            session.program = u"harm"_s;
            m_snapshot.sessions.push_back(session);
        }
        return *this;
    }
    Maker& resources(int count, ResourceKind kind = ResourceKind::ApplicationLock)
    {
        for (int i = 0; i < count; ++i) {
            const auto part = static_cast<quint64>(i);
            m_snapshot.resources.push_back(
                {{kind, 5, part, 1, {}}, u"shop"_s, u"key %1"_s.arg(i), true, false, {}});
        }
        return *this;
    }
    Maker& add(int session, int resource, bool waits, const QString& mode = u"ExclusiveLock"_s)
    {
        LockRequest request;
        request.session = {session};
        request.sessionStarted = {now.us - 3'600'000'000 + session};
        request.resource = static_cast<quint32>(resource);
        request.mode = LockMode::fromText(Engine::Postgres, mode);
        request.state = waits ? RequestState::Waiting : RequestState::Granted;
        request.since = ServerTime{now.us - 600'000'000 + session};
        request.sinceExact = waits;
        m_snapshot.requests.push_back(request);
        return *this;
    }
    Maker& holds(int session, int resource, const QString& mode = u"ExclusiveLock"_s)
    {
        return add(session, resource, false, mode);
    }
    Maker& waits(int session, int resource, const QString& mode = u"ExclusiveLock"_s)
    {
        return add(session, resource, true, mode);
    }
    Maker& entry(const QString& name, int waiters)
    {
        LockTableEntry entry;
        entry.table = u"lockscope.lock_entry"_s;
        entry.name = name;
        entry.fencing = 7;
        entry.token = name;
        entry.acquiredAt = {now.us - 1'000'000'000};
        entry.expiresAt = ServerTime{now.us + 1'000'000'000};
        entry.party.owner = u"mal"_s;
        m_snapshot.entries.push_back(entry);
        for (int i = 0; i < waiters; ++i) {
            LockTableWaiter waiter;
            waiter.table = entry.table;
            waiter.name = name;
            waiter.ticket = ++m_ticket;
            waiter.registeredAt = {now.us - 600'000'000};
            waiter.expiresAt = {now.us + 600'000'000};
            waiter.party.owner = u"mal %1"_s.arg(m_ticket);
            m_snapshot.entryWaiters.push_back(waiter);
        }
        return *this;
    }
    SnapshotPtr take()
    {
        auto snapshot = std::make_shared<Snapshot>(m_snapshot);
        snapshot->index();
        addWaits(*snapshot);
        return snapshot;
    }

private:
    Snapshot m_snapshot;
    qint64 m_ticket = 0;
};

using Make = std::function<Maker()>;

/// One session holds a hundred thousand keys, another one waits for a key of a third.
static Maker hoard()
{
    Maker maker;
    maker.sessions(3).resources(100'001);
    for (int i = 0; i < 100'000; ++i)
        maker.holds(1, i);
    return maker.holds(2, 100'000).waits(1, 100'000).waits(3, 99'999);
}

/// Another one waits for each of many, who hold a key each.
static Maker crowd()
{
    Maker maker;
    maker.sessions(100'001).resources(100'000);
    for (int i = 0; i < 100'000; ++i)
        maker.holds(i + 1, i);
    return maker.waits(100'001, 5);
}

static Maker queue(int waiters)
{
    Maker maker;
    maker.sessions(waiters + 1).resources(1).holds(waiters + 1, 0);
    for (int i = 1; i <= waiters; ++i)
        maker.waits(i, 0);
    return maker;
}

/// Thousands share a lock, and thousands wait for it exclusively, or to share it in another way.
static Maker shared(const QString& held, const QString& requested)
{
    constexpr int many = 10'000;
    Maker maker;
    maker.sessions(2 * many).resources(1, ResourceKind::Relation);
    for (int i = 1; i <= many; ++i)
        maker.holds(i, 0, held);
    for (int i = many + 1; i <= 2 * many; ++i)
        maker.waits(i, 0, requested);
    return maker;
}

/// All of them share it, and each waits for a stronger mode.
static Maker upgrades()
{
    constexpr int many = 10'000;
    Maker maker;
    maker.sessions(many).resources(1, ResourceKind::Relation);
    for (int i = 1; i <= many; ++i)
        maker.holds(i, 0, u"ShareLock"_s).waits(i, 0, u"AccessExclusiveLock"_s);
    return maker;
}

/// Each waits for the next one; closed to a ring, the last one for the first.
static Maker chain(int length, bool isRing)
{
    Maker maker;
    maker.sessions(length).resources(length);
    for (int i = 0; i < length; ++i)
        maker.holds(i + 1, i);
    for (int i = 0; i + 1 < length; ++i)
        maker.waits(i + 1, i + 1);
    return isRing ? maker.waits(length, 0) : maker;
}

/// Each waits for a transaction, and holds its place in the queue for a row.
static Maker rowWaits()
{
    constexpr int many = 10'000;
    Maker maker;
    maker.sessions(many + 1, SessionState::Active)
        .resources(1, ResourceKind::TransactionId)
        .resources(many, ResourceKind::Row);
    maker.holds(many + 1, 0);
    for (int i = 1; i <= many; ++i)
        maker.holds(i, i).waits(i, 0, u"ShareLock"_s);
    return maker;
}

static Maker tableOfLocks(int names, int waiters)
{
    Maker maker;
    maker.sessions(1);
    for (int i = 0; i < names; ++i)
        maker.entry(u"name %1"_s.arg(i), waiters);
    return maker;
}

static SnapshotPtr nothing()
{
    return Maker().sessions(1).take();
}

static int depthOf(const std::vector<BlockingNode>& forest)
{
    int depth = 0;
    for (const BlockingNode& node : forest)
        depth = std::max(depth, 1 + depthOf(node.children));
    return depth;
}

class tst_HostileSnapshots : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void takeTimeInProportion_data()
    {
        QTest::addColumn<Make>("make");
        // Sanitizers are to see each kind of code once: the rest would take them minutes.
        const auto row = [](const char* name, const Make& make, bool always = false) {
            if (always || slower == 1)
                test::row(name, make);
        };
        row("100,000 keys of one session, one waiter", hoard);
        row("100,000 sessions with a key each, one waiter", crowd);
        row(
            "10,000 waiters for one key", [] { return queue(10'000); }, true);
        row("10,000 share, 10,000 want it alone", [] { return shared(u"ShareLock"_s, u"ExclusiveLock"_s); });
        row("10,000 write, 10,000 want to share",
            [] { return shared(u"RowExclusiveLock"_s, u"ShareLock"_s); });
        row("10,000 share and want more", upgrades);
        row(
            "a chain of 10,000", [] { return chain(10'000, false); }, true);
        row("a chain of 50,000", [] { return chain(50'000, false); });
        row("a ring of 10,000", [] { return chain(10'000, true); });
        row("10,000 wait for a transaction, each for its row", rowWaits);
        row(
            "10,000 names with a waiter each", [] { return tableOfLocks(10'000, 1); }, true);
        row("10,000 waiters for a name", [] { return tableOfLocks(1, 10'000); });
    }
    void takeTimeInProportion()
    {
        QFETCH(Make, make);
        QStringList slow;
        const auto within = [&slow](const char* what, const auto& work, qint64 most = 4'000) {
            const std::clock_t start = std::clock(); // of the processor: others may be at work, too
            work();
            const qint64 took = (std::clock() - start) * 1'000 / CLOCKS_PER_SEC;
            if (qEnvironmentVariableIsSet("LOCKSCOPE_TEST_TIMES"))
                qInfo("%6lld ms %s", static_cast<long long>(took), what);
            if (took > most * slower)
                slow << u"%1: %2 ms"_s.arg(QLatin1String(what)).arg(took);
        };
        Maker maker = make();
        SnapshotPtr snapshot;
        within("waits", [&] { snapshot = maker.take(); });
        within("graph", [&] { snapshot->blocking(); });
        std::vector<BlockingNode> forest;
        within("forest", [&] { forest = blockingForest(*snapshot, LockThresholds().hold.amber); });
        within("order of contention", [&] { contendedOrder(*snapshot); });
        within(
            "json", [&] { writeJson(*snapshot, [](const QByteArray&) {}); }, 10'000);
        within("roles", [&] { frameworkRoles(*snapshot); });
        within("figures", [&] { monitor::figuresOf(*snapshot); });
        within("changes to it", [&] { changesBetween(*nothing(), *snapshot); });
        within("changes from it", [&] { changesBetween(*snapshot, *nothing()); });
        within("ages", [&] {
            Snapshot copy(*snapshot);
            copy.index();
            boundAgesByWaiters(copy, {});
        });
        within("deadlock", [&] { deadlock::fromSnapshot(*snapshot); });
        within("look", [&] { order::LockSnapshotReader().read(snapshot); });
        within("incidents", [&] {
            alert::EventFinder finder({}, {}, alert::defaultRules());
            finder.advance(snapshot);
            finder.advance(nothing());
        });
        within("aftermath", [&] {
            for (const qint64 session : {1, 2, 10'001})
                aftermathInWords(*snapshot, SessionId{session});
        });
        within("other locks", [&] { otherLocksInWords(*snapshot, {1}, 0); });
        QVERIFY2(slow.isEmpty(), qPrintable(slow.join(u", "_s)));
    }

    void chainsAreNotNestedWithoutEnd()
    {
        const auto forest = blockingForest(*chain(50'000, false).take(), LockThresholds().hold.amber);
        QCOMPARE(countOf(forest), 50'000);
        QVERIFY2(depthOf(forest) < 300, qPrintable(QString::number(depthOf(forest))));
        QCOMPARE(forest.size(), size_t(1));
        QCOMPARE(forest.front().row.harm.victims, 49'999);
    }

    void everybodyIsInTheForest()
    {
        QCOMPARE(countOf(blockingForest(*chain(10'000, true).take(), LockThresholds().hold.amber)), 10'000);
        QCOMPARE(countOf(blockingForest(*queue(10'000).take(), LockThresholds().hold.amber)), 10'001);
    }

    void manyHoldersAreReportedOfTheFirstWaiter()
    {
        const SnapshotPtr snapshot = shared(u"RowExclusiveLock"_s, u"ShareLock"_s).take();
        QCOMPARE(snapshot->blocking().blockersOf({10'001}).size(), size_t(10'000));
        QVERIFY(snapshot->blocking().blockersOf({15'000}).size() >= 8);
        QCOMPARE(snapshot->blocking().heads().size(), size_t(10'000));
        QCOMPARE(snapshot->limitations.size(), size_t(1)); // a limitation says that not all are shown
    }
};

LOCKSCOPE_TEST(tst_HostileSnapshots)

} // namespace tst_HostileSnapshots
#include "tst_HostileSnapshots.moc"
