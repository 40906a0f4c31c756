// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// On a network that fails, a holder is notified in time, by its own clock; and a lock that it releases is
// released.

#include "core/locks/LeaseKeeper.h"
#include "tests/support/FaultyNetwork.h"
#include "tests/support/LockRig.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_LeaseWatch {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;

const LockVariant table{Engine::Postgres, LockKind::Table};

/// The keeper's notices, in their order. Any thread.
class Notices {
public:
    LossHandler handler()
    {
        LossHandler handler([this](LossReason) { note(u"lost"_s); });
        handler.atRisk = [this](milliseconds) { note(u"at risk"_s); };
        handler.renewed = [this] { note(u"renewed"_s); };
        return handler;
    }
    void note(const QString& text)
    {
        const MutexLock lock(m_mutex);
        m_notesSeen << text;
    }
    QStringList notesSeen() const
    {
        const MutexLock lock(m_mutex);
        return m_notesSeen;
    }

private:
    mutable Mutex m_mutex;
    QStringList m_notesSeen LOCKSCOPE_GUARDED_BY(m_mutex);
};

static AcquireRequest wantFor(const LockRig& rig, milliseconds lease)
{
    AcquireRequest request = rig.requestFor(u"n"_s);
    request.lease = lease;
    return request;
}

static qint64 entries(const LockRig& rig)
{
    return rig.number(u"SELECT count(*) FROM lockscope.lock_entry"_s);
}

class LeaseWatchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Each row blocks the thread that talks to the server in another call.
    void lossIsReportedBeforeTheServersLeaseEnds_data()
    {
        addRows<bool>("whileConnecting", {{"stuck in a statement", false}, {"stuck in a connect", true}});
    }
    void lossIsReportedBeforeTheServersLeaseEnds()
    {
        QFETCH(bool, whileConnecting);
        const LockRig rig(table);
        FaultyNetwork network(rig.url());
        if (whileConnecting)
            network.stall();
        Notices notices;
        Contender witness(rig);
        LossHandler handler = notices.handler();
        handler.lost = [&](LossReason) {
            bool lasts = false;
            witness.within([&lasts](Contender& self) {
                std::ignore = runSql(*self.connection,
                    u"SELECT expires_at > clock_timestamp() FROM lockscope.lock_entry"_s, {},
                    [&lasts](const db::Row& row) { lasts = row.boolean(0); });
            });
            notices.note(lasts ? u"lost in time"_s : u"lost too late"_s);
        };
        Contender holder(rig, LeaseKeeper::create(db::Server::at(network.url(), rig.passwords())));
        QVERIFY(holder.acquire(wantFor(rig, 12s), handler).isGranted());
        if (!whileConnecting) {
            QVERIFY(waitUntil([&] { return network.connections() == 1; }));
            network.stall();
        }
        QVERIFY(waitUntil([&] { return notices.notesSeen().size() == 2; }));
        COMPARE_TEXTS(notices.notesSeen(), "at risk", "lost in time");
        holder.within([](Contender& self) { QVERIFY(!self.grants.back().isHeld()); });
    }

    void aHolderIsToldThatAllIsWellAgain()
    {
        const LockRig rig(table);
        FaultyNetwork network(rig.url());
        Notices notices;
        Contender holder(rig, LeaseKeeper::create(db::Server::at(network.url(), rig.passwords())));
        network.stall();
        QVERIFY(holder.acquire(wantFor(rig, 30s), notices.handler()).isGranted());
        QVERIFY(waitUntil([&] { return !notices.notesSeen().isEmpty(); }));
        network.mend();
        QVERIFY(waitUntil([&] { return notices.notesSeen().size() == 2; }));
        COMPARE_TEXTS(notices.notesSeen(), "at risk", "renewed");
        holder.within([](Contender& self) { QVERIFY(self.grants.back().isHeld()); });
    }

    void anEntryIsGivenBackAfterACut()
    {
        const LockRig rig(table);
        FaultyNetwork network(rig.url());
        Contender holder(rig, LeaseKeeper::create(rig.server()), network.url());
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        network.cut();
        VERIFY_DONE(holder.release());
        QCOMPARE(entries(rig), 0);
    }

    void anEntryIsGivenBackOnceTheServerCanBeReachedAgain()
    {
        const LockRig rig(table);
        FaultyNetwork network(rig.url());
        Contender holder(
            rig, LeaseKeeper::create(db::Server::at(network.url(), rig.passwords())), network.url());
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        network.cut();
        auto released = std::async(std::launch::async, [&holder] { return holder.release(); });
        QVERIFY(released.wait_for(1s) == std::future_status::timeout); // it tries
        network.mend();
        QVERIFY(soon(std::move(released)));
        QCOMPARE(entries(rig), 0);
    }

    void anEntryIsGivenBackWhileTheHoldersConnectionIsStuck()
    {
        const LockRig rig(table);
        FaultyNetwork network(rig.url());
        Contender holder(rig, LeaseKeeper::create(rig.server()), network.url());
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        network.stall();
        auto released = std::async(std::launch::async, [&holder] { return holder.release(); });
        QVERIFY(waitUntil([&] { return entries(rig) == 0; }));
        network.cut();
        QVERIFY(soon(std::move(released)));
    }

    void nobodyElsesEntryIsDeletedForIt()
    {
        const LockRig rig(table);
        FaultyNetwork network(rig.url());
        Contender holder(rig, LeaseKeeper::create(rig.server()), network.url());
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        rig.run(u"UPDATE lockscope.lock_entry SET token = 'somebody else'"_s);
        network.cut();
        VERIFY_FAILS(ErrorKind::Changed, holder.release());
        QCOMPARE(entries(rig), 1);
    }

    void whatCannotBeGivenBackIsSaid()
    {
        const LockRig rig(table);
        FaultyNetwork network(rig.url());
        Contender holder(
            rig, LeaseKeeper::create(db::Server::at(network.url(), rig.passwords())), network.url());
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        network.cut();
        std::stop_source impatient;
        impatient.request_stop();
        holder.within([&](Contender& self) {
            const QString expires = self.grants.back().expiresAt()->toIsoString();
            const auto released = self.grants.back().release(impatient.get_token());
            QVERIFY(!released);
            const QString text = released.error().toString();
            VERIFY_CONTAINS(text, u"stays in the lock table until "_s + expires);
            VERIFY_LACKS(text, u"with it the locks"_s);
        });
        QCOMPARE(entries(rig), 1);
        // The keeper goes on, although nobody waits for it.
        network.mend();
        QVERIFY(waitUntil([&] { return entries(rig) == 0; }));
    }

    void aSessionThatGetsNoAnswerIsReported_data()
    {
        addRows<LockVariant>("variant",
            {{"PostgreSQL", LockVariant{Engine::Postgres, LockKind::Application}},
                {"PostgreSQL, transaction",
                    LockVariant{Engine::Postgres, LockKind::Application, LockOwner::Transaction}},
                {"SQL Server", LockVariant{Engine::SqlServer, LockKind::Application}}});
    }
    void aSessionThatGetsNoAnswerIsReported()
    {
        QFETCH(LockVariant, variant);
        SKIP_FOR(LockRig::reasonAgainst(variant));
        const LockRig rig(variant);
        FaultyNetwork network(rig.url());
        Notices notices;
        Contender holder(rig, LeaseKeeper::create(rig.server()), network.url());
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s), notices.handler()).isGranted());
        std::stop_source stop;
        const auto beat = [&] {
            bool answered = false;
            holder.within(
                [&](Contender& self) { answered = bool(self.grants.back().beat(stop.get_token())); });
            return answered;
        };
        QVERIFY(beat());
        network.stall();
        auto stuck = std::async(std::launch::async, beat);
        QVERIFY(waitUntil([&] { return !notices.notesSeen().isEmpty(); }));
        COMPARE_TEXTS(notices.notesSeen(), "lost");
        network.cut();
        stop.request_stop();
        QVERIFY(!soon(std::move(stuck)));
    }

    void aKeeperThatSeesNothingIsNoLoss()
    {
        const LockRig rig({Engine::Postgres, LockKind::Application});
        FaultyNetwork network(rig.url());
        Notices notices;
        Contender holder(rig, LeaseKeeper::create(db::Server::at(network.url(), rig.passwords())));
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s), notices.handler()).isGranted());
        QVERIFY(waitUntil([&] { return network.connections() == 1; }));
        network.stall();
        const auto until = LeaseClock::now() + beatLimit + 2s;
        QVERIFY(waitUntil([&] {
            bool answered = false;
            holder.within([&](Contender& self) { answered = bool(self.grants.back().beat()); });
            return !answered || LeaseClock::now() > until;
        }));
        QCOMPARE(notices.notesSeen(), QStringList());
        QVERIFY(holder.release());
    }
};

LOCKSCOPE_TEST_AT_ONCE(LeaseWatchTest)

} // namespace tst_LeaseWatch
#include "tst_LeaseWatch.moc"
