// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RangeReport.h"
#include "tests/support/RecordedPolls.h"
#include "tests/support/TestProgram.h"

namespace tst_RangeReport {

using namespace lockscope;
using namespace lockscope::record;
using namespace lockscope::test;
using Gap = Coverage::Gap;
using Reason = Coverage::Reason;

constexpr auto at = &SnapshotBuilder::at;

/// The lock, program or user of that name; fails the test by its empty figures if there is none.
template <class Row> static Row named(const QList<Row>& rows, const QString& name)
{
    for (const Row& row : rows) {
        if constexpr (requires { row.lock; }) {
            if (row.lock.name == name)
                return row;
        } else if (row.name == name) {
            return row;
        }
    }
    return {};
}

static RangeReport ofWaits(qint64 count, microseconds seen, const QString& lock = u"public.orders"_s)
{
    RangeReport report;
    report.from = at(0);
    report.to = at(0) + seen;
    report.coverage.length = report.coverage.recorded = seen;
    report.coverage.polls = 100;
    report.coverage.usualPause = 1s;
    report.waits.count = count;
    report.waits.total = count * 1s;
    if (count > 0)
        report.locks.append({{u"table"_s, u"shop"_s, u"1:2:0"_s, lock}, report.waits, 1});
    return report;
}

/// Makes the report of so many polls, one a second, until the last of them or until `to`.
static RangeReport reportOf(int polls, const std::function<void(SnapshotBuilder&, int)>& fill, int to = 0)
{
    RecordedPolls recording;
    recording.addPolls(0, polls, fill);
    return test::orDie(rangeReport(recording.reader(), at(0), at(to > 0 ? to : polls - 1)));
}

static RangeReport reportOfMinute(int from, int to)
{
    RecordedMinute recording;
    return test::orDie(rangeReport(recording.reader(), at(from), at(to)));
}

class tst_RangeReport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatWasWaitedFor()
    {
        const RangeReport report = reportOfMinute(0, 59);
        QCOMPARE(report.waits.count, 3);
        QCOMPARE(report.waits.total, 14s); // 5 + 8 + 1
        QCOMPARE(report.locks.size(), 2);
        const RangeLock& orders = report.locks.front();
        QCOMPARE(orders.lock.name, u"public.orders"_s);
        QCOMPARE(orders.waiters, 2);
        QCOMPARE(orders.waits.count, 2);
        QCOMPARE(orders.waits.total, 13s);
        QCOMPARE(orders.waits.p50, 5s);
        QCOMPARE(orders.waits.p90, 8s);
        QCOMPARE(orders.waits.cut, 0);
        QCOMPARE(orders.waits.open, 0);
        QCOMPARE(orders.waits.worst.length(), 8s);
        QCOMPARE(orders.waits.worst.party.title(), u"70 web"_s);
        QCOMPARE(orders.waits.worst.from, at(6));
        QCOMPARE(orders.waits.worst.to, at(14)); // there one can look at it
        QCOMPARE(named(report.locks, u"public.items"_s).waits.total, 1s);
        QCOMPARE(report.coverage.polls, 60);
        QCOMPARE(report.coverage.recorded, 59s);
        QCOMPARE(report.coverage.usualPause, 1s);
        QVERIFY(report.coverage.gaps.isEmpty());
        const QString notes = notesOf(report).join(u' ');
        VERIFY_CONTAINS(notes, u"Fully recorded."_s);
        VERIFY_CONTAINS(notes, u"1 s apart: shorter waits may be missing"_s);
    }

