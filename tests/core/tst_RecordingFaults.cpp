// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Faults around a recording: clocks, files, other writers, foreign contents, leases that end.

#include "core/record/Database.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"

#include <sys/stat.h>
#include <unistd.h>

namespace tst_RecordingFaults {

using namespace lockscope;
using namespace lockscope::record;
using namespace lockscope::test;

const ServerTime start = SnapshotBuilder::start();
constexpr auto second = &SnapshotBuilder::at;

/// A process that reads a recording in every way, opening it again each time, until its input is closed.
static std::optional<int> play(const QStringList& arguments)
{
    if (arguments.size() != 3 || arguments[1] != "read"_L1)
        return std::nullopt;
    QFile out;
    static_cast<void>(out.open(STDOUT_FILENO, QIODevice::WriteOnly | QIODevice::Unbuffered));
    for (qint64 rounds = 0;; ++rounds) {
        const auto reader = RecordingReader::open(arguments[2]);
        if (!reader)
            return 1;
        const auto span = (*reader)->span();
        const auto segments = (*reader)->segments();
        if (!span || !segments)
            return 2;
        if (!(*reader)->at(span->last) || !(*reader)->at(span->first))
            return 3;
        // A reader that stays in one state of the file keeps the WAL from restarting for so long.
        const auto each =
            (*reader)->eachFrame(segments->front().number, span->last - std::chrono::seconds(30), span->last,
                [](const RecordingReader::Frame& frame) -> Result<void> {
                    return frame.snapshot ? Result<void>() : Failure(frame.snapshot.error());
                });
        if (!each)
            return 4;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (out.write("round\n") < 0)
            return 0;
    }
}

/// Returns the number that SQLite counts up whenever it restarts a WAL (fileformat2.html#walformat).
static quint32 walResets(const QString& path)
{
    QFile file(path + u"-wal"_s);
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    const QByteArray header = file.read(16);
    return header.size() == 16 ? qFromBigEndian<quint32>(header.constData() + 12) : 0;
}

class tst_RecordingFaults : public QObject, test::RecordingFolder {
    Q_OBJECT

private Q_SLOTS:
    /// Processes read all the time, beside a writer whose WAL restarts again and again: no frame is lost,
    /// none is damaged.
    void readersCostNoFrame()
    {
        const QString path = newPath();
        auto writer = writeRecording(path);
        test::RandomSnapshots random(2, {60, 300, 0.8});
        std::vector<SnapshotPtr> all;
        const auto append = [&] {
            all.push_back(toRecord(random.next()));
            return writer->append(all.back(), all.back()->takenAt);
        };
        QVERIFY(append());
        std::vector<std::unique_ptr<QProcess>> readers;
        for (int i = 0; i < 2; ++i) {
            readers.push_back(std::make_unique<QProcess>());
            readers.back()->start(
                QCoreApplication::applicationFilePath(), {test::thisTest(), u"read"_s, path});
            QVERIFY(readers.back()->waitForStarted());
            QVERIFY(readers.back()->waitForReadyRead());
        }
        quint32 resets = 0;
        quint32 last = walResets(path);
        for (int i = 0; i < 2'000 && resets < 3; ++i) {
            QVERIFY(append());
            const quint32 now = walResets(path);
            resets += now != last ? 1 : 0;
            last = now;
        }
        QVERIFY2(resets >= 3, qPrintable(QString::number(resets)));
        for (const auto& reader : readers) {
            QVERIFY2(reader->state() == QProcess::Running, qPrintable(QString::number(reader->exitCode())));
            reader->kill();
            QVERIFY(reader->waitForFinished());
            QVERIFY(reader->readAllStandardOutput().count('\n') > 0);
        }
        auto reader = readRecording(path);
        const auto verdict = test::orDie(reader->verify());
        QVERIFY(verdict.damaged.isEmpty());
        QCOMPARE(verdict.whole, qint64(all.size()));
        QCOMPARE(reader->segments()->size(), 1);
        for (size_t i = 0; i < all.size(); i += 37)
            QCOMPARE(test::differenceOf(**reader->at(all[i]->takenAt), *all[i]), QString());
    }

