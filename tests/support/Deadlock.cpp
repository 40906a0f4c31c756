// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/Deadlock.h"

#include "tests/support/LockRig.h"
#include "tests/support/TestServer.h"

#include <QTest>

#include <barrier>
#include <thread>

namespace lockscope::test {

using namespace Qt::StringLiterals;
using locks::Outcome;

constexpr milliseconds forEver{-1};

void deadlockHasOneVictim(const LockRig& rig)
{
    if (rig.variant().engine == Engine::Postgres)
        rig.run(
            u"DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = ''50ms''', current_database()); END $$"_s);
    Contender one(rig);
    Contender two(rig);
    QVERIFY(one.acquire(rig.requestFor(u"a"_s)).isGranted());
    QVERIFY(two.acquire(rig.requestFor(u"b"_s)).isGranted());
    auto first = one.ask(rig.requestFor(u"b"_s, forEver));
    QTRY_COMPARE(rig.waiters(u"b"_s), 1);
    auto second = two.ask(rig.requestFor(u"a"_s, forEver));
    const auto ready = [](std::future<LockReply>& reply) {
        return reply.wait_for(milliseconds(0)) == std::future_status::ready;
    };
    QTRY_VERIFY(ready(first) || ready(second));

    // If the server rolls the victim back, the other one may be the first to answer.
    const bool firstIsEarly = ready(first);
    const Outcome early = soon(std::move(firstIsEarly ? first : second)).outcome;
    const bool victimIsEarly = early == Outcome::DeadlockVictim;
    QVERIFY(victimIsEarly || early == Outcome::GrantedAfterWait);
    Contender& victim = firstIsEarly == victimIsEarly ? one : two;
    if (rig.variant().owner == LockOwner::Session)
        QVERIFY(victim.release());
    else
        victim.within([](Contender& self) { QVERIFY(self.connection->rollback()); });
    const Outcome late = soon(std::move(firstIsEarly ? second : first)).outcome;
    QCOMPARE(late, victimIsEarly ? Outcome::GrantedAfterWait : Outcome::DeadlockVictim);
}

void makeRing(const db::Server& server, const QStringList& locks, milliseconds stands)
{
    std::barrier ready(locks.size());
    std::vector<std::jthread> sessions;
    for (qsizetype i = 0; i < locks.size(); ++i)
        sessions.emplace_back([&, i] {
            const auto session = orDie(server.connect({.purpose = db::Purpose::Workload}));
            const auto execute = [&](const QString& sql) { return runSql(*session, sql).has_value(); };
            if (!execute(u"begin"_s) || !execute(u"set local deadlock_timeout = '%1ms'"_s.arg(stands.count()))
                || !execute(locks[i]))
                qFatal("a session does not begin");
            ready.arrive_and_wait();
            execute(locks[(i + 1) % locks.size()]);
            execute(u"rollback"_s);
        });
}

void makeDeadlock(const db::Server& server, int key, milliseconds stands)
{
    const auto lock = [](int which) { return u"select pg_advisory_xact_lock(%1)"_s.arg(which); };
    makeRing(server, {lock(key), lock(key + 1)}, stands);
}

} // namespace lockscope::test
