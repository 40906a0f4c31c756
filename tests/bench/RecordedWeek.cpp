// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Measures the answers from a week's recording, by the programs that people run.
#include "tests/bench/Bench.h"
#include "tests/bench/Measure.h"
#include "tests/bench/Subject.h"
#include "tests/bench/Traffic.h"
#include "tests/support/Files.h"

#include "core/record/FrameWriter.h"
#include "core/record/RecordingFile.h"
#include "core/record/RecordingReader.h"
#include "core/record/RecordingWriter.h"

#include <QTemporaryDir>

#include <algorithm>
#include <limits>
#include <random>

namespace lockscope::bench {

using namespace Qt::StringLiterals;

namespace {

constexpr int framesOfWeek = 605'600;
constexpr int framesPerTransaction = 2'000;
constexpr std::chrono::hours day(24);
constexpr double enough = 600; // seconds

/// Forty sessions of a shop: three locks a second come and go, of which one in ten waits.
Traffic::Order shop()
{
    Traffic::Order order;
    order.sessions = 40;
    order.locks = 60;
    order.names = 40;
    order.statements = 200;
    order.changes = 0.05;
    order.waits = 0.1;
    return order;
}

record::Identity weekIdentity(const Snapshot& snapshot)
{
    return {u"week"_s, snapshot.server, Engine::Postgres, snapshot.takenAt, false, u"lockscope-bench"_s};
}

/// The same file each time. Not each frame waits for the disk, as those of a recorder do.
void writeWeek(const QString& path, int frames)
{
    const auto file = orDie(record::Database::open(path, record::Database::Mode::Write));
    for (const char* setting : {"PRAGMA journal_mode = MEMORY", "PRAGMA synchronous = OFF"})
        orDie(file->script(setting));
    Traffic traffic(shop());
    SnapshotPtr snapshot = traffic.next();
    orDie(record::makeRecording(*file, weekIdentity(*snapshot)));
    record::FrameWriter writer(*file, Engine::Postgres, false);
    orDie(writer.load());
    for (int i = 0; i < frames; ++i) {
        if (i % framesPerTransaction == 0)
            orDie(file->script("BEGIN IMMEDIATE"));
        if (i == 0)
            orDie(writer.beginSegment(snapshot->takenAt, snapshot->takenAt, u"bench"_s, 1));
        orDie(writer.write(snapshot, snapshot->takenAt, std::chrono::seconds(1)));
        if (i % framesPerTransaction == framesPerTransaction - 1 || i == frames - 1)
            orDie(file->script("COMMIT"));
        snapshot = traffic.next();
    }
}

struct Runs {
    std::vector<double> ms;
    std::vector<double> cpuMs;
    double megabytes = 0; ///< of memory, at most

