// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Measures a recording: its size, the time that it takes from polls, and the time to read it.
#include "tests/bench/Bench.h"
#include "tests/bench/Crowd.h"
#include "tests/bench/Measure.h"
#include "tests/bench/Traffic.h"
#include "tests/support/Recordings.h"

#include "core/record/RangeReport.h"
#include "core/record/Recorder.h"

#include <QDir>
#include <QFileInfo>

#include <random>
#include <thread>

namespace lockscope::bench {

using namespace Qt::StringLiterals;

namespace {

constexpr int secondsOfHour = 3'600;
constexpr int secondsOfDay = 24 * secondsOfHour;

/// The folder is in memory, if there is one: a day has 86,400 polls, and each waits for the disk.
QString placeForADay()
{
    const QFileInfo memory(u"/dev/shm"_s);
    return memory.isDir() && memory.isWritable() ? memory.filePath() + u"/lockscope-bench-XXXXXX"_s
                                                 : QDir::tempPath() + u"/lockscope-bench-XXXXXX"_s;
}

record::Identity identity()
{
    return {u"bench"_s, u"shop@db1"_s, Engine::Postgres, {1}, false, u"lockscope-bench"_s};
}

double megabytes(const QString& path)
{
    return static_cast<double>(QFileInfo(path).size()) / 1e6;
}

/// Makes a day, or as much of it as time allows; sizes are then scaled.
template <class Load>
void size(Bench& bench, const QString& path, int seconds, Load load, const QString& ofWhat, double most)
{
    double cpu = 0;
    {
        const auto writer = orDie(record::RecordingWriter::open(path, identity()));
        for (int i = 0; i < seconds; ++i) {
            const SnapshotPtr snapshot = load.next();
            static_cast<void>(snapshot->blocking()); // what the window works out anyway
            const double before = threadCpuMs();
            orDie(writer->append(snapshot, snapshot->takenAt));
            cpu += threadCpuMs() - before;
        }
        orDie(writer->end(u"stopped"_s));
    }
    const double scale = static_cast<double>(secondsOfDay) / seconds;
    bench.report.add(u"size of a day"_s + ofWhat, megabytes(path) * scale, u"MB"_s, atMost(most),
        seconds == secondsOfDay ? u"measured"_s : u"%1 s scaled"_s.arg(seconds));
    bench.report.add(u"CPU to write a moment"_s + ofWhat, cpu / seconds, u"ms"_s, {},
        u"on the recorder's thread: %1 % of a core at 1 s"_s.arg(cpu / seconds / 10, 0, 'f', 2));
}

/// Times by both clocks: on a busy machine only that of the CPU is meaningful.
struct Times {
    std::vector<double> passed;
    std::vector<double> cpu;

