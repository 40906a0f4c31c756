// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/SnapshotComparison.h"
#include "tests/support/GraphText.h"
#include "tests/support/TestProgram.h"

namespace tst_SnapshotDiff {

using namespace lockscope;
using test::snapshotFromText;

class tst_SnapshotDiff : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sameSnapshotsDoNotDiffer()
    {
        const Snapshot one = snapshotFromText(u"a: 51 Exclusive, 63 ?Share@990; b: 63 Exclusive"_s);
        const SnapshotDiff diff = diffSnapshots(one, one);
        QVERIFY(diff.isEmpty());
        QCOMPARE(diff.requests.kept.size(), size_t(3));
        QCOMPARE(diff.sessions.kept.size(), size_t(2));
    }

    void renumberedResourcesAreNoChange()
    {
        const SnapshotDiff diff = diffSnapshots(snapshotFromText(u"a: 51 Exclusive; b: 63 Exclusive"_s),
            snapshotFromText(u"b: 63 Exclusive; a: 51 Exclusive"_s));
        QVERIFY(diff.requests.isEmpty());
        QCOMPARE(diff.requests.kept, (std::vector<std::pair<quint32, quint32>>{{0, 1}, {1, 0}}));
    }

    void aWaiterThatBecomesTheHolderIsAChangeOfOneRow()
    {
        const SnapshotDiff diff = diffSnapshots(snapshotFromText(u"a: 51 Exclusive, 63 ?Exclusive@990"_s),
            snapshotFromText(u"a: 63 Exclusive@999"_s));
        QCOMPARE(diff.requests.removed, (std::vector<quint32>{0}));
        QCOMPARE(diff.requests.changed, (std::vector<std::pair<quint32, quint32>>{{1, 0}}));
        QVERIFY(diff.requests.inserted.empty());
    }

    void aNewNameOfAResourceChangesItsRows()
    {
        const Snapshot before = snapshotFromText(u"a: 51 Exclusive; b: 63 Exclusive"_s);
        Snapshot after = before;
        after.resources[1].name = u"public.orders"_s;
        const SnapshotDiff diff = diffSnapshots(before, after);
        QCOMPARE(diff.requests.kept.size(), size_t(1));
        QCOMPARE(diff.requests.changed, (std::vector<std::pair<quint32, quint32>>{{1, 1}}));
        std::swap(after.resources[0], after.resources[1]);
        after.requests[0].resource = 1;
        after.requests[1].resource = 0;
        QCOMPARE(diffSnapshots(before, after).requests.changed.size(), size_t(1));
    }

    void aNewResourceIsNotMistakenForAnOldOne()
    {
        const SnapshotDiff diff = diffSnapshots(snapshotFromText(u"a: 51 Exclusive; b: 51 Exclusive"_s),
            snapshotFromText(u"c: 51 Exclusive; d: 51 Exclusive; a: 51 Exclusive"_s));
        QCOMPARE(diff.requests.removed, (std::vector<quint32>{1}));
        QCOMPARE(diff.requests.inserted, (std::vector<quint32>{0, 1}));
        QCOMPARE(diff.requests.kept, (std::vector<std::pair<quint32, quint32>>{{0, 2}}));
    }

    void reusedSessionIdsAreNewSessions()
    {
        const Snapshot before = snapshotFromText(u"a: 51 Exclusive"_s);
        Snapshot after = before;
        after.sessions[0].started = {77};
        after.requests[0].sessionStarted = {77};
        const SnapshotDiff diff = diffSnapshots(before, after);
        QCOMPARE(diff.sessions.removed.size(), size_t(1));
        QCOMPARE(diff.sessions.inserted.size(), size_t(1));
        QCOMPARE(diff.requests.removed.size(), size_t(1));
        QCOMPARE(diff.requests.inserted.size(), size_t(1));
    }

    void aPurgedAndReacquiredNameIsAChange()
    {
        Snapshot before;
        LockTableEntry entry;
        entry.table = u"lockscope.lock_entry"_s;
        entry.name = u"nightly"_s;
        entry.token = u"t1"_s;
        before.entries.push_back(entry);
        Snapshot after = before;
        after.entries[0].token = u"t2"_s;
        QCOMPARE(diffSnapshots(before, after).entries.changed.size(), size_t(1));
        after.entries[0].name = u"Nightly"_s;
        QCOMPARE(diffSnapshots(before, after).entries.inserted.size(), size_t(1));
    }

    void waitersInTheTableAreTheirTickets()
    {
        Snapshot before;
        LockTableWaiter waiter;
        waiter.name = u"nightly"_s;
        waiter.ticket = 7;
        before.entryWaiters.push_back(waiter);
        Snapshot after = before;
        after.entryWaiters[0].expiresAt = {5};
        QCOMPARE(diffSnapshots(before, after).entryWaiters.changed.size(), size_t(1));
        after.entryWaiters[0].ticket = 8;
        QCOMPARE(diffSnapshots(before, after).entryWaiters.removed.size(), size_t(1));
    }

    void lookUps()
    {
        const Snapshot snapshot = snapshotFromText(u"a: 51 Exclusive, 63 ?Share@990"_s);
        QVERIFY(snapshot.session({63}));
        QCOMPARE(snapshot.session({63})->id, SessionId{63});
        QVERIFY(!snapshot.session({64}));
        QVERIFY(!snapshot.ageOf(snapshot.requests[0]));
        QCOMPARE(snapshot.ageOf(snapshot.requests[1]), (Age{milliseconds(10'000), true}));
        QCOMPARE(snapshot.keyOf(snapshot.requests[1]).resource.text, u"a"_s);
        QVERIFY(!(snapshot.keyOf(snapshot.requests[0]) == snapshot.keyOf(snapshot.requests[1])));
    }
};

LOCKSCOPE_TEST(tst_SnapshotDiff)

} // namespace tst_SnapshotDiff
#include "tst_SnapshotDiff.moc"