    void report(Bench& bench, const QString& what, double maxMs) const
    {
        bench.report.add(what, median(ms), u"ms"_s, atMost(maxMs),
            u"median; CPU %1 ms; %2 MB"_s.arg(median(cpuMs), 0, 'f', 1).arg(megabytes, 0, 'f', 0));
    }
};

Runs runs(int count, const std::function<QStringList()>& arguments)
{
    Runs all;
    for (int i = 0; i < count; ++i) {
        const Spent spent = runFor(enough, QStringList{test::programPath("lockctl")} + arguments());
        all.ms.push_back(spent.elapsedMs);
        all.cpuMs.push_back(spent.cpuMs);
        all.megabytes = std::max(all.megabytes, spent.peakMb);
    }
    return all;
}

/// Measures the request that a window's time bar sends every 0.9 s.
void costOfBar(Bench& bench, record::RecordingReader& reader)
{
    constexpr int questions = 1'000;
    constexpr double everyMs = 900;
    const double before = threadCpuMs();
    for (int i = 0; i < questions; ++i)
        orDie(reader.span());
    const double each = (threadCpuMs() - before) / questions;
    bench.report.add(u"time bar of a window, of a core"_s, 100 * each / everyMs, u"%"_s, atMost(1),
        u"%1 ms each 0.9 s"_s.arg(each, 0, 'f', 3));
}

/// Half of it goes at once, as when somebody keeps less from now on. Between two slices snapshots are
/// written.
void costOfPruning(Bench& bench, const QString& path, const SnapshotPtr& last)
{
    const auto writer = orDie(record::RecordingWriter::open(path, weekIdentity(*last)));
    Snapshot next = *last;
    next.takenAt = next.takenAt + std::chrono::seconds(1);
    next.index();
    orDie(writer->append(
        std::make_shared<const Snapshot>(std::move(next)), last->takenAt + std::chrono::seconds(1)));
    const auto reader = orDie(record::RecordingReader::open(path));
    const record::Span span = orDie(reader->span());
    record::Retention retention;
    retention.age = std::chrono::floor<milliseconds>((span.last - span.first) / 2);
    retention.bytes = std::numeric_limits<qint64>::max();
    double longest = 0;
    double longestCpu = 0;
    int slices = 0;
    bool hasMore = true;
    while (hasMore) {
        const auto began = Clock::now();
        const double before = threadCpuMs();
        hasMore = orDie(writer->pruneSome(retention));
        longestCpu = std::max(longestCpu, threadCpuMs() - before);
        longest = std::max(longest, millisecondsSince(began));
        ++slices;
    }
    bench.report.add(u"pruning half of it, the longest slice"_s, longest, u"ms"_s, atMost(50),
        u"CPU %1 ms; %2 slices"_s.arg(longestCpu, 0, 'f', 1).arg(slices));
}

} // namespace

void recordedWeek(Bench& bench)
{
    bench.report.section(u"A week's recording at 1 s: 40 sessions, 3 locks a second, 1 of 10 waits"_s);
    const QTemporaryDir folder;
    const QString path = folder.filePath(u"week.lockscope"_s);
    writeWeek(path, bench.quick ? framesOfWeek / 20 : framesOfWeek);
    const auto reader = orDie(record::RecordingReader::open(path));
    const record::Span span = orDie(reader->span());
    const auto time = [](ServerTime at) { return at.toIsoString(); };
    std::mt19937_64 dice(1);
    std::uniform_int_distribution<qint64> any(span.first.us, span.last.us);

    const Runs timesOf = runs(bench.rounds(40), [&] {
        return QStringList{u"list"_s, u"--recording"_s, path, u"--at"_s, time({any(dice)}), u"--json"_s};
    });
    timesOf.report(bench, u"any moment: lockctl list --at"_s, 20);
    const auto lastDay = [&](const QString& command) {
        return QStringList{command, u"--recording"_s, path, u"--from"_s, time(span.last + -day), u"--json"_s};
    };
    const auto all = [&](const QStringList& command) {
        return command + QStringList{u"--recording"_s, path, u"--json"_s};
    };
    const Runs oneDay = runs(bench.rounds(5), [&] { return lastDay(u"range"_s); });
    oneDay.report(bench, u"lockctl range, 24 h"_s, 500);
    const Runs week = runs(bench.rounds(3), [&] { return all({u"range"_s}); });
    week.report(bench, u"lockctl range, 7 days"_s, 5'000);
    bench.report.add(u"lockctl range, 7 days: memory"_s, week.megabytes, u"MB"_s, atMost(150));
    const Runs history = runs(bench.rounds(3), [&] { return all({u"history"_s, u"public.orders_7"_s}); });
    history.report(bench, u"lockctl history of a table, 7 days"_s, 2'000);
    bench.report.add(
        u"lockctl history of a table, 7 days: memory"_s, history.megabytes, u"MB"_s, atMost(150));
    const Runs rehearsal = runs(bench.rounds(3), [&] { return all({u"alerts"_s, u"rehearse"_s}); });
    rehearsal.report(bench, u"lockctl alerts rehearse, 7 days"_s, 15'000);
    const Runs search = runs(bench.rounds(5), [&] {
        return QStringList{u"recordings"_s, u"search"_s, u"orders_17"_s, path, u"--json"_s};
    });
    search.report(bench, u"lockctl recordings search"_s, 1'000);
    costOfBar(bench, *reader);
    costOfPruning(bench, path, orDie(reader->at(span.last)));
}

} // namespace lockscope::bench
