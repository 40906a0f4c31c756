// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The measures beside the locks in a recording, and the identity of the recorded server.

#include "core/monitor/SurroundingsQuestions.h"
#include "core/record/RangeReport.h"
#include "core/record/Recorder.h"
#include "core/record/RecordingFile.h"
#include "core/report/Writer.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"

namespace tst_Surroundings {

using namespace lockscope;
using namespace lockscope::record;
using namespace lockscope::test;
using monitor::Measure;
using monitor::Surroundings;
namespace measures = monitor::measures;

constexpr auto second = &SnapshotBuilder::at;

static SnapshotPtr snapshotAt(int i)
{
    return SnapshotBuilder(i).take();
}

static Surroundings ofCluster(const QString& cluster)
{
    return {cluster, {}, {}};
}

/// "active 4, Lock 3, IO 1; active 2 …": samples ten seconds apart.
static QList<RecordedMeasure> samples(const QString& text)
{
    QList<RecordedMeasure> all;
    int at = 0;
    for (const QString& sample : text.split(u"; "_s, Qt::SkipEmptyParts)) {
        for (const QString& part : sample.split(u", "_s)) {
            const QString name = part.section(u' ', 0, -2);
            const qint64 value = part.section(u' ', -1).toLongLong();
            const bool isKind = name.front().isLower() && name != measures::running;
            all.append(
                {second(at), isKind ? Measure{name, {}, value} : Measure{measures::waiting, name, value}});
        }
        at += 10;
    }
    return all;
}

class tst_Surroundings : public QObject, test::RecordingFolder {
    Q_OBJECT

private Q_SLOTS:
    void whatIsReportedIsRecorded()
    {
        const QString path = newPath();
        const std::vector<Measure> written{{measures::active, {}, 3}, {measures::waiting, u"Lock"_s, 2},
            {measures::replicationLag, u"standby 1"_s, 4'200},
            {measures::setting, u"work_mem"_s, 0, u"64 MB"_s}};
        {
            const auto writer = writeRecording(path);
            QVERIFY(writer->append(snapshotAt(0), second(0), {}, {u"47"_s, written, {}}));
            QVERIFY(writer->append(snapshotAt(1), second(1)));
            QVERIFY(writer->append(snapshotAt(2), second(2), {},
                {u"47"_s, {{measures::active, {}, 1}}, {{u"work_mem"_s, u"4 MB"_s, u"64 MB"_s}}}));
        }
        const auto reader = readRecording(path);
        const auto read = test::orDie(reader->surroundings(second(0), second(1)));
        QCOMPARE(read.size(), qsizetype(written.size()));
        for (size_t i = 0; i < written.size(); ++i) {
            QCOMPARE(read[qsizetype(i)].measure, written[i]);
            QCOMPARE(read[qsizetype(i)].taken, second(0));
        }
        QCOMPARE(reader->surroundings({0}, ever)->size(), qsizetype(written.size()) + 1);
        const auto events = reader->events({0}, ever);
        QCOMPARE(events->size(), 1);
        QCOMPARE(events->front().at, second(2));
        QCOMPARE(events->front().what, u"The server's setting work_mem was changed: it is 64 MB."_s);
        QVERIFY(events->front().detail.contains(u"4 MB"_s));
        QCOMPARE(reader->identity().cluster, u"47"_s);

        const QString clip = newPath();
        Identity as = reader->identity();
        as.id = u"clip"_s;
        QVERIFY(copyRecordings({reader.get()}, second(0), second(1), clip, as));
        QCOMPARE(readRecording(clip)->surroundings({0}, ever)->size(), qsizetype(written.size()));
        QCOMPARE(readRecording(clip)->identity().cluster, u"47"_s);
    }

    void aCopyTellsThatTheyAreDamaged()
    {
        const QString path = newPath();
        {
            const auto writer = writeRecording(path);
            QVERIFY(writer->append(snapshotAt(0), second(0), {},
                {u"47"_s, {{measures::setting, u"work_mem"_s, 0, u"the only one"_s}}, {}}));
        }
        QByteArray bytes = test::contentOf(path);
        QCOMPARE(bytes.count("the only one"), 1);
        constexpr qsizetype pageBytes = 4'096;
        const qsizetype page = bytes.indexOf("the only one") / pageBytes;
        test::makeFile(path, bytes.replace(page * pageBytes, pageBytes, QByteArray(pageBytes, '\0')));
        const auto reader = readRecording(path);
        QVERIFY(!reader->surroundings({0}, ever));
        const QString copy = newPath();
        Identity as = reader->identity();
        as.id = u"copy"_s;
        const auto copied = copyRecordings({reader.get()}, {0}, ever, copy, as);
        VERIFY_DONE(copied);
        COMPARE_TEXTS(
            copied->missingParts(), "The figures of what surrounds the locks are damaged and were left out.");
        QCOMPARE(copied->snapshotCount, 1);
        QVERIFY(readRecording(copy)->surroundings({0}, ever)->isEmpty());
    }

    void oldOnesGoUnlessTheirTimeIsPinned()
    {
        auto [path, writer] = newRecording();
        for (int i = 0; i < 900; ++i) {
            Surroundings surroundings;
            for (int n = 0; i % 10 == 0 && n < 30; ++n) // more than a slice in all
                surroundings.measures.push_back({measures::waiting, QString::number(n), i});
            QVERIFY(writer->append(snapshotAt(i), second(i), {}, surroundings));
        }
        QVERIFY(writer->pin(second(300), second(310), u"OPS-17"_s));
        QVERIFY(writer->prune({.age = 100s}));
        const auto reader = readRecording(path);
        const auto countBetween = [&reader](int from, int to) {
            return reader->surroundings(second(from), second(to))->size();
        };
        // The pin keeps whole groups of 60 snapshots, and what surrounds them and the longest poll before.
        QCOMPARE(countBetween(0, 229), 0);
        QCOMPARE(countBetween(300, 310), 60);
        QCOMPARE(countBetween(360, 660), 0);
        QCOMPARE(countBetween(800, 899), 300);
        QVERIFY(reader->verify()->isIntact());
    }

    /// This happens after a restored dump, or when another server took the name of the first one.
    void anotherClusterIsAnotherServer()
    {
        auto [path, writer] = newRecording();
        QVERIFY(writer->append(snapshotAt(0), second(0))); // not known yet
        QVERIFY(writer->append(snapshotAt(1), second(1), {}, ofCluster(u"47"_s)));
        QVERIFY(writer->append(snapshotAt(2), second(2))); // the right was taken away
        const auto refused = writer->append(snapshotAt(3), second(3), {}, ofCluster(u"11"_s));
        QVERIFY(!refused && isOfAnotherServer(refused.error()));
        VERIFY_CONTAINS(refused.error().what, u"cluster 47"_s);
        writer.reset();
        writer = writeRecording(path);
        QVERIFY(!writer->append(snapshotAt(3), second(3), {}, ofCluster(u"11"_s)));
        writer.reset();
        Identity expected = test::recordingIdentity();
        expected.cluster = u"11"_s;
        const auto opened = RecordingWriter::open(path, expected);
        QVERIFY(!opened && isOfAnotherServer(opened.error()));
        QCOMPARE(readRecording(path)->span()->frames, 3);
    }

    void aRecorderBeginsAnotherFileForAnotherCluster()
    {
        const QString path = newPath();
        Recorder recorder(path, test::recordingIdentity(), Retention());
        recorder.note(snapshotAt(0), {}, ofCluster(u"47"_s));
        QTRY_COMPARE(recorder.state().frames, 1);
        recorder.note(snapshotAt(1), {}, ofCluster(u"11"_s));
        QTRY_VERIFY(recorder.state().last == second(1));
        const RecorderState state = recorder.state();
        QVERIFY(!state.error && !state.wasDamaged);
        QCOMPARE(readRecording(state.setAside)->identity().cluster, u"47"_s);
        QCOMPARE(readRecording(path)->identity().cluster, u"11"_s);
        QCOMPARE(readRecording(path)->span()->frames, 1);
        // Behind the end of a tunnel one and the other have the same place: each keeps its history.
        recorder.note(snapshotAt(2), {}, ofCluster(u"47"_s));
        QTRY_VERIFY(recorder.state().last == second(2));
        QCOMPARE(readRecording(path)->identity().cluster, u"47"_s);
        QCOMPARE(readRecording(path)->span()->frames, 2);
        QCOMPARE(readRecording(recorder.state().setAside)->identity().cluster, u"11"_s);
    }

    void recordingsOfTwoClustersAreNotMerged()
    {
        std::vector<std::unique_ptr<RecordingReader>> readers;
        std::vector<RecordingReader*> recordings;
        for (const QString& cluster : {QString(), u"47"_s, u"11"_s}) {
            auto [path, writer] = newRecording();
            const int at = int(readers.size()) * 100;
            QVERIFY(writer->append(snapshotAt(at), second(at), {}, ofCluster(cluster)));
            readers.push_back(readRecording(path));
            recordings.push_back(readers.back().get());
        }
        Identity as = recordings[1]->identity();
        as.id = u"merged"_s;
        const auto refused = copyRecordings(recordings, {0}, ever, newPath(), as);
        QVERIFY(!refused && refused.error().what.contains(u"cluster"_s));
        recordings.pop_back();
        const auto merged = copyRecordings(recordings, {0}, ever, newPath(), as); // one that does not say
        QVERIFY(merged);
        QCOMPARE(merged->snapshotCount, 2);
    }

    void wasItLocksOrWasItSlow_data()
    {
        test::addColumns<QString, SlowOrLocked::Verdict, QString>("given", "verdict", "sentence");
        using V = SlowOrLocked::Verdict;
        test::row("nothing recorded", QString(), V::NotKnown, "Not known");
        test::row("nobody active", "active 0; active 0; active 3, Lock 3", V::Calm, "no session");
        test::row("locks", "active 4, Lock 3, IO 1; active 2, Lock 1, running 1", V::Locks, "It was locks.");
        test::row("slow", "active 4, IO 2, LWLock 1, Lock 1", V::Slow, "It was slow");
        test::row("work", "active 4, running 2, Client 1, Lock 1", V::Work, "at work");
        test::row("locks on SQL Server", "active 4, Lock 3, Buffer IO 1", V::Locks, "locks.");
        test::row(
            "slow on SQL Server", "active 4, Tran Log IO 2, Buffer Latch 1, Lock 1", V::Slow, "It was slow");
        test::row(
            "work on SQL Server", "active 4, CPU 1, Parallelism 1, Network IO 1, Lock 1", V::Work, "at work");
        test::row("mixed", "active 4, running 1, IO 1, Lock 2", V::Mixed, "No single cause");
    }

    void wasItLocksOrWasItSlow()
    {
        FETCH(QString, given, SlowOrLocked::Verdict, verdict, QString, sentence);
        const auto answer = SlowOrLocked::of(samples(given));
        QCOMPARE(answer.verdict, verdict);
        VERIFY_CONTAINS(answer.toString(), sentence);
        QCOMPARE(answer.toString().contains(u"The rule: "_s), verdict != SlowOrLocked::Verdict::NotKnown);
    }

    void whatSurroundedItIsSummedUp()
    {
        QList<RecordedMeasure> all = samples(
            u"active 2, Lock 2, checkpoints 1, checkpoint ms 12000, autovacuum 1; active 2, Lock 2, checkpoints 2, checkpoint ms 3000, autovacuum 3, replication lag ms 4200, commits per minute 800"_s);
        all.append({second(20), {measures::batches, {}, 9'000}});
        all.append({second(20), {measures::checkpointPages, {}, 1}});
        all.append({second(20), {measures::setting, u"work_mem"_s, 0, u"64 MB"_s}});
        QVERIFY(!SlowOrLocked::of(all).toString().contains(u"counted"_s)); // not known is not zero
        for (const int waits : {0, 3}) {
            all.append({second(20), {measures::lockWaits, {}, waits}});
            all.append({second(20), {measures::lockWaits, u"table"_s, waits}});
            all.append({second(20), {measures::lockWaitTime, {}, waits * 1'500}});
        }
        const auto answer = SlowOrLocked::of(all);
        const QString text = answer.toString();
        VERIFY_CONTAINS(text,
            u"Around it: 3 checkpoints, 15 s of writing, 1 page written by checkpoints, up to 3 autovacuum workers, a standby up to "_s);
        VERIFY_CONTAINS(text, u"up to 800 commits per minute, up to 9000 batches per minute"_s);
        VERIFY_CONTAINS(text, u"1 page written by checkpoints"_s);
        VERIFY_CONTAINS(text, u"Settings that were changed: work_mem is 64 MB."_s);
        report::Report report{.title = {}};
        answer.addTo(report);
        const QJsonObject json =
            QJsonDocument::fromJson(rendered(report, report::Form::Json).toUtf8())[u"surroundings"]
                .toObject();
        QCOMPARE(json[u"verdict"].toString(), u"locks"_s);
        QCOMPARE(json[u"waiting_for_locks"].toDouble(), 1.0);
        QCOMPARE(json[u"checkpoint_ms"].toInteger(), 15'000);
        VERIFY_CONTAINS(text, u"The server itself counted 3 waits for locks, "_s);
        QCOMPARE(json[u"server_lock_waits"].toInteger(), 3);
        QCOMPARE(json[u"server_lock_wait_ms"].toInteger(), 4'500);
    }

    void waitsThatTheServerCountsAreOfTheTimeBetween()
    {
        monitor::RunningCounters counters;
        int at = 0;
        const auto measuredText = [&](const std::vector<monitor::LockCount>& counts) {
            QStringList texts;
            counters.read(counts);
            std::vector<Measure> measures;
            counters.addTo(measures, second(at += 10));
            for (const Measure& measure : measures)
                texts << u"%1 %2 %3"_s.arg(measure.kind, measure.name).arg(measure.value).simplified();
            return texts.join(u", "_s);
        };
        const auto counted = [](qint64 tables, qint64 rows, qint64 reset) {
            return std::vector<monitor::LockCount>{
                {u"table"_s, tables, milliseconds(tables * 1'000), {}, {}, reset},
                {u"row"_s, rows, milliseconds(rows * 1'000), {}, {}, reset}};
        };
        QCOMPARE(measuredText(counted(5, 7, 1)), QString()); // since when, is not known
        QCOMPARE(measuredText(counted(5, 9, 1)),
            u"lock wait ms 2000, lock wait ms row 2000, lock waits 2, lock waits row 2"_s);
        QCOMPARE(measuredText(counted(5, 9, 1)), u"lock wait ms 0, lock waits 0"_s);
        QCOMPARE(measuredText(counted(1, 1, 1)), QString()); // a restart
        QCOMPARE(measuredText(counted(50, 90, 2)),
            QString()); // a reset: what came since the poll before is not known
    }
};

LOCKSCOPE_TEST(tst_Surroundings)

} // namespace tst_Surroundings
#include "tst_Surroundings.moc"
