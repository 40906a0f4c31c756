// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/Session.h"
#include "tests/support/Standby.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_TestServer {

using namespace lockscope;
using namespace lockscope::test;
using test::Session;

/// The tools of the other tests do what these rely on.
class TestTestServer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void databasesDoNotMeet()
    {
        auto& server = TestServer::shared();
        const auto first = server.freshDatabase();
        const auto second = server.freshDatabase();
        server.run(first, u"CREATE TABLE orders (id integer)"_s);
        server.run(second, u"CREATE TABLE orders (id integer)"_s);
    }

    void oneSessionBlocksAnother()
    {
        auto& server = TestServer::shared();
        const auto url = server.freshDatabase(u"CREATE TABLE orders (id integer)"_s);
        Session ann(server, url, u"ann"_s);
        Session bob(server, url, u"bob"_s);
        QVERIFY(ann.run(u"BEGIN"_s));
        QVERIFY(ann.run(u"LOCK TABLE orders"_s));
        QVERIFY(bob.startWaiting(u"SELECT * FROM orders"_s));
        bob.cancel();
        QVERIFY(!bob.wait());
        QVERIFY(bob.startWaiting(u"SELECT * FROM orders"_s));
        QVERIFY(ann.run(u"ROLLBACK"_s));
        QVERIFY(bob.wait());
    }

    void aBlockedSessionCanBeDestroyed()
    {
        auto& server = TestServer::shared();
        const auto url = server.freshDatabase(u"CREATE TABLE orders (id integer)"_s);
        Session ann(server, url);
        QVERIFY(ann.run(u"BEGIN"_s));
        QVERIFY(ann.run(u"LOCK TABLE orders"_s));
        Session bob(server, url);
        QVERIFY(bob.startWaiting(u"SELECT * FROM orders"_s));
    }

    void aRoleHasOnlyTheRightsItWasGiven()
    {
        auto& server = TestServer::shared();
        const auto url =
            server.freshDatabase(u"CREATE TABLE orders (id integer); CREATE TABLE salaries (id integer)"_s);
        const auto connection = server.connect(server.asRole(url, u"GRANT SELECT ON orders TO {role}"_s));
        QVERIFY(test::runSql(*connection, u"SELECT * FROM orders"_s));
        VERIFY_FAILS(ErrorKind::Permission, test::runSql(*connection, u"SELECT * FROM salaries"_s));
    }

    void aStandbyFollowsAndIsPromoted_data()
    {
        test::addRows<Standby::Commit>("commit",
            {{"asynchronous", Standby::Commit::Asynchronous}, {"synchronous", Standby::Commit::Synchronous}});
    }
    void aStandbyFollowsAndIsPromoted()
    {
        QFETCH(const Standby::Commit, commit);
        TestServer primary(TestServer::replicating());
        Standby standby(primary, commit);
        const auto url = primary.freshDatabase(u"CREATE TABLE public.orders AS SELECT 7 AS id"_s);
        standby.catchUp();
        const auto there = standby.connect(standby.sameDatabase(url));
        QCOMPARE(ask(*there, u"SELECT id FROM public.orders"_s), u"7"_s);
        QCOMPARE(ask(*there, u"SELECT pg_is_in_recovery()"_s), u"t"_s);
        QVERIFY(!test::runSql(*there, u"INSERT INTO public.orders VALUES (8)"_s));
        standby.promote();
        VERIFY_DONE(test::runSql(*there, u"INSERT INTO public.orders VALUES (8)"_s));
        // Both listen for TCP as well.
        QCOMPARE(
            ask(*primary.connect(primary.overTcp(url)), u"SELECT count(*) FROM public.orders"_s), u"1"_s);
        const auto overTcp = standby.overTcp(standby.sameDatabase(url));
        QCOMPARE(ask(*standby.connect(overTcp), u"SELECT count(*) FROM public.orders"_s), u"2"_s);
    }
};

LOCKSCOPE_TEST(TestTestServer)

} // namespace tst_TestServer
#include "tst_TestServer.moc"
