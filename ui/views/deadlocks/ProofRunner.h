// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/deadlock/Proof.h"
#include "ui/views/page/RunThread.h"

namespace lockscope::ui {

/// Executes all orders of a scenario that was made of a deadlock.
class ProofRunner : public RunThread {
    Q_OBJECT

public:
    using RunThread::RunThread;

    /// The proof as it was when it ended or was stopped.
    using Outcome = Result<scenario::DeadlockProof>;
    using OutcomePtr = std::shared_ptr<const Outcome>;

    /// To be called only while nothing runs.
    void start(const db::Server& server, const scenario::ScenarioPtr& scenario);

Q_SIGNALS:
    /// Several times a second.
    void progressed(const lockscope::scenario::ProofProgress& progress);
    /// Emitted when nothing is left on the server.
    void ended(const lockscope::ui::ProofRunner::OutcomePtr& outcome);
};

} // namespace lockscope::ui
