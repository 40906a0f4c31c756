// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Measures the cost of leaving `lockctl watch` and its peers running beside 200 idle and 50 waiting sessions.
#include "tests/bench/Bench.h"
#include "tests/bench/Crowd.h"
#include "tests/bench/Measure.h"
#include "tests/bench/Subject.h"
#include "tests/support/Files.h"

#include <QStandardPaths>

#include <algorithm>
#include <array>

namespace lockscope::bench {

using namespace Qt::StringLiterals;

namespace {

struct PerRefresh {
    double cpuMs = 0;
    double memoryMb = 0;
    qsizetype refreshes = 0;
};

/// A long run minus a short one: what starting costs drops out. Each refresh prints `sign` once.
PerRefresh measure(const QByteArray& sign, const QStringList& command, double shortSeconds,
    double longSeconds, const Environment& environment, WritesTo where = WritesTo::File)
{
    const Spent brief = runFor(shortSeconds, command, environment, where);
    const Spent full = runFor(longSeconds, command, environment, where);
    const qsizetype refreshes = full.output.count(sign) - brief.output.count(sign);
    return {(full.cpuMs - brief.cpuMs) / static_cast<double>(std::max<qsizetype>(refreshes, 1)),
        full.memoryMb, refreshes};
}

/// Another monitor for PostgreSQL that shows who waits, once a second.
struct Peer {
    QString program;
    QString package;
    QStringList options; ///< without those that say which server
    QByteArray sign; ///< printed once in each refresh
    WritesTo where;
    double mostRatio; ///< of what ours costs to what it costs
    double known; ///< ms per refresh of the peer on the reference machine, if it is not installed
};

const std::array peers{Peer{u"pg_top"_s, u"pgtop"_s, {u"-b"_s, u"-s"_s, u"1"_s, u"-x"_s, u"100"_s},
                           "last pid:", WritesTo::File, 1, 4.9},
    Peer{u"pg_activity"_s, u"pg-activity"_s, {u"--refresh"_s, u"1"_s}, "Ref.:", WritesTo::Terminal, 0.1, 77}};

void compare(Bench& bench, const PerRefresh& ours, const Peer& peer, const db::ServerUrl& url, double brief,
    double full, const Environment& environment)
{
    const QString what = u"lockctl watch: client CPU per refresh, ratio to "_s + peer.program;
    const QString path = QStandardPaths::findExecutable(peer.program);
    if (path.isEmpty()) {
        bench.report.add(what, ours.cpuMs / peer.known, u"×"_s, atMost(peer.mostRatio),
            u"%1 ms; %2 is not installed (package %3): against its %4 ms on the reference machine"_s
                .arg(ours.cpuMs, 0, 'f', 2)
                .arg(peer.program, peer.package)
                .arg(peer.known, 0, 'f', 1));
        return;
    }
    const QStringList command = QStringList{path} + peer.options
        + QStringList{u"-h"_s, url.host, u"-p"_s, QString::number(url.port != 0 ? url.port : 5432), u"-U"_s,
            url.user, u"-d"_s, url.database};
    const PerRefresh theirs = measure(peer.sign, command, brief, full, environment, peer.where);
    if (theirs.refreshes < 2) {
        bench.report.skip(what, peer.program + u" showed nothing"_s);
        return;
    }
    bench.report.add(what, ours.cpuMs / theirs.cpuMs, u"×"_s, atMost(peer.mostRatio),
        u"%1 against %2 ms; %3 MB; %4 and %5 refreshes"_s.arg(ours.cpuMs, 0, 'f', 2)
            .arg(theirs.cpuMs, 0, 'f', 2)
            .arg(theirs.memoryMb, 0, 'f', 1)
            .arg(ours.refreshes)
            .arg(theirs.refreshes));
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
    Environment environment{{"LOCKSCOPE_PASSWORD", password}, {"PGPASSWORD", password}, {"TERM", "dumb"}};
    const double brief = 2.5;
    const double full = brief + (bench.quick ? 3 : 20);
    const QStringList watch{
        test::programPath("lockctl"), u"watch"_s, u"--interval"_s, u"1s"_s, u"--server"_s, url.toString()};
    const PerRefresh ours = measure("waiters 50,", watch, brief, full, environment);

    if (ours.refreshes < 2) {
        bench.report.skip(u"lockctl watch"_s, u"it did not show the 50 that wait"_s);
        return;
    }

    environment.back().second = "xterm";
    for (const Peer& peer : peers)
        compare(bench, ours, peer, url, brief, full, environment);
    bench.report.add(u"lockctl watch: resident memory"_s, ours.memoryMb, u"MB"_s);
}

} // namespace lockscope::bench
