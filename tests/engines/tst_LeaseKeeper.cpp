// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The keeper reports once that a grant is no longer ours; while it is ours, its lease never ends.

#include "core/locks/LeaseKeeper.h"
#include "tests/support/LockRig.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_LeaseKeeper {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;

/// Remembers the keeper's reports. Any thread.
class Losses {
public:
    LossHandler handler()
    {
        return [this](LossReason reason) {
            const MutexLock lock(m_mutex);
            m_reasonsSeen.push_back(reason);
        };
    }
    std::vector<LossReason> reasonsSeen() const
    {
        const MutexLock lock(m_mutex);
        return m_reasonsSeen;
    }

private:
    mutable Mutex m_mutex;
    std::vector<LossReason> m_reasonsSeen LOCKSCOPE_GUARDED_BY(m_mutex);
};

static void addTables()
{
    addRows<LockVariant>("variant",
        {{"PostgreSQL", LockVariant{Engine::Postgres, LockKind::Table}},
            {"SQLite", LockVariant{Engine::Sqlite, LockKind::Table}}});
}

static bool isHeld(Contender& contender)
{
    bool held = false;
    contender.within([&held](Contender& self) { held = self.grants.back().isHeld(); });
    return held;
}

class LeaseKeeperTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void leaseIsRenewedWhileTheGrantLives_data() { addTables(); }
    void leaseIsRenewedWhileTheGrantLives()
    {
        const LockRig rig = fetchedRig();
        Losses losses;
        Contender holder(rig, LeaseKeeper::create(rig.server()));
        AcquireRequest request = rig.requestFor(u"n"_s);
        request.lease = milliseconds(3'000);
        QVERIFY(holder.acquire(request, losses.handler()).isGranted());
        const QString end = rig.variant().engine == Engine::Postgres
            ? u"SELECT (extract(epoch FROM expires_at) * 1000000)::bigint FROM lockscope.lock_entry"_s
            : u"SELECT expires_at FROM lockscope_lock_entry"_s;
        const qint64 first = rig.number(end);
        QTRY_VERIFY(rig.number(end) > first);
        QVERIFY(isHeld(holder));
        holder.within([first](Contender& self) { QTRY_VERIFY(self.grants.back().expiresAt()->us > first); });
        QVERIFY(holder.release());
        QVERIFY(losses.reasonsSeen().empty());
    }

    void purgedRowIsReported_data() { addTables(); }
    void purgedRowIsReported()
    {
        const LockRig rig = fetchedRig();
        Losses losses;
        Contender holder(rig, LeaseKeeper::create(rig.server()));
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s), losses.handler()).isGranted());
        QVERIFY(holder.acquire(rig.requestFor(u"other"_s)).isGranted());
        rig.run(u"DELETE FROM %1 WHERE name = 'n'"_s.arg(rig.entryTable()));
        QTRY_COMPARE(losses.reasonsSeen(), std::vector{LossReason::RowGone});
        holder.within([](Contender& self) {
            QVERIFY(!self.grants[0].isHeld());
            QVERIFY(self.grants[1].isHeld());
        });
    }

    void takenOverRowIsReported_data() { addTables(); }
    void takenOverRowIsReported()
    {
        const LockRig rig = fetchedRig();
        Losses losses;
        Contender holder(rig, LeaseKeeper::create(rig.server()));
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s), losses.handler()).isGranted());
        rig.run(u"UPDATE %1 SET token = 'somebody else'"_s.arg(rig.entryTable()));
        QTRY_COMPARE(losses.reasonsSeen(), std::vector{LossReason::RowGone});
        QVERIFY(!isHeld(holder));
    }

    void leaseThatCannotBeRenewedIsReported()
    {
        const LockRig rig({Engine::Postgres, LockKind::Table});
        Losses losses;
        // Its server is not there.
        db::ServerUrl nowhere = rig.url();
        nowhere.database = u"no_such_database"_s;
        Contender holder(rig, LeaseKeeper::create(db::Server::at(nowhere, rig.passwords())));
        AcquireRequest request = rig.requestFor(u"n"_s);
        request.lease = milliseconds(500);
        QVERIFY(holder.acquire(request, losses.handler()).isGranted());
        QTRY_COMPARE(losses.reasonsSeen(), std::vector{LossReason::LeaseExpired});
        QVERIFY(!isHeld(holder));
    }

    /// Repeated attempts with a wrong password lock the account.
    void refusedLoginIsNotTriedAgainSoon()
    {
        const LockRig rig({Engine::Postgres, LockKind::Table});
        Losses losses;
        std::atomic<int> tries = 0;
        const auto wrong = [&tries](const QString&) -> Result<QString> {
            ++tries;
            return u"wrong"_s;
        };
        Contender holder(rig, LeaseKeeper::create(db::Server::at(rig.url(), wrong)));
        AcquireRequest request = rig.requestFor(u"n"_s);
        request.lease = milliseconds(6'000);
        QVERIFY(holder.acquire(request, losses.handler()).isGranted());
        TRY_COMPARE(losses.reasonsSeen(), std::vector{LossReason::LeaseExpired});
        QCOMPARE(tries.load(), 1);
    }

    void keeperReconnects()
    {
        const LockRig rig({Engine::Postgres, LockKind::Table});
        Losses losses;
        Contender holder(rig, LeaseKeeper::create(rig.server()));
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s), losses.handler()).isGranted());
        const QString keepers =
            u"SELECT count(*) FROM pg_stat_activity WHERE application_name = 'lockscope lock keeper' AND datname = current_database()"_s;
        QTRY_COMPARE(rig.number(keepers), 1);
        rig.run(
            u"DO $$ BEGIN PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lockscope lock keeper' AND datname = current_database(); END $$"_s);
        QTRY_COMPARE(rig.number(keepers), 0);
        rig.run(u"DELETE FROM lockscope.lock_entry"_s);
        QTRY_COMPARE(losses.reasonsSeen(), std::vector{LossReason::RowGone});
    }

    /// Somebody has locked the rows that the keeper is to delete: it waits for each, one after the other.
    void whatIsHardToDeleteKeepsNoLeaseFromRenewal()
    {
        constexpr int locked = 8;
        const LockRig rig({Engine::Postgres, LockKind::Table});
        Losses losses;
        const auto keeper = LeaseKeeper::create(rig.server());
        Contender holder(rig, keeper);
        Contender gone(rig, keeper);
        for (int i = 0; i < locked; ++i)
            QVERIFY(gone.acquire(rig.requestFor(u"locked %1"_s.arg(i))).isGranted());
        AcquireRequest request = rig.requestFor(u"n"_s);
        request.lease = milliseconds(6'000);
        QVERIFY(holder.acquire(request, losses.handler()).isGranted());
        const auto other = rig.connect();
        QVERIFY(other->begin());
        runSql(*other, u"SELECT FROM lockscope.lock_entry WHERE name LIKE 'locked %' FOR UPDATE"_s).value();
        rig.endSession(
            rig.number(u"SELECT max(session_id) FROM lockscope.lock_entry WHERE name LIKE 'l%'"_s));
        gone.within([](Contender& self) { self.grants.clear(); }); // which leaves it to the keeper
        // A whole lease later: without a renewal meanwhile it would be lost.
        const auto end = [&rig] {
            return rig.number(
                u"SELECT (extract(epoch FROM expires_at) * 1000000)::bigint FROM lockscope.lock_entry WHERE name = 'n'"_s);
        };
        const qint64 later = end() + 6'000'000;
        QVERIFY(waitUntil([&] { return end() > later || !losses.reasonsSeen().empty(); }));
        QVERIFY(losses.reasonsSeen().empty());
        QVERIFY(isHeld(holder));
        QVERIFY(other->rollback());
        QTRY_COMPARE(rig.number(u"SELECT count(*) FROM lockscope.lock_entry"_s), 1);
        QVERIFY(holder.release());
    }

    void releasedGrantIsNeverReported()
    {
        const LockRig rig({Engine::Postgres, LockKind::Table});
        Losses losses;
        Contender holder(rig, LeaseKeeper::create(rig.server()));
        Losses othersLosses;
        QVERIFY(holder.acquire(rig.requestFor(u"other"_s), othersLosses.handler()).isGranted());
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s), losses.handler()).isGranted());
        QVERIFY(holder.release());
        rig.run(u"DELETE FROM lockscope.lock_entry"_s);
        QTRY_COMPARE(othersLosses.reasonsSeen(), std::vector{LossReason::RowGone});
        QVERIFY(losses.reasonsSeen().empty());
    }
};

LOCKSCOPE_TEST_AT_ONCE(LeaseKeeperTest)

} // namespace tst_LeaseKeeper
#include "tst_LeaseKeeper.moc"
