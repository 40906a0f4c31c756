// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Database.h"
#include "core/record/RecordingClient.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"

namespace tst_RecordingClient {

using namespace lockscope;
using namespace lockscope::record;

class tst_RecordingClient : public QObject, test::RecordingFolder {
    Q_OBJECT

    /// The snapshots that it now holds.
    static std::vector<SnapshotPtr> record(const QString& path, int count)
    {
        std::vector<SnapshotPtr> all;
        test::RandomSnapshots random(4);
        auto writer = RecordingWriter::open(
            path, {u"test"_s, u"db1"_s, Engine::Postgres, {1}, false, u"tst_RecordingClient"_s});
        for (int i = 0; writer && i < count; ++i) {
            Snapshot snapshot = random.next();
            snapshot.index();
            all.push_back(std::make_shared<const Snapshot>(std::move(snapshot)));
            if (!(*writer)->append(all.back(), all.back()->takenAt))
                return {};
        }
        return all;
    }
    /// Returns the client's answer for that time.
    static Result<SnapshotPtr> ask(RecordingClient& client, ServerTime at)
    {
        std::optional<Result<SnapshotPtr>> answer;
        QObject context;
        client.ask(
            &context, [at](RecordingReader& reader) { return reader.at(at); },
            [&answer](const Result<SnapshotPtr>& got) { answer = got; });
        if (!test::waitUntil([&answer] { return answer.has_value(); }))
            return failure(ErrorKind::Internal, u"No answer."_s);
        return *answer;
    }

private Q_SLOTS:
    void answersOnTheMainThreadFromAnother()
    {
        const QString path = newPath();
        const auto all = record(path, 50);
        QCOMPARE(all.size(), 50u);
        RecordingClient client(path);
        QCOMPARE(client.place(), path);
        QThread* const here = QThread::currentThread();
        QList<qint64> answers;
        for (const int i : {40, 3, 4}) {
            client.ask(
                this,
                [at = all[size_t(i)]->takenAt, here](RecordingReader& reader) -> Result<qint64> {
                    if (QThread::currentThread() == here)
                        return failure(ErrorKind::Internal, u"On the caller's thread."_s);
                    return (*reader.at(at))->takenAt.us;
                },
                [&answers, here](const Result<qint64>& answer) {
                    answers << (QThread::currentThread() == here ? answer.value_or(-1) : -2);
                });
        }
        QVERIFY(answers.isEmpty());
        QTRY_COMPARE(answers, (QList<qint64>{all[40]->takenAt.us, all[3]->takenAt.us, all[4]->takenAt.us}));
    }

    void aRecordingThatIsMadeLaterIsFound()
    {
        const QString path = newPath();
        RecordingClient client(path);
        QVERIFY(!ask(client, {1}));
        const auto all = record(path, 3);
        const auto found = test::orDie(ask(client, all[1]->takenAt));
        QCOMPARE(found->takenAt, all[1]->takenAt);
    }

    void whatIsNoRecordingIsAnErrorEachTime()
    {
        const QString path = newPath();
        test::makeFile(path, "To whom it may concern");
        RecordingClient client(path);
        for (int i = 0; i < 2; ++i) {
            VERIFY_FAILS(ErrorKind::BadInput, ask(client, {1}));
        }
    }

    /// A file that was set aside would otherwise be read as long as somebody has it open.
    void whatTookItsPlaceIsRead()
    {
        const QString path = newPath();
        const auto before = record(path, 3);
        RecordingClient client(path);
        QVERIFY(ask(client, before[2]->takenAt));
        for (const QString& end : {u""_s, u"-wal"_s, u"-shm"_s}) {
            const QString aside = u"%1-aside%2"_s.arg(path, end);
            QVERIFY(!QFile::exists(path + end) || QFile::rename(path + end, aside));
        }
        QVERIFY(ask(client, before[2]->takenAt)); // nothing else is there
        const auto after = record(path, 1);
        const auto found = test::orDie(ask(client, before[2]->takenAt));
        QCOMPARE(found->takenAt, after[0]->takenAt);
    }

    void anotherServersRecordingIsAnError()
    {
        const QString path = newPath();
        const auto all = record(path, 3);
        const auto reader = test::readRecording(path);
        RecordingClient own(path, reader->identity());
        QVERIFY(ask(own, all[0]->takenAt));
        Identity billing = reader->identity();
        billing.server = u"billing"_s;
        RecordingClient others(path, billing);
        const auto answer = ask(others, all[0]->takenAt);
        VERIFY_FAILS(ErrorKind::BadInput, answer);
    }

    void aDamagedSnapshotDoesNotHideTheOthers()
    {
        const QString path = newPath();
        const auto all = record(path, 200);
        {
            auto database = test::orDie(Database::open(path, Database::Mode::Write));
            QVERIFY(database->script("UPDATE frame SET data = X'0102' WHERE number = 10"));
        }
        RecordingClient client(path);
        QVERIFY(ask(client, all[5]->takenAt));
        const auto damaged = ask(client, all[9]->takenAt);
        VERIFY_FAILS(ErrorKind::BadInput, damaged);
        QVERIFY(ask(client, all[5]->takenAt));
        QVERIFY(ask(client, all[199]->takenAt));
    }

