// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Does somebody else's work suffer while we poll ten times a second?
#include "tests/bench/Bench.h"
#include "tests/bench/Measure.h"
#include "tests/bench/Subject.h"

#include "core/monitor/SnapshotSource.h"
#include "core/sandbox/PrivateServer.h"

#include <QFile>
#include <QRegularExpression>

#include <semaphore>
#include <thread>

namespace lockscope::bench {

using namespace Qt::StringLiterals;

void foreignLoad(Bench& bench)
{
    bench.report.section(u"pgbench -S beside a poll at 10 Hz"_s);
    const auto programs = sandbox::findPostgresPrograms({});
    const QString pgbench = programs ? *programs + u"/pgbench"_s : QString();
    if (!QFile::exists(pgbench)) {
        bench.report.skip(u"pgbench -S"_s, u"pgbench is not installed"_s);
        return;
    }
    const db::ServerUrl url = bench.server.freshDatabase();
    const Environment environment{{"PGPASSWORD", bench.server.password().toUtf8()}};
    const QStringList target{u"-h"_s, url.host, u"-p"_s, QString::number(url.port != 0 ? url.port : 5432),
        u"-U"_s, url.user, url.database};
    (void)runFor(60, QStringList{pgbench, u"-i"_s, u"-q"_s} + target, environment);

    // Runs of pgbench differ by a few per cent among themselves; many short runs beside each other make that
    // error smaller.
    const auto rate = [&] {
        const Spent run = runFor(60,
            QStringList{pgbench, u"-S"_s, u"-n"_s, u"-M"_s, u"prepared"_s, u"-c"_s, u"2"_s, u"-T"_s, u"1"_s}
                + target,
            environment);
        static const QRegularExpression tps(u"tps = ([0-9.]+)"_s);
        return tps.match(QString::fromUtf8(run.output)).captured(1).toDouble();
    };
    const auto polledRate = [&] {
        std::binary_semaphore isConnected(0);
        const std::jthread poller([&](const std::stop_token& stop) {
            db::ServerProfile profile;
            profile.url = url;
            const auto source = monitor::makeSnapshotSource({profile, bench.server.passwords()});
            (void)orDie(source->take()); // connects, which a monitor does once
            isConnected.release();
            while (!stop.stop_requested()) {
                std::this_thread::sleep_for(milliseconds(100));
                (void)source->take(stop);
            }
        });
        isConnected.acquire();
        return rate();
    };
    const Pair result = interleaved(bench.rounds(61), polledRate, rate);
    bench.report.add(u"transactions per second, polled against not polled"_s, result.ratio, u"×"_s,
        atLeast(0.99), u"%1 against %2"_s.arg(result.first, 0, 'f', 0).arg(result.second, 0, 'f', 0));
}

} // namespace lockscope::bench
