// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A window's lock: every call returns at once, every change is a signal on the window's thread.

#include "core/locks/LeaseKeeper.h"
#include "core/locks/LockHolder.h"
#include "tests/support/FaultyNetwork.h"
#include "tests/support/LockRig.h"
#include "tests/support/TestProgram.h"

namespace tst_HeldLock {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;

static HeldLock::Options optionsFor(const LockRig& rig, milliseconds wait = milliseconds(0))
{
    HeldLock::Options options;
    options.server = rig.server();
    options.lock = {.name = u"n"_s, .kind = rig.variant().kind, .owner = rig.variant().owner, .wait = wait};
    return options;
}

class HeldLockTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isGrantedHeldAndReleased_data() { addVariants(); }
    void isGrantedHeldAndReleased()
    {
        const LockRig rig = fetchedRig();
        Contender other(rig);
        HeldLock lock(optionsFor(rig));
        const QSignalSpy granted(&lock, &HeldLock::granted);
        const QSignalSpy released(&lock, &HeldLock::released);
        lock.start();
        QTRY_COMPARE(granted.count(), 1);
        QCOMPARE(lock.state(), HeldLock::State::Held);
        QCOMPARE(lock.fencing() > 0, rig.variant().isTable());
        QCOMPARE(other.acquire(rig.requestFor(u"n"_s)).outcome, Outcome::Denied);
        lock.release();
        QTRY_COMPARE(released.count(), 1);
        QCOMPARE(lock.state(), HeldLock::State::Ended);
        QVERIFY(other.acquire(rig.requestFor(u"n"_s)).isGranted());
    }

    void saysThatItWaitsAndIsGrantedInTurn()
    {
        const LockRig rig({Engine::Postgres, LockKind::Table});
        Contender other(rig);
        QVERIFY(other.acquire(rig.requestFor(u"n"_s)).isGranted());
        HeldLock lock(optionsFor(rig, milliseconds(-1)));
        const QSignalSpy waiting(&lock, &HeldLock::waiting);
        const QSignalSpy granted(&lock, &HeldLock::granted);
        lock.start();
        QTRY_COMPARE(waiting.count(), 1);
        QTRY_COMPARE(rig.waiters(u"n"_s), 1);
        QVERIFY(other.release());
        QTRY_COMPARE(granted.count(), 1);
    }

    void deniedAndCancelled()
    {
        const LockRig rig({Engine::Postgres, LockKind::Application});
        Contender other(rig);
        QVERIFY(other.acquire(rig.requestFor(u"n"_s)).isGranted());
        HeldLock impatient(optionsFor(rig));
        std::optional<Outcome> outcome;
        connect(
            &impatient, &HeldLock::denied, this, [&outcome](Outcome newOutcome) { outcome = newOutcome; });
        impatient.start();
        QTRY_COMPARE(outcome, std::optional(Outcome::Denied));

        HeldLock patient(optionsFor(rig, milliseconds(-1)));
        std::optional<Outcome> patientOutcome;
        connect(&patient, &HeldLock::denied, this,
            [&patientOutcome](Outcome newOutcome) { patientOutcome = newOutcome; });
        patient.start();
        QTRY_COMPARE(rig.waiters(u"n"_s), 1);
        patient.cancel();
        QTRY_COMPARE(patientOutcome, std::optional(Outcome::Cancelled));
        QTRY_COMPARE(rig.waiters(u"n"_s), 0);
    }

    void lossIsReported()
    {
        const LockRig rig({Engine::Postgres, LockKind::Table});
        HeldLock lock(optionsFor(rig));
        const QSignalSpy granted(&lock, &HeldLock::granted);
        std::optional<LossReason> reason;
        connect(&lock, &HeldLock::lost, this, [&reason](LossReason newReason) { reason = newReason; });
        lock.start();
        QTRY_COMPARE(granted.count(), 1);
        rig.run(u"DELETE FROM lockscope.lock_entry"_s);
        QTRY_COMPARE(reason, std::optional(LossReason::RowGone));
        QCOMPARE(lock.state(), HeldLock::State::Ended);
    }

    void failureIsReported()
    {
        const LockRig rig({Engine::Postgres, LockKind::Table});
        HeldLock::Options options = optionsFor(rig);
        options.server.profile.url.database = u"no_such_database"_s;
        HeldLock lock(std::move(options));
        QString text;
        connect(&lock, &HeldLock::failed, this, [&text](const Error& error) { text = error.toString(); });
        lock.start();
        QTRY_VERIFY(!text.isEmpty());
        VERIFY_CONTAINS(text, u"no_such_database");
    }

    void isReleasedAfterACut()
    {
        const LockRig rig({Engine::Postgres, LockKind::Table});
        FaultyNetwork network(rig.url());
        HeldLock::Options options = optionsFor(rig);
        options.server.profile.url = network.url();
        options.keeper = LeaseKeeper::create(rig.server());
        HeldLock lock(std::move(options));
        const QSignalSpy granted(&lock, &HeldLock::granted);
        const QSignalSpy released(&lock, &HeldLock::released);
        lock.start();
        QTRY_COMPARE(granted.count(), 1);
        network.cut();
        lock.release();
        QTRY_COMPARE(released.count(), 1);
        QCOMPARE(rig.number(u"SELECT count(*) FROM lockscope.lock_entry"_s), 0);
    }

    void stallIsReported_data()
    {
        addColumns<LockVariant, int>("variant", "warnings");
        row("lock table", LockVariant{Engine::Postgres, LockKind::Table}, 1);
        row("application lock", LockVariant{Engine::Postgres, LockKind::Application}, 0);
    }
    void stallIsReported()
    {
        FETCH(LockVariant, variant, int, warnings);
        const LockRig rig(variant);
        FaultyNetwork network(rig.url());
        HeldLock::Options options = optionsFor(rig);
        options.server.profile.url = network.url();
        options.lock.lease = milliseconds(6'000);
        HeldLock lock(std::move(options));
        const QSignalSpy granted(&lock, &HeldLock::granted);
        const QSignalSpy atRisk(&lock, &HeldLock::atRisk);
        const QSignalSpy lost(&lock, &HeldLock::lost);
        lock.start();
        QTRY_COMPARE(granted.count(), 1);
        network.stall();
        TRY_COMPARE(lost.count(), 1);
        QCOMPARE(atRisk.count(), warnings);
        QCOMPARE(lock.state(), HeldLock::State::Ended);
    }

    void destroyedLockIsReleasedInTheBackground()
    {
        const LockRig rig({Engine::Postgres, LockKind::Table});
        {
            HeldLock lock(optionsFor(rig));
            const QSignalSpy granted(&lock, &HeldLock::granted);
            lock.start();
            QTRY_COMPARE(granted.count(), 1);
        }
        QTRY_COMPARE(rig.number(u"SELECT count(*) FROM lockscope.lock_entry"_s), 0);
    }
};

LOCKSCOPE_TEST(HeldLockTest)

} // namespace tst_HeldLock
#include "tst_HeldLock.moc"
