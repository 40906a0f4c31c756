// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/CrossServer.h"
#include "core/watch/ObservationParts.h"
#include "core/watch/ServerStanding.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TestProgram.h"

namespace tst_CrossServer {

using namespace lockscope;
using test::SnapshotBuilder;
using Certainty = CrossWait::Certainty;

constexpr auto mode = "AccessExclusiveLock";

/// A client's session as the server shows it.
struct Seen {
    int session = 0;
    QString address = u"10.0.0.3"_s;
    std::optional<qint64> process = {};
    std::optional<milliseconds> idle = {}; ///< in its transaction; nothing: it is active
    QString program = u"orders"_s;
    QString host = {}; ///< empty: it is the address
};

/// A server where 51 blocks 63, for `waits` seconds.
static SeenServer serverWith(const QString& name, int waits, const QList<Seen>& clients,
    const std::function<void(SnapshotBuilder&)>& more = {})
{
    SnapshotBuilder builder;
    for (const int id : {51, 63, 70})
        builder.session(id, "orders");
    builder.holds(51, "public.items", mode, 600).waits(63, "public.items", mode, waits);
    if (more)
        more(builder);
    auto snapshot = std::make_shared<Snapshot>(*builder.take());
    const qint64 salt = qint64(qHash(name) % 1'000'000);
    for (Session& session : snapshot->sessions) {
        session.started = session.started - microseconds(salt); // of another server
        session.address = u"10.9.9.%1"_s.arg(session.id.value);
        session.host = session.address;
        for (const Seen& client : clients) {
            if (session.id != SessionId{client.session})
                continue;
            session.address = client.address;
            session.host = client.host.isEmpty() ? client.address : client.host;
            session.program = client.program;
            session.clientProcess = client.process;
            session.state = client.idle ? SessionState::IdleInTransaction : SessionState::Active;
            if (client.idle)
                session.stateSince = snapshot->takenAt - *client.idle;
        }
    }
    return {name, name + u":5432"_s, name, snapshot,
        std::chrono::steady_clock::time_point(std::chrono::hours(9))};
}

static SeenServer later(SeenServer server, milliseconds by)
{
    server.taken += by;
    return server;
}

/// 51 of shop has been idle in its transaction, and its client's session 63 of stock waits for 16 s.
static std::vector<SeenServer> shopAndStock(const Seen& head, const Seen& waiter)
{
    return {serverWith(u"shop"_s, 12, {head}), serverWith(u"stock"_s, 16, {waiter})};
}

/// Each of two programs holds its row on one server and waits for that of the other one on the other server.
/// `idle`: the first one, on shop.
static std::vector<SeenServer> ringOfTwo(milliseconds idle)
{
    return {serverWith(
                u"shop"_s, 12, {{.session = 51, .process = 1, .idle = idle}, {.session = 63, .process = 2}}),
        serverWith(u"stock"_s, 16,
            {{.session = 51, .process = 2, .idle = milliseconds(13'000)}, {.session = 63, .process = 1}})};
}

static Seen headOf(milliseconds idle)
{
    return {.session = 51, .idle = idle};
}

/// "shop 51 -> stock 63 program", a line each.
static QStringList linesOf(const CrossServer& cross, const std::vector<SeenServer>& servers)
{
    QStringList lines;
    for (const CrossWait& each : cross.waits)
        lines << u"%1 %2 -> %3 %4 %5"_s.arg(servers[each.head.server].name,
            QString::number(each.head.session.value), servers[each.waiter.server].name,
            QString::number(each.waiter.session.value),
            each.certainty == Certainty::Process       ? u"process"_s
                : each.certainty == Certainty::Program ? u"program"_s
                                                       : u"several"_s);
    return lines;
}

class tst_CrossServer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aClientIsKnownAgain_data()
    {
        test::addColumns<std::vector<SeenServer>, QStringList>("servers", "found");
        const auto row = [](const char* name, const std::vector<SeenServer>& servers,
                             const QString& found = {}) {
            test::row(name, servers, (found.isEmpty() ? QStringList() : QStringList(found)));
        };
        const QString byProcess = u"shop 51 -> stock 63 process"_s;
        const QString byProgram = u"shop 51 -> stock 63 program"_s;
        const QString perhaps = u"shop 51 -> stock 63 several"_s;

        row("program and address, at once", shopAndStock(headOf(milliseconds(16'400)), {.session = 63}),
            byProgram);
        row("the same address, written for IPv6",
            shopAndStock(headOf(milliseconds(16'400)), {.session = 63, .address = u"::ffff:10.0.0.3"_s}),
            byProgram);
        row("much later: it may be another session",
            shopAndStock(headOf(milliseconds(60'000)), {.session = 63}), perhaps);
        row("another machine",
            shopAndStock(headOf(milliseconds(16'400)), {.session = 63, .address = u"10.0.0.4"_s}));
        row("another program",
            shopAndStock(headOf(milliseconds(16'400)), {.session = 63, .program = u"report"_s}));
        row("the wait began before the head blocker went idle",
            shopAndStock(headOf(milliseconds(9'000)), {.session = 63}));
        row("the head blocker is not idle", shopAndStock({.session = 51}, {.session = 63}));
        row("nobody knows the machine",
            shopAndStock({.session = 51, .address = {}, .idle = milliseconds(16'400), .host = {}},
                {.session = 63, .address = {}}));
        row("local is another machine on each server",
            shopAndStock({.session = 51, .address = u"local"_s, .idle = milliseconds(16'400)},
                {.session = 63, .address = u"127.0.0.1"_s}));

        Seen head{.session = 51, .process = 4711, .idle = milliseconds(90'000), .host = u"WEB-3"_s};
        Seen waiter{.session = 63, .process = 4711, .host = u"web-3"_s};
        row("a process, but another of its threads may have gone idle long ago", shopAndStock(head, waiter),
            perhaps);
        head.idle = milliseconds(16'400);
        row("a process, at once", shopAndStock(head, waiter), byProcess);
        waiter.address = u"10.0.0.4"_s;
        row("a process, but by another address: machines of that name are in two networks",
            shopAndStock(head, waiter), perhaps);
        head.address = waiter.address = QString();
        row("a process of machines of one name, whose addresses are not known", shopAndStock(head, waiter),
            byProcess);
        head.process = waiter.process = 1;
        row("the first process, as in each container", shopAndStock(head, waiter), perhaps);
        head = {.session = 51, .process = 4711, .idle = milliseconds(16'400), .host = u"WEB-3"_s};
        waiter = {.session = 63, .process = 4711, .host = u"web-3"_s};
        waiter.process = 4712;
        row("another process of the same program", shopAndStock(head, waiter));
        waiter.process.reset();
        row("only one of them tells its process", shopAndStock(head, waiter), byProgram);

        auto pooled = shopAndStock(headOf(milliseconds(16'400)), {.session = 63});
        auto behindPooler = std::make_shared<Snapshot>(*pooled[1].snapshot);
        behindPooler->isPooled = true;
        pooled[1].snapshot = behindPooler;
        row("behind a pooler all clients have its address", pooled, perhaps);

        const auto alike = [](SnapshotBuilder& builder) { builder.waits(70, "public.items", mode, 15); };
        row("two sessions of it wait there",
            {serverWith(u"shop"_s, 12, {headOf(milliseconds(16'400))}),
                serverWith(u"stock"_s, 16, {{.session = 63}, {.session = 70}}, alike)},
            perhaps);
        row("two sessions of it have been idle here since then",
            {serverWith(u"shop"_s, 12,
                 {headOf(milliseconds(16'400)), {.session = 70, .idle = milliseconds(16'300)}}),
                serverWith(u"stock"_s, 16, {{.session = 63}})},
            perhaps);
        row("the wait was over before the head blocker went idle: stock was seen long ago",
            {later(serverWith(u"shop"_s, 12, {headOf(milliseconds(16'400))}), milliseconds(60'000)),
                serverWith(u"stock"_s, 16, {{.session = 63}})});

        auto twice = shopAndStock(headOf(milliseconds(16'400)), {.session = 63});
        twice[1].place = twice[0].place;
        row("one server under two names", twice);
        twice = shopAndStock(headOf(milliseconds(16'400)), {.session = 63});
        twice[0] = twice[1];
        twice[0].place = u"alias:5432"_s;
        row("one server under two addresses: both show the same sessions", twice);
    }
    void aClientIsKnownAgain()
    {
        FETCH(const std::vector<SeenServer>, servers, const QStringList, found);
        const CrossServer cross = crossServer(servers);
        QCOMPARE(linesOf(cross, servers), found);
        QVERIFY(cross.rings.empty());
    }

    void aSentenceSaysWhatWasSeenAndWhatIsConcluded()
    {
        const auto servers = shopAndStock(
            {.session = 51, .process = 4711, .idle = milliseconds(17'000)}, {.session = 63, .process = 4711});
        const CrossServer cross = crossServer(servers);
        QCOMPARE(textOf(cross.waits.at(0), servers),
            u"51 orders of shop is idle in transaction for 17 s, because its client (process 4711 on 10.0.0.3) waits on stock for public.items: for 16 s, behind 51 orders. Process and machine agree, the wait began 1 s later, and no other session fits."_s);
    }

    /// The other end says only what is known there.
    void bothEndsSayHowSureItIs()
    {
        const auto reasonAtStock = [](const Seen& head, const Seen& waiter) {
            std::vector<watch::ServerStanding> standings(2);
            watch::addCrossServer(standings, shopAndStock(head, waiter));
            return standings[1].reason;
        };
        QCOMPARE(reasonAtStock({.session = 51, .process = 4711, .idle = milliseconds(16'400)},
                     {.session = 63, .process = 4711}),
            u"1 session behind 51 orders on shop waits for this as well."_s);
        QCOMPARE(reasonAtStock(headOf(milliseconds(16'400)), {.session = 63}),
            u"1 session behind 51 orders on shop probably waits for this as well."_s);
        QCOMPARE(reasonAtStock(headOf(milliseconds(60'000)), {.session = 63}),
            u"1 session behind 51 orders on shop perhaps waits for this as well."_s);
    }

    void sharedMachinesHaveLocalClientsInCommon()
    {
        auto servers = shopAndStock({.session = 51, .address = u"local"_s, .idle = milliseconds(16'400)},
            {.session = 63, .address = u"127.0.0.1"_s});
        servers[1].machine = servers[0].machine;
        COMPARE_TEXTS(linesOf(crossServer(servers), servers), "shop 51 -> stock 63 program");
    }

    /// A port of this machine may be a tunnel to any other.
    void whereTheMachineIsNotKnownLocalClientsHaveNothingInCommon()
    {
        auto servers = shopAndStock({.session = 51, .address = u"local"_s, .idle = milliseconds(16'400)},
            {.session = 63, .address = u"127.0.0.1"_s});
        servers[0].machine = servers[1].machine = QString();
        QVERIFY(crossServer(servers).isEmpty());
    }

    void aRingOverServersIsADeadlock()
    {
        const auto servers = ringOfTwo(milliseconds(17'000));
        const CrossServer cross = crossServer(servers);
        QCOMPARE(cross.waits.size(), 2U);
        QCOMPARE(cross.rings.size(), 1U);
        QCOMPARE(cross.rings.front().size(), 2U);
        const QString text = textOfRing(cross.rings.front(), cross, servers);
        VERIFY_STARTS(text, u"A deadlock over shop and stock, which no server can see: "_s);
    }

    /// Each of two members would point to the other, and nothing would resolve the ring.
    void theMembersOfARingAreNotSentToEachOther()
    {
        const watch::SeenTogether seen = watch::seenTogether(ringOfTwo(milliseconds(17'000)));
        int waits = 0;
        for (const auto& server : seen.servers)
            for (const alert::ClientWait& wait : server.clientWaits) {
                ++waits;
                QVERIFY2(
                    wait.text.contains(u"in a deadlock over servers"_s) && !wait.text.contains(u"Look at"_s),
                    qPrintable(wait.text));
            }
        QCOMPARE(waits, 2);
        const auto alone =
            watch::seenTogether(shopAndStock({.session = 51, .process = 4711, .idle = milliseconds(17'000)},
                {.session = 63, .process = 4711}));
        QVERIFY(alone.servers[0].clientWaits[0].text.contains(u"Look at 51 orders on stock first"_s));
    }

    void serversOfOneNameAreBothNamed()
    {
        auto servers = ringOfTwo(milliseconds(17'000));
        servers[1].name = servers[0].name;
        const CrossServer cross = crossServer(servers);
        QVERIFY(
            textOfRing(cross.rings.at(0), cross, servers).startsWith(u"A deadlock over shop and shop, "_s));
    }

    /// If another session of a client may be the one that waits, the ring is not called a deadlock.
    void aRingOfPerhapsIsNone()
    {
        const auto servers = ringOfTwo(milliseconds(60'000));
        const CrossServer cross = crossServer(servers);
        QCOMPARE(cross.waits.size(), 2U);
        QVERIFY(cross.rings.empty());
    }

    /// Waits that never existed at the same time look like a ring if they are shown one after the other.
    void aRingMustHaveBeenThereAtOneTime()
    {
        auto servers = ringOfTwo(milliseconds(17'000));
        servers[0].taken +=
            std::chrono::seconds(13); // by then 63 of shop waits, but had not when stock was seen
        QVERIFY(crossServer(servers).rings.empty());
    }

    void aLockTablesHolderWaitsElsewhere()
    {
        // The entry's holder and the waiter of the row say which process they are.
        SnapshotBuilder builder;
        builder.session(51, "x");
        builder.entry("nightly", "ann").lease(600, 30).queue("bob", 20);
        auto shop = std::make_shared<Snapshot>(*builder.take());
        shop->entryWaiters.front().party.processId = 12;
        SeenServer first{
            .name = u"shop"_s, .place = u"shop:1"_s, .machine = u"shop"_s, .snapshot = shop, .taken = {}};
        SeenServer second =
            serverWith(u"stock"_s, 16, {{.session = 63, .process = 4711, .host = u"app02"_s}});
        first.taken = second.taken;
        const std::vector<SeenServer> servers{first, second};
        const CrossServer cross = crossServer(servers);
        QCOMPARE(cross.waits.size(), 1U);
        QCOMPARE(cross.waits.front().certainty, Certainty::Several); // it is not seen to be idle
        QCOMPARE(cross.waits.front().behind, 1);
        QVERIFY(textOf(cross.waits.front(), servers)
                    .startsWith(u"ann of shop holds the entry “nightly” for 30 s"_s));
    }

    void theWorstComesFirst()
    {
        auto servers = shopAndStock(headOf(milliseconds(16'400)), {.session = 63});
        servers.push_back(serverWith(u"bank"_s, 12, {headOf(milliseconds(16'300))},
            [](SnapshotBuilder& builder) { builder.waits(70, "public.items", mode, 5); }));
        const CrossServer cross = crossServer(servers);
        QCOMPARE(cross.waits.size(), 2U);
        QCOMPARE(cross.waits.front().head.server, 2U);
        QCOMPARE(cross.waits.front().behind, 2);
    }
};

LOCKSCOPE_TEST(tst_CrossServer)

} // namespace tst_CrossServer
#include "tst_CrossServer.moc"
