// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/ProofRunner.h"

namespace lockscope::ui {

void ProofRunner::start(const db::Server& server, const scenario::ScenarioPtr& scenario)
{
    const auto prove = [server, scenario, onProgress = reporter(this, &ProofRunner::progressed)](
                           const std::stop_token& stop) -> Outcome {
        // A sandbox stays up for as long as this lives.
        const auto resolved = server.resolved();
        if (!resolved)
            return Failure(resolved.error());
        return scenario::prove(*resolved, scenario, scenario::ExploreOrder().maximum, stop, onProgress);
    };
    begin(prove, Outcome(scenario::DeadlockProof{.wasStopped = true}),
        [this](const OutcomePtr& outcome) { Q_EMIT ended(outcome); });
}

} // namespace lockscope::ui
