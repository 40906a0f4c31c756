// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/scenario/ScenarioRunner.h"

#include "core/base/PostToThread.h"

#include <QCoreApplication>

namespace lockscope::ui {

using scenario::Progress;

namespace {

constexpr milliseconds lookEvery{500};

} // namespace

/// What the thread needs; it may outlive the runner.
struct ScenarioRunner::Work {
    ServerReach reach;
    QList<scenario::RunOrder> orders;
    QPointer<ScenarioRunner> runner; ///< looked into on the GUI thread only
    bool hasBegun = false; ///< of the thread that runs: there were rounds

    template <class Tell> void tell(Tell what) const
    {
        postTo(QCoreApplication::instance(), [to = runner, what = std::move(what)] {
            if (to)
                what(*to);
        });
    }

    Result<void> run(const std::stop_token& stop)
    {
        const auto url = reach.resolve();
        if (!url)
            return Failure(url.error());
        const int count = static_cast<int>(orders.size());
        for (int i = 0; i < count && !stop.stop_requested(); ++i) {
            auto looked = scenario::Steady::now();
            const auto onProgress = [&](const Progress& progress) {
                Progress told = progress;
                told.soFar = nullptr; // only for here
                tell([told, i, count](ScenarioRunner& to) { Q_EMIT to.progressed(told, i + 1, count); });
                hasBegun = hasBegun || progress.phase == Progress::Phase::Running;
                if (progress.phase != Progress::Phase::Running
                    || scenario::Steady::now() - looked < lookEvery)
                    return;
                const auto timeline = std::make_shared<const Timeline>(timelineOf(progress.soFar()));
                tell([timeline](ScenarioRunner& to) { Q_EMIT to.looked(timeline); });
                looked = scenario::Steady::now();
            };
            auto report = scenario::runFreely(*url, reach.passwords, orders[i], stop, onProgress);
            if (!report)
                return Failure(report.error());
            Ran ran{std::make_shared<const scenario::RunReport>(std::move(*report)), nullptr};
            ran.timeline = std::make_shared<const Timeline>(timelineOf(*ran.report));
            tell([ran](ScenarioRunner& to) { Q_EMIT to.ran(ran); });
        }
        return {};
    }
};

void ScenarioRunner::start(ServerReach reach, QList<scenario::RunOrder> orders)
{
    if (m_isRunning)
        return;
    m_isRunning = true;
    const auto work = std::make_shared<Work>(Work{std::move(reach), std::move(orders), this});
    m_thread = BackgroundThread([work](const std::stop_token& stop) {
        const auto done = work->run(stop);
        std::optional<Error> error;
        // A run that was stopped before it had begun has nothing to tell.
        if (!done && (work->hasBegun || !stop.stop_requested()))
            error = done.error();
        work->tell([error](ScenarioRunner& runner) {
            runner.m_isRunning = false;
            runner.m_thread = {};
            Q_EMIT runner.ended(error);
        });
    });
}

void ScenarioRunner::stop()
{
    // Asked from another thread: a cancel may have to connect to the server first.
    if (m_isRunning)
        m_thread = {};
}

} // namespace lockscope::ui
