// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Programs that have sessions on two real servers: a head blocker on one server waits on the other.

#include "core/watch/IncidentWatch.h"
#include "tests/support/Lockctl.h"
#include "tests/support/Session.h"
#include "tests/support/TestProgram.h"

namespace tst_AcrossServers {

using namespace lockscope;
using namespace lockscope::test;

const auto lockItems = u"lock table items"_s;

/// A server with a table that a session can lock, and a login that may see all sessions.
struct Place {
    explicit Place(TestServer& of)
        : server(of)
        , url(of.freshDatabase(TestServer::Schema::None))
    {
        server.run(url, u"create table items (id int)"_s);
        watcher = url;
        watcher.user = u"watcher"_s;
        server.run(url,
            u"do $$ begin create role watcher login password 'same' in role pg_monitor; exception when duplicate_object then null; end $$"_s);
    }
    db::Server profile() const { return db::Server::at(watcher, db::fixedPassword(u"same"_s)); }

    TestServer& server;
    db::ServerUrl url;
    db::ServerUrl watcher;
};

/// Watches servers by rules of its own.
class Incidents {
public:
    Incidents(const QByteArray& rules, const QList<const Place*>& places)
        : m_watch(
            {m_folder.filePath(u"incidents.sqlite"_s), makeFile(m_folder.filePath(u"rules.json"_s), rules)})
    {
        for (const Place* const place : places) {
            m_watches.push_back(std::make_unique<watch::ServerWatch>(place->profile(),
                watch::WatchOptions{.interval = 200ms, .readsDeadlocks = false, .keepsOrder = false}));
            m_watch.add(m_watches.back().get());
            m_watches.back()->start();
        }
    }

