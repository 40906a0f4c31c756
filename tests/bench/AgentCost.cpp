// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Measures the cost of `lockctl agent` for each of many servers, and for a single one.
#include "tests/bench/Bench.h"
#include "tests/bench/Crowd.h"
#include "tests/bench/Subject.h"
#include "tests/support/Files.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <algorithm>

namespace lockscope::bench {

using namespace Qt::StringLiterals;

namespace {

constexpr int servers = 20;
constexpr double secondsOfDay = 86'400;

/// Costs for one server.
struct Cost {
    double cpuMsPerSecond = 0;
    double bytesPerDay = 0;
    double memoryMb = 0;
};

double bytesIn(const QString& folder)
{
    double bytes = 0;
    for (const QFileInfo& file : QDir(folder).entryInfoList(QDir::Files))
        bytes += double(file.size());
    return bytes;
}

/// A long run minus a short one: what starting costs drops out, in time and on the disk.
Cost measure(const QStringList& command, const QByteArray& password, int count, double brief, double full)
{
    const auto run = [&](double seconds) {
        const QTemporaryDir state;
        const Environment environment{{"LOCKSCOPE_PASSWORD", password},
            {"XDG_STATE_HOME", state.path().toLocal8Bit()}, {"XDG_CONFIG_HOME", state.path().toLocal8Bit()}};
        const Spent spent = runFor(seconds, command, environment);
        return std::pair(spent, bytesIn(state.filePath(u"lockscope/recordings"_s)));
    };
    const auto [start, startBytes] = run(brief);
    const auto [whole, wholeBytes] = run(full);
    const double serverSeconds = (full - brief) * count;
    return {(whole.cpuMs - start.cpuMs) / serverSeconds,
        (wholeBytes - startBytes) / serverSeconds * secondsOfDay, whole.memoryMb};
}

} // namespace

void agentCost(Bench& bench)
{
    bench.report.section(u"lockctl agent, 20 databases with a wait in each, a poll a second"_s);
    const QTemporaryDir folder;
    std::vector<std::unique_ptr<Crowd>> crowds;
    QByteArrayList urls;
    for (int i = 0; i < servers; ++i) {
        const db::ServerUrl url = bench.server.freshDatabase();
        urls << '"' + url.toString().toUtf8() + '"';
        crowds.push_back(std::make_unique<Crowd>(bench.server, url));
        crowds.back()->addWaiting(1);
    }
    const auto config = [&](const QByteArrayList& of) {
        QFile file(folder.filePath(u"agent-%1.json"_s.arg(of.size())));
        if (!file.open(QIODevice::WriteOnly))
            qFatal("no file");
        file.write("{\"servers\": [" + of.join(',') + "], \"budget\": 25, \"metrics\": {\"port\": 0}}");
        return file.fileName();
    };
    const double brief = 4;
    const double full = brief + (bench.quick ? 4 : 30);
    const QByteArray password = bench.server.password().toUtf8();
    const auto agent = [&](const QString& file, int count) {
        return measure({test::programPath("lockctl"), u"agent"_s, file}, password, count, brief, full);
    };
    const Cost many = agent(config(urls), servers);
    const Cost one = agent(config({urls.front()}), 1);
    bench.report.add(u"lockctl agent: CPU of a server and second, one of 20 to the only one"_s,
        many.cpuMsPerSecond / one.cpuMsPerSecond, u"×"_s, atMost(1.2),
        u"%1 against %2 ms: %3 % of a core for 100 servers"_s.arg(many.cpuMsPerSecond, 0, 'f', 2)
            .arg(one.cpuMsPerSecond, 0, 'f', 2)
            .arg(many.cpuMsPerSecond * 10, 0, 'f', 0));
    bench.report.add(u"lockctl agent: bytes of a server and day, one of 20 to the only one"_s,
        many.bytesPerDay / one.bytesPerDay, u"×"_s, atMost(1.2),
        u"%1 against %2 MB"_s.arg(many.bytesPerDay / 1e6, 0, 'f', 1).arg(one.bytesPerDay / 1e6, 0, 'f', 1));
    bench.report.add(u"lockctl agent: resident memory, 20 servers"_s, many.memoryMb, u"MB"_s);
}

} // namespace lockscope::bench
