// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// BlockedHour: how long sessions waited in the last hour. An unknown time is never shown as calm.

#include "core/watch/ServerStanding.h"
#include "tests/support/RecordedPolls.h"
#include "tests/support/TestProgram.h"

namespace tst_BlockedHour {

using namespace lockscope;
using test::RecordedMinute;
using watch::BlockedHour;
using watch::BlockedRange;

class tst_BlockedHour : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pollsAddUpMinuteByMinute()
    {
        BlockedHour hour;
        const ServerTime begin = start();
        for (int second = 0; second <= 150; second += 2)
            hour.noteSnapshot(begin + std::chrono::seconds(second), second >= 30 && second < 90 ? 3 : 0, 5s);
        const auto pieces = hour.until(begin + 150s);
        QCOMPARE(pieces[57].blocked, microseconds(3 * 30s)); // of three sessions each
        QCOMPARE(pieces[58].blocked, microseconds(3 * 30s));
        QCOMPARE(pieces[59].blocked, 0us);
        QCOMPARE(pieces[59].length, microseconds(30s)); // the present minute
        QCOMPARE(pieces[59].known, microseconds(30s));
        QVERIFY(pieces[59].isKnown());
        QVERIFY(!pieces[56].isKnown());
    }

    /// It is unknown what happened while polls failed.
    void aPauseThatIsTooLongIsUnknown()
    {
        BlockedHour hour;
        hour.noteSnapshot(start(), 1, 5s);
        hour.noteSnapshot(start() + 2s, 1, 5s);
        hour.noteSnapshot(start() + 58s, 1, 5s);
        const auto piece = hour.until(start() + 59s)[59];
        QCOMPARE(piece.known, microseconds(2s));
        QCOMPARE(piece.blocked, microseconds(2s));
        QVERIFY(piece.isKnown()); // somebody waited: that is known
        BlockedHour calm;
        calm.noteSnapshot(start(), 0, 5s);
        calm.noteSnapshot(start() + 2s, 0, 5s);
        QVERIFY(!calm.until(start() + 59s)[59].isKnown());
    }

    void aClockThatJumpsBackStartsAgain()
    {
        BlockedHour hour;
        hour.noteSnapshot(start(), 1, 5s);
        hour.noteSnapshot(start() + 2s, 1, 5s);
        hour.noteSnapshot(start() - 600s, 1, 5s);
        for (const auto& piece : hour.until(start() + 2s))
            QCOMPARE(piece.known, 0us);
    }

    void whatIsOlderThanAnHourGoes()
    {
        BlockedHour hour;
        hour.add({start() - 7'200s, start() + 3'600s, 1}); // as in a file that somebody made
        const auto pieces = hour.until(start() + 3'600s);
        QCOMPARE(pieces.front().blocked, microseconds(60s));
        QCOMPARE(pieces[58].blocked, microseconds(60s));
        for (const auto& piece : hour.until(start() - 3'600s))
            QCOMPARE(piece.known, 0us);
    }

    void aRecordingTellsWhoWaitedAndWhatIsNotKnown()
    {
        RecordedMinute recording;
        recording.addPolls(200, 230, [](test::SnapshotBuilder& s, int) { s.session(51, "billing"); });
        recording.end();
        const auto ranges = watch::blockedRanges(
            recording.reader(), test::SnapshotBuilder::at(-100), test::SnapshotBuilder::at(300));
        QVERIFY2(ranges.has_value(), ranges ? "" : qPrintable(ranges.error().toString()));
        QCOMPARE(
            ranges->first(), (BlockedRange{test::SnapshotBuilder::at(0), test::SnapshotBuilder::at(4), 0}));
        QCOMPARE(
            ranges->at(1), (BlockedRange{test::SnapshotBuilder::at(4), test::SnapshotBuilder::at(6), 1}));
        QCOMPARE(
            ranges->at(2), (BlockedRange{test::SnapshotBuilder::at(6), test::SnapshotBuilder::at(10), 2}));
        QCOMPARE(ranges->last(),
            (BlockedRange{test::SnapshotBuilder::at(200), test::SnapshotBuilder::at(229), 0}));
        QCOMPARE(
            ranges->at(ranges->size() - 2).to, test::SnapshotBuilder::at(59)); // then nothing is recorded
    }

private:
    /// A full minute.
    static ServerTime start() { return {test::SnapshotBuilder::at(0).us / 60'000'000 * 60'000'000}; }
};

LOCKSCOPE_TEST(tst_BlockedHour)

} // namespace tst_BlockedHour
#include "tst_BlockedHour.moc"
