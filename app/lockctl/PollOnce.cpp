// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/PollOnce.h"

#include "app/lockctl/StopOnSignal.h"
#include "core/base/PostToThread.h"

#include <QEventLoop>
#include <QTimer>

#include <algorithm>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

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
