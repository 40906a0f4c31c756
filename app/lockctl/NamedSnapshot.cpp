// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/NamedSnapshot.h"

#include "app/lockctl/FrameworkLocks.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/SignalWatch.h"
#include "core/base/PostToThread.h"

#include <QEventLoop>
#include <QTimer>

#include <algorithm>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

void addLimit(Command& command)
{
    command.addValue(u"limit"_s, u"N"_s,
        u"Read so many locks at most; those that somebody waits for come first, the others are only counted."_s,
        QString::number(monitor::ProbeSelection().maxRequests));
    command.addFlag(u"no-frameworks"_s,
        u"Don't read the tables in which frameworks (Liquibase, ShedLock …) keep locks; attached tables are read all the same."_s);
}

Result<monitor::ProbeSelection> probesFrom(const CommandLine& line)
{
    const auto limit = line.number(u"limit"_s, 1);
    if (!limit)
        return Failure(limit.error());
    monitor::ProbeSelection probes;
    probes.maxRequests = *limit;
    probes.frameworkRows = !line.has(u"no-frameworks"_s);
    return probes;
}

Error withoutNextAttempt(Error error)
{
    error.hint = error.hint.section(u"Next attempt within"_s, 0, 0).trimmed();
    return error;
}

Result<SnapshotPtr> snapshotNow(const db::Server& server, const monitor::ProbeSelection& probes)
{
    return monitor::makeSnapshotSource(server, probes)->take();
}

Result<SnapshotPtr> snapshotOfNamed(const CommandLine& line, const monitor::ProbeSelection& probes)
{
    // A past time of a server stands in its own recording.
    const bool isRecorded = line.has(u"recording"_s) || line.has(u"at"_s);
    if (isRecorded && line.has(u"approve"_s))
        return failure(ErrorKind::BadInput,
            u"--approve is of a server: a recording has what was read when it was made."_s,
            u"Leave it out."_s);
    if (isRecorded)
        return snapshotAskedFor(line);
    auto server = serverToRead(line);
    if (!server)
        return Failure(server.error());
    if (const auto approved = approveTables(*server, line); !approved)
        return Failure(approved.error());
    return snapshotNow(*server, probes);
}

int exitCodeOf(const Snapshot& snapshot)
{
    return snapshot.isIncomplete() ? exitFailed : exitOk;
}

std::vector<std::unique_ptr<watch::ServerWatch>> watchesToPollOnce(
    const QList<db::Server>& servers, const monitor::ProbeSelection& probes)
{
    std::vector<std::unique_ptr<watch::ServerWatch>> watches;
    for (const db::Server& server : servers)
        watches.push_back(std::make_unique<watch::ServerWatch>(server,
            watch::WatchOptions{.interval = std::chrono::hours(1),
                .probes = probes,
                .readsDeadlocks = false,
                .keepsOrder = false}));
    return watches;
}

void pollOnce(const std::vector<std::unique_ptr<watch::ServerWatch>>& watches, milliseconds atMost)
{
    QEventLoop loop;
    const auto isReached = [](const auto& watch) {
        return watch->monitor().snapshot() || watch->monitor().lastError();
    };
    const auto endIfAll = [&] {
        if (std::all_of(watches.begin(), watches.end(), isReached))
            loop.quit();
    };
    for (const auto& watch : watches) {
        watch->monitor().setSilenceLimit(atMost);
        QObject::connect(watch.get(), &watch::ServerWatch::snapshotChanged, &loop, endIfAll);
        QObject::connect(watch.get(), &watch::ServerWatch::healthChanged, &loop, endIfAll);
        watch->start();
    }
    const StopOnSignal stop(briefly, [&loop] { postTo(&loop, [&loop] { loop.quit(); }); });
    QTimer::singleShot(atMost + milliseconds(200), &loop, &QEventLoop::quit);
    loop.exec();
}

std::optional<Error> errorOf(const watch::ServerWatch& watch)
{
    if (const auto error = watch.monitor().lastError())
        return error;
    if (watch.monitor().snapshot())
        return std::nullopt;
    return Error{.kind = ErrorKind::Timeout,
        .what = u"The server does not answer."_s,
        .server = watch.profile().display()};
}

} // namespace lockscope::ctl