    void whoMadeOthersWait()
    {
        const RangeReport report = reportOfMinute(0, 59);
        QCOMPARE(report.holders.size(), 3);
        const RangeHolder& billing = report.holders[0];
        QCOMPARE(billing.party.title(), u"51 billing"_s);
        QCOMPARE(billing.lock.name, u"public.orders"_s);
        QCOMPARE(billing.madeWait, 8s); // 63 from 4 to 9, 70 from 6 to 9
        QCOMPARE(billing.blocked, 2);
        QCOMPARE(billing.from, at(0)); // it had it before
        QCOMPARE(billing.to, at(9));
        QCOMPARE(billing.worstAt, at(14));
        QCOMPARE(report.holders[1].party.title(), u"63 report"_s);
        QCOMPARE(report.holders[1].madeWait, 4s); // 70 from 10 to 14
        QCOMPARE(report.holders[2].lock.name, u"public.items"_s);
        QCOMPARE(report.holders[2].madeWait, 1s);
    }

    void byProgramAndUser()
    {
        const RangeReport report = reportOfMinute(0, 59);
        QCOMPARE(report.programs.size(), 3);
        const RangeParty billing = named(report.programs, u"billing"_s);
        QCOMPARE(billing.waits.count, 0);
        QCOMPARE(billing.madeWait, 9s);
        QCOMPARE(billing.blocked, 3);
        QCOMPARE(billing.longestHeld.length(), 9s);
        QCOMPARE(billing.longestHeld.lock.name, u"public.orders"_s);
        const RangeParty reporting = named(report.programs, u"report"_s);
        QCOMPARE(reporting.waits.total, 5s);
        QCOMPARE(reporting.madeWait, 4s);
        const RangeParty web = named(report.programs, u"web"_s);
        QCOMPARE(web.waits.count, 2);
        QCOMPARE(web.waits.total, 9s);
        QCOMPARE(web.blocked, 0);
        QCOMPARE(report.users.size(), 1);
        QCOMPARE(report.users.front().name, u"shop"_s);
        QCOMPARE(report.users.front().waits.count, 3);
        // Each wait counts once, for any blocker: 5, then 3 + 4, then 1.
        QCOMPARE(report.users.front().madeWait, 13s);
        QCOMPARE(report.users.front().blocked, 3);
    }

    void whatReachesBeyondTheRangeIsCut()
    {
        RecordedMinute recording;
        const auto report = test::orDie(rangeReport(recording.reader(), at(7), at(12)));
        QCOMPARE(report.waits.count, 2);
        QCOMPARE(report.waits.total, 7s); // 63: 7 to 9; 70: 7 to 12
        QCOMPARE(report.waits.cut, 2);
        QCOMPARE(report.waits.worst.to, at(12));
        VERIFY_CONTAINS(notesOf(report).join(u' '), u"2 of 2 waits extend beyond the range"_s);
        // A wait that begins at the end of the range is not part of it.
        QCOMPARE(rangeReport(recording.reader(), at(0), at(6))->waits.count, 1);
        QCOMPARE(rangeReport(recording.reader(), at(6), at(6))->waits.count, 2);
        // Before and after them there is nothing.
        QCOMPARE(rangeReport(recording.reader(), at(33), at(59))->waits.count, 0);
        QCOMPARE(rangeReport(recording.reader(), at(0), at(3))->waits.count, 0);
        QCOMPARE(rangeReport(recording.reader(), at(0), at(3))->programs.front().longestHeld.length(), 3s);
    }

    /// A wait that goes on at the last poll is in no row of lock_interval yet.
    void whatStillWaitsIsCounted()
    {
        const RangeReport report = reportOf(
            5,
            [](SnapshotBuilder& s, int i) {
                s.sessions({{51, "billing"}, {63, "report"}});
                s.holds(51, "public.orders", "AccessExclusiveLock", i);
                s.waits(63, "public.orders", "AccessShareLock", i);
            },
            60);
        QCOMPARE(report.waits.count, 1);
        QCOMPARE(report.waits.total, 4s);
        QCOMPARE(report.waits.open, 1);
        QCOMPARE(report.holders.front().madeWait, 4s);
        QCOMPARE(named(report.programs, u"billing"_s).longestHeld.length(), 4s);
        QCOMPARE(report.coverage.recorded, 4s);
        QCOMPARE(report.coverage.gaps, (QList<Gap>{{at(4), at(60), Reason::NotRecorded}}));
    }

