// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/History.h"
#include "tests/support/TestProgram.h"

namespace tst_History {

using namespace lockscope;
using monitor::Figures;
using monitor::figuresOf;
using monitor::History;

constexpr ServerTime start{1'800'000'000'000'000};

static Figures waiting(std::initializer_list<std::pair<const char*, int>> byName)
{
    Figures figures;
    for (const auto& [name, waiters] : byName) {
        figures.waitersByTable.emplace_back(QLatin1String(name), waiters);
        figures.waiters += waiters;
    }
    return figures;
}

static Session session(qint64 id, bool own = false)
{
    Session s;
    s.id = {id};
    s.started = start;
    s.own = own;
    return s;
}

static LockRequest request(qint64 id, RequestState state, microseconds age)
{
    LockRequest r;
    r.session = {id};
    r.sessionStarted = start;
    r.state = state;
    r.since = start - age;
    r.sinceExact = true;
    return r;
}

class tst_History : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void countsHoldersWaitersAndStaleEntriesButNotTheMonitor()
    {
        Snapshot snapshot;
        snapshot.takenAt = start;
        snapshot.sessions = {session(51), session(63), session(99, true)};
        Resource orders;
        orders.name = u"public.orders"_s;
        snapshot.resources = {orders};
        snapshot.requests = {request(51, RequestState::Granted, 90s), request(63, RequestState::Waiting, 41s),
            request(99, RequestState::Granted, 500s), request(99, RequestState::Waiting, 500s)};
        LockTableEntry fresh;
        fresh.acquiredAt = start - 5s;
        fresh.expiresAt = start + 60s;
        LockTableEntry stale = fresh;
        stale.acquiredAt = start - 1h; // nobody's hold any more, hence not the oldest one
        stale.expiresAt = start - 1s;
        snapshot.entries = {fresh, stale};
        snapshot.index();

        const Figures figures = figuresOf(snapshot);
        QCOMPARE(figures.holders, 3);
        QCOMPARE(figures.holdingSessions, 1);
        QCOMPARE(figures.waiters, 1);
        QCOMPARE(figures.stale, 1);
        QCOMPARE(figures.longestWait.value, milliseconds(41s));
        QCOMPARE(figures.longestWaiter.value, 63);
        QCOMPARE(figures.oldestHold.value, milliseconds(90s));
        QCOMPARE(figures.waitersByName.size(), size_t(1));
        QCOMPARE(figures.waitersByName.front().first, u"public.orders"_s);
    }

    void anExpiredWaiterIsNotCounted()
    {
        Snapshot snapshot;
        snapshot.takenAt = start;
        LockTableWaiter waiter;
        waiter.name = u"nightly"_s;
        waiter.registeredAt = start - 20s;
        waiter.expiresAt = start - 1s;
        snapshot.entryWaiters = {waiter};
        QCOMPARE(figuresOf(Snapshot(snapshot)).waiters, 0); // once asked, a snapshot does not change
        snapshot.entryWaiters.front().expiresAt = start + 1s;
        QCOMPARE(figuresOf(snapshot).waiters, 1);
        QCOMPARE(figuresOf(snapshot).longestWait.value, milliseconds(20s));
    }

    void forgetsWhatIsOlderThanItsSpan()
    {
        History history(10s);
        for (int i = 0; i <= 30; ++i)
            history.append(start + std::chrono::seconds(i), waiting({}));
        QCOMPARE(history.samples().size(), size_t(11));
        QCOMPARE(history.samples().front().at, start + 20s);
        QCOMPARE(history.samples().back().at, start + 30s);
    }

    void keepsNoMoreThanItsCapacity()
    {
        History history(1h, 5);
        for (int i = 0; i < 20; ++i)
            history.append(start + std::chrono::milliseconds(i), waiting({}));
        QCOMPARE(history.samples().size(), size_t(5));
        QCOMPARE(history.samples().back().at, start + 19ms);
    }

    /// Four sessions wait for rows of one table: the first of each row waits for the transaction that changed
    /// it, the next ones for the row.
    void waitsForRowsAndTransactionsCountForTheTable()
    {
        const auto resource = [](ResourceKind kind, const char* name) {
            Resource made;
            made.key.kind = kind;
            made.name = QLatin1String(name);
            return made;
        };
        const auto about = [](LockRequest made, quint32 place) {
            made.resource = place;
            return made;
        };
        Snapshot snapshot;
        snapshot.takenAt = start;
        for (const qint64 id : {51, 63, 64, 65, 66, 70, 71})
            snapshot.sessions.push_back(session(id));
        snapshot.resources = {resource(ResourceKind::Row, "public.orders row (0,4)"),
            resource(ResourceKind::Row, "public.orders row (0,9)"),
            resource(ResourceKind::TransactionId, "transaction 801"),
            resource(ResourceKind::TransactionId, "transaction 802"),
            resource(ResourceKind::Relation, "public.orders"),
            resource(ResourceKind::TransactionId, "transaction 803")};
        snapshot.requests = {about(request(51, RequestState::Granted, 90s), 2),
            about(request(63, RequestState::Granted, 41s), 0),
            about(request(63, RequestState::Waiting, 41s), 2),
            about(request(64, RequestState::Waiting, 40s), 0),
            about(request(65, RequestState::Granted, 39s), 1),
            about(request(65, RequestState::Waiting, 39s), 3),
            about(request(66, RequestState::Waiting, 38s), 4),
            about(request(70, RequestState::Waiting, 37s), 5)}; // by which row is not to be seen
        snapshot.index();
        const Figures figures = figuresOf(snapshot);
        QCOMPARE(figures.waiters, 5);
        QCOMPARE(figures.waitersByName.size(), size_t(5));
        const std::vector<std::pair<QString, int>> byTable{{u"public.orders"_s, 4}, {u"(transactions)"_s, 1}};
        QCOMPARE(figures.waitersByTable, byTable);
    }

    void namesMostWaitedForComeFirst()
    {
        History history;
        history.append(start, waiting({{"a", 1}, {"b", 5}}));
        history.append(start + 1s, waiting({{"c", 3}, {"a", 3}}));
        const std::vector<quint32> top = history.topNames(2);
        QCOMPARE(top.size(), size_t(2));
        QCOMPARE(history.name(top[0]), u"b"_s);
        QCOMPARE(history.name(top[1]), u"a"_s);
        QCOMPARE(history.topNames(10).size(), size_t(3));
    }

    void aClockThatJumpsBackEmptiesIt()
    {
        History history;
        history.append(start, waiting({{"a", 1}}));
        history.append(start + 5s, waiting({{"a", 1}}));
        history.append(start - 60s, waiting({{"b", 1}}));
        QCOMPARE(history.samples().size(), size_t(1));
        QCOMPARE(history.name(history.topNames(1).front()), u"b"_s);
    }

    void theSampleAfterAGapSaysSo()
    {
        History history;
        history.markGap();
        history.append(start, waiting({}));
        history.append(start + 1s, waiting({}));
        history.markGap();
        history.append(start + 9s, waiting({}));
        history.append(start + 10s, waiting({}));
        std::vector<bool> gaps;
        for (const auto& sample : history.samples())
            gaps.push_back(sample.afterGap);
        QCOMPARE(gaps, (std::vector<bool>{false, false, true, false}));
    }

    /// The recording is read in pieces, backwards.
    void startsWithWhatIsRecorded()
    {
        History history;
        history.append(start, waiting({{"stock", 4}}));
        history.append(start + 2s, waiting({{"orders", 5}}));
        History recorded;
        recorded.append(start - 10s, waiting({{"orders", 3}}));
        recorded.markGap(); // between the recording and the first poll
        recorded.append(start, waiting({{"stock", 4}}));
        history.startWith(recorded);
        History more;
        more.append(start - 20min, waiting({{"old", 1}})); // longer ago than it keeps
        more.append(start - 60s, waiting({{"items", 2}}));
        more.markGap();
        more.append(start - 10s, waiting({{"orders", 3}}));
        more.append(start, waiting({{"stock", 4}}));
        history.startWith(more);
        const auto& samples = history.samples();
        QCOMPARE(samples.size(), size_t(4));
        QCOMPARE(samples[0].at, start - 60s);
        QCOMPARE(history.name(samples[0].byName[0].first), u"items"_s);
        QCOMPARE(history.name(samples[1].byName[0].first), u"orders"_s);
        QCOMPARE(samples[1].waiters, 3);
        const auto gaps = [&samples] {
            QList<bool> all;
            for (const auto& sample : samples)
                all << sample.afterGap;
            return all;
        };
        QCOMPARE(gaps(), (QList<bool>{false, true, true, false}));
        history.startWith(more); // nothing comes twice
        QCOMPARE(samples.size(), size_t(4));
        QCOMPARE(history.name(history.topNames(1)[0]), u"orders"_s);
        history.append(start + 15min, waiting({}));
        QCOMPARE(samples.front().at, start);
    }

    void manyNamesDoNotPileUp()
    {
        History history(10s);
        for (int i = 0; i < 20'000; ++i) {
            Figures figures;
            figures.waiters = 1;
            figures.waitersByTable.emplace_back(u"row %1"_s.arg(i), 1);
            history.append(start + std::chrono::milliseconds(i * 10), figures);
        }
        const std::vector<quint32> top = history.topNames(100'000);
        QCOMPARE(top.size(), history.samples().size());
        QCOMPARE(history.name(history.samples().back().byName.front().first), u"row 19999"_s);
        QVERIFY(top.back() < 5'200); // indices start again; unused ones are forgotten
    }
};

LOCKSCOPE_TEST(tst_History)

} // namespace tst_History
#include "tst_History.moc"
