// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RangeReport.h"
#include "core/record/RecordingFile.h"
#include "tests/support/PlainSql.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"

namespace tst_RecordedIntervals {

using namespace lockscope;
using namespace lockscope::record;

constexpr int locks = 200; // all of which change at each poll
constexpr ServerTime always{1};
constexpr ServerTime never{4'000'000'000'000'000};

constexpr auto at = &test::SnapshotBuilder::at;

static QString nameOf(int lock)
{
    return u"public.table_%1"_s.arg(lock);
}

/// Each lock is held in one mode at even seconds and in another one at odd ones, every tenth waited for; one
/// goes on all the time.
static SnapshotPtr snapshotAt(int second)
{
    test::SnapshotBuilder s(second);
    s.session(1, "nightly");
    s.holds(1, "public.old", "AccessShareLock", second);
    for (int lock = 0; lock < locks; ++lock) {
        const QByteArray name = nameOf(lock).toUtf8();
        const bool isEven = second % 2 == 0;
        s.session(1'000 + lock, "web");
        s.holds(1'000 + lock, name.constData(), isEven ? "RowExclusiveLock" : "ShareLock", 0);
        if (lock % 10 == 0 && isEven) {
            s.session(2'000 + lock, "report");
            s.waits(2'000 + lock, name.constData(), "AccessExclusiveLock", 0);
        }
    }
    return s.take();
}

static QString textOf(const HistoryLine& line)
{
    return u"%1 %2 %3 %4 %5 %6 %7 %8 %9"_s.arg(line.lock, line.mode, line.party.program)
        .arg(line.party.session.value)
        .arg(line.waited)
        .arg(line.from.us)
        .arg(line.fromExact)
        .arg(line.goesOn ? 0 : line.to.us)
        .arg(line.gone ? line.gone->us : 0);
}

/// Returns all that a recording says about intervals that meet this time.
static QStringList intervalTexts(RecordingReader& reader, ServerTime from, ServerTime to)
{
    QStringList lines;
    const auto add = [&lines](const IntervalRow& row) {
        lines << u"%1 %2 %3 %4 %5 %6 %7"_s.arg(row.resource)
                     .arg(row.party)
                     .arg(row.mode)
                     .arg(row.from.us)
                     .arg(row.fromExact)
                     .arg(row.to.us)
                     .arg(row.gone ? row.gone->us : 0);
    };
    if (!reader.waits(from, to, add) || !reader.holds(from, to, add))
        return {u"an error"_s};
    lines.sort();
    for (const int lock : {0, 7, locks - 1}) {
        const auto history = test::historyOf(reader, nameOf(lock), from, to);
        const auto life = reader.sessionLife(SessionId{1'000 + lock},
            reader.lives(SessionId{1'000 + lock}).value_or(QList<RecordedParty>{{}}).front().started, from,
            to, 10'000);
        if (!history || !life)
            return {u"an error"_s};
        for (const QList<HistoryLine>& all : {*history, *life})
            for (const HistoryLine& line : all)
                lines << textOf(line);
    }
    return lines;
}

static qint64 numberIn(const QString& path, const char* statement)
{
    auto database = Database::open(path, Database::Mode::Read);
    qint64 number = -1;
    if (database)
        static_cast<void>(
            (*database)->run(statement, {}, [&number](const Database::Row& row) { number = row.number(0); }));
    return number;
}

class tst_RecordedIntervals : public QObject, test::RecordingFolder {
    Q_OBJECT

private Q_SLOTS:
    void blocksTellWhatWasReported()
    {
        auto [path, writer] = newRecording();
        QVERIFY(write(*writer, 0, 70)); // fewer than a block has
        QCOMPARE(numberIn(path, "recording/recording/last_block"), 0);
        const QStringList before = intervalTexts(*test::readRecording(path), at(10), at(60));
        QVERIFY(before.size() > 50 * locks);
        QVERIFY(write(*writer, 70, 100));
        QVERIFY(numberIn(path, "recording/recording/last_block") > 0);
        QVERIFY(numberIn(path, "recording/recording/recent_intervals") < intervalsPerBlock / 2);
        const auto reader = test::readRecording(path);
        const QStringList after = intervalTexts(*reader, at(10), at(60));
        // An interval that goes on is seen until a different time in each.
        const QString goesOn = u" %1 "_s.arg(at(0).us);
        const auto others = [&goesOn](const QStringList& all) {
            QStringList some;
            for (const QString& line : all) {
                if (!line.contains(goesOn))
                    some << line;
            }
            return some;
        };
        QCOMPARE(others(after), others(before));
        // From a part to the next: each poll has one of each lock.
        QCOMPARE(test::historyOf(*reader, nameOf(7), always, never)->size(), 100);
        QCOMPARE(test::historyOf(*reader, nameOf(7), at(80), at(84))->size(), 5);
        QCOMPARE(test::historyOf(*reader, u"public.old"_s, at(80), at(84))->size(), 1);
        QCOMPARE(rangeReport(*reader, at(0), at(99))->waits.count, 50 * locks / 10);
        // Numbers go on where they were.
        const qint64 last = numberIn(path, "recording/recording/last_interval");
        QVERIFY(writer->end(u"stopped"_s));
        QVERIFY(numberIn(path, "recording/recording/last_interval") > last);
    }

    void whatIsOldGoesFromBlocks()
    {
        auto [path, writer] = newRecording();
        QVERIFY(write(*writer, 0, 180));
        QVERIFY(numberIn(path, "recording/recording/last_block") > 0);
        QVERIFY(writer->pin(at(20), at(22), u"deadlock"_s));
        const qint64 last = numberIn(path, "recording/recording/last_interval");
        QVERIFY(writer->prune({40s, qint64(1) << 30}));
        const auto reader = test::readRecording(path);
        // A frame may show what was there for certain some seconds before.
        QVERIFY(test::historyOf(*reader, nameOf(7), at(60), at(109))->isEmpty());
        QVERIFY(test::historyOf(*reader, nameOf(7), at(120), at(179))->size() >= 59);
        QCOMPARE(test::historyOf(*reader, nameOf(7), at(20), at(22))->size(), 3); // pinned
        // Names that frames use stay with the frames.
        QCOMPARE(test::historyOf(*reader, nameOf(7), always, at(18))->size(), 19);
        QCOMPARE(numberIn(path, "recording/recording/last_interval"), last);
        // Nothing is left: the numbers go on all the same.
        QVERIFY(writer->end(u"stopped"_s));
        const qint64 ended = numberIn(path, "recording/recording/last_interval");
        QVERIFY(writer->append(snapshotAt(10'000), at(10'000)));
        QVERIFY(writer->append(snapshotAt(10'061), at(10'061)));
        QVERIFY(writer->prune({1s, qint64(1) << 30}));
        QVERIFY(numberIn(path, "recording/recording/last_interval") > ended);
    }

    /// Only a block uses this name.
    void whatIsNamedStaysWhenLeftoversGo()
    {
        auto [path, writer] = newRecording();
        QVERIFY(write(*writer, 0, 90));
        QVERIFY(numberIn(path, "recording/recording/last_block") > 0);
        const QStringList before = intervalTexts(*test::readRecording(path), at(10), at(60));
        QVERIFY(writer->prune(Retention(), at(90)));
        QCOMPARE(intervalTexts(*test::readRecording(path), at(10), at(60)), before);
    }

    /// A lease that had ended before the first poll is in the table after each gap.
    void oneThatWasOverIsPutDownOnce()
    {
        auto [path, writer] = newRecording();
        for (const int second : {0, 1, 1'000, 1'001}) {
            test::SnapshotBuilder s(second);
            s.entry("nightly", "ann").lease(10, 100 + second);
            QVERIFY(writer->append(s.take(), at(second)));
        }
        const auto reader = test::readRecording(path);
        QCOMPARE(reader->segments()->size(), 2);
        QCOMPARE(test::historyOf(*reader, u"nightly"_s, always, never)->size(), 1);
    }

    void peopleFindItBySql()
    {
        auto [path, writer] = newRecording();
        QVERIFY(write(*writer, 0, 100));
        const auto url = db::ServerUrl::parse(u"sqlite://"_s + path);
        QVERIFY(url);
        const auto sql = test::PlainSql::open(*url, {});
        QVERIFY(sql);
        const auto lines = sql->run(
            "SELECT what, mode, session, program, from_time, from_is, seen_until FROM lock_history WHERE lock_name = 'public.table_10' ORDER BY from_time, what");
        QVERIFY(lines);
        QCOMPARE(lines->size(), 150U); // 50 that waited
        const QByteArrayList first = lines->front();
        QCOMPARE(first.mid(0, 4), QByteArrayList({"held", "RowExclusiveLock", "1010", "web"}));
        QVERIFY2(first[4].endsWith("Z"), first[4].constData());
        const auto old = sql->run("SELECT seen_until FROM lock_history WHERE lock_name = 'public.old'");
        QCOMPARE(old->size(), 1U); // it goes on
        const auto rows = sql->run("SELECT count(*), max(number), sum(waited) FROM lock_interval");
        QCOMPARE(rows->front()[0], rows->front()[1]); // each number once
        const auto modes = sql->run("SELECT DISTINCT mode FROM lock_interval WHERE waited = 1");
        QCOMPARE(modes->front()[0], QByteArray("AccessExclusiveLock"));
    }

private:
    static bool write(RecordingWriter& writer, int from, int to)
    {
        for (int i = from; i < to; ++i) {
            if (!writer.append(snapshotAt(i), at(i)))
                return false;
        }
        return true;
    }
};

LOCKSCOPE_TEST(tst_RecordedIntervals)

} // namespace tst_RecordedIntervals
#include "tst_RecordedIntervals.moc"