    void percentilesAreNearestRank()
    {
        constexpr int waiters = 100; // that wait 1 s, 2 s, … 100 s
        const RangeReport report = reportOf(waiters + 2, [](SnapshotBuilder& s, int i) {
            s.session(1, "billing");
            s.holds(1, "public.orders", "AccessExclusiveLock", i);
            for (int k = 1; k <= waiters; ++k) {
                s.session(100 + k, "web");
                if (i <= k)
                    s.waits(100 + k, "public.orders", "AccessShareLock", i);
            }
        });
        QCOMPARE(report.waits.count, waiters);
        QCOMPARE(report.waits.p50, 50s);
        QCOMPARE(report.waits.p90, 90s);
        QCOMPARE(report.waits.p99, 99s);
        QCOMPARE(report.waits.worst.length(), 100s);
        QCOMPARE(report.locks.front().waiters, waiters);
    }

    void gapsAreNotSeen()
    {
        RecordedPolls recording;
        const auto quiet = [](SnapshotBuilder& s, int) { s.session(51, "billing"); };
        recording.addPolls(0, 11, quiet);
        recording.end();
        recording.addPolls(40, 51, quiet);
        const auto report = test::orDie(rangeReport(recording.reader(), at(-5), at(50)));
        QCOMPARE(report.coverage.length, 55s);
        QCOMPARE(report.coverage.recorded, 20s);
        QCOMPARE(report.coverage.gaps,
            (QList<Gap>{{at(-5), at(0), Reason::NotRecorded}, {at(10), at(40), Reason::Stopped}}));
        QCOMPARE(report.coverage.usualPause, 1s);
        const QString notes = notesOf(report).join(u' ');
        VERIFY_CONTAINS(notes, u"Recorded: 20 s of 55 s (36 %)"_s);
        VERIFY_CONTAINS(notes, u"2 gaps, the longest of 30 s (recording was stopped)"_s);
    }

    /// The server states since when it waits: before the gap and after it is the same wait.
    void aWaitThatASecondStretchSeesAgainIsOne()
    {
        RecordedPolls recording;
        const auto wait = [](SnapshotBuilder& s, int i) {
            s.sessions({{51, "billing"}, {63, "report"}});
            s.holds(51, "public.orders", "AccessExclusiveLock", i, true);
            s.waits(63, "public.orders", "AccessShareLock", i);
        };
        recording.addPolls(1, 11, wait);
        recording.end();
        recording.addPolls(40, 51, wait);
        const auto report = test::orDie(rangeReport(recording.reader(), at(0), at(60)));
        QCOMPARE(report.waits.count, 1);
        QCOMPARE(report.waits.total, 50s);
        QCOMPARE(report.holders.size(), 1);
        QCOMPARE(report.holders.front().blocked, 1);
        QCOMPARE(report.holders.front().madeWait, 50s);
    }

    void nothingIsRecorded()
    {
        const RangeReport report = reportOfMinute(1'000, 2'000);
        QCOMPARE(report.coverage.polls, 0);
        QCOMPARE(report.coverage.recorded, 0s);
        COMPARE_TEXTS(notesOf(report), "Nothing is recorded of this time.");
    }

    /// PostgreSQL: a session that waits for a row waits for the transaction that has changed it.
    void aWaitForATransactionCountsForItsRow()
    {
        const RangeReport report = reportOf(10, [](SnapshotBuilder& s, int i) {
            s.sessions({{51, "billing"}, {63, "report"}, {70, "web"}});
            const char* transaction = "transaction 742 (session 51)";
            s.holds(51, transaction, "ExclusiveLock", i, false, ResourceKind::TransactionId);
            if (i >= 2 && i < 8) {
                s.waits(63, transaction, "ShareLock", i - 2, ResourceKind::TransactionId);
                s.holds(63, "public.orders row (0,4)", "ExclusiveLock", i - 2, false, ResourceKind::Row);
            }
            if (i >= 5 && i < 8) // for a duplicate of a key: no row is named
                s.waits(70, transaction, "ShareLock", i - 5, ResourceKind::TransactionId);
        });
        QCOMPARE(report.locks.size(), 2);
        const RangeLock rows = named(report.locks, u"public.orders rows"_s);
        QCOMPARE(rows.waits.total, 5s);
        QCOMPARE(rows.waits.worst.lock.name, u"public.orders row (0,4)"_s);
        QCOMPARE(named(report.locks, u"transactions"_s).waits.total, 2s);
        QCOMPARE(report.holders.size(), 1);
        QCOMPARE(report.holders.front().party.program, u"billing"_s);
        QCOMPARE(report.holders.front().madeWait, 7s);
    }

