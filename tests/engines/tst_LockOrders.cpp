// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/SnapshotSource.h"
#include "core/record/RecordedOrder.h"
#include "tests/support/Lockctl.h"
#include "tests/support/PlainSql.h"
#include "tests/support/RecordedPolls.h"
#include "tests/support/Session.h"
#include "tests/support/TestProgram.h"

namespace tst_LockOrders {

using namespace lockscope;
using namespace lockscope::order;
using namespace lockscope::test;

/// Real sessions on a database with tables a to f, watched as by the window.
class Shop {
public:
    explicit Shop(TestServer& server)
        : m_server(server)
        , url(server.freshDatabase())
    {
        for (const char* table : {"a", "b", "c", "d", "e", "f"}) {
            server.run(url, u"CREATE TABLE %1 (id int PRIMARY KEY, n int)"_s.arg(QLatin1String(table)));
            server.run(url, u"INSERT INTO %1 VALUES (1, 0), (2, 0)"_s.arg(QLatin1String(table)));
        }
        m_source = monitor::makeSnapshotSource({test::profileOf(url), server.passwords()});
    }

    std::unique_ptr<test::Session> session(const QString& name) const
    {
        return std::make_unique<test::Session>(m_server, url, name);
    }
    void addPoll()
    {
        const auto taken = test::orDie(m_source->take());
        order.add(taken);
    }
    QStringList titles() const
    {
        QStringList titles = textsOf(potentialDeadlocks(order.order()).all, &PotentialDeadlock::title);
        return titles;
    }

private:
    TestServer& m_server;
    std::unique_ptr<monitor::SnapshotSource> m_source;

public:
    const db::ServerUrl url;
    OrderOfSnapshots order;
};

static RecordedPolls& recordOppositeOrders(RecordedPolls& recording)
{
    for (int i = 0; i < 12; ++i)
        recording.addPoll(i, [i](SnapshotBuilder& s) { test::takeInOppositeOrders(s, i); });
    recording.end();
    return recording;
}

class tst_LockOrders : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The two never overlap, and no deadlock happens.
    void opposedAtDifferentTimes()
    {
        Shop shop(*m_server);
        const auto ann = shop.session(u"ann"_s);
        const auto bob = shop.session(u"bob"_s);
        const auto inTurn = [&shop](test::Session& session, const char* first, const char* second) {
            QVERIFY(session.run(u"BEGIN"_s));
            for (const char* table : {first, second}) {
                QVERIFY(
                    session.run(u"LOCK TABLE %1 IN SHARE ROW EXCLUSIVE MODE"_s.arg(QLatin1String(table))));
                shop.addPoll();
            }
            QVERIFY(session.run(u"COMMIT"_s));
            shop.addPoll();
        };
        inTurn(*ann, "a", "b");
        QVERIFY(shop.titles().isEmpty());
        inTurn(*bob, "b", "a");
        const auto found = potentialDeadlocks(shop.order.order()).all;
        QCOMPARE(found.size(), 1);
        QCOMPARE(found.front().title(), u"public.a and public.b are taken in both orders"_s);
        QCOMPARE(found.front().legs[0].witness.session.id, ann->id());
        QCOMPARE(found.front().legs[0].witness.statement, u"LOCK TABLE b IN SHARE ROW EXCLUSIVE MODE"_s);
        QCOMPARE(found.front().legs[1].witness.session.id, bob->id());
        QCOMPARE(found.front().legs[1].witness.evidence, Evidence::Transaction);
        QVERIFY(found.front().isCertain());
    }

