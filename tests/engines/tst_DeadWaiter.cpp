// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A waiter that can't come in its turn delays nobody for long, and gets its place again when it comes back.

#include "tests/support/FaultyNetwork.h"
#include "tests/support/OtherProcess.h"
#include "tests/support/TestProgram.h"

#include <csignal>

namespace tst_DeadWaiter {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;
using Clock = std::chrono::steady_clock;

constexpr milliseconds forEver{-1};

/// Waits for the lock over the given way, and holds it until it is asked to release it.
static int waitAndHold(const Part& part)
{
    const auto url =
        part.arguments.isEmpty() ? part.url : db::ServerUrl::parse(part.arguments.front()).value();
    const auto connection = db::Server::at(url, db::defaultPasswords()).connect();
    if (!connection)
        return 2;
    const auto strategy = LockStrategy::create(part.variant.kind, **connection).value();
    std::puts("asking");
    std::fflush(stdout);
    auto result = strategy->acquire(part.requestFor(u"n"_s, forEver));
    if (!result || !isGranted(result->outcome))
        return 3;
    std::puts("granted");
    std::fflush(stdout);
    return result->grant.release() ? 0 : 4;
}

enum class Fate { Stopped, CutOff, Killed };

class DeadWaiterTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsTheNextOneForThreeSecondsAtMost_data()
    {
        addColumns<Engine, int, int>("engine", "fate", "dead");
        for (const Engine engine : {Engine::Postgres, Engine::Sqlite}) {
            const QByteArray name = engineName(engine).toUtf8();
            QTest::addRow("%s, stopped", name.constData()) << engine << int(Fate::Stopped) << 1;
            QTest::addRow("%s, killed", name.constData()) << engine << int(Fate::Killed) << 1;
        }
        QTest::addRow("PostgreSQL, cut off") << Engine::Postgres << int(Fate::CutOff) << 1;
        QTest::addRow("PostgreSQL, two of them") << Engine::Postgres << int(Fate::Stopped) << 2;
    }
    void keepsTheNextOneForThreeSecondsAtMost()
    {
        FETCH(Engine, engine, int, fate, int, dead);
        const LockRig rig({engine, LockKind::Table});
        std::unique_ptr<FaultyNetwork> network;
        QStringList way;
        if (fate == int(Fate::CutOff)) {
            network = std::make_unique<FaultyNetwork>(rig.url());
            way << network->url().toString();
        }
        Contender holder(rig);
        Contender next(rig);
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        std::vector<std::unique_ptr<OtherProcess>> first;
        for (int i = 1; i <= dead; ++i) {
            first.push_back(std::make_unique<OtherProcess>(u"waiter"_s, rig, way));
            QCOMPARE(first.back()->readLine(), u"asking"_s);
            QTRY_COMPARE(rig.waiters(u"n"_s), i);
        }
        auto asked = next.ask(rig.requestFor(u"n"_s, forEver));
        QTRY_COMPARE(rig.waiters(u"n"_s), 1 + dead);
        for (const auto& each : first) {
            if (fate == int(Fate::Stopped))
                ::kill(pid_t(each->id()), SIGSTOP);
            else if (fate == int(Fate::Killed))
                each->kill();
            else
                network->stall();
        }
        QVERIFY(holder.release());
        const auto freed = Clock::now();
        QVERIFY(soon(std::move(asked)).isGranted());
        const auto took = std::chrono::duration_cast<milliseconds>(Clock::now() - freed);
        qInfo("granted after %lld ms", qlonglong(took.count()));
        QVERIFY2(took < 1s + 3s * dead, qPrintable(QString::number(took.count())));

        if (fate == int(Fate::Killed))
            return;
        // A waiter that comes back gets its turn.
        for (const auto& each : first)
            ::kill(pid_t(each->id()), SIGCONT);
        if (network)
            network->mend();
        QVERIFY(next.release());
        for (const auto& each : first) {
            QCOMPARE(each->readLine(), u"granted"_s);
            QCOMPARE(each->wait(), 0);
        }
    }

    /// A waiter that stopped for a short time goes before those that came later.
    void comesBackToItsPlace()
    {
        const LockRig rig({Engine::Postgres, LockKind::Table});
        Contender holder(rig);
        Contender next(rig);
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        OtherProcess first(u"waiter"_s, rig, {});
        QCOMPARE(first.readLine(), u"asking"_s);
        QTRY_COMPARE(rig.waiters(u"n"_s), 1);
        auto asked = next.ask(rig.requestFor(u"n"_s, forEver));
        QTRY_COMPARE(rig.waiters(u"n"_s), 2);
        ::kill(pid_t(first.id()), SIGSTOP);
        // Its registration has ended, as after it was passed over.
        rig.run(
            u"UPDATE lockscope.lock_waiter SET expires_at = clock_timestamp() WHERE ticket = (SELECT min(ticket) FROM lockscope.lock_waiter)"_s);
        ::kill(pid_t(first.id()), SIGCONT);
        const QString live = u"SELECT count(*) FROM lockscope.live_waiter"_s;
        QTRY_COMPARE(rig.number(live), 2);
        QVERIFY(holder.release());
        QCOMPARE(first.readLine(), u"granted"_s);
        QCOMPARE(first.wait(), 0);
        QVERIFY(soon(std::move(asked)).isGranted());
    }
};

LOCKSCOPE_TEST_WITH_PARTS(DeadWaiterTest, playedBy<waitAndHold>)

} // namespace tst_DeadWaiter
#include "tst_DeadWaiter.moc"