    template <class Work> auto measure(Work work)
    {
        const auto start = Clock::now();
        const double before = threadCpuMs();
        auto result = orDie(work());
        cpu.push_back(threadCpuMs() - before);
        passed.push_back(millisecondsSince(start));
        return result;
    }
    void report(Bench& bench, const QString& what, const std::optional<Target>& target, qint64 frames) const
    {
        bench.report.add(what, percentile(passed, 0.99), u"ms"_s, target,
            u"median %1 ms; CPU %2 ms, median %3 ms; of %4 moments"_s.arg(median(passed), 0, 'f', 1)
                .arg(percentile(cpu, 0.99), 0, 'f', 1)
                .arg(median(cpu), 0, 'f', 1)
                .arg(frames));
    }
};

void measureReads(Bench& bench, const QString& path)
{
    auto reader = orDie(record::RecordingReader::open(path));
    const record::Span span = orDie(reader->span());
    std::mt19937_64 dice(1);
    std::uniform_int_distribution<qint64> any(span.first.us, span.last.us);
    Times timesOf;
    Times histories;
    Times strips;
    for (int i = 0; i < bench.rounds(100); ++i) {
        if (i % 10 == 0) // what it remembers is not what makes it fast
            reader = orDie(record::RecordingReader::open(path));
        const SnapshotPtr then = timesOf.measure([&] { return reader->at({any(dice)}); });
        const QString name = then->resources[static_cast<size_t>(i) % then->resources.size()].name;
        histories.measure([&] { return test::historyOf(*reader, name, span.first, span.last); });
    }
    for (int i = 0; i < bench.rounds(10); ++i)
        strips.measure([&] { return reader->recordedSnapshots(span.first, span.last, 1'600); });
    timesOf.report(bench, u"any moment, the 99th percentile"_s, atMost(50), span.frames);
    histories.report(
        bench, u"\"when was it held\" over all of it, the 99th percentile"_s, atMost(100), span.frames);
    strips.report(bench, u"the strip of all of it, the 99th percentile"_s, {}, span.frames);
}

/// Reports an hour in which everybody waited: 1,000 locks, half of the new requests wait.
void range(Bench& bench, const QString& path)
{
    Traffic::Order order;
    order.names = 1'000;
    order.waits = 0.5;
    Traffic traffic(order);
    const auto writer = orDie(record::RecordingWriter::open(path, identity()));
    for (int i = 0; i < secondsOfHour; ++i) {
        const SnapshotPtr snapshot = traffic.next();
        orDie(writer->append(snapshot, snapshot->takenAt));
    }
    const auto reader = orDie(record::RecordingReader::open(path));
    const record::Span span = orDie(reader->span());
    Times times;
    record::RangeReport report;
    for (int i = 0; i < bench.rounds(10); ++i)
        report = times.measure([&] { return record::rangeReport(*reader, span.first, span.last); });
    bench.report.add(u"what happened in an hour, CPU"_s, median(times.cpu), u"ms"_s, atMost(500),
        u"%1 waits for %2 locks; %3 ms passed"_s.arg(report.waits.count)
            .arg(report.locks.size())
            .arg(median(times.passed), 0, 'f', 0));
}

/// Measures the time that recording takes from polls, as a share of a poll's time on our side.
void costOfPolls(Bench& bench, const QString& path)
{
    Traffic traffic({});
    auto recorder = std::make_unique<record::Recorder>(path, identity(), record::Retention());
    std::vector<double> noting;
    for (int i = 0; i < bench.rounds(500); ++i) {
        const Result<SnapshotPtr> taken = traffic.next();
        const double before = threadCpuMs();
        recorder->note(taken);
        static_cast<void>(recorder->state());
        noting.push_back(threadCpuMs() - before);
        while (recorder->state().frames + recorder->state().dropped < i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    recorder.reset();
    if (!BackgroundThread::waitForDetached(std::chrono::seconds(10)))
        qFatal("the recorder goes on, and would disturb what is measured next");

    // The same number of sessions and locks, really read.
    const db::ServerUrl url = bench.server.freshDatabase();
    Crowd crowd(bench.server, url);
    crowd.addHolding(50, 20);
    db::ServerProfile profile;
    profile.url = url;
    const auto source = monitor::makeSnapshotSource({profile, bench.server.passwords()});
    std::vector<double> polls;
    for (int i = 0; i < bench.rounds(50); ++i)
        polls.push_back(static_cast<double>(orDie(source->take())->cost.client.count()) / 1e3);
    bench.report.add(u"recording, of a poll's time on our side"_s, 100 * median(noting) / median(polls),
        u"%"_s, atMost(5),
        u"%1 of %2 ms on the thread that polls"_s.arg(median(noting), 0, 'f', 4)
            .arg(median(polls), 0, 'f', 2));
}

} // namespace

void recordedDay(Bench& bench)
{
    const QTemporaryDir folder(placeForADay());
    const int seconds = bench.quick ? secondsOfHour : secondsOfDay;
    bench.report.section(u"A recording at 1 s: 200 sessions, 1,000 locks, 2 % of which change each second"_s);
    const QString path = folder.filePath(u"day.lockscope"_s);
    size(bench, path, seconds, Traffic({}), {}, 200);
    measureReads(bench, path);
    // A waiter's turn each 25 ms; 800 transactions a second of 20 sessions show one of each a second.
    const int shorter = seconds / 12;
    size(bench, folder.filePath(u"turns.lockscope"_s), shorter, Turns(200, 40),
        u", 200 waiters that take turns"_s, 300);
    size(bench, folder.filePath(u"literals.lockscope"_s), shorter, LiteralTexts(20),
        u", 20 sessions with values in their statements"_s, 150);
    range(bench, folder.filePath(u"range.lockscope"_s));
    costOfPolls(bench, folder.filePath(u"polls.lockscope"_s));
}

} // namespace lockscope::bench