    /// Its id is 0 as long as no notice was sent.
    alert::Incident noticesOf(const QString& rule) const
    {
        for (const auto& each : m_noticesSeen)
            for (const alert::Notice& one : each.first().value<QList<alert::Notice>>())
                if (one.incident.rules().contains(rule))
                    return one.incident;
        return {};
    }
    QList<alert::Incident> firing() const
    {
        const auto store = watch::IncidentStore::open(m_folder.filePath(u"incidents.sqlite"_s));
        return store ? (*store)->firing().value_or(QList<alert::Incident>{{}}) : QList<alert::Incident>{{}};
    }

private:
    const QTemporaryDir m_folder;
    watch::IncidentWatch m_watch;
    const QSignalSpy m_noticesSeen{&m_watch, &watch::IncidentWatch::notified};
    std::vector<std::unique_ptr<watch::ServerWatch>> m_watches;
};

class tst_AcrossServers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        static TestServer another;
        m_stock = &another;
    }
    void init()
    {
        m_shop = std::make_unique<Place>(TestServer::shared());
        m_bank = std::make_unique<Place>(*m_stock);
    }

    void aHeadBlockersReasonStandsOnTheOtherServer()
    {
        test::Session carl(m_bank->server, m_bank->url, u"report"_s);
        QVERIFY(carl.begin(lockItems));
        test::Session ann(m_shop->server, m_shop->url, u"orders"_s);
        QVERIFY(ann.begin(lockItems));
        test::Session annThere(m_bank->server, m_bank->url, u"orders"_s);
        QVERIFY(annThere.startWaiting(u"select count(*) from items"_s));
        test::Session bob(m_shop->server, m_shop->url, u"counter"_s);
        QVERIFY(bob.startWaiting(u"select count(*) from items"_s));

        Lockctl lockctl(m_shop->watcher.toString(), u"same"_s);
        const QStringList tree{u"tree"_s, m_shop->watcher.toString(), m_bank->watcher.toString()};
        const auto text = lockctl(tree);
        QVERIFY2(text.code == 0 && text.out.contains(u"probably because"_s), text.allOutput());
        const auto json = lockctl(tree + QStringList(u"--json"_s));
        const QJsonObject across = json.json().value(u"across"_s).toObject();
        QCOMPARE(across.value(u"waits"_s).toArray().size(), 1);
        const QJsonObject wait = across.value(u"waits"_s).toArray().first().toObject();
        QCOMPARE(wait.value(u"session"_s).toInteger(), ann.id().value);
        QCOMPARE(wait.value(u"waiting_session"_s).toInteger(), annThere.id().value);
        QCOMPARE(wait.value(u"behind_session"_s).toInteger(), carl.id().value);
        QCOMPARE(wait.value(u"agrees"_s).toString(), u"program"_s);
        QVERIFY(across.value(u"deadlocks"_s).toArray().isEmpty());
        const auto csv = lockctl(tree + QStringList{u"--format"_s, u"csv"_s});
        VERIFY_STARTS(csv.out, u"server,session,"_s);
        QCOMPARE(csv.out.count(u"\r\n"_s), 5); // two on each server
        const auto page = lockctl(tree + QStringList{u"--format"_s, u"html"_s});
        QVERIFY2(page.out.contains(u"probably because"_s) && page.out.contains(u"<h2>"_s), page.allOutput());

        const auto servers = lockctl(tree + QStringList{u"--table"_s, u"servers"_s, u"--json"_s});
        const QJsonArray standings = servers.json().value(u"servers"_s).toArray();
        QVERIFY2(standings.size() == 2, servers.allOutput());
        QCOMPARE(standings[0][u"waiting"].toInteger(), 1);
        QVERIFY2(standings[0][u"interval_ms"].isNull(), servers.allOutput()); // it was polled once
        QVERIFY2(servers.out.contains(u"probably because"_s), servers.allOutput());

        // Its own incident sends to the other server, before anybody ends the session here.
        Incidents incidents(
            R"({"rules": [{"name": "blocked", "when": "blocked sessions",
                "levels": [{"severity": "warning", "from": 1, "for": "0s"}]}]})",
            {m_shop.get(), m_bank.get()});
        const auto elsewhere = [&incidents] {
            for (const alert::Incident& each : incidents.firing())
                if (!each.head.elsewhere.isEmpty())
                    return each.head;
            return alert::IncidentHead();
        };
        QVERIFY(waitUntil([&] { return elsewhere().session.isValid(); }));
        const alert::IncidentHead head = elsewhere();
        QCOMPARE(head.session, ann.id());
        const QString advice = u"Look at %1 "_s.arg(carl.id().value);
        QVERIFY2(head.elsewhere.contains(u"probably because"_s) && head.elsewhere.contains(advice),
            qPrintable(head.elsewhere));

        // It was so: as soon as it goes on there, everybody does.
        QVERIFY(carl.run(u"commit"_s) && annThere.wait() && ann.run(u"commit"_s) && bob.wait());
        QVERIFY(lockctl(tree).out.contains(u"No head blocker is seen to wait on another server."_s));
    }

    void aServerThatIsAwayHidesNothingOfTheOthers()
    {
        const auto answer = Lockctl(m_shop->watcher.toString(), u"same"_s)(
            "tree %1 postgresql://x@127.0.0.1:1/none", m_shop->watcher.toString());
        QCOMPARE(answer.code, 1);
        QVERIFY2(answer.out.contains(u"Nobody waits"_s) && answer.isOneLineOfError(), answer.allOutput());
        const auto servers = Lockctl(m_shop->watcher.toString(), u"same"_s)(
            "tree %1 postgresql://x@127.0.0.1:1/none --table servers --format csv",
            m_shop->watcher.toString());
        QCOMPARE(servers.code, 1);
        QVERIFY2(servers.out.contains(u"\r\nnot reached,"_s), servers.allOutput());
        QCOMPARE(servers.out.count(u"\r\n"_s), 3);
    }

    /// Each program has its own server's table and waits for the other's: neither server sees a ring.
    void aDeadlockOverServersIsAnIncident()
    {
        test::Session ann(m_shop->server, m_shop->url, u"orders"_s);
        test::Session bob(m_bank->server, m_bank->url, u"billing"_s);
        QVERIFY(ann.begin(lockItems) && bob.begin(lockItems));
        test::Session annThere(m_bank->server, m_bank->url, u"orders"_s);
        test::Session bobThere(m_shop->server, m_shop->url, u"billing"_s);
        annThere.start(u"select count(*) from items"_s);
        bobThere.start(u"select count(*) from items"_s);
        QVERIFY(annThere.waitUntilBlocked() && bobThere.waitUntilBlocked());

        Incidents incidents(
            R"({"rules": [{"name": "over servers", "when": "deadlock over servers", "keep_firing_for": "0s",
                "levels": [{"severity": "critical", "from": "1s", "for": "0s"}]}]})",
            {m_shop.get(), m_bank.get()});
        QVERIFY(waitUntil([&] { return incidents.noticesOf(u"over servers"_s).id > 0; }));
        const alert::Incident incident = incidents.noticesOf(u"over servers"_s);
        VERIFY_CONTAINS(incident.title, u"deadlock over"_s);
        QVERIFY(bobThere.isBlocked()); // it waits for ever if nobody does anything

        bobThere.cancel();
        QVERIFY(!bobThere.wait());
        QVERIFY(waitUntil([&] { return incidents.firing().isEmpty(); }));
        QVERIFY(bob.run(u"commit"_s) && annThere.wait());
    }

private:
    TestServer* m_stock = nullptr;
    std::unique_ptr<Place> m_shop;
    std::unique_ptr<Place> m_bank;
};

LOCKSCOPE_TEST(tst_AcrossServers)

} // namespace tst_AcrossServers
#include "tst_AcrossServers.moc"
