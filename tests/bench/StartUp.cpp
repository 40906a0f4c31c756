// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Measures the time from the start of the program to its first picture, by the clock of the process that
// started it.
#include "tests/bench/Bench.h"
#include "tests/bench/Measure.h"
#include "tests/bench/Subject.h"
#include "tests/support/Files.h"

#include <QSettings>
#include <QTemporaryDir>

namespace lockscope::bench {

using namespace Qt::StringLiterals;

namespace {

/// A hundred servers that refuse to answer, all of them open at the last end: the page Fleet comes first.
void reopenHundred(Bench& bench)
{
    constexpr int count = 100;
    const QTemporaryDir home;
    {
        QList<db::ServerProfile> profiles;
        for (int i = 0; i < count; ++i) {
            db::ServerProfile profile;
            profile.name = u"server %1"_s.arg(i);
            profile.url.host = u"127.0.0.1"_s;
            profile.url.port = 1;
            profile.url.database = u"db%1"_s.arg(i);
            profiles << profile;
        }
        QSettings settings(home.filePath(u"lockscope/lockscope.conf"_s), QSettings::IniFormat);
        db::ProfileStore(settings).save(profiles);
        settings.beginGroup(u"window/open"_s);
        db::ProfileStore(settings).save(profiles);
    }
    std::vector<double> paint;
    for (int round = 0; round < bench.rounds(10) + 1; ++round) {
        const auto times = timesToLines({test::programPath("lockscope"), u"--timings"_s}, {"first paint"},
            {{"XDG_CONFIG_HOME", home.path().toUtf8()}, {"XDG_STATE_HOME", home.path().toUtf8()},
                {"QT_QPA_PLATFORM", "offscreen"}});
        if (times.empty()) {
            bench.report.skip(u"start with 100 servers"_s, u"lockscope did not show one"_s);
            return;
        }
        if (round > 0)
            paint.push_back(times[0]);
    }
    bench.report.add(
        u"to the first paint, 100 servers reopened: median"_s, median(paint), u"ms"_s, atMost(150));
}

} // namespace

void startUp(Bench& bench)
{
    bench.report.section(u"Start of lockscope (offscreen, server running)"_s);
    const QTemporaryDir home;
    const QStringList command{test::programPath("lockscope"), u"--server"_s,
        bench.server.freshDatabase().toString(), u"--timings"_s};
    std::vector<double> paint;
    std::vector<double> snapshot;
    for (int round = 0; round < bench.rounds(20) + 1; ++round) {
        const auto times = timesToLines(command, {"first paint", "first snapshot"},
            {{"LOCKSCOPE_PASSWORD", bench.server.password().toUtf8()},
                {"XDG_CONFIG_HOME", home.path().toUtf8()}, {"QT_QPA_PLATFORM", "offscreen"}});
        if (times.size() < 2) {
            bench.report.skip(u"start to first snapshot"_s, u"lockscope did not show one"_s);
            return;
        }
        if (round == 0)
            continue; // fills the file cache
        paint.push_back(times[0]);
        snapshot.push_back(times[1]);
    }
    bench.report.add(u"to the first paint: median"_s, median(paint), u"ms"_s, atMost(80));
    bench.report.add(u"to the first snapshot: median"_s, median(snapshot), u"ms"_s, atMost(500));
    reopenHundred(bench);
}

} // namespace lockscope::bench
