// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A holder dies by kill -9: the rest of its lock, and the time at which the next one gets it.

#include "tests/support/OtherProcess.h"
#include "tests/support/TestProgram.h"

namespace tst_HolderKilled {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;

constexpr milliseconds lease{5'000};

static int holdUntilKilled(const Part& part)
{
    const auto connection = db::Server::at(part.url, db::defaultPasswords()).connect();
    if (!connection)
        return 2;
    const auto strategy = LockStrategy::create(part.variant.kind, **connection);
    if (!strategy)
        return 2;
    if (part.variant.owner == LockOwner::Transaction && !(*connection)->begin())
        return 2;
    AcquireRequest request = part.requestFor(u"n"_s, milliseconds(0));
    request.lease = lease;
    const auto result = (*strategy)->acquire(request);
    if (!result || !isGranted(result->outcome))
        return 3;
    std::puts("holding");
    std::fflush(stdout);
    (void)std::getchar(); // never comes
    return 4;
}

class HolderKilled : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tableEntryTurnsStaleAndIsRecovered_data()
    {
        addRows<LockVariant>("variant",
            {{"PostgreSQL", LockVariant{Engine::Postgres, LockKind::Table}},
                {"SQLite", LockVariant{Engine::Sqlite, LockKind::Table}}});
    }
    void tableEntryTurnsStaleAndIsRecovered()
    {
        const LockRig rig = fetchedRig();
        Contender next(rig);
        OtherProcess holder(u"holder"_s, rig, {});
        QCOMPARE(holder.readLine(), u"holding"_s);
        holder.kill();
        // It is still there, although its owner is not: that is the nature of this lock.
        QCOMPARE(next.acquire(rig.requestFor(u"n"_s)).outcome, Outcome::Denied);
        const QString stale = rig.variant().engine == Engine::Postgres
            ? u"SELECT count(*) FROM lockscope.lock_entry WHERE expires_at <= clock_timestamp()"_s
            : u"SELECT count(*) FROM lockscope_lock_entry WHERE expires_at <= CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER)"_s;
        QTRY_COMPARE_WITH_TIMEOUT(rig.number(stale), 1, 60'000);
        const LockReply reply = next.acquire(rig.requestFor(u"n"_s));
        QCOMPARE(reply.outcome, Outcome::Granted);
        QCOMPARE(reply.fencing, 2);
    }

    void applicationLockIsFreeAtOnce_data()
    {
        addRows<LockVariant>("variant",
            {{"owner session", LockVariant{Engine::Postgres, LockKind::Application, LockOwner::Session}},
                {"owner transaction",
                    LockVariant{Engine::Postgres, LockKind::Application, LockOwner::Transaction}}});
    }
    void applicationLockIsFreeAtOnce()
    {
        const LockRig rig = fetchedRig();
        OtherProcess holder(u"holder"_s, rig, {});
        QCOMPARE(holder.readLine(), u"holding"_s);
        Contender next(rig);
        auto waiting = next.ask(rig.requestFor(u"n"_s, milliseconds(-1)));
        QTRY_COMPARE(rig.waiters(u"n"_s), 1);
        holder.kill();
        QCOMPARE(soon(std::move(waiting)).outcome, Outcome::GrantedAfterWait);
    }
};

LOCKSCOPE_TEST_WITH_PARTS(HolderKilled, playedBy<holdUntilKilled>)

} // namespace tst_HolderKilled
#include "tst_HolderKilled.moc"
