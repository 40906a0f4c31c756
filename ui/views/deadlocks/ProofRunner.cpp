// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/ProofRunner.h"

#include <algorithm>
#include <chrono>

namespace lockscope::ui {

namespace {

constexpr milliseconds reportEvery{100};

} // namespace

void ProofRunner::start(const db::Server& server, const scenario::ScenarioPtr& scenario)
{
    if (isRunning())
        return;
    // Written by the run, read when its thread ends; a run that never began was stopped.
    auto outcome = std::make_shared<Outcome>(scenario::DeadlockProof{.wasStopped = true});
    begin([server, scenario, outcome, to = QPointer(this)](
              const std::stop_token& stop) { *outcome = run(server, scenario, to, stop); },
        [this, outcome] { Q_EMIT ended(outcome); });
}

ProofRunner::Outcome ProofRunner::run(const db::Server& server, const scenario::ScenarioPtr& scenario,
    const QPointer<ProofRunner>& to, const std::stop_token& stop)
{
    // A sandbox stays up for as long as this lives.
    const auto resolved = server.resolved();
    if (!resolved)
        return Failure(resolved.error());
    auto result = std::chrono::steady_clock::now() - reportEvery;
    return scenario::prove(*resolved, scenario, scenario::ExploreOrder().maximum, stop,
        [&](const scenario::ProofProgress& progress) {
            if (std::chrono::steady_clock::now() - result < reportEvery)
                return;
            result = std::chrono::steady_clock::now();
            postTo(to, [progress](ProofRunner& runner) { Q_EMIT runner.progressed(progress); });
        });
}

} // namespace lockscope::ui