    /// Drawing it would never end.
    void aTimeThatNoClockShowsIsAnError()
    {
        const QString path = newPath();
        const auto all = record(path, 3);
        QVERIFY((*RecordingReader::open(path))->span());
        {
            auto database = test::orDie(Database::open(path, Database::Mode::Write));
            QVERIFY(database->script("UPDATE frame SET taken_us = 9223372036854775000 WHERE number = 3"));
        }
        VERIFY_FAILS(ErrorKind::BadInput, (*RecordingReader::open(path))->span());
    }

    void aTextIsATimeOrSoLongBeforeTheLast_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("us"); // 0: no time
        const qint64 last = 1'795'230'727'000'000;
        test::row("5min", "5min", last - 300'000'000);
        test::row("5m", "5m", last - 300'000'000);
        test::row("1h30min", "1h30min", last - 5'400'000'000);
        test::row("in UTC", "2026-11-21T03:12:07Z", last);
        test::row("ago", "-5m", last - 300'000'000);
        test::row("with a fraction", "2026-11-21T03:12:07.25Z", last + 250'000);
        test::row("with a zone", "2026-11-21 05:12:07+02:00", last);
        // The shown times are in UTC, in any zone of the computer.
        const auto utc = [](const char* date, const char* time) {
            const auto day = QDate::fromString(QString::fromLatin1(date), Qt::ISODate);
            return QDateTime(day, QTime::fromString(QString::fromLatin1(time), Qt::ISODate), Qt::UTC)
                       .toMSecsSinceEpoch()
                * 1'000;
        };
        const QDateTime end = QDateTime::fromMSecsSinceEpoch(last / 1'000, Qt::UTC);
        const QByteArray today = end.date().toString(Qt::ISODate).toLatin1();
        const QByteArray dayBefore = end.date().addDays(-1).toString(Qt::ISODate).toLatin1();
        const QString before = end.addSecs(-60).time().toString(u"HH:mm"_s);
        test::row("time of the day", before,
            utc(end.addSecs(-60).date().toString(Qt::ISODate).toLatin1(), before.toLatin1()));
        test::row("yesterday", "yesterday 3:12:30", utc(dayBefore, "03:12:30"));
        test::row("today", "Today 23:59", utc(today, "23:59:00"));
        test::row("still to come", end.addSecs(60).time().toString(u"HH:mm"_s),
            utc(end.addSecs(60).addDays(-1).date().toString(Qt::ISODate).toLatin1(),
                end.addSecs(60).time().toString(u"HH:mm"_s).toLatin1()));
        test::row("a date", "2026-11-20", utc("2026-11-20", "00:00:00"));
        test::row("no such time", "25:12", qint64(0));
        test::row("no time of any day", "24:00", qint64(0));
        test::row("no such day", "2026-13-21T03:12:07Z", qint64(0));
        test::row("words", "yesterday", qint64(0));
        test::row("nothing", QString(), qint64(0));
    }
    void aTextIsATimeOrSoLongBeforeTheLast()
    {
        FETCH(QString, text, qint64, us);
        const test::Variable zone("TZ", u"America/New_York"_s);
        const auto when = parseTime(text, {1'795'230'727'000'000});
        QCOMPARE(when ? when->us : 0, us);
    }

    /// A time that is shown as 03:12:07 lies anywhere in that second.
    void aWrittenTimeHasTwoEnds()
    {
        const auto last = [](const QString& text) {
            return parseTime(text, {1'795'230'727'000'000}, TimeEnd::Last).value_or(ServerTime()).us;
        };
        QCOMPARE(last(u"2026-11-21T03:12:07Z"_s), 1'795'230'727'999'999);
        QCOMPARE(last(u"2026-11-21T03:12:07.25Z"_s), 1'795'230'727'259'999);
        QCOMPARE(last(u"2026-11-21T03:12:07.250000Z"_s), 1'795'230'727'250'000);
        QCOMPARE(last(u"5m"_s), 1'795'230'427'000'000);
        const auto day = parseTime(u"2026-11-20"_s, {});
        QCOMPARE(last(u"2026-11-20"_s), day->us + 86'400'000'000 - 1);
    }

    void whoIsGoneGetsNoAnswer()
    {
        const QString path = newPath();
        const auto all = record(path, 3);
        bool isReported = false;
        RecordingClient client(path);
        auto context = std::make_unique<QObject>();
        client.ask(
            context.get(), [](RecordingReader& reader) { return reader.span(); },
            [&isReported](const Result<Span>&) { isReported = true; });
        context.reset();
        QVERIFY(ask(client, all[0]->takenAt)); // after the other
        QVERIFY(!isReported);
    }
};

LOCKSCOPE_TEST(tst_RecordingClient)

} // namespace tst_RecordingClient
#include "tst_RecordingClient.moc"
