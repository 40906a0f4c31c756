// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/ScenarioRunner.h"

#include "core/scenario/order/LockOrders.h"

namespace lockscope::ui {

using scenario::Progress;

namespace {

constexpr milliseconds updateEvery{500};
constexpr milliseconds maxOrderCheck{2'000};

/// A failure here means nothing for the run.
QString lockOrderOf(const db::Server& server, const scenario::RunOrder& run, const std::stop_token& stop)
{
    scenario::StepOrder order;
    order.run.scenario = run.scenario;
    order.run.variant = run.variant;
    const auto report = scenario::lockOrders(server, order, stop, maxOrderCheck);
    return report ? report->verdict() : QString();
}

} // namespace

void ScenarioRunner::start(const db::Server& server, const QList<scenario::RunOrder>& orders)
{
    begin([server, orders, to = QPointer(this)](
              const std::stop_token& stop) { return run(server, orders, to, stop); },
        std::optional<Error>(), [this](const auto& failure) { Q_EMIT ended(*failure); });
}

/// Runs on the worker's thread.
std::optional<Error> ScenarioRunner::run(const db::Server& server, const QList<scenario::RunOrder>& orders,
    const QPointer<ScenarioRunner>& to, const std::stop_token& stop)
{
    bool hasBegun = false; // there were rounds
    const int count = static_cast<int>(orders.size());
    for (int i = 0; i < count && !stop.stop_requested(); ++i) {
        auto lastUpdate = scenario::Steady::now();
        const auto onProgress = [&](const Progress& progress) {
            Progress latest = progress;
            latest.soFar = nullptr; // only for here
            postTo(to, [latest, i, count](ScenarioRunner& runner) {
                Q_EMIT runner.progressed(latest, i + 1, count);
            });
            hasBegun = hasBegun || progress.phase == Progress::Phase::Running;
            if (progress.phase != Progress::Phase::Running
                || scenario::Steady::now() - lastUpdate < updateEvery)
                return;
            const auto timeline = std::make_shared<const Timeline>(timelineOf(progress.soFar()));
            postTo(to, [timeline](ScenarioRunner& runner) { Q_EMIT runner.timelineUpdated(timeline); });
            lastUpdate = scenario::Steady::now();
        };
        auto report = scenario::runFreely(server, orders[i], stop, onProgress);
        // A run that was stopped before it had begun has no result.
        if (!report)
            return hasBegun || !stop.stop_requested() ? std::optional(report.error()) : std::nullopt;
        Ran ran{std::make_shared<const scenario::RunReport>(std::move(*report)), nullptr};
        ran.timeline = std::make_shared<const Timeline>(timelineOf(*ran.report));
        postTo(to, [ran](ScenarioRunner& runner) { Q_EMIT runner.ran(ran); });
        if (count > 1 || stop.stop_requested())
            continue;
        if (const QString verdict = lockOrderOf(server, orders[i], stop); !verdict.isEmpty())
            postTo(to, [verdict](ScenarioRunner& runner) { Q_EMIT runner.ordered(verdict); });
    }
    return std::nullopt;
}

} // namespace lockscope::ui