    /// Statements that differ by their values are one; a table counts with its rows.
    void byStatementAndTable()
    {
        const RangeReport report = reportOf(10, [](SnapshotBuilder& s, int i) {
            s.session(51, "billing").running("UPDATE orders SET paid = 1 WHERE id = 7");
            s.session(63, "web").running("UPDATE orders SET paid = 2 WHERE id = 8");
            s.session(70, "web").running("SELECT * FROM orders WHERE id = 9 FOR UPDATE");
            s.holds(51, "public.orders", "ExclusiveLock", i);
            s.holds(51, "public.orders row (0,4)", "ExclusiveLock", i, false, ResourceKind::Row);
            if (i >= 2)
                s.waits(63, "public.orders", "RowExclusiveLock", i - 2);
            if (i >= 5)
                s.waits(70, "public.orders row (0,4)", "ExclusiveLock", i - 5, ResourceKind::Row);
        });
        const RangeParty update = named(report.statements, u"UPDATE orders SET paid = ? WHERE id = ?"_s);
        QCOMPARE(update.waits.count, 1);
        QCOMPARE(update.waits.total, 7s);
        QCOMPARE(update.blocked, 2); // 51 ran one of these
        QCOMPARE(update.madeWait, 11s);
        const RangeParty select = named(report.statements, u"SELECT * FROM orders WHERE id = ? FOR UPDATE"_s);
        QCOMPARE(select.waits.total, 4s);
        QCOMPARE(select.blocked, 0);
        QCOMPARE(report.statements.size(), 2);
        QCOMPARE(report.tables.size(), 1);
        QCOMPARE(report.tables.front().name, u"public.orders"_s);
        QCOMPARE(report.tables.front().waits.count, 2);
        QCOMPARE(report.tables.front().waits.total, 11s);
    }

    void sharedLocksBlockNobody()
    {
        const RangeReport report = reportOf(5, [](SnapshotBuilder& s, int i) {
            s.sessions({{51, "billing"}, {52, "report"}, {63, "web"}});
            s.holds(51, "public.orders", "AccessShareLock", i);
            s.holds(52, "public.orders", "ShareLock", i);
            s.waits(63, "public.orders", "RowExclusiveLock", i);
        });
        QCOMPARE(report.holders.size(), 1);
        QCOMPARE(report.holders.front().party.program, u"report"_s);
    }

    /// 70 waits for 63, which waits from 2 s to 6 s for 51, and for nobody after that.
    void aWaitIsChargedToTheHeadOfItsChain()
    {
        const RangeReport report = reportOf(12, [](SnapshotBuilder& s, int i) {
            s.sessions({{51, "billing"}, {63, "report"}, {70, "web"}});
            if (i < 7)
                s.holds(51, "public.orders", "AccessExclusiveLock", i);
            s.holds(63, "public.items", "AccessExclusiveLock", i);
            if (i >= 2 && i < 7)
                s.waits(63, "public.orders", "AccessExclusiveLock", i - 2);
            if (i >= 3 && i < 11)
                s.waits(70, "public.items", "AccessShareLock", i - 3);
        });
        QCOMPARE(report.holders.size(), 2);
        const RangeHolder& billing = report.holders[0];
        QCOMPARE(billing.party.title(), u"51 billing"_s);
        QCOMPARE(billing.madeWait, 7s); // 63 from 2 to 6, 70 from 3 to 6
        QCOMPARE(billing.blocked, 2);
        QCOMPARE(billing.madeWaitDirectly, 4s);
        const RangeHolder& reporting = report.holders[1];
        QCOMPARE(reporting.party.title(), u"63 report"_s);
        QCOMPARE(reporting.madeWait, 4s); // 70 from 6 to 10
        QCOMPARE(reporting.blocked, 1);
        QCOMPARE(reporting.madeWaitDirectly, 7s); // 70 from 3 to 10
        QCOMPARE(named(report.programs, u"billing"_s).madeWait, 7s);
        QCOMPARE(named(report.programs, u"billing"_s).madeWaitDirectly, 4s);
    }