    void aLeaseThatEndedHoldsNoLonger()
    {
        auto [path, writer] = newRecording();
        for (int i = 0; i < 12; ++i) {
            SnapshotBuilder s(i);
            // Taken 2 s before the first poll for 5 s; the row stays. At the tenth poll it is renewed after
            // all.
            s.entry("nightly", "ann").lease(i < 10 ? 5 : 60, 2 + i);
            QVERIFY(writer->append(s.take(), second(i)));
        }
        auto reader = readRecording(path);
        const auto lines = test::orDie(test::historyOf(*reader, u"nightly"_s, {1}, ever));
        QCOMPARE(lines.size(), 2);
        QCOMPARE(lines[0].from, second(-2));
        QVERIFY(lines[0].fromExact);
        QCOMPARE(lines[0].to, second(3));
        QCOMPARE(lines[0].gone, std::optional(second(3)));
        QCOMPARE(lines[1].from, second(10)); // at the latest: nobody knows when it was renewed
        QVERIFY(!lines[1].fromExact);
        QCOMPARE(lines[1].to, second(11));
        QVERIFY(!lines[1].gone);
    }

    /// An entry that had expired before the first poll was held nevertheless; a row that stays for ever
    /// appears again after each gap.
    void aLeaseThatEndedUnseenIsReportedOnce()
    {
        const QString path = newPath();
        for (int run = 0; run < 3; ++run) {
            auto writer = writeRecording(path);
            SnapshotBuilder s(run);
            s.entry("nightly", "ann").lease(5, 60 + run);
            QVERIFY(writer->append(s.take(), second(run)));
        }
        auto reader = readRecording(path);
        const auto lines = test::orDie(test::historyOf(*reader, u"nightly"_s, {1}, ever));
        QCOMPARE(lines.size(), 1);
        QCOMPARE(lines.front().from, second(-60));
        QVERIFY(lines.front().fromExact);
        QCOMPARE(lines.front().gone, std::optional(second(-55)));
    }

    void aWaiterThatDroppedOutWaitsNoLonger()
    {
        auto [path, writer] = newRecording();
        for (int i = 0; i < 8; ++i) {
            SnapshotBuilder s(i);
            s.entry("nightly", "ann").lease(600, 10).queue("bob", 1 + i);
            s.made().entryWaiters.front().expiresAt = second(4); // crashed: it renews no more
            QVERIFY(writer->append(s.take(), second(i)));
        }
        auto reader = readRecording(path);
        auto lines = test::orDie(test::historyOf(*reader, u"nightly"_s, {1}, ever));
        lines.removeIf([](const HistoryLine& each) { return !each.waited; });
        QCOMPARE(lines.size(), 1);
        QCOMPARE(lines.front().from, second(-1));
        QCOMPARE(lines.front().gone, std::optional(second(4)));
    }

    void whatIsOfAnotherServerIsRefused()
    {
        auto [path, writer] = newRecording();
        SnapshotBuilder s;
        QVERIFY(writer->append(s.take(), start));
        SnapshotBuilder next(1);
        Snapshot strange = *next.take();
        strange.server = u"stock@db2"_s;
        const auto refused = writer->append(std::make_shared<const Snapshot>(strange), second(1));
        VERIFY_FAILS(ErrorKind::BadInput, refused);
        QVERIFY(refused.error().what.contains(u"stock@db2"_s));
        QVERIFY(writer->append(next.take(), second(1)));
        QCOMPARE(readRecording(path)->span()->frames, 2);
    }

