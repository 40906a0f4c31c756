// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/deadlock/DeadlockExport.h"
#include "core/scenario/deadlock/Proof.h"
#include "ui/views/page/RunThread.h"

#include <QHash>
#include <QWidget>

#include <optional>

class QComboBox;
class QLabel;
class QPushButton;
class QTableWidget;

namespace lockscope::ui {

class AppContext;
class RunConsent;

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

/// The proof of the deadlock on view: a scenario made of it, all orders of which are executed, as reported
/// and with each change that may cure it; in the sandbox or on the server on view. What it has shown stays
/// with the deadlock until the list is cleared. A person can mark its family as cured on the server on view.
class ProofPanel : public QWidget {
    Q_OBJECT

public:
    explicit ProofPanel(AppContext& context, QWidget* parent = nullptr);

    /// `key` names it for good; nothing: none is selected.
    void show(const std::optional<deadlock::Deadlock>& deadlock, const QString& key);
    /// Returns the proof of the deadlock on view; nothing: not proved yet, or it failed.
    std::optional<deadlock::ProofSection> section() const;
    /// Starts in the sandbox, or on the server on view. Asks the user first where that is due.
    void start();
    void stop();
    bool isRunning() const { return m_runner.isRunning(); }
    /// Forgets what was proved, but for a run that goes on.
    void clear();
    /// Returns why no scenario can be made of it; empty if one can.
    const QString& reasonAgainst() const { return m_reasonAgainst; }
    void focusStart();
    /// While the requested scenario is made, no other can be requested.
    void setSaving(bool isSaving);

Q_SIGNALS:
    void scenarioRequested(); ///< to save and show it
    void runningChanged();

private:
    /// The proof that was executed for one deadlock.
    struct Kept {
        std::optional<scenario::DeadlockProof> proof;
        std::optional<Error> error;
        QString where; ///< as the user knows it: "server shop", "the sandbox"
        bool isSandbox = false;
        QString marked{}; ///< what has become of marking it as cured
    };
    db::Server chosenServer() const;
    QString reasonAgainstServer() const;
    void offerServers();
    void run(const db::Server& server, const QString& key, const scenario::ScenarioPtr& scenario);
    void finish(const ProofRunner::Outcome& outcome);
    QString provenCure() const;
    QString reasonAgainstMarking() const;
    void markCured();
    void showProof();
    void updateActs();

    AppContext& m_context;
    RunConsent* m_consent;
    ProofRunner m_runner;
    Worker m_worker; ///< for the file of incidents
    QComboBox* m_where;
    QPushButton* m_start;
    QPushButton* m_save;
    QPushButton* m_cured;
    QLabel* m_says;
    QTableWidget* m_table;
    QLabel* m_leftOut;
    std::optional<deadlock::Deadlock> m_deadlock;
    QString m_key;
    std::optional<scenario::DeadlockScenario> m_made; ///< of the deadlock on view
    QString m_reasonAgainst;
    QHash<QString, Kept> m_kept; ///< by the deadlock's key
    QString m_runs; ///< key of the deadlock that is executed
    Kept m_running; ///< where
    QString m_progress;
    bool m_isSaving = false;
};

} // namespace lockscope::ui
