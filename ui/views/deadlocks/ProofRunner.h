// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/scenario/deadlock/Proof.h"

#include <QObject>
#include <QPointer>

#include <memory>

namespace lockscope::ui {

/// Executes all orders of a scenario that was made of a deadlock, on a thread of its own. GUI thread only;
/// nothing here waits. Taken apart while it runs, it lets the run stop and tidy up behind it.
class ProofRunner : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// The proof as it was when it ended or was stopped.
    using Outcome = Result<scenario::DeadlockProof>;
    using OutcomePtr = std::shared_ptr<const Outcome>;

    /// To be called only while nothing runs.
    void start(const db::Server& server, const scenario::ScenarioPtr& scenario);
    /// Soon after, `ended` is emitted.
    void stop();
    bool isRunning() const { return m_isRunning; }
    bool isStopping() const { return m_isStopping; }

Q_SIGNALS:
    /// Several times a second.
    void progressed(const lockscope::scenario::ProofProgress& progress);
    /// Emitted when nothing is left on the server.
    void ended(const lockscope::ui::ProofRunner::OutcomePtr& outcome);

private:
    static Outcome run(const db::Server& server, const scenario::ScenarioPtr& scenario,
        const QPointer<ProofRunner>& to, const std::stop_token& stop);
    void finish(const OutcomePtr& outcome);

    std::unique_ptr<Worker> m_worker; ///< of this run; its end is the run's
    bool m_isRunning = false;
    bool m_isStopping = false;
};

} // namespace lockscope::ui