    /// If another program writes there once the folder is back, two would write one file.
    void aFolderThatComesBackIsWhoseItIs()
    {
        const QString folder = m_folder.filePath(u"comes/back"_s);
        const QString path = folder + u"/r.lockscope"_s;
        auto first = writeRecording(path);
        SnapshotBuilder s;
        QVERIFY(first->append(s.take(), start));
        QVERIFY(QDir(folder).removeRecursively());
        auto other = writeRecording(path); // makes the folder
        SnapshotBuilder next(1);
        QVERIFY(other->append(next.take(), start));
        const auto refused = first->append(next.take(), start);
        QVERIFY(!refused);
        QVERIFY(isWrittenByAnother(refused.error()));
        // Nor has the first one let in a third when it ended.
        first.reset();
        QVERIFY(!RecordingWriter::open(path, test::recordingIdentity()));
        SnapshotBuilder third(2);
        QVERIFY(other->append(third.take(), {start.us + 1}));
        QCOMPARE(readRecording(path)->verify()->whole, 2);
        other.reset();
        QVERIFY(RecordingWriter::open(path, test::recordingIdentity()));
    }

    void aFileThatIsReplacedStaysAsItIs()
    {
        auto [path, writer] = newRecording();
        SnapshotBuilder s;
        QVERIFY(writer->append(s.take(), start));
        // Another server's recording takes its place.
        const QString other = newPath();
        writeRecording(other, test::recordingIdentity(u"stock@db2"_s)).reset();
        QVERIFY(QFile::rename(path, path + u".aside"_s));
        QVERIFY(QFile::rename(other, path));
        SnapshotBuilder next(1);
        for (int i = 0; i < 2; ++i) {
            const auto refused = writer->append(next.take(), second(1));
            QVERIFY(!refused);
            VERIFY_CONTAINS(refused.error().what, u"stock@db2"_s);
        }
        QCOMPARE(readRecording(path)->identity().server, u"stock@db2"_s);
        QVERIFY(!readRecording(path)->span());
        // Put right, it goes on after a gap.
        QVERIFY(QFile::remove(path));
        QVERIFY(QFile::rename(path + u".aside"_s, path));
        QVERIFY(writer->append(next.take(), second(1)));
        QCOMPARE(readRecording(path)->verify()->whole, 2);
        QCOMPARE(readRecording(path)->segments()->size(), 2);
    }

