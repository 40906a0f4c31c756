// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The contract of application locks beyond tst_LockConformance. PostgreSQL.

#include "tests/support/Deadlock.h"
#include "tests/support/LockRig.h"
#include "tests/support/Lockctl.h"
#include "tests/support/Standby.h"
#include "tests/support/TestProgram.h"

namespace tst_AppLock {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;

constexpr milliseconds forEver{-1};
constexpr LockVariant session{Engine::Postgres, LockKind::Application, LockOwner::Session};
constexpr LockVariant transaction{Engine::Postgres, LockKind::Application, LockOwner::Transaction};

static AcquireRequest shared(AcquireRequest request)
{
    request.mode = AcquireMode::Shared;
    return request;
}

class AppLock : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readersShareAndKeepTheWriterOut()
    {
        const LockRig rig(session);
        Contender reader(rig);
        Contender otherReader(rig);
        Contender writer(rig);
        QCOMPARE(reader.acquire(shared(rig.requestFor(u"partitions"_s))).outcome, Outcome::Granted);
        QCOMPARE(otherReader.acquire(shared(rig.requestFor(u"partitions"_s))).outcome, Outcome::Granted);
        QCOMPARE(writer.acquire(rig.requestFor(u"partitions"_s)).outcome, Outcome::Denied);
        auto waiting = writer.ask(rig.requestFor(u"partitions"_s, forEver));
        QTRY_COMPARE(rig.waiters(u"partitions"_s), 1);
        QVERIFY(reader.release());
        QCOMPARE(rig.waiters(u"partitions"_s), 1);
        QVERIFY(otherReader.release());
        QCOMPARE(soon(std::move(waiting)).outcome, Outcome::GrantedAfterWait);
        QCOMPARE(reader.acquire(shared(rig.requestFor(u"partitions"_s))).outcome, Outcome::Denied);
    }

    void modesThatPostgresLacksAreUnsupported()
    {
        const LockRig rig(session);
        Contender one(rig);
        for (const AcquireMode mode :
            {AcquireMode::Update, AcquireMode::IntentShared, AcquireMode::IntentExclusive}) {
            AcquireRequest request = rig.requestFor(u"n"_s);
            request.mode = mode;
            const LockReply reply = one.acquire(request);
            QVERIFY(reply.error);
            QCOMPARE(reply.error->kind, ErrorKind::Unsupported);
            QVERIFY(!reply.error->hint.isEmpty());
        }
    }

    void aStandbyRefusesThem()
    {
        TestServer primary(TestServer::replicating());
        Standby standby(primary, Standby::Commit::Asynchronous);
        const auto url = primary.freshDatabase();
        standby.catchUp();
        const auto connection = standby.connect(standby.sameDatabase(url));
        const auto strategy = LockStrategy::create(LockKind::Application, *connection);
        QVERIFY(strategy);
        AcquireRequest request;
        request.name = u"nightly"_s;
        for (const milliseconds wait : {milliseconds(0), milliseconds(100), forEver}) {
            request.wait = wait;
            const auto refused = (*strategy)->acquire(request);
            VERIFY_FAILS(ErrorKind::Unsupported, refused);
            QVERIFY(refused.error().what.contains(u"standby"_s));
        }
        const Lockctl lockctl(standby.sameDatabase(url).toString(), standby.password());
        for (const QStringList& command :
            {QStringList{u"run"_s, u"nightly"_s, u"--kind"_s, u"app"_s, u"--"_s, u"echo"_s, u"ran"_s},
                QStringList{u"acquire"_s, u"nightly"_s, u"--kind"_s, u"app"_s}}) {
            const auto answer = lockctl(command);
            QCOMPARE(answer.code, 1);
            QVERIFY2(answer.err.contains(u"standby"_s), answer.allOutput());
            QVERIFY(!answer.out.contains(u"ran"_s));
        }
        // Looking at the lock table is fine.
        primary.run(url,
            u"INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES ('held', 't', now() + interval '1 h')"_s);
        standby.catchUp();
        const auto list = lockctl("list");
        QCOMPARE(list.code, 0);
        QVERIFY2(list.out.contains(u"held"_s), list.allOutput());
        // Once it is the primary, its locks count.
        standby.promote();
        request.wait = milliseconds(0);
        const auto granted = (*strategy)->acquire(request);
        QVERIFY(granted && isGranted(granted->outcome));
    }

