// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Measures the cost of reading reports of deadlocks and of sorting them into families.
#include "tests/bench/Bench.h"

#include "core/deadlock/Family.h"
#include "core/deadlock/Finding.h"
#include "core/deadlock/ReadReports.h"
#include "tests/support/DeadlockReports.h"

#include <QFile>
#include <QTemporaryDir>

#include <algorithm>
#include <chrono>

#include <malloc.h>

namespace lockscope::bench {

using namespace Qt::StringLiterals;
using namespace deadlock;

namespace {

constexpr int events = 10'000;

/// Returns events as a ring buffer or many files give them: each with a time and sessions of its own.
QByteArray manyEvents()
{
    const QByteArray event = test::deadlockFile(u"event.xml"_s);
    QByteArray all = "<RingBufferTarget>";
    for (int i = 0; i < events; ++i)
        all += QByteArray(event).replace("spid=\"52\"", "spid=\"" + QByteArray::number(100 + i) + "\"");
    return all + "</RingBufferTarget>";
}

template <class Work> double millisecondsOf(Work work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Returns the greatest memory that this process has had since the last reset.
double peakMegabytes()
{
    QFile status(u"/proc/self/status"_s);
    if (!status.open(QIODevice::ReadOnly))
        return 0;
    for (const QByteArray& line : status.readAll().split('\n'))
        if (line.startsWith("VmHWM:"))
            return line.mid(6).trimmed().split(' ').first().toDouble() / 1024;
    return 0;
}

void resetPeak()
{
    QFile clear(u"/proc/self/clear_refs"_s);
    if (clear.open(QIODevice::WriteOnly))
        clear.write("5");
}

struct LargeFile {
    const char* what;
    QString report; ///< of the tests
    QByteArray before; ///< each line, as a carrier writes it
};

/// Writes a file of that size from a report of the tests, each time with other sessions, transactions, times,
/// addresses and keys.
QString largeFile(const QTemporaryDir& folder, const LargeFile& large, qint64 bytes)
{
    QByteArray once = large.before + test::deadlockFile(large.report).trimmed();
    once.replace('\n', '\n' + large.before) += '\n';
    QFile file(folder.filePath(u"large"_s));
    if (!file.open(QIODevice::WriteOnly))
        qFatal("no space for the benchmark's file");
    for (int i = 0; file.pos() < bytes; ++i) {
        const QByteArray hex = QByteArray::number(0x1a10 + i * 16, 16);
        const QByteArray time =
            ServerTime{1'795'317'127'123'000 + i * 137'000LL}.toIsoString().left(23).toUtf8();
        QByteArray one = once;
        one.replace("4711", QByteArray::number(10'000 + i)).replace("742", QByteArray::number(700'000 + i));
        one.replace("1a10", hex)
            .replace("2026-11-22T03:12:07.123", time)
            .replace("2026-11-22T03:12:03.120", time);
        one.replace("2026-11-22 03:12:07.123", QByteArray(time).replace('T', ' '));
        one.replace("spid=\"52\"", "spid=\"" + QByteArray::number(52 + i % 900) + '"')
            .replace("8194443284a0", hex.rightJustified(12, '0'));
        file.write(one);
    }
    return file.fileName();
}

void readLarge(Bench& bench, const LargeFile& large)
{
    const QTemporaryDir folder;
    const qint64 megabytes = bench.quick ? 20 : 200;
    const QString path = largeFile(folder, large, megabytes << 20);
    malloc_trim(0); // what was measured before left its memory
    resetPeak();
    qsizetype count = 0;
    const double took = millisecondsOf([&] {
        const auto all = readReportFile(path);
        count = all ? all->reports.size() : 0;
    });
    if (count == 0)
        qFatal("the reports were not read");
    const QString note = u"%1 reports"_s.arg(count);
    const QString row = u"%1 MB %2"_s.arg(megabytes).arg(QLatin1StringView(large.what));
    bench.report.add(row, took / 1000, u"s"_s, atMost(10), note);
    bench.report.add(row + u", memory"_s, peakMegabytes(), u"MB"_s, atMost(300), note);
}

qsizetype list(const QByteArray& bytes)
{
    const auto reports = readReports(bytes, u"bench"_s);
    QList<Deadlock> all;
    qsizetype characters = 0;
    for (const ReportPtr& report : reports.value_or(QList<ReportPtr>()))
        all << deadlocksOf(report);
    for (const Deadlock& each : all)
        characters += summaryOf(each).size() + each.tables().join(u", "_s).size();
    const QList<Family> families = familiesOf(all);
    return all.size() == events && !families.isEmpty() ? characters : 0;
}

} // namespace

void readDeadlocks(Bench& bench)
{
    bench.report.section(u"Reading %1 reports of deadlocks, with families"_s.arg(events));
    const QByteArray all = manyEvents();
    qsizetype characters = 0;
    const double listed = millisecondsOf([&] { characters = list(all); });
    if (characters == 0)
        qFatal("the reports were not read");
    bench.report.add(u"listed"_s, listed, u"ms"_s, atMost(2000));
    const QByteArray one = test::deadlockFile(u"event.xml"_s);
    double best = 1e9;
    for (int i = 0; i < bench.rounds(20); ++i)
        best = std::min(best, millisecondsOf([&] { static_cast<void>(readReports(one, u"bench"_s)); }));
    for (const LargeFile& large : {LargeFile{"XML of SQL Server", u"event.xml"_s, {}},
             LargeFile{"log of PostgreSQL", u"postgres-stderr.log"_s, {}},
             LargeFile{"log of docker compose", u"postgres-stderr.log"_s, "db-1  | "}})
        readLarge(bench, large);
    bench.report.add(u"one parsed"_s, best, u"ms"_s, atMost(5));
}

} // namespace lockscope::bench
