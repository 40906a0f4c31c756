// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/ReadReports.h"
#include "core/record/Recorder.h"
#include "tests/support/DeadlockReports.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"

#include <csignal>

#include <sys/resource.h>

namespace tst_Recorder {

using namespace lockscope;
using namespace lockscope::record;
using test::SnapshotBuilder;

static Identity identity(bool redacted = false)
{
    return {
        u"test"_s, u"shop@db1"_s, Engine::Postgres, SnapshotBuilder::start(), redacted, u"tst_Recorder"_s};
}

static SnapshotPtr snapshotAt(int second, int waited = -1)
{
    SnapshotBuilder s(second);
    s.session(51, "billing").transaction(1'000 + second).running("UPDATE orders SET card = '4711'");
    s.session(63, "report");
    s.holds(51, "public.orders", "AccessExclusiveLock", 1'000 + second);
    if (waited >= 0)
        s.waits(63, "public.orders", "AccessShareLock", waited);
    return s.take();
}

/// Returns one deadlock from a server's event files.
static deadlock::SourcePoll made()
{
    deadlock::DeadlockReport report = *deadlock::readReports(test::twoRowsXml(), u"event files"_s)->first();
    report.time.at = snapshotAt(0)->takenAt;
    deadlock::SourcePoll poll;
    poll.reports = {std::make_shared<deadlock::DeadlockReport>(report)};
    poll.counted = 1;
    poll.captured = 1;
    poll.origin = u"event files"_s;
    return poll;
}

/// Lets no file grow any more, as on a full disk.
class FullDisk {
public:
    FullDisk()
        : m_ignored(std::signal(SIGXFSZ, SIG_IGN))
    {
        getrlimit(RLIMIT_FSIZE, &m_before);
        rlimit full = m_before;
        full.rlim_cur = 4'096;
        setrlimit(RLIMIT_FSIZE, &full);
    }
    ~FullDisk()
    {
        setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, m_ignored);
    }
    Q_DISABLE_COPY_MOVE(FullDisk)

private:
    rlimit m_before{};
    void (*m_ignored)(int);
};

/// Records the requests to it.
class AskedSource final : public monitor::SnapshotSource {
public:
    explicit AskedSource(std::shared_ptr<QStringList> asked)
        : m_asked(std::move(asked))
    {
    }
    Result<SnapshotPtr> take(std::stop_token) override { return snapshotAt(++m_taken); }
    void setReadsFrameworkRows(bool reads) override { *m_asked << (reads ? u"reads"_s : u"does not"_s); }
    QStringList viewsRead() const override { return {u"pg_locks"_s}; }

private:
    std::shared_ptr<QStringList> m_asked;
    int m_taken = 0;
};

class tst_Recorder : public QObject, test::RecordingFolder {
    Q_OBJECT

    static qint64 framesIn(const QString& path)
    {
        const auto reader = RecordingReader::open(path);
        const auto span = reader ? (*reader)->span() : Failure(reader.error());
        return span ? span->frames : 0;
    }

private Q_SLOTS:
    void whatItIsGivenIsInTheFile()
    {
        const QString path = newPath();
        Recorder recorder(path, identity(), Retention());
        for (int i = 0; i < 20; ++i)
            recorder.note(snapshotAt(i));
        QTRY_COMPARE(recorder.state().frames, 20);
        const RecorderState state = recorder.state();
        QVERIFY(!state.error);
        QCOMPARE(state.path, path);
        QCOMPARE(*state.first, snapshotAt(0)->takenAt);
        QCOMPARE(*state.last, snapshotAt(19)->takenAt);
        QVERIFY(state.bytes > 0);
        QCOMPARE(framesIn(path), 20);
    }

    void gapsAreNotCountedAsRecorded()
    {
        const QString path = newPath();
        for (const int begin : {0, 600}) {
            Recorder recorder(path, identity(), Retention());
            for (int i = 0; i < 10; ++i)
                recorder.note(snapshotAt(begin + i));
            recorder.end();
            QVERIFY(recorder.waitForEnd(20s));
        }
        Recorder recorder(path, identity(), Retention());
        recorder.note(snapshotAt(700));
        QTRY_COMPARE(recorder.state().frames, 1);
        const RecorderState state = recorder.state();
        QCOMPARE(*state.last - *state.first, 700s);
        QCOMPARE(state.gaps, 591s + 91s);
    }

    void whatIsQueuedAtTheEndIsWritten()
    {
        const QString path = newPath();
        {
            Recorder recorder(path, identity(), Retention());
            for (int i = 0; i < 50; ++i)
                recorder.note(snapshotAt(i));
            recorder.end();
            recorder.note(snapshotAt(50)); // too late
        }
        QVERIFY(BackgroundThread::waitForDetached(20s));
        QCOMPARE(framesIn(path), 50);
        const auto reader = test::readRecording(path);
        QCOMPARE(reader->segments()->last().endReason, u"stopped"_s);
    }

    void turnedOffItFreesTheFile()
    {
        const QString path = newPath();
        Recorder recorder(path, identity(), Retention());
        recorder.note(snapshotAt(0));
        QTRY_COMPARE(recorder.state().frames, 1);
        RecorderSettings settings = recorder.state().settings;
        settings.on = false;
        recorder.setSettings(settings);
        QTRY_VERIFY(RecordingWriter::open(path, identity()));
        recorder.note(snapshotAt(1));
        settings.on = true;
        recorder.setSettings(settings);
        recorder.note(snapshotAt(2));
        QTRY_COMPARE(framesIn(path), 2);
        const auto reader = test::readRecording(path);
        QCOMPARE(reader->segments()->size(), 2); // what was not recorded is a gap
    }

    void anotherWriterIsSaidAndWaitedFor()
    {
        const QString path = newPath();
        auto other = test::orDie(RecordingWriter::open(path, identity()));
        Recorder recorder(path, identity(), Retention());
        recorder.note(snapshotAt(0));
        QTRY_VERIFY(recorder.state().writtenByAnother);
        QVERIFY(!recorder.state().isFull);
        QVERIFY(recorder.state().error->what.contains(u"already"_s));
        other.reset();
        int second = 0;
        // It tries again after a few seconds, by itself.
        TRY_VERIFY((recorder.note(snapshotAt(++second)), recorder.state().frames > 0));
        QVERIFY(!recorder.state().writtenByAnother);
        QVERIFY(!recorder.state().error);
    }

    /// A server that is closed and opened again has no gap: its former recorder still writes.
    void aPredecessorIsWaitedFor()
    {
        const QString path = newPath();
        auto before = test::orDie(RecordingWriter::open(path, identity()));
        Recorder recorder(path, identity(), Retention());
        for (int i = 0; i < 5; ++i)
            recorder.note(snapshotAt(i));
        QTest::qWait(300); // it has met the other one, which it keeps to itself for a while
        QVERIFY(!recorder.state().writtenByAnother);
        before.reset();
        QTRY_COMPARE(recorder.state().frames, 5);
        QCOMPARE(framesIn(path), 5);
    }

    void aFullDiskIsSaidAndRecoveredFrom()
    {
        const QString path = newPath();
        Recorder recorder(path, identity(), Retention());
        recorder.note(snapshotAt(0));
        QTRY_COMPARE(recorder.state().frames, 1);
        {
            const FullDisk full;
            recorder.note(snapshotAt(1));
            QTRY_VERIFY(recorder.state().error);
        }
        recorder.note(snapshotAt(2));
        QTRY_VERIFY(!recorder.state().error);
        QCOMPARE(framesIn(path), 2);
    }

    void longWaitsAndDeadlocksAreEventsAndPinned()
    {
        const QString path = newPath();
        Recorder recorder(path, identity(), Retention());
        for (int i = 0; i < 50; ++i)
            recorder.note(snapshotAt(i, 20 + i));
        recorder.add({snapshotAt(3)->takenAt, Event::Kind::Act, u"Session 63 ended."_s, {}, u"audit:7"_s});
        recorder.add({snapshotAt(3)->takenAt, Event::Kind::Act, u"Session 63 ended."_s, {}, u"audit:7"_s});
        recorder.end();
        QVERIFY(BackgroundThread::waitForDetached(20s));
        const auto reader = test::readRecording(path);
        const auto events = test::orDie(reader->events({1}, snapshotAt(1'000)->takenAt));
        QCOMPARE(events.size(), 2);
        QCOMPARE(events[0].kind, Event::Kind::Act);
        QCOMPARE(events[1].kind, Event::Kind::Alert);
        QCOMPARE(events[1].at, snapshotAt(40)->takenAt);
    }

    void valuesAreLeftOutFromANewFileOn()
    {
        const QString path = newPath();
        Recorder recorder(path, identity(), Retention());
        recorder.note(snapshotAt(0));
        QTRY_COMPARE(recorder.state().frames, 1);
        recorder.setRedacts(true);
        recorder.note(snapshotAt(1));
        // That file already has values.
        QTRY_VERIFY(recorder.state().error);
        QVERIFY(recorder.state().error->what.contains(u"values"_s));
        QCOMPARE(framesIn(path), 1);

        const QString other = newPath();
        Recorder redacting(other, identity(true), Retention());
        redacting.note(snapshotAt(0));
        QTRY_COMPARE(redacting.state().frames, 1);
        QVERIFY(redacting.state().redacted);
        const auto reader = test::readRecording(other);
        QCOMPARE((*reader->at({1}))->session(SessionId{51})->statement, u"UPDATE orders SET card = ?"_s);
    }

    /// The decorator passes each request on to the source within.
    void theDecoratorPassesEverythingOn()
    {
        const auto asked = std::make_shared<QStringList>();
        const auto recorder = std::make_shared<Recorder>(newPath(), identity(), Retention());
        const auto source = recorded(std::make_unique<AskedSource>(asked), recorder);
        source->setReadsFrameworkRows(false);
        source->setReadsFrameworkRows(true);
        COMPARE_TEXTS(*asked, "does not", "reads");
        COMPARE_TEXTS(source->viewsRead(), "pg_locks");
        QVERIFY(source->take());
        QTRY_COMPARE(recorder->state().frames, 1);
    }

    /// The name stays, but the server is another one: its snapshots must not follow those of the first one.
    void anotherServerOfTheSameNameBeginsAnotherFile()
    {
        const QString path = newPath();
        const auto record = [&path](const QString& place) {
            Identity of = identity();
            of.place = place;
            Recorder recorder(path, of, Retention());
            recorder.note(snapshotAt(0));
            [&] { QTRY_COMPARE(recorder.state().frames, 1); }();
            return recorder.state();
        };
        QCOMPARE(record(u"postgres://db1:5432/shop"_s).setAside, QString());
        QVERIFY(BackgroundThread::waitForDetached(20s));
        QCOMPARE(record(u"postgres://db1:5432/shop"_s).setAside, QString());
        QVERIFY(BackgroundThread::waitForDetached(20s));
        QCOMPARE((*RecordingReader::open(path))->identity().place, u"postgres://db1:5432/shop"_s);
        QCOMPARE(framesIn(path), 2);
        const RecorderState state = record(u"postgres://db2:5432/shop"_s);
        QVERIFY(!state.error);
        VERIFY_CONTAINS(state.setAside, u"-until-"_s);
        QVERIFY(BackgroundThread::waitForDetached(20s));
        QCOMPARE(framesIn(path), 1);
        QCOMPARE(framesIn(state.setAside), 2); // it can still be opened
        QCOMPARE((*RecordingReader::open(state.setAside))->identity().place, u"postgres://db1:5432/shop"_s);
    }

    /// Recording goes on in another file.
    void aDamagedFileIsSetAside()
    {
        const QString path = newPath();
        const auto record = [&path] {
            Recorder recorder(path, identity(), Retention());
            for (int i = 0; i < 3; ++i)
                recorder.note(snapshotAt(i));
            [&] { QTRY_COMPARE(recorder.state().frames, 3); }();
            return recorder.state();
        };
        QVERIFY(record().setAside.isEmpty());
        QVERIFY(BackgroundThread::waitForDetached(20s));
        QFile file(path);
        QVERIFY(file.resize(file.size() * 2 / 3));
        const qint64 bytes = file.size();
        const RecorderState state = record();
        QVERIFY(!state.error);
        QVERIFY(state.wasDamaged);
        VERIFY_CONTAINS(state.setAside, u"-until-"_s);
        QCOMPARE(QFile(state.setAside).size(), bytes);
        QVERIFY(BackgroundThread::waitForDetached(20s));
        QCOMPARE(framesIn(path), 3);
    }

    void whichServerThatIs()
    {
        const auto place = [](const QString& url) { return serverPlace(*db::ServerUrl::parse(url)); };
        QCOMPARE(place(u"postgresql://ann@DB1/shop"_s), u"postgres://db1:5432/shop"_s);
        QCOMPARE(place(u"postgresql://bob@db1:5432/shop?sslmode=require"_s), u"postgres://db1:5432/shop"_s);
        QVERIFY(place(u"postgresql://db1/shop"_s) != place(u"postgresql://db1/stock"_s));
        QVERIFY(place(u"postgresql://db1/shop"_s) != place(u"postgresql://db1:5433/shop"_s));
        QCOMPARE(place(u"sqlserver://ann@db1:1433/shop"_s), u"sqlserver://db1:1433/shop"_s);
        QCOMPARE(place(u"sqlserver://ops@DB1/shop"_s), u"sqlserver://db1:1433/shop"_s);
        QCOMPARE(place(u"sqlserver://ops@shop.database.windows.net./shop"_s),
            u"sqlserver://shop.database.windows.net:1433/shop"_s);
        QVERIFY(place(u"sqlserver://db1/shop"_s) != place(u"postgresql://db1:1433/shop"_s)); // Babelfish
        QCOMPARE(place(u"sqlite:///srv/locks.db"_s), u"sqlite:/srv/locks.db"_s);
        QCOMPARE(place(u"sqlite:///srv/../srv/locks.db"_s), u"sqlite:/srv/locks.db"_s);
        for (const QString& host : {u"127.0.0.1"_s, u"[::1]"_s, u"LocalHost"_s, u""_s})
            QCOMPARE(place(u"postgresql://%1/shop"_s.arg(host)), u"postgres://localhost:5432/shop"_s);
        // Another server may listen at another address of this computer.
        QCOMPARE(place(u"postgresql://127.0.0.2/shop"_s), u"postgres://127.0.0.2:5432/shop"_s);
        // Without a name of a database it is the user's.
        QVERIFY(place(u"postgresql://ann@db1"_s) != place(u"postgresql://bob@db1"_s));
        QCOMPARE(place(u"postgresql://ann@db1"_s), place(u"postgresql://bob@db1/ann"_s));
        const QString two = u"postgresql://db1,db2/shop?target_session_attrs="_s;
        QVERIFY(place(two + u"read-write"_s) != place(two + u"read-only"_s));
    }

    void aServersFileIsAFileOfTheFolder_data()
    {
        test::addTexts("url",
            {"postgresql://db1/..%2F..%2Fetc", "postgresql://db1/a%2Fb", "postgresql://db1/a%5Cb",
                "postgresql:///shop?host=/run/../run/postgresql", "sqlserver://db1/%2e%2e",
                "sandbox:", "sqlite:///srv/%C3%A9tat%20%2B.db", "postgresql://db1/%F0%9F%98%80"});
    }

    void aServersFileIsAFileOfTheFolder()
    {
        QFETCH(const QString, url);
        const auto parsed = test::orDie(db::ServerUrl::parse(url));
        const QFileInfo file(recordingPath(parsed));
        QCOMPARE(QDir::cleanPath(file.absolutePath()), QDir::cleanPath(recordingsFolder()));
        static const QRegularExpression plain(u"^[\\p{L}\\p{N}._-]+-[0-9a-f]{8}\\.lockscope$"_s,
            QRegularExpression::UseUnicodePropertiesOption);
        QVERIFY2(plain.match(file.fileName()).hasMatch(), qPrintable(file.fileName()));
    }

    /// `lockctl record` with a monitor's login, and then the window with an operator's.
    void oneServerHasOneHistory()
    {
        const QString path = newPath();
        const auto whose = [](const QString& login) {
            return Identity{.id = login,
                .server = login + u"@db1/shop"_s,
                .engine = Engine::Postgres,
                .began = SnapshotBuilder::start(),
                .program = u"tst_Recorder"_s,
                .place = serverPlace(*db::ServerUrl::parse(u"postgresql://%1@db1/shop"_s.arg(login)))};
        };
        const auto append = [](RecordingWriter& writer, const QString& login, int second) {
            Snapshot snapshot = *snapshotAt(second);
            snapshot.server = login + u"@db1/shop"_s;
            snapshot.index();
            return writer
                .append(std::make_shared<const Snapshot>(std::move(snapshot)),
                    SnapshotBuilder::start() + std::chrono::seconds(second))
                .has_value();
        };
        {
            const auto monitor = RecordingWriter::open(path, whose(u"monitor"_s));
            QVERIFY(monitor && append(**monitor, u"monitor"_s, 0));
            // Two at a time never write one file.
            QVERIFY(!RecordingWriter::open(path, whose(u"ops"_s)));
        }
        const auto ops = RecordingWriter::open(path, whose(u"ops"_s));
        VERIFY_DONE(ops);
        QVERIFY(append(**ops, u"ops"_s, 1));
        const auto reader = test::readRecording(path);
        QCOMPARE(reader->span()->frames, 2);
        QCOMPARE(reader->segments()->size(), 2);
        Identity elsewhere = whose(u"ops"_s);
        elsewhere.place = u"postgres://db2:5432/shop"_s;
        const auto refused = RecordingWriter::open(path, elsewhere);
        QVERIFY(!refused && refused.error().kind != ErrorKind::Internal);
    }

    void whatTheServerReportedOfADeadlockCanBeReadAgain()
    {
        const QString path = newPath();
        const deadlock::SourcePoll poll = made();
        {
            Recorder recorder(path, identity(), Retention());
            recorder.note(snapshotAt(0));
            recorder.noteDeadlocks(poll);
            recorder.noteDeadlocks(poll); // as a program that was started again
            recorder.note(snapshotAt(1));
            QTRY_COMPARE(recorder.state().frames, 2);
        }
        QVERIFY(BackgroundThread::waitForDetached(20s));
        const auto reader = test::readRecording(path);
        const auto events = reader->events({1}, {std::numeric_limits<qint64>::max()});
        QCOMPARE(events->size(), 1);
        QCOMPARE(events->first().kind, Event::Kind::Deadlock);
        QCOMPARE(events->first().at, *poll.reports.first()->time.at);
        QCOMPARE(reader->pins()->size(), 1);
        const auto reports = reader->reports({1}, {std::numeric_limits<qint64>::max()});
        QCOMPARE(reports->size(), 1);
        QCOMPARE(reports->first().raw, poll.reports.first()->raw.text());
        QCOMPARE(events->first().sourceKey, u"report:"_s + reports->first().key);
        const auto drawn = reportsOf(reports->first());
        QCOMPARE(drawn->size(), 1);
        QCOMPARE(drawn->first()->cycles, poll.reports.first()->cycles);
        QCOMPARE(drawn->first()->time.at, poll.reports.first()->time.at);
    }

    void reportsRepeatStatements_data()
    {
        test::addColumns<bool, QString>("redacted", "statement");
        test::row("values are left out", true, "UPDATE dbo.orders SET n = 1");
        test::row("a password", false, "ALTER LOGIN ann WITH PASSWORD = 'x'");
    }
    void reportsRepeatStatements()
    {
        FETCH(bool, redacted, QString, statement);
        const QString path = newPath();
        Identity whose = identity();
        whose.redacted = redacted;
        deadlock::SourcePoll poll = made();
        deadlock::DeadlockReport report = *poll.reports.first();
        report.raw = report.raw.text().replace(u"UPDATE dbo.orders SET n = 1"_s, statement);
        poll.reports = {std::make_shared<deadlock::DeadlockReport>(report)};
        {
            Recorder recorder(path, whose, Retention());
            recorder.note(snapshotAt(0));
            recorder.noteDeadlocks(poll);
            recorder.note(snapshotAt(1));
            QTRY_COMPARE(recorder.state().frames, 2);
        }
        QVERIFY(BackgroundThread::waitForDetached(20s));
        const auto reader = RecordingReader::open(path);
        QCOMPARE((*reader)->events({1}, {std::numeric_limits<qint64>::max()})->size(), 1);
        QVERIFY((*reader)->reports({1}, {std::numeric_limits<qint64>::max()})->isEmpty());
    }
};

LOCKSCOPE_TEST(tst_Recorder)

} // namespace tst_Recorder
#include "tst_Recorder.moc"
