// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Whether what was seen and what was recorded are one deadlock.

#include "core/deadlock/SameDeadlock.h"
#include "tests/support/DeadlockReports.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TestProgram.h"

#include <QTest>

#include <algorithm>

namespace tst_SameDeadlock {

using namespace lockscope;
using namespace lockscope::deadlock;
using namespace Qt::StringLiterals;
using test::oneDeadlock;
using test::SnapshotBuilder;

class tst_SameDeadlock : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void seenAndRecordedAreOne();
    void aRingThatTwoLooksSawIsOne();
};

void tst_SameDeadlock::seenAndRecordedAreOne()
{
    const Report recorded = *oneDeadlock(u"postgres-stderr.log"_s);
    const auto deadlockOf = [](const Report& report) {
        return Deadlock{std::make_shared<const Report>(report), 0};
    };
    const auto isSame = [&](const Report& one, const Report& other) {
        const bool same = isSameDeadlock(deadlockOf(one), deadlockOf(other));
        return isSameDeadlock(deadlockOf(other), deadlockOf(one)) == same && same;
    };
    Report seen = recorded;
    seen.kind = ReportKind::Live;
    seen.source.eventKey = u"other"_s;
    const auto seenAgo = [&](milliseconds ago) {
        Report report = seen;
        report.time.at = *recorded.time.at - ago;
        return report;
    };
    using namespace std::chrono_literals;
    QVERIFY(isSame(seenAgo(1s), recorded));
    QVERIFY(isSame(seenAgo(30s), recorded)); // where deadlock_timeout is longer than usual
    QVERIFY(!isSame(seenAgo(5min), recorded));
    QVERIFY(isSame(seenAgo(-1s), recorded)); // a log that tells full seconds
    QVERIFY(!isSame(seenAgo(-5s), recorded)); // the record can't come before what it tells of
    Report others = seenAgo(1s);
    others.participants[1].session = SessionId{99};
    QVERIFY(!isSame(others, recorded));
    Report untold = seenAgo(1s);
    untold.participants[1].session = {};
    QVERIFY(!isSame(untold, recorded));
    Report next = seenAgo(1s); // the same sessions in their next transactions
    for (LockedThing& thing : next.resources)
        thing.name = u"transaction 9 (session 63)"_s;
    QVERIFY(!isSame(next, recorded));
    Report otherZone = recorded;
    otherZone.time.isZoneKnown = false;
    otherZone.time.at = *recorded.time.at + microseconds(qint64(3'600'000'000));
    QVERIFY(isSame(seenAgo(1s), otherZone));
    Report timeless = recorded;
    timeless.time.at.reset();
    QVERIFY(!isSame(seenAgo(1s), timeless));
    Report blocked = recorded;
    blocked.kind = ReportKind::Blocked;
    QVERIFY(!isSame(seenAgo(1s), blocked));
    Report elsewhere = recorded;
    elsewhere.engine = Engine::SqlServer;
    QVERIFY(!isSame(seenAgo(1s), elsewhere));
    Report again = recorded;
    again.source.eventKey = u"another event"_s;
    QVERIFY(isSame(recorded, recorded) && !isSame(recorded, again));
}

/// Another ring beside it makes another report of the next look.
void tst_SameDeadlock::aRingThatTwoLooksSawIsOne()
{
    const auto look = [](int second, int transaction, bool hasOther) {
        SnapshotBuilder s(second);
        for (const int session : {51, 63})
            s.session(session, "billing").transaction(second - transaction);
        s.holds(51, "public.orders", "AccessExclusiveLock", 1);
        s.waits(51, "public.items", "AccessShareLock", 1);
        s.holds(63, "public.items", "AccessExclusiveLock", 1);
        s.waits(63, "public.orders", "AccessShareLock", 1);
        if (hasOther) {
            s.session(70, "import");
            s.session(71, "import");
            s.holds(70, "public.a", "AccessExclusiveLock", 1);
            s.waits(70, "public.b", "AccessShareLock", 1);
            s.holds(71, "public.b", "AccessExclusiveLock", 1);
            s.waits(71, "public.a", "AccessShareLock", 1);
        }
        return deadlocksOf(fromSnapshot(*s.take()));
    };
    const auto countSame = [](const Deadlock& ring, const QList<Deadlock>& all) {
        return std::count_if(
            all.cbegin(), all.cend(), [&ring](const Deadlock& each) { return isSameDeadlock(ring, each); });
    };
    const Deadlock ring = look(10, 5, false).first();
    const QList<Deadlock> both = look(12, 5, true);
    QCOMPARE(both.size(), 2);
    QVERIFY(both[0].report->source.eventKey != ring.report->source.eventKey);
    QCOMPARE(countSame(ring, both), 1);
    QCOMPARE(countSame(ring, look(12, 11, true)), 0); // in their next transactions
    QVERIFY(!isSameDeadlock(both[0], both[1]));
}

LOCKSCOPE_TEST(tst_SameDeadlock)

} // namespace tst_SameDeadlock
#include "tst_SameDeadlock.moc"
