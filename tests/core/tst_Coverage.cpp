// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Coverage.h"
#include "core/record/LockBiography.h"
#include "core/record/RangeReport.h"
#include "core/record/SnapshotSearch.h"
#include "tests/support/RecordedPolls.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"

namespace tst_Coverage {

using namespace lockscope;
using namespace lockscope::record;
using namespace lockscope::test;
using Gap = Coverage::Gap;
using Reason = Coverage::Reason;

constexpr auto at = &SnapshotBuilder::at;

/// Ten minutes, once a second. 51 is seen with a lock all the time, and nothing proves that it was one hold.
/// Around 130 s a time is pinned, and snapshots older than two minutes are dropped: those from 120 s to 179 s
/// and from 420 s on are left.
static void recordAndPrune(RecordedPolls& recording)
{
    for (int i = 0; i < 600; ++i) {
        SnapshotBuilder s(i);
        s.session(51, "billing");
        s.holds(51, "public.orders", "AccessExclusiveLock", i);
        if (i == 150 || i == 151) {
            s.session(63, "report");
            s.waits(63, "public.orders", "AccessShareLock", i - 150);
        }
        s.made().requests.front().since.reset();
        recording.append(s.take(), i);
    }
    QVERIFY(recording.writer().pin(at(125), at(135), u"OPS-17"_s));
    QVERIFY(recording.writer().prune({2min, qint64(1) << 30}));
}

/// A poll each second, but for one pause of three seconds before the one at 13 s.
static void pollWithPause(RecordedPolls& recording, const PollTiming& usual, const PollTiming& late)
{
    for (int i : {8, 9, 10, 13, 14, 15}) {
        PollTiming timing = i == 13 ? late : usual;
        // The timing of the late poll says how long the computer slept before it.
        timing.steady = 100s + std::chrono::seconds(i) - (i >= 13 ? late.steady : 0s);
        SnapshotBuilder s(i);
        s.session(51, "billing");
        s.holds(51, "public.orders", "AccessExclusiveLock", i);
        QVERIFY(recording.writer().append(s.take(), at(i), timing));
    }
}

class tst_Coverage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsPrunedAroundAPinIsAGap()
    {
        RecordedPolls recording;
        recordAndPrune(recording);
        const auto all = test::orDie(coverageOf(recording.reader(), at(0), at(700)));
        QCOMPARE(all.gaps,
            (QList<Gap>{{at(0), at(120), Reason::Pruned}, {at(179), at(420), Reason::Pruned},
                {at(599), at(700), Reason::NotRecorded}}));
        QCOMPARE(all.polls, 60 + 180);
        QCOMPARE(all.recorded, 59s + 179s);
        QCOMPARE(all.usualPause, 1s);
        QCOMPARE(all.intactParts.size(), 2);
        QCOMPARE(all.toString(),
            u"Recorded: 3 min 58 s of 11 min 40 s (34 %); 3 gaps, the longest of 4 min 01 s (pruned)."_s);
        // Ends that lie between polls, and in a gap.
        QVERIFY(coverageOf(recording.reader(), at(130) + 300ms, at(140) + 300ms)->gaps.isEmpty());
        QCOMPARE(coverageOf(recording.reader(), at(200), at(300))->gaps,
            (QList<Gap>{{at(200), at(300), Reason::Pruned}}));
        QCOMPARE(coverageOf(recording.reader(), at(200), at(300))->toString(),
            u"Nothing is recorded of this time: pruned."_s);
    }

    void aTimeThereSaysHowOldItsSnapshotIs()
    {
        RecordedPolls recording;
        recordAndPrune(recording);
        const auto snapshotAt = [&](int second) {
            return findSnapshot(recording.reader(), {SnapshotRequest::Kind::At, at(second), 0});
        };
        const auto inside = snapshotAt(228);
        QVERIFY(inside && inside->snapshot);
        QCOMPARE((*inside->snapshot)->takenAt, at(179));
        QVERIFY(inside->gap);
        QCOMPARE(*inside->gap, (Gap{at(179), at(420), Reason::Pruned}));
        VERIFY_ENDS(inside->gapText(), u": pruned. This is the last snapshot before, 49 s old."_s);
        QVERIFY(!snapshotAt(150)->gap);
        QVERIFY(!snapshotAt(179)->gap);
        QCOMPARE(snapshotAt(30)->gap, std::optional(Gap{{}, at(120), Reason::Pruned}));
        QCOMPARE(snapshotAt(650)->gap, std::optional(Gap{at(599), {}, Reason::NotRecorded}));
    }

    void aRangeAndAComparisonCountWhatIsLeft()
    {
        RecordedPolls recording;
        recordAndPrune(recording);
        const auto report = test::orDie(rangeReport(recording.reader(), at(120), at(420)));
        QCOMPARE(report.coverage.recorded, 59s);
        VERIFY_CONTAINS(notesOf(report).front(), u"1 gap of 4 min 01 s (pruned)"_s);
        const auto later = rangeReport(recording.reader(), at(450), at(590));
        const RangeComparison comparison = compared(report, *later);
        VERIFY_CONTAINS(comparison.tooLittle, u"Only 59 s of the earlier range"_s);
        QCOMPARE(*comparison.all.perHourBefore, 3600.0 / 59); // one wait in what is left, not in five minutes
    }