    void clocksThatJumpMakeGaps_data()
    {
        test::addColumns<int, int, QString>("server", "own", "reason");
        test::row("the server's forward", 3'600, 1, "the server's clock was set ahead");
        test::row("the server's back", -3'600, 1, "the server's clock was set back");
        test::row("ours forward", 1, 3'600, "gap");
        test::row("ours back", 1, -3'600, "this computer's clock was set back");
        test::row("a laptop that slept", 3'600, 3'600, "gap");
    }
    void clocksThatJumpMakeGaps()
    {
        FETCH(int, server, int, own);
        auto [path, writer] = newRecording();
        int taken = 0;
        int noted = 0;
        for (int i = 0; i < 10; ++i) {
            SnapshotBuilder s(taken);
            QVERIFY(writer->append(s.take(), second(noted)));
            taken += i == 4 ? server : 1;
            noted += i == 4 ? own : 1;
        }
        auto reader = readRecording(path);
        const auto segments = reader->segments();
        QCOMPARE(segments->size(), 2);
        QTEST(segments->front().endReason, "reason");
        QCOMPARE(reader->verify()->whole, 10);
    }

    void aClockSetForwardMakesNothingOld()
    {
        auto [path, writer] = newRecording();
        for (int i = 0; i < 200; ++i) {
            SnapshotBuilder s(i < 190 ? i : i + 40 * 24 * 3'600);
            QVERIFY(writer->append(s.take(), second(i)));
        }
        QVERIFY(writer->prune({std::chrono::hours(7 * 24), qint64(1) << 30}));
        QCOMPARE(readRecording(path)->span()->frames, 200);
    }

    /// The limit of size holds also where some snapshots are of another decade; and no more is dropped than
    /// necessary.
    void aClockThatJumpedLimitsTheSizeAllTheSame_data()
    {
        test::addRows<int>(
            "jump", {{"to the past", -40 * 365 * 24 * 3'600}, {"to the future", 40 * 365 * 24 * 3'600}});
    }
    void aClockThatJumpedLimitsTheSizeAllTheSame()
    {
        QFETCH(int, jump);
        auto [path, writer] = newRecording();
        for (int i = 0; i < 1'200; ++i) {
            SnapshotBuilder s(i < 60 ? i + jump : i);
            s.session(51, "billing")
                .running(qPrintable(
                    u"SELECT %1"_s.arg(QString(1'000, QChar(u'a' + i % 26)) + QString::number(i))));
            QVERIFY(writer->append(s.take(), second(i)));
        }
        QVERIFY(writer->prune({std::chrono::hours(7 * 24), 700'000}));
        const auto span = readRecording(path)->span();
        QVERIFY2(span->frames > 120 && span->frames < 1'000, qPrintable(QString::number(span->frames)));
    }

    /// A server can't be reached for hours: since when, until when, how often; each change is on disk.
    void everyFailureIsWrittenDown()
    {
        auto [path, writer] = newRecording();
        Error error;
        error.kind = ErrorKind::Connection;
        error.what = u"No connection."_s;
        QVERIFY(writer->appendFailure(error, second(0))); // nothing was seen yet
        SnapshotBuilder s(1);
        QVERIFY(writer->append(s.take(), second(1)));
        for (int i = 2; i < 7; ++i)
            QVERIFY(writer->appendFailure(error, second(i)));
        error.what = u"No such host."_s;
        QVERIFY(writer->appendFailure(error, second(7)));
        const auto events = test::orDie(readRecording(path)->events({1}, ever));
        QCOMPARE(events.size(), 3);
        QCOMPARE(events[0].at, second(0));
        QCOMPARE(events[1].at, second(2));
        VERIFY_CONTAINS(events[1].detail, u"\"attempts\":5"_s);
        QVERIFY(events[1].detail.contains(second(6).toIsoString()));
        QVERIFY(events[2].what.contains(u"No such host."_s));
        QCOMPARE(events[2].at, second(7));
        // A disk that takes nothing is not a write.
        QVERIFY(QFile::rename(m_folder.path(), m_folder.path() + u".away"_s));
        const bool isWritten = writer->appendFailure(error, second(8)).has_value();
        QVERIFY(QFile::rename(m_folder.path() + u".away"_s, m_folder.path()));
        QVERIFY(!isWritten);
    }

    /// Nothing is pruned for such a server, because there is nothing.
    void aServerThatNeverAnswersMakesNoLongWal()
    {
        auto [path, writer] = newRecording();
        qint64 longest = 0;
        for (int i = 0; i < 2'000; ++i) {
            Error error;
            error.what = u"No answer, attempt %1."_s.arg(i);
            QVERIFY(writer->appendFailure(error, ServerTime{qint64(i) * 1'000'000}));
            if (i % 50 == 0)
                QVERIFY(writer->pruneSome({}));
            longest = std::max(longest, QFileInfo(path + u"-wal"_s).size());
        }
        QVERIFY2(longest > 1'000'000 && longest < 6'000'000, QByteArray::number(longest));
    }

    void droppedSnapshotsAreAGap()
    {
        auto [path, writer] = newRecording();
        for (int i = 0; i < 6; ++i) {
            SnapshotBuilder s(i);
            QVERIFY(writer->append(s.take(), second(i)));
            if (i == 2)
                QVERIFY(writer->appendGap(u"The disk was too slow."_s, second(i)));
        }
        auto reader = readRecording(path);
        QCOMPARE(reader->segments()->size(), 2);
        QCOMPARE(reader->segments()->front().endReason, u"The disk was too slow."_s);
        const auto events = reader->events({1}, ever);
        QCOMPARE(events->size(), 1);
        QCOMPARE(events->front().kind, Event::Kind::Gap);
        QCOMPARE(events->front().at, second(2));
    }

    /// A made-up file may have any number of rows.
    void whatIsReadAtOnceIsBounded()
    {
        const QString path = newPath();
        {
            auto writer = writeRecording(path);
            SnapshotBuilder s;
            s.session(51, "billing");
            s.holds(51, "public.orders", "RowExclusiveLock", 5);
            QVERIFY(writer->append(s.take(), start));
            QVERIFY(writer->end(u"stopped"_s));
        }
        {
            auto database = test::orDie(Database::open(path, Database::Mode::Write));
            const QByteArray numbers =
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100001) ";
            const QByteArray many = numbers
                + "INSERT INTO event (at_us, noted_us, kind, what, detail, checksum) SELECT i, i, 'note', 'x', '', 0 FROM n; "
                + numbers + "INSERT INTO recent_interval SELECT i + 10, 1, 1, 4, i, i, NULL, 1, 0, 0 FROM n; "
                + numbers
                + "INSERT INTO segment (began_us, seen_us, noted_us, host, process_id) SELECT i, i, i, '', 1 FROM n";
            QVERIFY(database->script(many));
        }
        auto reader = readRecording(path);
        const auto events = reader->events({1}, ever);
        QVERIFY(events);
        QCOMPARE(events->size(), 100'001);
        VERIFY_CONTAINS(events->back().what, u"more events"_s);
        const auto lines = test::orDie(test::historyOf(*reader, u"public.orders"_s, {1}, ever));
        QCOMPARE(lines.size(), 100'002); // each is a line of its own
        const auto segments = test::orDie(reader->segments());
        QCOMPARE(segments.size(), 100'000);
        VERIFY_CONTAINS(segments.back().endReason, u"more recorded ranges"_s);
        QCOMPARE(reader->segments({2}, {5})->size(), 4);
    }

    /// A column may be made of an expression, which would run at each row.
    void columnsThatRunCodeAreRefused()
    {
        const QString path = newPath();
        QVERIFY(writeRecording(path)->end(u"stopped"_s));
        {
            auto database = test::orDie(Database::open(path, Database::Mode::Write));
            QVERIFY(database->script("ALTER TABLE frame ADD COLUMN made BLOB AS (zeroblob(60000000))"));
        }
        VERIFY_FAILS(ErrorKind::BadInput, RecordingReader::open(path));
    }

    /// Opening a FIFO waits for a writer for ever.
    void whatIsNoPlainFileIsNotRead()
    {
        const QString path = newPath();
        QCOMPARE(::mkfifo(QFile::encodeName(path).constData(), S_IRUSR | S_IWUSR), 0);
        VERIFY_FAILS(ErrorKind::Permission, RecordingReader::open(path));
        const QString whole = newPath();
        QVERIFY(writeRecording(whole)->end(u"stopped"_s));
        QCOMPARE(::mkfifo(QFile::encodeName(whole + u"-journal"_s).constData(), S_IRUSR | S_IWUSR), 0);
        QVERIFY(!RecordingReader::open(whole));
    }

    /// A stranger who may write to the folder gives the lock's name to another file of ours.
    void aLinkInPlaceOfTheLockIsNotWritten()
    {
        const QString path = newPath();
        const QString other = test::makeFile(m_folder.filePath(u"diary"_s), "dear diary");
        const QByteArray lock = QFile::encodeName(path + u".lock"_s);
        QCOMPARE(::link(QFile::encodeName(other).constData(), lock.constData()), 0);
        QCOMPARE(RecordingWriter::open(path, test::recordingIdentity()).error().kind, ErrorKind::Permission);
        QCOMPARE(QFileInfo(other).size(), 10);
        QCOMPARE(::unlink(lock.constData()), 0);
        QVERIFY(RecordingWriter::open(path, test::recordingIdentity()));
    }
};

LOCKSCOPE_TEST_WITH_PARTS(tst_RecordingFaults, play)

} // namespace tst_RecordingFaults
#include "tst_RecordingFaults.moc"
