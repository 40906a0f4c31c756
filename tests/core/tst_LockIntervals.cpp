// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/LockIntervals.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TestProgram.h"

namespace tst_LockIntervals {

using namespace lockscope;
using namespace lockscope::record;
using test::SnapshotBuilder;

/// Numbers everything 1.
class OneNumber final : public IntervalNumbers {
public:
    qint64 numberOf(const Resource&) override { return 1; }
    qint64 numberOfLockTableName(const QString&, const QString&) override { return 1; }
    qint64 numberOf(const LockOwnerInfo&, ServerTime) override { return 1; }
    qint64 numberOfFamily(const QString&) override { return 1; }
};

constexpr auto at = &SnapshotBuilder::at;

/// Locks that are not part of every poll.
class tst_LockIntervals : public QObject {
    Q_OBJECT

    OneNumber m_numbers;
    FrameworkMatchPtr m_liquibase =
        std::make_shared<const FrameworkMatch>(FrameworkMatch{.framework = u"liquibase"_s,
            .lock = u"changelog"_s,
            .frameworkName = u"Liquibase"_s,
            .name = u"changelog"_s,
            .evidence = {}});

    /// `taken`: when the framework's lock was taken; nothing: it is free.
    Snapshot snapshotAt(int second, std::optional<int> taken, bool reads)
    {
        SnapshotBuilder s(second);
        if (taken && reads)
            s.entry("changelog", "ann")
                .lease(100'000, second - *taken)
                .of(m_liquibase, "public.databasechangeloglock", "app01");
        s.made().frameworkRows = reads;
        return *s.take();
    }

    struct SeenChanges {
        std::vector<LockInterval> begun;
        std::vector<LockInterval> ended;
    };
    SeenChanges tell(const std::vector<Snapshot>& snapshots)
    {
        LockIntervals intervals;
        SeenChanges seenChanges;
        const Snapshot nothing;
        const Snapshot* before = &nothing;
        for (const Snapshot& now : snapshots) {
            const auto changes = intervals.advance(now, originsOf(*before, now), m_numbers);
            seenChanges.begun.insert(seenChanges.begun.end(), changes.begun.begin(), changes.begun.end());
            seenChanges.ended.insert(seenChanges.ended.end(), changes.ended.begin(), changes.ended.end());
            before = &now;
        }
        const auto left = intervals.end();
        seenChanges.ended.insert(seenChanges.ended.end(), left.begin(), left.end());
        return seenChanges;
    }

private Q_SLOTS:
    /// A page that shows it was closed and opened again: it was held all the time.
    void whatIsNotAskedForIsNotGone()
    {
        const SeenChanges seenChanges =
            tell({snapshotAt(10, 3, true), snapshotAt(11, 3, true), snapshotAt(12, 3, false),
                snapshotAt(13, 3, false), snapshotAt(14, 3, true), snapshotAt(15, 3, true)});
        QCOMPARE(seenChanges.ended.size(), 2u);
        QCOMPARE(seenChanges.ended[0].from, at(3));
        QVERIFY(seenChanges.ended[0].fromExact);
        QCOMPARE(seenChanges.ended[0].to, at(11));
        QVERIFY(!seenChanges.ended[0].gone);
        // The rest of it begins where that was seen last: no hole, and nothing counts twice.
        QCOMPARE(seenChanges.ended[1].from, at(11));
        QVERIFY(!seenChanges.ended[1].fromExact);
        QCOMPARE(seenChanges.ended[1].to, at(15));
        QCOMPARE(seenChanges.begun[1].from, at(11));
    }

    void anotherGrantMeanwhileIsAnother()
    {
        const SeenChanges seenChanges =
            tell({snapshotAt(10, 3, true), snapshotAt(12, 3, false), snapshotAt(14, 13, true)});
        QCOMPARE(seenChanges.ended.size(), 2u);
        QVERIFY(!seenChanges.ended[0].gone);
        QCOMPARE(seenChanges.ended[0].to, at(10));
        QCOMPARE(seenChanges.ended[1].from, at(13));
        QVERIFY(seenChanges.ended[1].fromExact);
    }

    /// The server's time of a snapshot is that at which it has read all.
    void whatASlowPollSawLastedUntilItBegan()
    {
        const auto snapshotAt = [](int second, bool waits) {
            SnapshotBuilder s(second);
            s.sessions({{51, "billing"}, {52, "report"}});
            s.holds(51, "public.orders", "AccessExclusiveLock", 1'000);
            if (waits)
                s.waits(52, "public.orders", "AccessShareLock", 0);
            s.made().cost.server = milliseconds(400);
            if (waits)
                s.made().requests.back().since = s.made().takenAt - milliseconds(200);
            return *s.take();
        };
        SeenChanges seenChanges = tell({snapshotAt(10, true), snapshotAt(11, false), snapshotAt(12, true)});
        std::erase_if(seenChanges.ended, [](const LockInterval& each) { return !each.waited; });
        QCOMPARE(seenChanges.ended.size(), 2u);
        // It began while the poll went on: it may have been over at once.
        QCOMPARE(seenChanges.ended[0].from, at(10) - milliseconds(200));
        QCOMPARE(seenChanges.ended[0].to, seenChanges.ended[0].from);
        const SeenChanges longer = tell({snapshotAt(10, true), snapshotAt(10, true), snapshotAt(11, false)});
        QCOMPARE(longer.ended.front().to, at(10) - milliseconds(200));
        // A hold that goes on is one, although polls saw it before they ended.
        const SeenChanges held = tell({snapshotAt(10, false), snapshotAt(11, false), snapshotAt(12, false)});
        QCOMPARE(held.ended.size(), 1u);
        QCOMPARE(held.ended[0].to, at(12) - milliseconds(400));
        QCOMPARE(held.ended[0].sightings, (Sightings{3, 3}));
    }

    void aWaitThatBeganBeforeThePollEndedIsAnother()
    {
        const auto snapshotAt = [](int second, int sinceMs) {
            SnapshotBuilder s(second);
            s.sessions({{51, "billing"}, {52, "report"}});
            s.holds(51, "public.orders", "AccessExclusiveLock", 1'000);
            s.waits(52, "public.orders", "AccessShareLock", 0);
            s.made().requests.back().since = at(10) - milliseconds(sinceMs);
            return *s.take();
        };
        SeenChanges seenChanges = tell({snapshotAt(10, 200), snapshotAt(11, 100), snapshotAt(12, 100)});
        std::erase_if(seenChanges.ended, [](const LockInterval& each) { return !each.waited; });
        QCOMPARE(seenChanges.ended.size(), 2u);
        QCOMPARE(seenChanges.ended[0].to, at(10));
        QCOMPARE(seenChanges.ended[1].from, at(10) - milliseconds(100));
        QCOMPARE(seenChanges.ended[1].to, at(12));
    }

    void whatIsAskedForAndNotThereIsGone()
    {
        const SeenChanges seenChanges = tell({snapshotAt(10, 3, true), snapshotAt(11, {}, true)});
        QCOMPARE(seenChanges.ended.size(), 1u);
        QCOMPARE(*seenChanges.ended[0].gone, at(11));
    }

    /// A transaction's lock on itself is shown only while a session waits for it: the transaction may go on
    /// after the waiter has given up.
    void whatIsShownOnlyWhileAwaitedIsNotGone()
    {
        const auto snapshotAt = [](int second, bool waits, int transactionSince) {
            SnapshotBuilder s(second);
            s.session(51, "billing").idleInTransaction(second - transactionSince);
            s.session(52, "report");
            if (waits) {
                s.holds(51, "transaction 4711", "ExclusiveLock", second, false, ResourceKind::TransactionId);
                s.waits(52, "transaction 4711", "ShareLock", 1, ResourceKind::TransactionId);
            }
            return *s.take();
        };
        const auto goneOfHold = [this](const std::vector<Snapshot>& snapshots) {
            std::optional<ServerTime> gone;
            for (const LockInterval& each : tell(snapshots).ended) {
                if (!each.waited)
                    gone = each.gone;
            }
            return gone;
        };
        QVERIFY(!goneOfHold({snapshotAt(10, true, 3), snapshotAt(11, false, 3)}));
        // Another transaction has begun, so that one is over.
        QCOMPARE(*goneOfHold({snapshotAt(10, true, 3), snapshotAt(13, false, 12)}), at(13));
    }

    /// A pooled session locks the same table in one short transaction after the other.
    void aHoldEndsWithItsTransaction()
    {
        const auto snapshotAt = [](int second, int transactionSince, LockOwner owner, quint64 number = 0) {
            SnapshotBuilder s(second);
            s.session(51, "billing").idleInTransaction(second - transactionSince);
            s.holds(51, "public.orders", "RowExclusiveLock", second - transactionSince);
            s.made().requests.front().owner = owner;
            s.made().number = number;
            return *s.take();
        };
        const auto ofTransaction = [&](int second, int since, quint64 number = 0) {
            return snapshotAt(second, since, LockOwner::Transaction, number);
        };
        const SeenChanges separate =
            tell({ofTransaction(10, 10), ofTransaction(12, 11), ofTransaction(14, 13)});
        QCOMPARE(separate.ended.size(), 3u);
        QCOMPARE(separate.ended[0].to, at(10));
        QCOMPARE(*separate.ended[0].gone, at(12));
        QCOMPARE(separate.ended[1].from, at(11));
        QCOMPARE(separate.ended[1].to, at(12));

        QCOMPARE(tell({ofTransaction(10, 3), ofTransaction(12, 3), ofTransaction(14, 3)}).ended.size(), 1u);
        // Locks of the session go on, and so do those that another source has only seen since now.
        QCOMPARE(
            tell({snapshotAt(10, 3, LockOwner::Other), snapshotAt(12, 11, LockOwner::Other)}).ended.size(),
            1u);
        QCOMPARE(tell({ofTransaction(10, 3, 7), ofTransaction(12, 11, 1)}).ended.size(), 1u);
    }

    /// Another source may read less: no internal locks, fewer rows.
    void anotherSourceDoesNotTellThatItIsGone()
    {
        const auto numbered = [](int second, quint64 number, bool holds) {
            SnapshotBuilder s(second);
            s.session(51, "billing");
            if (holds)
                s.holds(51, "transaction 4711", "ExclusiveLock", second, true);
            s.made().number = number;
            return *s.take();
        };
        const SeenChanges same = tell({numbered(1, 7, true), numbered(2, 8, true), numbered(3, 9, false)});
        QCOMPARE(same.ended.size(), 1u);
        QCOMPARE(*same.ended[0].gone, at(3));
        const SeenChanges other = tell({numbered(1, 7, true), numbered(2, 8, true), numbered(3, 1, false)});
        QCOMPARE(other.ended.size(), 1u);
        QVERIFY(!other.ended[0].gone);
        QCOMPARE(other.ended[0].to, at(2));
    }
};

LOCKSCOPE_TEST(tst_LockIntervals)

} // namespace tst_LockIntervals
#include "tst_LockIntervals.moc"
