// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Clips, merged recordings and pruning.

#include "core/record/Coverage.h"
#include "core/record/Database.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"

namespace tst_RecordingCopy {

using namespace lockscope;
using namespace lockscope::record;
using namespace lockscope::test;

const ServerTime start = SnapshotBuilder::start();
constexpr auto second = &SnapshotBuilder::at;

/// Returns a snapshot with a lock held at each second; `number` distinguishes the snapshots of several
/// recordings.
static SnapshotPtr snapshotAt(int at, int number = 0)
{
    SnapshotBuilder s(at);
    s.session(51, "billing").running("UPDATE orders SET card = 'hidden4711'");
    s.holds(51, "public.orders", "RowExclusiveLock", 5 + at);
    s.made().number = static_cast<quint64>(number);
    return s.take();
}

class tst_RecordingCopy : public QObject, test::RecordingFolder {
    Q_OBJECT

    /// Makes a recording of snapshots from one second to another, numbered from there on.
    QString recordSnapshots(int from, int to, int number)
    {
        auto [path, writer] = newRecording();
        for (int i = from; i < to; ++i)
            test::orDie(writer->append(snapshotAt(i, number + i), second(i)));
        test::orDie(writer->end(u"stopped"_s));
        return path;
    }

    static Result<Copied> copy(const QStringList& paths, const QString& out, ServerTime from = {0},
        ServerTime to = ever, bool redacted = false)
    {
        std::vector<std::unique_ptr<RecordingReader>> readers;
        std::vector<RecordingReader*> recordings;
        for (const QString& path : paths) {
            readers.push_back(readRecording(path));
            recordings.push_back(readers.back().get());
        }
        Identity identity = recordings.front()->identity();
        identity.id = u"copy"_s;
        identity.redacted = redacted;
        return copyRecordings(recordings, from, to, out, identity);
    }

private Q_SLOTS:
    void aClipIsItsRange()
    {
        auto [path, writer] = newRecording();
        test::RandomSnapshots random(4);
        std::vector<SnapshotPtr> all;
        ServerTime noted = start;
        for (int i = 0; i < 200; ++i) {
            all.push_back(toRecord(random.next()));
            noted = noted + (i == 100 ? std::chrono::seconds(3'600) : std::chrono::seconds(1)); // it slept
            QVERIFY(writer->append(all.back(), noted));
        }
        const auto at = [&](int i) { return all[i]->takenAt; };
        QVERIFY(writer->add({at(10), Event::Kind::Note, u"before"_s}, noted));
        QVERIFY(writer->add({at(90), Event::Kind::Deadlock, u"within"_s, u"{}"_s, u"key"_s}, noted));
        QVERIFY(writer->add({at(190), Event::Kind::Note, u"after"_s}, noted));
        QVERIFY(writer->pin(at(85), at(95), u"a deadlock"_s));
        const QString clip = newPath();
        const auto copied = copy({path}, clip, at(50), at(150)); // beside the writer
        VERIFY_DONE(copied);
        QCOMPARE(copied->snapshotCount, 101);
        QCOMPARE(copied->damaged, 0);
        auto reader = readRecording(clip);
        const auto span = reader->span();
        QCOMPARE(span->first, at(50));
        QCOMPARE(span->last, at(150));
        QCOMPARE(reader->verify()->whole, 101);
        for (int i = 50; i <= 150; ++i)
            QCOMPARE(test::differenceOf(**reader->at(at(i)), *all[i]), QString());
        const auto segments = reader->segments();
        QCOMPARE(segments->size(), 2);
        QCOMPARE((*segments)[0].seen, at(99));
        QCOMPARE((*segments)[0].endReason, u"gap"_s);
        QCOMPARE((*segments)[0].host, readRecording(path)->segments()->front().host);
        const auto events = reader->events({0}, ever);
        QCOMPARE(events->size(), 1);
        QCOMPARE(events->front().what, u"within"_s);
        QCOMPARE(events->front().sourceKey, u"key"_s);
        QCOMPARE(reader->pins()->size(), 1);
        // A clip of the clip is as good.
        const QString small = newPath();
        QCOMPARE(copy({clip}, small, at(60), at(70))->snapshotCount, 11);
        QCOMPARE(test::differenceOf(**readRecording(small)->at(at(65)), *all[65]), QString());
    }

    void aClipNeedsNoFileBesideIt()
    {
        const QString path = recordSnapshots(0, 100, 0);
        const QString folder = m_folder.filePath(u"clip"_s);
        QVERIFY(QDir().mkpath(folder));
        const QString clip = folder + u"/clip.lockscope"_s;
        QVERIFY(copy({path}, clip, second(20), second(40)));
        COMPARE_TEXTS(QDir(folder).entryList(QDir::Files | QDir::Hidden), "clip.lockscope");
        QCOMPARE(QFileInfo(clip).permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
        // Intervals of locks are those of the range.
        auto reader = readRecording(clip);
        const auto lines = test::historyOf(*reader, u"public.orders"_s, {0}, ever);
        QCOMPARE(lines->size(), 1);
        QCOMPARE(lines->front().to, second(40));
        QVERIFY(!lines->front().gone);
        COMPARE_TEXTS(QDir(folder).entryList(QDir::Files | QDir::Hidden), "clip.lockscope");
        // A range without snapshots has nothing to copy, and makes no file.
        const QString none = folder + u"/none.lockscope"_s;
        VERIFY_FAILS(ErrorKind::MissingObject, copy({path}, none, second(200), second(300)));
        COMPARE_TEXTS(QDir(folder).entryList(QDir::Files | QDir::Hidden), "clip.lockscope");
    }

    void aClipMayLeaveValuesOut()
    {
        const QString path = recordSnapshots(0, 20, 0);
        {
            auto writer = writeRecording(path);
            QVERIFY(writer->add(
                {second(5), Event::Kind::Act, u"ended session 51"_s, u"{\"statement\":\"hidden4711\"}"_s},
                second(5)));
        }
        QVERIFY(test::contentOf(path).contains("hidden4711"));
        const QString clip = newPath();
        QVERIFY(copy({path}, clip, {0}, ever, true));
        QVERIFY(!test::contentOf(clip).contains("hidden4711"));
        auto reader = readRecording(clip);
        QVERIFY(reader->identity().redacted);
        QCOMPARE((*reader->at(second(3)))->sessions.front().statement, u"UPDATE orders SET card = ?"_s);
        QCOMPARE((*reader->at(second(3)))->sessions.front().program, u"billing"_s); // names stay
        QCOMPARE(reader->events({0}, ever)->front().what, u"ended session 51"_s);
        QVERIFY(reader->events({0}, ever)->front().detail.isEmpty());
    }

    void damageIsLeftOutAndReported()
    {
        const QString path = recordSnapshots(0, 180, 0);
        {
            auto database = Database::open(path, Database::Mode::Write);
            QVERIFY((*database)->script("UPDATE frame SET data = X'0102' WHERE number = 70"));
        }
        const QString out = newPath();
        const auto copied = copy({path}, out);
        VERIFY_DONE(copied);
        QCOMPARE(copied->damaged, 51); // up to the next key frame
        COMPARE_TEXTS(copied->missingParts(), "51 snapshots are damaged and were left out.");
        QCOMPARE(copied->snapshotCount, 129);
        auto reader = readRecording(out);
        QVERIFY(reader->verify()->damaged.isEmpty());
        QCOMPARE(reader->segments()->size(), 2);
        QCOMPARE(reader->segments()->front().endReason, u"damaged"_s);
        const auto coverage = test::orDie(coverageOf(*reader, second(0), second(179)));
        QCOMPARE(coverage.gaps.size(), 1);
        QCOMPARE(coverage.gaps.front().reason, Coverage::Reason::Damaged);
        VERIFY_ENDS(coverage.gaps.front().toString(), u": damaged."_s);
        QCOMPARE(reader->events({0}, ever)->front().kind, Event::Kind::Gap);
    }

    void damagedEventsAreNoSnapshots()
    {
        const QString path = recordSnapshots(0, 20, 0);
        {
            auto writer = writeRecording(path);
            QVERIFY(writer->add({second(5), Event::Kind::Note, u"noted"_s}, second(5)));
            QVERIFY(writer->add({second(6), Event::Kind::Note, u"kept"_s}, second(6)));
        }
        {
            auto database = Database::open(path, Database::Mode::Write);
            QVERIFY((*database)->script("UPDATE event SET what = 'changed' WHERE what = 'noted'"));
        }
        const auto copied = copy({path}, newPath());
        VERIFY_DONE(copied);
        QCOMPARE(copied->snapshotCount, 20);
        QCOMPARE(copied->damaged, 0);
        COMPARE_TEXTS(copied->missingParts(), "1 event is damaged.");
    }

    void mergedRecordingsAreOne()
    {
        const QString first = recordSnapshots(100, 200, 1'000);
        const QString second0 = recordSnapshots(50, 150, 2'000); // began before it, and goes on into it
        const QString third = recordSnapshots(300, 350, 3'000);
        const QString inside = recordSnapshots(120, 130, 4'000);
        const QString out = newPath();
        const auto copied = copy({first, second0, third, inside}, out);
        VERIFY_DONE(copied);
        QCOMPARE(copied->snapshotCount, 50 + 100 + 50);
        QCOMPARE(copied->twice, 2);
        auto reader = readRecording(out);
        QCOMPARE(reader->verify()->whole, 200);
        const auto numberAt = [&](int at) { return (*reader->at(second(at)))->number; };
        QCOMPARE(numberAt(60), 2'060U);
        QCOMPARE(numberAt(99), 2'099U);
        QCOMPARE(numberAt(100), 1'100U); // the one that is named first
        QCOMPARE(numberAt(125), 1'125U);
        QCOMPARE(numberAt(199), 1'199U);
        QCOMPARE(numberAt(250), 1'199U); // the gap
        QCOMPARE(numberAt(301), 3'301U);
        const auto segments = reader->segments();
        QCOMPARE(segments->size(), 3);
        QCOMPARE((*segments)[0].began, second(50));
        QCOMPARE((*segments)[0].endReason, u"another recording goes on"_s);
        QCOMPARE((*segments)[1].began, second(100));
        QCOMPARE((*segments)[1].endReason, u"stopped"_s);
        QCOMPARE((*segments)[2].began, second(300));
        for (qsizetype i = 1; i < segments->size(); ++i)
            QVERIFY((*segments)[i - 1].seen < (*segments)[i].began);
        QCOMPARE(test::historyOf(*reader, u"public.orders"_s, {0}, ever)->size(), 3);
    }

    void mergedRecordingsAreOfOneServer()
    {
        const QString mine = recordSnapshots(0, 5, 0);
        const QString other = newPath();
        QVERIFY(RecordingWriter::open(other, test::recordingIdentity(u"stock@db2"_s)));
        const QString out = newPath();
        const auto copied = copy({mine, other}, out);
        VERIFY_FAILS(ErrorKind::BadInput, copied);
        QVERIFY(copied.error().what.contains(u"stock@db2"_s));
        QVERIFY(!QFile::exists(out));
        // Called the same, and another one.
        Identity elsewhere = test::recordingIdentity();
        elsewhere.place = u"postgres://db9:5432/shop"_s;
        const QString third = newPath();
        QVERIFY(RecordingWriter::open(third, elsewhere));
        const auto refused = copy({mine, third}, out);
        VERIFY_FAILS(ErrorKind::BadInput, refused);
        VERIFY_CONTAINS(refused.error().what, elsewhere.place);
        QVERIFY(!QFile::exists(out));
    }

    void nothingIsOverwritten()
    {
        const QString path = recordSnapshots(0, 5, 0);
        const QByteArray before = test::contentOf(path);
        QVERIFY(!copy({path}, path));
        QCOMPARE(test::contentOf(path), before);
        QVERIFY(!copy({path}, m_folder.filePath(u"no/such/folder.lockscope"_s)));
    }

    /// Without a writer, snapshots older than a week by the clock go, whatever the last one is.
    void whoOnlyPrunesGoesByTheClock()
    {
        const QString path = recordSnapshots(0, 300, 0);
        auto writer = writeRecording(path);
        QVERIFY(writer->prune({std::chrono::seconds(100), qint64(1) << 30}, second(310)));
        // Whole key frames: what is younger than 100 s begins at 210.
        QCOMPARE(readRecording(path)->span()->first, second(180));
        QVERIFY(writer->pin(second(190), second(195), u"an alert"_s));
        QVERIFY(writer->prune({std::chrono::seconds(100), qint64(1) << 30}, second(100'000)));
        QCOMPARE(readRecording(path)->span()->frames, 120); // the pinned minute and the last one
        QVERIFY(readRecording(path)->verify()->damaged.isEmpty());
    }

    void roomIsGivenBack()
    {
        auto [path, writer] = newRecording();
        test::RandomSnapshots random(6);
        ServerTime last;
        for (int i = 0; i < 400; ++i) {
            const SnapshotPtr snapshot = toRecord(random.next());
            last = snapshot->takenAt;
            QVERIFY(writer->append(snapshot, last));
        }
        writer.reset();
        const qint64 full = QFileInfo(path).size();
        writer = writeRecording(path);
        QVERIFY(writer->prune({std::chrono::seconds(60), qint64(1) << 30}, last));
        writer.reset();
        const qint64 pruned = QFileInfo(path).size();
        QVERIFY2(pruned * 4 < full * 3, qPrintable(u"%1 of %2"_s.arg(pruned).arg(full)));
        QVERIFY(readRecording(path)->verify()->isIntact());
        writer = writeRecording(path);
        QVERIFY(writer->compact());
        QVERIFY2(QFileInfo(path).size() * 2 < full, qPrintable(QString::number(QFileInfo(path).size())));
        QCOMPARE(QFileInfo(path + u"-wal"_s).size(), 0);
        QVERIFY(readRecording(path)->verify()->damaged.isEmpty());
        QVERIFY((*readRecording(path)->at(last))->takenAt == last);
        // It goes on.
        const SnapshotPtr next = toRecord(random.next());
        QVERIFY(writer->append(next, next->takenAt));
        QCOMPARE(test::differenceOf(**readRecording(path)->at(next->takenAt), *next), QString());
    }

    void pinsComeAndGo()
    {
        const QString path = recordSnapshots(0, 10, 0);
        auto writer = writeRecording(path);
        QVERIFY(writer->pin(second(2), second(3), u"a deadlock"_s));
        QVERIFY(writer->pin(second(5), second(6), u"an alert"_s));
        const auto pins = readRecording(path)->pins();
        QCOMPARE(pins->size(), 2);
        QCOMPARE(pins->front().from, second(2));
        QCOMPARE(pins->front().why, u"a deadlock"_s);
        QVERIFY(writer->unpin(pins->front().number));
        QCOMPARE(readRecording(path)->pins()->size(), 1);
        QCOMPARE(readRecording(path)->pins()->front().why, u"an alert"_s);
        VERIFY_FAILS(ErrorKind::MissingObject, writer->unpin(pins->front().number));
    }

    /// An alert each minute pins everything: the limit of size holds all the same, and the last hours are
    /// there.
    void pinsDontKeepAllElseAway()
    {
        auto [path, writer] = newRecording();
        test::RandomSnapshots random(8);
        std::vector<ServerTime> times;
        for (int i = 0; i < 900; ++i) {
            const SnapshotPtr snapshot = toRecord(random.next());
            times.push_back(snapshot->takenAt);
            QVERIFY(writer->append(snapshot, times.back()));
            if (i % 60 == 0)
                QVERIFY(writer->pin(times.back() - std::chrono::minutes(1),
                    times.back() + std::chrono::minutes(1), u"an alert"_s));
        }
        writer.reset();
        const qint64 most = QFileInfo(path).size() / 2;
        writer = writeRecording(path);
        QVERIFY(writer->prune({std::chrono::hours(7 * 24), most}, times.back()));
        QVERIFY(writer->compact());
        QVERIFY2(QFileInfo(path).size() <= most, qPrintable(QString::number(QFileInfo(path).size())));
        auto reader = readRecording(path);
        QVERIFY(reader->verify()->damaged.isEmpty());
        // The youngest are there, far beyond the last key frame.
        QVERIFY2(reader->span()->first < times[780],
            qPrintable(QString::number((reader->span()->first - times[0]).count() / 1'000'000)));
        QVERIFY(reader->pins()->size() < 15 && !reader->pins()->isEmpty());
        const auto events = reader->events({0}, ever);
        QVERIFY(!events->isEmpty() && events->front().what.contains(u"an alert"_s)); // an event says so
    }

    void slicesDropTheSame()
    {
        const QString atOnce = newPath();
        const QString bySlices = newPath();
        test::RandomSnapshots random(8);
        {
            auto writer = writeRecording(atOnce);
            for (int i = 0; i < 900; ++i) {
                const SnapshotPtr snapshot = toRecord(random.next());
                QVERIFY(writer->append(snapshot, snapshot->takenAt));
                if (i % 100 == 0)
                    QVERIFY(writer->pin(snapshot->takenAt, snapshot->takenAt, u"an alert"_s));
            }
        }
        QVERIFY(QFile::copy(atOnce, bySlices));
        const SnapshotPtr last = toRecord(random.next());
        const Retention retention{std::chrono::minutes(8), QFileInfo(atOnce).size() / 3};
        const auto first = writeRecording(atOnce);
        const auto sliced = writeRecording(bySlices);
        for (const auto& writer : {first.get(), sliced.get()})
            QVERIFY(writer->append(last, last->takenAt));
        QVERIFY(first->prune(retention));
        for (bool hasMore = true; hasMore;) {
            const auto pruned = test::orDie(sliced->pruneSome(retention));
            hasMore = pruned;
        }
        const auto once = readRecording(atOnce);
        const auto slices = readRecording(bySlices);
        QVERIFY(once->span()->frames < 600);
        QCOMPARE(slices->span()->frames, once->span()->frames);
        QCOMPARE(slices->span()->first, once->span()->first);
        QCOMPARE(slices->pins()->size(), once->pins()->size());
        QVERIFY(slices->verify()->isIntact() && once->verify()->isIntact());
        QVERIFY(first->compact() && sliced->compact());
        QCOMPARE(QFileInfo(bySlices).size(), QFileInfo(atOnce).size());
    }

    /// Rows that are written between two slices do not use the numbers of names that are dropped.
    void betweenSlicesItIsWritten()
    {
        const QString path = newPath();
        auto writer = writeRecording(path);
        test::RandomSnapshots random(10);
        std::vector<SnapshotPtr> all;
        const auto append = [&] {
            all.push_back(toRecord(random.next()));
            return writer->append(all.back(), all.back()->takenAt);
        };
        for (int i = 0; i < 900; ++i)
            QVERIFY(append());
        const Retention retention{std::chrono::minutes(2), QFileInfo(path).size() / 3};
        const size_t old = all.size();
        for (int round = 0; round < 3; ++round) {
            for (bool hasMore = true; hasMore;) {
                QVERIFY(append());
                const auto pruned = test::orDie(writer->pruneSome(retention));
                hasMore = pruned;
            }
            for (int i = 0; i < 60; ++i)
                QVERIFY(append());
        }
        auto reader = readRecording(path);
        QVERIFY(reader->verify()->isIntact());
        QVERIFY(reader->span()->frames < 600);
        for (size_t i = old; i < all.size(); ++i) {
            if (all[i]->takenAt >= reader->span()->first)
                QCOMPARE(test::differenceOf(**reader->at(all[i]->takenAt), *all[i]), QString());
        }
        QVERIFY(test::historyOf(*reader, u"%"_s, {0}, ever));
    }
};

LOCKSCOPE_TEST(tst_RecordingCopy)

} // namespace tst_RecordingCopy
#include "tst_RecordingCopy.moc"
