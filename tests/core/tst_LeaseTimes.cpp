// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/WatchedGrant.h"
#include "tests/support/TestProgram.h"

namespace tst_LeaseTimes {

using namespace lockscope;
using namespace lockscope::locks;

class tst_LeaseTimes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lossIsReportedBeforeTheLeaseEnds_data()
    {
        test::addColumns<milliseconds, milliseconds>("lease", "margin");
        test::row("the shortest of lockctl", milliseconds(1s), 100ms);
        test::row("a tenth", milliseconds(10s), milliseconds(1s));
        test::row("at most 2 s", milliseconds(600s), milliseconds(2s));
        test::row("clocks that don't go alike", milliseconds(24h), milliseconds(172'800));
    }
    void lossIsReportedBeforeTheLeaseEnds()
    {
        FETCH(milliseconds, lease, milliseconds, margin);
        const LeaseTimes times = LeaseTimes::of(lease);
        QCOMPARE(times.renewal.count(), LeaseClock::duration(lease).count() / 3);
        QCOMPARE(times.risk.count(), LeaseClock::duration(lease).count() * 2 / 3);
        QCOMPARE(times.loss.count(), LeaseClock::duration(lease - margin).count());
        QCOMPARE(times.stop.count(), 0);
    }

    void whoNeedsTimeToStopLosesItEarlier()
    {
        const LeaseTimes times = LeaseTimes::of(600s, 5s);
        QVERIFY(times.stop == 5s);
        QVERIFY(times.loss == 593s);
        // It is never before the warning.
        const LeaseTimes scarce = LeaseTimes::of(3s, 5s);
        QVERIFY(scarce.loss == scarce.risk);
        QVERIFY(scarce.loss + scarce.stop == 2700ms);
    }

    void theClockGoesOn()
    {
        const auto before = LeaseClock::now();
        QTRY_VERIFY(LeaseClock::now() > before);
    }
};

LOCKSCOPE_TEST(tst_LeaseTimes)

} // namespace tst_LeaseTimes
#include "tst_LeaseTimes.moc"