    /// Rows that nobody waits for can't be seen; two waits at different times are enough.
    void rowsOfTwoTables()
    {
        Shop shop(*m_server);
        const auto ann = shop.session(u"ann"_s);
        const auto bob = shop.session(u"bob"_s);
        const auto update = [](const char* table, int id) {
            return u"UPDATE %1 SET n = n + 1 WHERE id = %2"_s.arg(QLatin1String(table)).arg(id);
        };
        const auto waits = [&](test::Session& waiter, test::Session& holder, const char* first,
                               const char* second) {
            QVERIFY(holder.begin(update(second, 1)));
            QVERIFY(waiter.begin(update(first, 2)));
            shop.addPoll();
            QVERIFY(waiter.startWaiting(update(second, 1)));
            shop.addPoll();
            QVERIFY(holder.run(u"COMMIT"_s));
            QVERIFY(waiter.wait());
            QVERIFY(waiter.run(u"COMMIT"_s));
            shop.addPoll();
        };
        waits(*ann, *bob, "a", "b");
        QVERIFY(shop.titles().isEmpty());
        waits(*bob, *ann, "b", "a");
        COMPARE_TEXTS(shop.titles(), "public.a and public.b are taken in both orders");
        const auto found = potentialDeadlocks(shop.order.order()).all.front();
        QVERIFY(found.sawWaiting());
        VERIFY_STARTS(found.legs[0].witness.statement, u"UPDATE b"_s);
    }

    void onlyWhoLeavesTheOrderIsFound_data()
    {
        QTest::addColumn<unsigned>("seed");
        for (const unsigned seed : {1U, 2U, 3U})
            QTest::addRow("seed %u", seed) << seed;
    }
    /// Random sessions that take tables and application locks in one order for all, and wait for each other.
    void onlyWhoLeavesTheOrderIsFound()
    {
        QFETCH(unsigned, seed);
        std::mt19937 random(seed);
        const auto pick = [&random](int count) { return int(random() % unsigned(count)); };
        static const QStringList modes{
            u"ROW EXCLUSIVE"_s, u"SHARE"_s, u"SHARE ROW EXCLUSIVE"_s, u"ACCESS EXCLUSIVE"_s};
        Shop shop(*m_server);
        std::vector<std::unique_ptr<test::Session>> sessions;
        std::vector<int> next(4, 0);
        for (int i = 0; i < 4; ++i)
            sessions.push_back(shop.session(u"worker %1"_s.arg(i)));
        for (int step = 0; step < 80; ++step) {
            const int at = pick(4);
            test::Session& session = *sessions[std::size_t(at)];
            if (session.isRunning())
                continue;
            int& reached = next[std::size_t(at)];
            if (reached == 0)
                session.start(u"BEGIN"_s);
            reached += 1 + pick(2);
            if (reached > 6) {
                session.start(u"COMMIT"_s);
                reached = 0;
            } else if (pick(3) == 0) {
                session.start(u"SELECT pg_advisory_xact_lock(%1)"_s.arg(reached));
            } else {
                session.start(
                    u"LOCK TABLE %1 IN %2 MODE"_s.arg(QChar(u'a' + reached - 1)).arg(modes[pick(4)]));
            }
            // At rest, or waiting.
            QTRY_VERIFY(!session.isRunning() || session.isBlocked());
            shop.addPoll();
        }
        QVERIFY2(shop.order.order().seen() > 10, "the test has seen too little");
        QVERIFY2(shop.titles().isEmpty(), qPrintable(shop.titles().join(u'\n')));
        sessions.clear();
        const auto other = shop.session(u"other"_s);
        for (const QStringList& tables : {QStringList{u"a"_s, u"f"_s}, QStringList{u"f"_s, u"a"_s}}) {
            QVERIFY(other->run(u"BEGIN"_s));
            for (const QString& table : tables) {
                QVERIFY(other->run(u"LOCK TABLE %1 IN ACCESS EXCLUSIVE MODE"_s.arg(table)));
                shop.addPoll();
            }
            QVERIFY(other->run(u"COMMIT"_s));
            shop.addPoll();
        }
        QVERIFY(shop.titles().contains(u"public.a and public.f are taken in both orders"_s));
    }

    /// At each time it shows the findings of that time; continuing is as good as reading again.
    void aRecordingTellsIt()
    {
        RecordedPolls recording;
        recordOppositeOrders(recording);
        record::RecordedOrder goingOn;
        for (int second = 0; second < 12; ++second) {
            record::RecordedOrder anew;
            const auto step =
                goingOn.read(recording.reader(), SnapshotBuilder::at(0), SnapshotBuilder::at(second));
            const auto whole =
                anew.read(recording.reader(), SnapshotBuilder::at(0), SnapshotBuilder::at(second));
            QVERIFY(step && whole);
            QCOMPARE((*step)->polls, (*whole)->polls);
            QCOMPARE((*step)->polls, second + 1);
            QCOMPARE((*step)->found.all.size(), (*whole)->found.all.size());
            QCOMPARE((*step)->found.all.size(), second < 9 ? 0 : 1);
        }
        const auto back = goingOn.read(recording.reader(), SnapshotBuilder::at(0), SnapshotBuilder::at(5));
        QVERIFY(back && (*back)->found.all.isEmpty());
    }