    /// The locks of 51 would let 70 in, but 63, which is ahead of it, would not.
    void whoWaitsInFrontOfAnotherIsNotTheHead()
    {
        const RangeReport report = reportOf(10, [](SnapshotBuilder& s, int i) {
            s.sessions({{51, "billing"}, {63, "report"}, {70, "web"}});
            s.holds(51, "public.orders", "AccessShareLock", i);
            if (i >= 2)
                s.waits(63, "public.orders", "AccessExclusiveLock", i - 2);
            if (i >= 4)
                s.waits(70, "public.orders", "AccessShareLock", i - 4);
        });
        QCOMPARE(report.holders.size(), 1);
        QCOMPARE(report.holders.front().party.title(), u"51 billing"_s);
        QCOMPARE(report.holders.front().madeWait, 12s); // 63 from 2, 70 from 4
        QCOMPARE(report.holders.front().madeWaitDirectly, 7s);
    }

    void aRingIsChargedToItsFirst()
    {
        const RangeReport report = reportOf(5, [](SnapshotBuilder& s, int i) {
            s.sessions({{51, "billing"}, {63, "report"}});
            s.holds(51, "public.orders", "AccessExclusiveLock", i);
            s.holds(63, "public.items", "AccessExclusiveLock", i);
            s.waits(51, "public.items", "AccessExclusiveLock", i);
            s.waits(63, "public.orders", "AccessExclusiveLock", i);
        });
        QCOMPARE(report.holders.size(), 2);
        QCOMPARE(report.holders[0].party.title(), u"51 billing"_s);
        QCOMPARE(report.holders[0].madeWait, 4s); // the wait of 63: nobody waits for himself
        QCOMPARE(report.holders[0].blocked, 1);
        QCOMPARE(report.holders[1].madeWait, 0s);
        for (const RangeHolder& each : report.holders)
            QCOMPARE(each.madeWaitDirectly, 4s);
    }

    void aWaitThatNothingProvesCountsNoTimeAnywhere()
    {
        RecordedPolls recording;
        for (int i = 0; i < 5; ++i) {
            SnapshotBuilder s(i);
            s.sessions({{51, "billing"}, {63, "report"}});
            s.holds(51, "public.orders", "AccessExclusiveLock", i);
            s.waits(63, "public.orders", "AccessShareLock", i);
            s.made().requests.back().since.reset();
            s.made().requests.back().sinceExact = false;
            recording.append(s.take(), i);
        }
        const auto report = test::orDie(rangeReport(recording.reader(), at(0), at(4)));
        QCOMPARE(report.waits.count, 1);
        QCOMPARE(report.waits.total, 0s);
        QCOMPARE(report.holders.size(), 1);
        QCOMPARE(report.holders.front().blocked, 1);
        QCOMPARE(report.holders.front().madeWait, 0s);
        QCOMPARE(report.holders.front().madeWaitDirectly, 0s);
        QCOMPARE(named(report.programs, u"billing"_s).madeWait, 0s);
    }