    void transactionOfAScriptDoesNotHoldTheLock_data()
    {
        addRows<QString>(
            "script", {{"the next one", u"COMMIT; BEGIN"_s}, {"a chained one", u"COMMIT AND CHAIN"_s}});
    }
    void transactionOfAScriptDoesNotHoldTheLock()
    {
        QFETCH(QString, script);
        const LockRig rig(transaction);
        Contender one(rig);
        Contender other(rig);
        QVERIFY(one.acquire(rig.requestFor(u"n"_s)).isGranted());
        one.within([&script](Contender& self) {
            QVERIFY(self.grants.back().isHeld());
            // Nobody asks about the grant between the two transactions.
            QVERIFY(self.connection->executeScript(script.toUtf8()));
            QVERIFY(self.connection->inTransaction());
            QVERIFY(!self.grants.back().isHeld());
        });
        QVERIFY(other.acquire(rig.requestFor(u"n"_s)).isGranted());
    }

    void sessionsLockOutlivesATransaction()
    {
        const LockRig rig(session);
        Contender one(rig);
        Contender other(rig);
        one.within([](Contender& self) { QVERIFY(self.connection->begin()); });
        QVERIFY(one.acquire(rig.requestFor(u"n"_s)).isGranted());
        one.within([](Contender& self) { QVERIFY(self.connection->rollback()); });
        QCOMPARE(other.acquire(rig.requestFor(u"n"_s)).outcome, Outcome::Denied);
        QVERIFY(one.release());
        QVERIFY(other.acquire(rig.requestFor(u"n"_s)).isGranted());
    }

    void lockTimeoutIsPutBack()
    {
        const LockRig rig(session);
        Contender holder(rig);
        Contender one(rig);
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        QCOMPARE(one.valueOf(u"set_config('lock_timeout', '7s', false)"_s), u"7s"_s);
        const QString show = u"current_setting('lock_timeout')"_s;

        QCOMPARE(one.acquire(rig.requestFor(u"n"_s, milliseconds(20))).outcome, Outcome::TimedOut);
        QCOMPARE(one.valueOf(show), u"7s"_s);
        one.within([](Contender& self) { QVERIFY(self.connection->begin()); });
        QCOMPARE(one.acquire(rig.requestFor(u"n"_s, milliseconds(20))).outcome, Outcome::TimedOut);
        QCOMPARE(one.valueOf(show), u"7s"_s);
        auto waiting = one.ask(rig.requestFor(u"n"_s, milliseconds(60'000)));
        QTRY_COMPARE(rig.waiters(u"n"_s), 1);
        QVERIFY(holder.release());
        QCOMPARE(soon(std::move(waiting)).outcome, Outcome::GrantedAfterWait);
        QCOMPARE(one.valueOf(show), u"7s"_s);
    }

    void deadlockHasOneVictim() { lockscope::test::deadlockHasOneVictim(LockRig(session)); }

    void namesAreReadableForTheMonitor()
    {
        const LockRig rig(session);
        Contender one(rig);
        QVERIFY(one.acquire(rig.requestFor(u"orders/4711"_s)).isGranted());
        QVERIFY(one.acquire(rig.requestFor(u"orders/4711"_s)).isGranted());
        QCOMPARE(
            rig.number(
                u"SELECT count(*) FROM lockscope.app_lock_name WHERE name = 'orders/4711' AND key = hashtextextended(name, 0)"_s),
            1);
    }

    void schemaIsNotNeeded()
    {
        const LockRig rig(session);
        rig.run(u"DROP SCHEMA lockscope CASCADE"_s);
        Contender one(rig);
        QVERIFY(one.acquire(rig.requestFor(u"n"_s)).isGranted());
        QVERIFY(one.release());
    }

    void endOfTheSessionFreesTheLock()
    {
        const LockRig rig(session);
        Contender other(rig);
        {
            Contender holder(rig);
            QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
            holder.within([](Contender& self) { self.grants.back().abandon(); });
        }
        QCOMPARE(other.acquire(rig.requestFor(u"n"_s, milliseconds(60'000))).isGranted(), true);
    }
};

LOCKSCOPE_TEST(AppLock)

} // namespace tst_AppLock
#include "tst_AppLock.moc"
