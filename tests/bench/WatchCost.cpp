// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// What it costs to leave `lockctl watch` running beside 200 idle and 50 waiting sessions.
#include "tests/bench/Bench.h"
#include "tests/bench/Crowd.h"
#include "tests/bench/Measure.h"
#include "tests/bench/Subject.h"
#include "tests/support/Programs.h"

#include <QStandardPaths>

#include <algorithm>

namespace lockscope::bench {

using namespace Qt::StringLiterals;

namespace {

struct PerRefresh {
    double cpuMs = 0;
    double memoryMb = 0;
    qsizetype refreshes = 0;
};

/// A long run minus a short one: what starting costs drops out. Each refresh prints `sign` once.
PerRefresh measure(const QByteArray& sign, const QStringList& shortRun, const QStringList& longRun,
    double shortSeconds, double longSeconds, const Environment& environment)
{
    const Spent brief = runFor(shortSeconds, shortRun, environment);
    const Spent full = runFor(longSeconds, longRun, environment);
    const qsizetype refreshes = full.output.count(sign) - brief.output.count(sign);
    return {(full.cpuMs - brief.cpuMs) / static_cast<double>(std::max<qsizetype>(refreshes, 1)),
        full.memoryMb, refreshes};
}

} // namespace

void watchCost(Bench& bench)
{
    bench.report.section(u"lockctl watch, 200 idle and 50 waiting sessions, one refresh a second"_s);
    const db::ServerUrl url = bench.server.freshDatabase();
    Crowd crowd(bench.server, url);
    crowd.addIdle(200);
    crowd.addWaiting(50);

    const QByteArray password = bench.server.password().toUtf8();
    const Environment environment{
        {"LOCKSCOPE_PASSWORD", password}, {"PGPASSWORD", password}, {"TERM", "dumb"}};
    const double brief = 2.5;
    const double full = brief + (bench.quick ? 3 : 20);
    const QStringList watch{
        test::programs::lockctl(), u"watch"_s, u"--interval"_s, u"1s"_s, u"--server"_s, url.toString()};
    const PerRefresh ours = measure("waiters 50,", watch, watch, brief, full, environment);

    if (ours.refreshes < 2) {
        bench.report.skip(u"lockctl watch"_s, u"it did not show the 50 that wait"_s);
        return;
    }

    const QString pgTop = QStandardPaths::findExecutable(u"pg_top"_s);
    if (pgTop.isEmpty()) {
        bench.report.add(u"lockctl watch: client CPU per refresh"_s, ours.cpuMs, u"ms"_s, atMost(4.9),
            u"pg_top is not installed (package pgtop): against its figure on the reference machine"_s);
    } else {
        const QStringList top{pgTop, u"-b"_s, u"-s"_s, u"1"_s, u"-x"_s, u"100"_s, u"-h"_s, url.host, u"-p"_s,
            QString::number(url.port != 0 ? url.port : 5432), u"-U"_s, url.user, u"-d"_s, url.database};
        const PerRefresh theirs = measure("last pid:", top, top, brief, full, environment);
        bench.report.add(u"lockctl watch: client CPU per refresh, ratio to pg_top"_s,
            ours.cpuMs / theirs.cpuMs, u"×"_s, atMost(1),
            u"%1 against %2 ms; pg_top %3 MB; %4 and %5 refreshes"_s.arg(ours.cpuMs, 0, 'f', 2)
                .arg(theirs.cpuMs, 0, 'f', 2)
                .arg(theirs.memoryMb, 0, 'f', 1)
                .arg(ours.refreshes)
                .arg(theirs.refreshes));
    }
    bench.report.add(u"lockctl watch: resident memory"_s, ours.memoryMb, u"MB"_s);
}

} // namespace lockscope::bench
