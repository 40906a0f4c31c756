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
    if (m_isRunning)
        return;
    m_isRunning = true;
    m_isStopping = false;
    // Written by the run, read when its thread ends; a run that never began was stopped.
    auto outcome = std::make_shared<Outcome>(scenario::DeadlockProof{.wasStopped = true});
    m_worker = std::make_unique<Worker>([outcome, to = QPointer(this)] {
        postTo(to, [outcome](ProofRunner& runner) { runner.finish(outcome); });
    });
    m_worker->ask(
        this,
        [server, scenario, outcome, to = QPointer(this)](const std::stop_token& stop) {
            *outcome = run(server, scenario, to, stop);
            return true;
        },
        [this](bool) { m_worker.reset(); });
}

ProofRunner::Outcome ProofRunner::run(const db::Server& server, const scenario::ScenarioPtr& scenario,
    const QPointer<ProofRunner>& to, const std::stop_token& stop)
{
    // A sandbox stays up for as long as this lives.
    const auto resolved = server.resolved();
    if (!resolved)
        return Failure(resolved.error());
    auto told = std::chrono::steady_clock::now() - reportEvery;
    return scenario::prove(*resolved, scenario, scenario::ExploreOrder().maximum, stop,
        [&](const scenario::ProofProgress& progress) {
            if (std::chrono::steady_clock::now() - told < reportEvery)
                return;
            told = std::chrono::steady_clock::now();
            postTo(to, [progress](ProofRunner& runner) { Q_EMIT runner.progressed(progress); });
        });
}

void ProofRunner::finish(const OutcomePtr& outcome)
{
    m_isRunning = m_isStopping = false;
    Q_EMIT ended(outcome);
}

void ProofRunner::stop()
{
    if (!m_isRunning || m_isStopping)
        return;
    m_isStopping = true;
    m_worker.reset();
}

} // namespace lockscope::ui
