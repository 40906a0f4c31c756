// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Coverage.h"
#include "core/record/Database.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"

#include <csignal>

#include <sys/resource.h>
#include <unistd.h>

namespace tst_Recording {

using namespace lockscope;
using namespace lockscope::record;
using test::toRecord;

constexpr ServerTime start{1'795'387'821'000'000};

const QString serverName = u"shop@db1"_s; // as of SnapshotBuilder

static Identity identity(const QString& server = serverName)
{
    return {u"test"_s, server, Engine::Postgres, start, false, u"tst_Recording"_s};
}

/// A process that writes random snapshots until it is killed, and says after each that it is on disk.
static std::optional<int> play(const QStringList& arguments)
{
    if (arguments.size() != 4)
        return std::nullopt;
    if (arguments[1] == "spoil"_L1) {
        auto database = Database::open(arguments[2], Database::Mode::Write);
        return database && (*database)->script("UPDATE frame SET data = X'0102' WHERE number = 10") ? 0 : 1;
    }
    test::RandomSnapshots random(arguments[3].toUInt() * 2); // even: PostgreSQL
    auto writer = RecordingWriter::open(arguments[2], identity());
    if (!writer)
        return 1;
    QFile out;
    static_cast<void>(out.open(STDOUT_FILENO, QIODevice::WriteOnly | QIODevice::Unbuffered));
    for (int i = 0;; ++i) {
        const SnapshotPtr made = toRecord(random.next());
        if (!(*writer)->append(made, made->takenAt))
            return 1;
        out.write(QByteArray::number(made->takenAt.us) + '\n');
    }
}

class tst_Recording : public QObject, test::RecordingFolder {
    Q_OBJECT

private Q_SLOTS:
    void anySnapshotIsAsItWas()
    {
        auto [path, writer] = newRecording(identity());
        std::vector<SnapshotPtr> all;
        test::RandomSnapshots random(4);
        for (int i = 0; i < 200; ++i) {
            all.push_back(toRecord(random.next()));
            QVERIFY(writer->append(all.back(), all.back()->takenAt));
        }
        auto reader = test::readRecording(path); // beside the writer
        for (const int i : {199, 0, 60, 59, 61, 119, 120, 121, 3, 2, 150, 151}) {
            const auto then = test::orDie(reader->at(all[i]->takenAt + std::chrono::milliseconds(300)));
            QCOMPARE(test::differenceOf(*then, *all[i]), QString());
        }
        QVERIFY(reader->at({1}));
        QCOMPARE((*reader->at({1}))->takenAt, all[0]->takenAt);
        QCOMPARE(reader->span()->frames, 200);
        QCOMPARE(reader->segments()->size(), 1);
        QCOMPARE(reader->verify()->whole, 200);
    }

    /// A reader that reads all the time costs the writer no frame and sees only whole ones.
    void aReaderCostsNoFrame()
    {
        auto [path, writer] = newRecording(identity());
        test::RandomSnapshots random(6);
        std::vector<SnapshotPtr> all;
        auto reader = std::unique_ptr<RecordingReader>();
        for (int i = 0; i < 400; ++i) {
            all.push_back(toRecord(random.next()));
            QVERIFY(writer->append(all.back(), all.back()->takenAt));
            if (!reader)
                reader = test::readRecording(path);
            const auto now = test::orDie(reader->at(all.back()->takenAt));
            QCOMPARE(test::differenceOf(*now, *all.back()), QString());
        }
        QCOMPARE(reader->span()->frames, 400);
    }

    /// kill -9 at a random time: all snapshots that were reported as written are there, and the next program
    /// goes on.
    void aKilledWriterLosesNothing()
    {
        const QString path = newPath();
        const int rounds = qEnvironmentVariableIntValue("LOCKSCOPE_TEST_KILLS") > 0
            ? qEnvironmentVariableIntValue("LOCKSCOPE_TEST_KILLS")
            : 10;
        QRandomGenerator dice(1);
        qint64 written = 0;
        for (int round = 0; round < rounds; ++round) {
            QProcess process;
            process.start(QCoreApplication::applicationFilePath(),
                {test::thisTest(), u"write"_s, path, QString::number(round + 1)});
            QVERIFY(process.waitForStarted());
            // Most are short, so that there are many; some go on beyond a key frame.
            const int frames = round % 10 == 9 ? dice.bounded(60, 90) : dice.bounded(1, 12);
            QByteArrayList messages;
            while (messages.size() < frames && process.waitForReadyRead(30'000)) {
                while (process.canReadLine())
                    messages << process.readLine().trimmed();
            }
            ::kill(static_cast<pid_t>(process.processId()), SIGKILL);
            QVERIFY(process.waitForFinished());
            while (process.canReadLine())
                messages << process.readLine().trimmed();
            QVERIFY2(messages.size() >= frames, process.readAllStandardError().constData());
            written += messages.size();
            auto reader = test::readRecording(path);
            const auto verdict = test::orDie(reader->verify());
            QVERIFY(verdict.damaged.isEmpty());
            QVERIFY2(verdict.whole >= written && verdict.whole <= written + round + 1,
                qPrintable(u"%1 of %2"_s.arg(verdict.whole).arg(written)));
            QCOMPARE(reader->segments()->size(), round + 1); // the gap is recorded
        }
    }

    /// Intervals that were open when the program was killed have their beginning, and were seen up to the
    /// last snapshot.
    void intervalsSurviveAKill()
    {
        const QString path = newPath();
        {
            auto writer = test::writeRecording(path, identity());
            for (int i = 0; i < 130; ++i) {
                test::SnapshotBuilder s(i);
                s.session(51, "billing");
                s.holds(51, "public.orders", "RowExclusiveLock", 300 + i);
                QVERIFY(writer->append(s.take(), ServerTime{start.us + i * 1'000'000}));
            }
        } // without end()
        auto writer = test::writeRecording(path, identity());
        auto reader = test::readRecording(path);
        const auto span = reader->span();
        const auto lines =
            test::orDie(test::historyOf(*reader, u"public.orders"_s, {1}, {span->last.us + 1}));
        QCOMPARE(lines.size(), 1);
        const HistoryLine& line = lines.front();
        QCOMPARE(line.party.program, u"billing"_s);
        QCOMPARE(line.to, span->last);
        QVERIFY(line.to - line.from >= std::chrono::seconds(129));
        QVERIFY(!line.gone); // not recorded
    }

    void whoHeldItAndWhoWaited()
    {
        auto [path, writer] = newRecording(identity());
        ServerTime first;
        for (int i = 0; i < 30; ++i) {
            test::SnapshotBuilder s(i);
            s.sessions({{51, "billing"}, {63, "report"}});
            if (i < 10)
                s.holds(51, "public.orders", "AccessExclusiveLock", 5 + i);
            if (i >= 4 && i < 10)
                s.waits(63, "public.orders", "AccessShareLock", i - 4);
            if (i >= 10 && i < 20)
                s.holds(63, "public.orders", "AccessShareLock", i - 10);
            const SnapshotPtr snapshot = s.take();
            first = i == 0 ? snapshot->takenAt : first;
            QVERIFY(writer->append(snapshot, ServerTime{start.us + i * 1'000'000}));
        }
        auto reader = test::readRecording(path);
        const auto lines =
            test::orDie(test::historyOf(*reader, u"public.orders"_s, {1}, first + std::chrono::hours(1)));
        QCOMPARE(lines.size(), 3);
        QCOMPARE(lines[0].party.program, u"billing"_s);
        QVERIFY(!lines[0].waited);
        QCOMPARE(lines[0].gone, first + std::chrono::seconds(10));
        QCOMPARE(lines[1].party.program, u"report"_s);
        QVERIFY(lines[1].waited);
        QCOMPARE(lines[1].from, first + std::chrono::seconds(4));
        QVERIFY(!lines[2].waited);
        QCOMPARE(lines[2].to, first + std::chrono::seconds(19));
        // The time before it has none.
        QCOMPARE(test::historyOf(*reader, u"public.orders"_s, {1}, {first.us - 3'600'000'000})->size(), 0);
    }

    void aGapIsReportedAsAGap()
    {
        const QString path = newPath();
        auto writer = test::writeRecording(path, identity());
        test::RandomSnapshots random(8);
        ServerTime noted = start;
        const auto append = [&](microseconds after) {
            noted = noted + after;
            return writer->append(toRecord(random.next()), noted);
        };
        for (int i = 0; i < 5; ++i)
            QVERIFY(append(std::chrono::seconds(1)));
        QVERIFY(append(std::chrono::hours(2))); // a laptop that slept
        QVERIFY(append(std::chrono::seconds(1)));
        QVERIFY(append(std::chrono::seconds(-30))); // a clock that was set back
        Error error;
        error.kind = ErrorKind::Connection;
        error.what = u"No connection."_s;
        QVERIFY(writer->appendFailure(error, noted));
        QVERIFY(append(std::chrono::seconds(1)));
        auto reader = test::readRecording(path);
        const auto segments = reader->segments();
        QCOMPARE(segments->size(), 4);
        QCOMPARE((*segments)[0].endReason, u"gap"_s);
        QCOMPARE((*segments)[2].endReason, u"No connection."_s);
        const auto events = reader->events({1}, noted + std::chrono::hours(10));
        QCOMPARE(events->size(), 1);
        QCOMPARE(events->front().kind, Event::Kind::Failure);
        QCOMPARE(reader->verify()->whole, 9);
    }

    void aSecondWriterIsRefused()
    {
        auto [path, writer] = newRecording(identity());
        const auto second = RecordingWriter::open(path, identity());
        VERIFY_FAILS(ErrorKind::Permission, second);
        QVERIFY(second.error().what.contains(u"already"_s));
        writer.reset();
        QVERIFY(RecordingWriter::open(path, identity()));
    }

    void aFileThatGoesAwayIsMadeAnew()
    {
        auto [path, writer] = newRecording(identity());
        test::RandomSnapshots random(10);
        for (int i = 0; i < 3; ++i) {
            const SnapshotPtr snapshot = toRecord(random.next());
            QVERIFY(writer->append(snapshot, snapshot->takenAt));
        }
        for (const QString& end : {u""_s, u"-wal"_s, u"-shm"_s})
            QFile::remove(path + end);
        SnapshotPtr last;
        for (int i = 0; i < 3; ++i) {
            last = toRecord(random.next());
            QVERIFY(writer->append(last, last->takenAt));
        }
        auto reader = test::readRecording(path);
        QCOMPARE(reader->span()->frames, 3);
        QCOMPARE(test::differenceOf(**reader->at(last->takenAt), *last), QString());
        // The gap is reported once by the writer, and to each reader of the file.
        const QString news = writer->takeNews();
        QVERIFY2(news.contains(path) && news.contains(u"deleted"_s), qPrintable(news));
        QCOMPARE(writer->takeNews(), QString());
        const auto events = test::orDie(reader->events({1}, {std::numeric_limits<qint64>::max()}));
        QCOMPARE(events.size(), 1);
        QCOMPARE(events.front().what, news);
    }

    /// It fails as long as nothing can be written; then it goes on, after a gap, and all earlier snapshots
    /// are there.
    void aFullDiskLosesNoMoreThanItMust()
    {
        const QString path = newPath();
        auto writer = test::writeRecording(path, identity());
        test::RandomSnapshots random(12);
        const auto append = [&] {
            const SnapshotPtr snapshot = toRecord(random.next());
            return writer->append(snapshot, snapshot->takenAt);
        };
        for (int i = 0; i < 5; ++i)
            QVERIFY(append());
        rlimit before{};
        QCOMPARE(getrlimit(RLIMIT_FSIZE, &before), 0);
        const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
        rlimit full = before;
        full.rlim_cur = 4'096;
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &full), 0);
        const auto refused = append();
        const auto refusedAgain = append();
        setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, ignored);
        QVERIFY(!refused && !refusedAgain);
        for (int i = 0; i < 5; ++i) {
            VERIFY_DONE(append());
        }
        auto reader = test::readRecording(path);
        const auto verdict = reader->verify();
        QCOMPARE(verdict->whole, 10);
        QVERIFY(verdict->damaged.isEmpty());
        const auto segments = reader->segments();
        QCOMPARE(segments->size(), 2);
        const auto gap = gapAt(*reader, segments->front().seen + microseconds(1));
        QVERIFY(gap && *gap);
        QCOMPARE((*gap)->reason, Coverage::Reason::Disk);
    }

    void anotherServersFileIsRefused()
    {
        const QString path = newPath();
        QVERIFY(RecordingWriter::open(path, identity()));
        const auto other = RecordingWriter::open(path, identity(u"db2"_s));
        VERIFY_FAILS(ErrorKind::BadInput, other);
        QVERIFY(other.error().what.contains(u"db1"_s));

        const QString text = test::makeFile(newPath(), "This is a letter and no recording.");
        QVERIFY(!RecordingWriter::open(text, identity()));
        QVERIFY(!RecordingReader::open(text));
        QVERIFY(!RecordingReader::open(newPath())); // not there
        QCOMPARE(test::readFile(text), QByteArray("This is a letter and no recording."));
    }

    void damageIsReportedAndTheRestRead()
    {
        auto [path, writer] = newRecording(identity());
        test::RandomSnapshots random(14);
        for (int i = 0; i < 130; ++i) {
            const SnapshotPtr snapshot = toRecord(random.next());
            QVERIFY(writer->append(snapshot, snapshot->takenAt));
        }
        writer.reset();
        QProcess sqlite;
        sqlite.start(QCoreApplication::applicationFilePath(), {test::thisTest(), u"spoil"_s, path, u"0"_s});
        QVERIFY(sqlite.waitForFinished());
        QCOMPARE(sqlite.exitCode(), 0);
        auto reader = test::readRecording(path);
        const auto verdict = test::orDie(reader->verify());
        // Frame 10 is damaged: it and what follows up to the next key frame.
        QCOMPARE(verdict.damaged.size(), 51);
        QCOMPARE(verdict.whole, 79);
    }

    void whatIsOldGoes()
    {
        auto [path, writer] = newRecording(identity());
        test::RandomSnapshots random(16);
        SnapshotPtr last;
        ServerTime first;
        for (int i = 0; i < 600; ++i) {
            last = toRecord(random.next());
            first = i == 0 ? last->takenAt : first;
            QVERIFY(writer->append(last, last->takenAt));
        }
        QVERIFY(
            writer->pin(first + std::chrono::seconds(100), first + std::chrono::seconds(110), u"deadlock"_s));
        QVERIFY(writer->prune({std::chrono::seconds(200), qint64(1) << 30}));
        auto reader = test::readRecording(path);
        QCOMPARE(reader->span()->frames, 300); // 200 s, as far as key frames go, and the pinned minute
        // The pinned minute is there, the last ones, too, and all can be read.
        QVERIFY(
            (*reader->at(first + std::chrono::seconds(105)))->takenAt == first + std::chrono::seconds(105));
        QVERIFY((*reader->at(last->takenAt))->takenAt == last->takenAt);
        QVERIFY(reader->verify()->damaged.isEmpty());
        const qint64 before = reader->span()->frames;
        QVERIFY(writer->prune({std::chrono::hours(1), 200'000}));
        QVERIFY(reader->span()->frames < before);
        QVERIFY(reader->verify()->damaged.isEmpty());
        last = toRecord(random.next());
        QVERIFY(writer->append(last, last->takenAt));
        QCOMPARE(test::differenceOf(**reader->at(last->takenAt), *last), QString());
    }

    void incidentsAreFound()
    {
        auto [path, writer] = newRecording(identity());
        ServerTime first;
        for (int i = 0; i < 60; ++i) {
            test::SnapshotBuilder s(i);
            s.sessions({{51, "billing"}, {63, "report"}});
            s.holds(51, "public.orders", "AccessExclusiveLock", 5 + i);
            if ((i >= 10 && i < 15) || (i >= 40 && i < 50))
                s.waits(63, "public.orders", "AccessShareLock", 1);
            if (i == 25)
                s.queue(u"nightly"_s, "ann", 3'000);
            for (LockTableWaiter& left : s.made().entryWaiters) // its program ended long ago
                left.expiresAt = s.made().takenAt;
            const SnapshotPtr snapshot = s.take();
            first = i == 0 ? snapshot->takenAt : first;
            QVERIFY(writer->append(snapshot, ServerTime{start.us + i * 1'000'000}));
        }
        const auto second = [first](int i) { return first + std::chrono::seconds(i); };
        auto reader = test::readRecording(path);
        QCOMPARE(**reader->nextWait(second(0)), second(10));
        QCOMPARE(**reader->nextWait(second(10)), second(40));
        QCOMPARE(**reader->nextWait(second(12)), second(40));
        QVERIFY(!*reader->nextWait(second(45)));
        QCOMPARE(**reader->previousWait(second(59)), second(40));
        QCOMPARE(**reader->previousWait(second(40)), second(10));
        QVERIFY(!*reader->previousWait(second(10)));
        const auto snapshots = reader->recordedSnapshots(second(0), second(60), 6);
        QCOMPARE(snapshots->size(), 6);
        QCOMPARE((*snapshots)[1].waiting, 1);
        QCOMPARE((*snapshots)[2].waiting, 0);
        QCOMPARE((*snapshots)[2].longest.value, milliseconds(0));
        QVERIFY((*snapshots)[1].head.contains(u"billing"_s));
        // Compares the polls, and the worst of them.
        QCOMPARE((*snapshots)[1].pollCount, 10);
        QCOMPARE((*snapshots)[1].at, second(10));
        QCOMPARE((*snapshots)[1].last, second(19));
        QCOMPARE((*snapshots)[1].worst, second(14));
        QCOMPARE((*snapshots)[4].worst, second(49));
        QCOMPARE(**reader->nextSnapshotTime(second(3)), second(4));
        QCOMPARE(**reader->previousSnapshotTime(second(3)), second(2));
        QCOMPARE(**reader->nextSnapshotTime(second(3) + std::chrono::milliseconds(500)), second(4));
        QVERIFY(!*reader->nextSnapshotTime(second(59)));
        QVERIFY(!*reader->previousSnapshotTime(second(0)));
    }

    /// A recording with a poll each half a minute has no gap between two polls.
    void rarePollsAreNoGaps()
    {
        auto [path, writer] = newRecording(identity());
        for (int i = 0; i < 20; ++i) {
            test::SnapshotBuilder s(i * 30);
            QVERIFY(writer->append(s.take(), ServerTime{start.us + i * 30'000'000LL}));
        }
        auto reader = test::readRecording(path);
        QVERIFY2(reader->segments()->size() <= 2, qPrintable(QString::number(reader->segments()->size())));
    }

    /// A poll that could not read everything does not prove that a lock is gone; another holder is another
    /// interval.
    void whatWasNotSeenIsNotGone()
    {
        auto [path, writer] = newRecording(identity());
        ServerTime last;
        for (int i = 0; i < 3; ++i) {
            test::SnapshotBuilder s(i);
            s.session(51, "billing");
            if (i < 2)
                s.holds(51, "public.orders", "RowExclusiveLock", 5 + i);
            if (i == 2)
                s.made().limitations.push_back(
                    {Limitation::Kind::Failed, u"Locks can't be read."_s, {}, 0, 0, true});
            last = s.made().takenAt;
            QVERIFY(writer->append(s.take(), ServerTime{start.us + i * 1'000'000LL}));
        }
        auto reader = test::readRecording(path);
        const auto lines = test::orDie(test::historyOf(*reader, u"public.orders"_s, {1}, last));
        QCOMPARE(lines.size(), 1);
        QVERIFY(!lines.front().gone);
        QCOMPARE(lines.front().to, last - std::chrono::seconds(1));
    }

    /// The folder disappears: the writer says so, and goes on when it is back.
    void aFolderThatGoesAwayIsAnError()
    {
        const QString folder = m_folder.filePath(u"gone/deeper"_s);
        const QString path = folder + u"/r.lockscope"_s;
        auto writer = test::writeRecording(path, identity());
        QCOMPARE(
            QFileInfo(folder).permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
        QCOMPARE(QFileInfo(path).permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
        test::SnapshotBuilder s;
        QVERIFY(writer->append(s.take(), start));
        QVERIFY(QDir(folder).removeRecursively());
        test::SnapshotBuilder next(1);
        QVERIFY(!writer->append(next.take(), {start.us + 1'000'000}));
        QVERIFY(!writer->add({start, Event::Kind::Note, u"a note"_s}, start));
        QVERIFY(!writer->pin(start, start, u"a pin"_s));
        QVERIFY(!writer->end(u"stopped"_s));
        QVERIFY(QDir().mkpath(folder));
        test::SnapshotBuilder third(2);
        QVERIFY(writer->append(third.take(), {start.us + 2'000'000}));
        QVERIFY(writer->end(u"stopped"_s));
    }

    void whatOthersMayChangeIsNotWritten()
    {
        const QString target = newPath();
        QVERIFY(RecordingWriter::open(target, identity()));
        const QString link = newPath();
        QVERIFY(QFile::link(target, link));
        QVERIFY(!RecordingWriter::open(link, identity()));
        QVERIFY(QFile::setPermissions(target, QFile::ReadOwner | QFile::WriteOwner | QFile::WriteOther));
        const auto open = RecordingWriter::open(target, identity());
        VERIFY_FAILS(ErrorKind::Permission, open);
        // A recording can be read where nothing can be written (root may write everywhere).
        const QString closed = m_folder.filePath(u"closed"_s);
        QVERIFY(QDir().mkpath(closed));
        const QString copy = closed + u"/r.lockscope"_s;
        QVERIFY(QFile::copy(target, copy));
        QVERIFY(QFile::setPermissions(closed, QFile::ReadOwner | QFile::ExeOwner));
        const bool isRead = RecordingReader::open(copy).has_value();
        QVERIFY(QFile::setPermissions(closed, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        QVERIFY(isRead);
        // A file without values is never continued with values.
        const QString plain = newPath();
        QVERIFY(RecordingWriter::open(plain, identity()));
        Identity redacted = identity();
        redacted.redacted = true;
        QVERIFY(!RecordingWriter::open(plain, redacted));
        QVERIFY(RecordingWriter::open(plain, identity()));
    }

    /// Passwords are left out also where all other values are recorded.
    void passwordsAreNeverKept()
    {
        auto [path, writer] = newRecording(identity());
        test::SnapshotBuilder s;
        s.session(51, "billing").running("ALTER ROLE ann LOGIN Password 'opensesame'");
        s.session(52, "report").running("SELECT 'plain'");
        s.session(53, "shop").running("SET app.token = opensesame; SELECT 1");
        s.session(54, "shop").running("SELECT dblink('postgres://ann:opensesame@db2/shop', E'it\\'s')");
        const SnapshotPtr taken = s.take();
        QVERIFY(writer->append(taken, taken->takenAt));
        const auto now = test::orDie(test::readRecording(path)->at(taken->takenAt));
        const auto statement = [&](qint64 session) { return now->session(SessionId{session})->statement; };
        QCOMPARE(statement(51), u"ALTER ROLE ann LOGIN Password ?"_s);
        QCOMPARE(statement(52), u"SELECT 'plain'"_s);
        QCOMPARE(statement(53), u"SET app.token = ?; SELECT ?"_s);
        QCOMPARE(statement(54), u"SELECT dblink(?, ?)"_s);
    }

    /// A program that writes values into its statements sends nearly each text once.
    void valuesOfStatementsTakeNoTexts()
    {
        auto [path, writer] = newRecording(identity());
        std::vector<SnapshotPtr> all;
        for (int second = 0; second < 130; ++second) {
            test::SnapshotBuilder s(second);
            s.session(51, "billing").running("SELECT 1");
            s.session(52, "till").running("SELECT 1");
            Snapshot snapshot = *s.take();
            // One that differs each time, and one that goes on over key frames.
            snapshot.sessions[0].statement =
                u"UPDATE accounts SET paid = paid + %1, note = 'für %2 €' WHERE account = %3 /* %4 */"_s
                    .arg(second)
                    .arg(second * 7)
                    .arg(second * 31)
                    .arg(QString(second % 3, u'x'));
            snapshot.sessions[1].statement =
                u"DELETE FROM bills WHERE id = %1"_s.arg(second < 2 ? second : 2);
            all.push_back(toRecord(std::move(snapshot)));
            QVERIFY(writer->append(all.back(), all.back()->takenAt));
        }
        const auto reader = test::readRecording(path);
        for (const SnapshotPtr& was : all) {
            const auto is = test::orDie(reader->at(was->takenAt));
            QCOMPARE(test::differenceOf(*is, *was), QString());
        }
        QVERIFY(reader->verify()->isIntact());
        int texts = 0;
        const auto database = Database::open(path, Database::Mode::Read);
        QVERIFY(
            database && (*database)->run("recording/recording/texts", {-1}, [&texts](const Database::Row&) {
                ++texts;
                return true;
            }));
        QVERIFY2(texts < 30, qPrintable(QString::number(texts)));
    }

    /// The common text of similar statements is stored once; the statements are read as they were.
    void statementsOfAFamilyAreShort()
    {
        const QString path = newPath();
        const QByteArray common = "AND a_column_with_a_long_name = another_column_with_a_long_name";
        std::vector<SnapshotPtr> all;
        for (int i = 0; i < 600; ++i) {
            test::SnapshotBuilder s(i);
            const QByteArray number = QByteArray::number(i * 7'919);
            for (const auto& [session, text] : {std::pair(51, "SELECT '%1' FROM t WHERE id = %1 " + common),
                     std::pair(
                         52, "UPDATE t SET a = E'\\'%1', b = $$%1$$ WHERE c = 5 " + common + " /* %1 */"),
                     std::pair(53, QByteArray("\x01SELECT 1\x1f%1")),
                     std::pair(54, QByteArray("SELECT '%1"))}) {
                QByteArray statement = text;
                s.session(session, "shop").running(statement.replace("%1", number).constData());
            }
            all.push_back(s.take());
        }
        const auto appendTo = [&all](RecordingWriter& writer, size_t from, size_t to) {
            bool isWritten = true;
            for (size_t i = from; i < to; ++i)
                isWritten = isWritten && writer.append(all[i], all[i]->takenAt);
            return isWritten && writer.end(u"stopped"_s);
        };
        for (const size_t from : {size_t(0), size_t(300)}) {
            const auto writer = RecordingWriter::open(path, identity());
            QVERIFY(writer && appendTo(**writer, from, from + 300));
        }
        const auto check = [&](size_t from) {
            const auto reader = test::readRecording(path);
            for (size_t i = from; i < all.size(); ++i) {
                const auto then = reader->at(all[i]->takenAt);
                if (!then)
                    return false;
                for (const Session& session : all[i]->sessions)
                    if ((*then)->session(session.id)->statement != session.statement)
                        return false;
            }
            return true;
        };
        QVERIFY(check(0));
        const qsizetype often = test::readFile(path).count(common);
        QVERIFY2(often > 0 && often < 20, qPrintable(QString::number(often)));
        // Rows that are kept keep the rows that they refer to.
        const auto writer = RecordingWriter::open(path, identity());
        QVERIFY(writer && (*writer)->append(all.back(), all.back()->takenAt));
        QVERIFY((*writer)->prune({.age = std::chrono::seconds(100)}, all.back()->takenAt));
        QVERIFY(test::readRecording(path)->span()->first > all[300]->takenAt);
        QVERIFY(check(550));
    }
};

LOCKSCOPE_TEST_WITH_PARTS(tst_Recording, play)

} // namespace tst_Recording
#include "tst_Recording.moc"
