// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// What it costs to read reports of deadlocks and to sort them into families.
#include "tests/bench/Bench.h"

#include "core/deadlock/Family.h"
#include "core/deadlock/ReadReports.h"
#include "core/deadlock/Words.h"
#include "tests/support/DeadlockFiles.h"

#include <algorithm>
#include <chrono>

namespace lockscope::bench {

using namespace Qt::StringLiterals;
using namespace deadlock;

namespace {

constexpr int events = 10'000;

/// As a ring buffer or many files give them: each with a time and sessions of its own.
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
    bench.report.add(u"one parsed"_s, best, u"ms"_s, atMost(5));
}

} // namespace lockscope::bench