    void lockctlWatchesAServer()
    {
        const Shop shop(*m_server);
        const auto ann = shop.session(u"ann"_s);
        const Lockctl ctl(shop.url.toString(), m_server->password());
        const auto none = ctl("order --for 200ms --interval 100ms");
        QVERIFY2(none.code == 0 && none.out.startsWith(u"No locks were taken in opposite orders"_s),
            none.allOutput());
        const auto process = ctl.start("order --for 6s --interval 100ms --json");
        for (int i = 0; i < 4; ++i) {
            QVERIFY(ann->run(u"BEGIN"_s));
            for (const int table : {i % 2, 1 - i % 2}) {
                QVERIFY(ann->run(u"LOCK TABLE %1"_s.arg(QChar(u'a' + table))));
                QVERIFY(ann->run(u"SELECT pg_sleep(0.3)"_s)); // as long as a few polls: one sees it
            }
            QVERIFY(ann->run(u"COMMIT"_s));
        }
        const auto found = Lockctl::finish(*process);
        VERIFY_CODE(1, found);
        QCOMPARE(found.json()[u"potential_deadlocks"].toArray().size(), 1);
    }

    void lockctlReadsARecording()
    {
        RecordedPolls recording;
        recordOppositeOrders(recording);
        const QTemporaryDir folder;
        Lockctl ctl({});
        ctl.set(u"XDG_CONFIG_HOME"_s, folder.path());
        const QStringList read{u"order"_s, u"--recording"_s, recording.path()};
        const auto answer = ctl(read);
        VERIFY_CODE(1, answer);
        QVERIFY2(answer.out.contains(u"public.orders and public.stock are taken in both orders"_s),
            answer.allOutput());
        QVERIFY2(
            answer.out.contains(u"51 shop had public.orders (access exclusive) and then took public.stock"_s),
            answer.allOutput());
        VERIFY_CODE(0, ctl(read + QStringList{u"--to"_s, u"4s"_s}));
        const QString id =
            ctl(read + QStringList{u"--json"_s}).json()[u"potential_deadlocks"][0][u"id"].toString();
        QCOMPARE(ctl("order --mute %1", id).code, 0);
        const auto muted = ctl(read);
        QVERIFY2(muted.code == 0 && muted.out.contains(u"1 muted"_s), muted.allOutput());
        QCOMPARE(ctl(read + QStringList{u"--muted"_s}).code, 1);
        QCOMPARE(ctl("order --unmute %1", id).code, 0);
        QCOMPARE(ctl(read).code, 1);
        for (const QString& noId : {QString(), u"public.orders"_s, id.left(7), id.toUpper() + u'x'}) {
            const auto refused = ctl("order --mute %1", noId);
            QVERIFY2(refused.code == 2 && refused.isOneLineOfError(), refused.allOutput());
        }
        // A snapshot that can't be read may have had another order.
        const auto sqlite = test::PlainSql::open(db::ServerUrl::ofFile(recording.path()), {});
        QVERIFY(sqlite && sqlite->run("UPDATE frame SET key_frame = number + 1 WHERE number = 2"));
        const auto unknown = ctl(read + QStringList{u"--to"_s, u"4s"_s});
        QVERIFY2(unknown.code == 3 && unknown.out.contains(u"1 poll failed"_s), unknown.allOutput());
        QCOMPARE(ctl(read).code, 1);
        const auto missing = ctl("order --recording %1", folder.filePath(u"none.lockscope"_s));
        QVERIFY2(missing.code == 3 && missing.isOneLineOfError(), missing.allOutput());
    }

private:
    TestServer* m_server = &TestServer::shared();
};

LOCKSCOPE_TEST(tst_LockOrders)

} // namespace tst_LockOrders
#include "tst_LockOrders.moc"