    void namesOfALockTableAreReported()
    {
        const RangeReport report = reportOf(6, [](SnapshotBuilder& s, int i) {
            auto nightly = s.entry("nightly", "ann").lease(600, 20 + i);
            s.entry("hourly", "cid").lease(600, 20 + i);
            if (i < 4)
                nightly.queue("bob", 10 + i);
        });
        QCOMPARE(report.locks.size(), 1); // one table, two names
        QCOMPARE(report.locks.front().lock.name, u"nightly"_s);
        QCOMPARE(report.locks.front().waits.total, 3s);
        QCOMPARE(report.locks.front().waits.cut, 1); // bob waited before
        QCOMPARE(report.holders.size(), 1);
        QCOMPARE(report.holders.front().party.user, u"ann"_s);
        QCOMPARE(named(report.users, u"ann"_s).madeWait, 3s);
    }

    void aRangeThatEndsBeforeItBeginsIsRefused()
    {
        RecordedMinute recording;
        VERIFY_FAILS(ErrorKind::BadInput, rangeReport(recording.reader(), at(5), at(4)));
        QVERIFY(rangeReport(recording.reader(), at(5), at(5)));
    }

    void ratesAreByTheTimeThatWasSeen()
    {
        using Verdict = RangeChange::Verdict;
        // Ten times as often in a tenth of the time.
        const auto more = compared(ofWaits(20, 1h), ofWaits(20, 6min));
        QCOMPARE(more.locks.size(), 1);
        QCOMPARE(more.locks.front().verdict, Verdict::More);
        QCOMPARE(*more.locks.front().perHourBefore, 20.0);
        QCOMPARE(*more.locks.front().perHourAfter, 200.0);
        QCOMPARE(more.all.verdict, Verdict::More);
        QCOMPARE(compared(ofWaits(20, 1h), ofWaits(2, 6min)).locks.front().verdict, Verdict::Same);
        QCOMPARE(compared(ofWaits(60, 1h), ofWaits(20, 1h)).locks.front().verdict, Verdict::Less);
        QCOMPARE(compared(ofWaits(20, 1h), ofWaits(22, 1h)).locks.front().verdict, Verdict::Same);
        const auto other = compared(ofWaits(20, 1h, u"a"_s), ofWaits(20, 1h, u"a"_s));
        QCOMPARE(other.locks.size(), 1); // the same identity
        QCOMPARE(compared(ofWaits(0, 1h), ofWaits(9, 1h)).locks.front().verdict, Verdict::New);
        QCOMPARE(compared(ofWaits(9, 1h), ofWaits(0, 1h)).locks.front().verdict, Verdict::Gone);
    }

    void fewWaitsAllowNoVerdict()
    {
        const auto few = compared(ofWaits(0, 1h), ofWaits(3, 1h));
        QCOMPARE(few.locks.front().verdict, RangeChange::Verdict::TooLittle);
        QCOMPARE(verdictName(few.locks.front().verdict), u"too little to say"_s);
        QVERIFY(few.tooLittle.isEmpty()); // of the whole something can be said: the rates
    }

    void littleTimeAllowsNone()
    {
        const auto comparison = compared(ofWaits(50, 30s), ofWaits(0, 1h));
        VERIFY_CONTAINS(comparison.tooLittle, u"Only 30 s of the earlier range"_s);
        QCOMPARE(comparison.locks.front().verdict, RangeChange::Verdict::TooLittle);
        RangeReport unseen = ofWaits(0, 1h);
        unseen.coverage.recorded = 0s;
        unseen.coverage.polls = 0;
        const auto blind = compared(ofWaits(9, 1h), unseen);
        QVERIFY(blind.tooLittle.contains(u"Nothing is recorded of the later range"_s));
        QVERIFY(blind.locks.front().perHourBefore && !blind.locks.front().perHourAfter); // not 0: unknown
        RangeReport rare = ofWaits(9, 1h);
        rare.coverage.usualPause = 10s;
        const QString notes = notesOf(compared(ofWaits(9, 1h), rare)).join(u' ');
        VERIFY_CONTAINS(notes, u"1 s apart in the earlier range and 10 s in the later one"_s);
    }
};

LOCKSCOPE_TEST(tst_RangeReport)

} // namespace tst_RangeReport
#include "tst_RangeReport.moc"