    void aClipKeepsTheGap()
    {
        RecordedPolls recording;
        recordAndPrune(recording);
        const QString path = freshPath(u"clip.lockscope"_s);
        std::vector<RecordingReader*> readers{&recording.reader()};
        VERIFY_DONE(copyRecordings(readers, at(130), at(500), path, recording.reader().identity()));
        const auto clip = test::readRecording(path);
        const auto ofClip = coverageOf(*clip, at(130), at(500));
        QCOMPARE(ofClip->gaps, (QList<Gap>{{at(179), at(420), Reason::Pruned}}));
        // Without the frames between, nobody knows that it is the same hold.
        const auto lines = test::orDie(test::historyOf(*clip, u"public.orders"_s, at(0), at(1'000)));
        for (const HistoryLine& line : lines)
            QVERIFY2(line.to <= at(179) || line.from >= at(420),
                qPrintable(u"%1 to %2"_s.arg(line.from.toIsoString(), line.to.toIsoString())));
        QCOMPARE(ofClip->recorded, coverageOf(recording.reader(), at(130), at(500))->recorded);
    }

    void aGapSaysWhyItBegan()
    {
        RecordedPolls recording;
        const auto quiet = [](SnapshotBuilder& s) { s.session(51, "billing"); };
        recording.addPoll(0, quiet);
        recording.addPoll(1, quiet);
        Error error;
        error.kind = ErrorKind::Connection;
        error.what = u"No connection."_s;
        QVERIFY(recording.writer().appendFailure(error, at(2)));
        recording.addPoll(20, quiet);
        recording.end();
        recording.addPoll(40, quiet);
        QVERIFY(recording.writer().appendGap(u"The disk was too slow: snapshots were dropped."_s, at(41)));
        recording.addPoll(50, quiet);
        const auto coverage = test::orDie(coverageOf(recording.reader(), at(0), at(50)));
        QCOMPARE(coverage.gaps,
            (QList<Gap>{{at(1), at(20), Reason::NoAnswer, u"No connection."_s},
                {at(20), at(40), Reason::Stopped},
                {at(40), at(50), Reason::Disk, u"The disk was too slow: snapshots were dropped."_s}}));
        QVERIFY(coverage.gaps.front().toString().endsWith(u": No connection."_s));
        QCOMPARE(coverage.recorded, 1s);
    }

    void aPauseOfThreeIntervalsIsAGap_data()
    {
        test::addColumns<PollTiming, PollTiming>("usual", "late");
        QTest::addColumn<int>("reason"); // −1: no gap
        const PollTiming usual{1s, 10ms};
        test::row("nobody knows why", usual, usual, int(Reason::NotRecorded));
        test::row("polling was paused", usual, PollTiming{.interval = 1s, .took = 10ms, .wasPaused = true},
            int(Reason::Paused));
        test::row("the computer slept", usual, PollTiming{1s, 10ms, 2s}, int(Reason::Slept));
        test::row("the server was slow", usual, PollTiming{1s, 2s}, int(Reason::SlowServer));
        test::row("it backed off", PollTiming{1s, 700ms}, PollTiming{1s, 10ms}, int(Reason::SlowServer));
        test::row("it was meant", PollTiming{2s, 10ms}, PollTiming{2s, 10ms}, -1);
        test::row("it was meant until then", PollTiming{3s, 10ms}, PollTiming{1s, 10ms}, -1);
    }
    void aPauseOfThreeIntervalsIsAGap()
    {
        FETCH(const PollTiming, usual, const PollTiming, late, const int, reason);
        RecordedPolls recording;
        pollWithPause(recording, usual, late);
        const auto coverage = test::orDie(coverageOf(recording.reader(), at(8), at(15)));
        if (reason < 0) {
            QVERIFY2(coverage.gaps.isEmpty(), qPrintable(coverage.toString()));
            return;
        }
        QCOMPARE(coverage.gaps.size(), 1);
        QCOMPARE(coverage.gaps.front(), (Gap{at(10), at(13), Reason(reason)}));
        QCOMPARE(coverage.recorded, 4s);
        QCOMPARE(gapAt(recording.reader(), at(12))->value_or(Gap()), coverage.gaps.front());
    }

    /// The transaction that is seen before and after had the lock meanwhile, too; a copy says the same.
    void aSlowServerMakesGapsButNoSegments()
    {
        RecordedPolls recording;
        pollWithPause(recording, {1s, 10ms}, {1s, 2s});
        QCOMPARE(recording.reader().segments()->size(), 1);
        QCOMPARE(test::historyOf(recording.reader(), u"public.orders"_s, at(0), at(20))->size(), 1);
        const QString path = freshPath(u"clip.lockscope"_s);
        std::vector<RecordingReader*> readers{&recording.reader()};
        QVERIFY(copyRecordings(readers, at(0), at(20), path, recording.reader().identity()));
        const auto clip = test::readRecording(path);
        QCOMPARE(coverageOf(*clip, at(8), at(15))->gaps, (QList<Gap>{{at(10), at(13), Reason::SlowServer}}));
    }

    /// A year ahead for six seconds: it is no gap of a year, no hold of a year, and not the last.
    void aClockThatWasAheadRulesNothing()
    {
        constexpr int year = 365 * 24 * 3'600;
        RecordedPolls recording;
        for (int i = 0; i < 30; ++i) {
            const int ahead = i >= 10 && i < 16 ? year : 0;
            SnapshotBuilder s(i + ahead);
            s.sessions({{51, "billing"}, {63, "report"}});
            s.holds(51, "public.orders", "AccessExclusiveLock", i + ahead);
            if (i >= 12 && i < 20)
                s.waits(63, "public.orders", "AccessShareLock", 0);
            QVERIFY(recording.writer().append(s.take(), at(i), {1s, 10ms}));
        }
        RecordingReader& reader = recording.reader();
        const auto span = reader.span();
        QCOMPARE(span->first, at(0));
        QCOMPARE(span->last, at(29));
        const auto coverage = coverageOf(reader, span->first, span->last);
        QCOMPARE(coverage->gaps,
            (QList<Gap>{{at(9), at(16), Reason::Clock, u"the server's clock was set ahead"_s}}));
        QCOMPARE((*findSnapshot(reader, {SnapshotRequest::Kind::Last, {}, 0})->snapshot)->takenAt, at(29));
        QVERIFY(!findSnapshot(reader, {SnapshotRequest::Kind::At, at(29), 0})->gap);
        QCOMPARE(findSnapshot(reader, {SnapshotRequest::Kind::At, at(40), 0})->gap->to, ServerTime());
        // Step by step they come as they were written, and each by its own time.
        QCOMPARE(**reader.nextSnapshotTime(at(9)), at(10 + year));
        QCOMPARE(**reader.nextSnapshotTime(at(15 + year)), at(16));
        QCOMPARE(**reader.previousSnapshotTime(at(16)), at(15 + year));
        QVERIFY(!*reader.nextSnapshotTime(at(29)));
        QCOMPARE((*reader.at(at(12 + year)))->takenAt, at(12 + year));
        QCOMPARE(**reader.nextWait(at(0)), at(16));
        QVERIFY(!*reader.nextWait(at(25)));
        const auto lines = test::historyOf(reader, u"public.orders"_s, at(0), at(2 * year));
        QVERIFY(lines && !lines->isEmpty());
        for (const HistoryLine& line : *lines)
            QVERIFY2(line.to - line.from <= 30s, qPrintable(line.from.toIsoString()));
        const auto report = rangeReport(reader, at(0), at(29));
        QCOMPARE(report->programs.size(), 2);
        for (const RangeParty& each : report->programs)
            QVERIFY(each.longestHeld.length() <= 29s);
    }

    /// A session's lock without a known beginning was there at each poll, and may have been released in
    /// between; a transaction's was there all the time.
    void seenAndHeldAreTwoFacts()
    {
        RecordedPolls recording;
        for (int i = 0; i < 10; ++i) {
            SnapshotBuilder s(i);
            s.sessions({{51, "billing"}, {63, "report"}});
            s.holds(51, "public.orders", "AccessExclusiveLock", i);
            s.holds(63, "advisory lock 7", "ExclusiveLock", i, false, ResourceKind::ApplicationLock);
            s.made().requests.back().owner = LockOwner::Session;
            recording.append(s.take(), i);
        }
        const auto lineOf = [&recording](const QString& name) {
            const auto lines = test::historyOf(recording.reader(), name, at(0), at(20));
            return lines && lines->size() == 1 ? lines->front() : HistoryLine();
        };
        const auto check = [&] { // while it goes on, and after
            const HistoryLine held = lineOf(u"public.orders"_s);
            QCOMPARE(held.sightings, (Sightings{10, 10, true}));
            QCOMPARE(lengthOf(held).value, 9s);
            const HistoryLine seen = lineOf(u"advisory lock 7"_s);
            QCOMPARE(seen.sightings, (Sightings{10, 10, false}));
            QCOMPARE(lengthOf(seen).value, 0s);
            VERIFY_ENDS(describe(seen, BiographySubject(seen.recordedLock())), u"(seen at 10 of 10 polls)"_s);
            const auto report = rangeReport(recording.reader(), at(0), at(9));
            QCOMPARE(report->programs.size(), 2);
            QCOMPARE(report->programs[0].longestHeld.length(), 9s);
            QCOMPARE(report->programs[1].longestHeld.length(), 0s);
            QCOMPARE(report->programs[1].longestHeld.sightings.toString(), u"10 of 10"_s);
        };
        check();
        recording.end();
        check();
    }
};

LOCKSCOPE_TEST(tst_Coverage)

} // namespace tst_Coverage
#include "tst_Coverage.moc"
