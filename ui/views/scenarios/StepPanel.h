// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "ui/views/scenarios/ScenarioRunner.h"

#include <QWidget>

class QLineEdit;
class QPushButton;
class QToolButton;
class QSpinBox;

namespace lockscope::ui {

class NoticeBar;
class StepBoard;
class TimelinePanel;

/// The user is the scheduler: a column for each session; a click on its button or its next statement, or its
/// number on the keyboard, runs it. The order of steps can be taken back, saved, replayed and handed on as
/// text; or all orders are tried, and the shortest one that breaks the rules is opened here.
class StepPanel : public QWidget {
    Q_OBJECT

public:
    /// `findScenario` makes that one the page's and returns it; null if there is none.
    StepPanel(
        std::function<scenario::ScenarioPtr(const QString& id)> findScenario, QWidget* parent = nullptr);

    /// Sets the order that a start would run; with a reason against it, nothing can be started.
    void setOrder(const std::optional<db::Server>& server, const scenario::RunOrder& order,
        const QString& reasonAgainst);
    /// Called before anything is started on the server; nothing starts unless it calls `go`, now or later.
    using Consent = std::function<void(const scenario::RunOrder& order, const std::function<void()>& go)>;
    void setConsent(Consent consent) { m_consent = std::move(consent); }
    void setScenario(const scenario::ScenarioPtr& scenario); ///< another one: what was shown goes
    bool isRunning() const { return m_runner->isRunning() || m_next; }
    void stop();

    /// Shows only the parts for a hall, in large letters.
    void setPresenting(double magnification);
    /// Leaves starting and ending to somebody else: without the buttons for that.
    void setGuided(bool isGuided);
    /// Does the steps of that text from the start: "lost-update/unsafe: A1 B1".
    void replayText(const QString& text);

    void saveTo(const QString& path);
    /// Reads the file on another thread, then replays it, unless the scenario, the server, or the reason
    /// against starting has changed by then, or another run was begun.
    void loadFrom(const QString& path);
    const StepRunner::StatePtr& state() const { return m_state; }
    /// Returns the variant that is stepped or explored, or was last; null = nothing of that is shown.
    const scenario::Variant* variant() const
    {
        return m_scenario && (m_state || isRunning()) ? m_scenario->find(m_runs) : nullptr;
    }
    const scenario::ScenarioPtr& scenario() const { return m_scenario; }
    TimelinePtr timeline() const { return m_state ? m_state->timeline : nullptr; } ///< null = none is shown

Q_SIGNALS:
    void runningChanged();
    /// A step, or a whole order of steps, was done; not if it `failed`.
    void stateShown();
    void failed();
    void statusMessage(const QString& text);
    void locksRequested(const lockscope::ui::TimelinePtr& timeline, int number, const QString& subject);

private:
    QWidget* makeButtons();
    QWidget* makeFoot();
    void whenAllowed(void (StepPanel::*act)());
    void begin(const QString& variant, const QString& words);
    void start();
    void explore();
    /// `isAgreed`: it goes on what the user has agreed to already.
    void replay(const scenario::Interleaving& recorded, bool isAgreed = false);
    void step(int number);
    void showState(const StepRunner::StatePtr& state);
    void showEnd(const std::optional<Error>& error);
    bool canStart() const;
    bool isIdle() const;
    bool canReplay() const;
    void dropReading();
    void updateActs();
    void showTools();

    const std::function<scenario::ScenarioPtr(const QString& id)> m_findScenario;
    Consent m_consent;
    StepRunner* m_runner;
    std::optional<db::Server> m_server;
    scenario::RunOrder m_order;
    scenario::ScenarioPtr m_scenario;
    QString m_reasonAgainst;
    StepRunner::StatePtr m_state;
    std::optional<scenario::Interleaving> m_next; ///< to be replayed as soon as the present run has ended
    bool m_isExploring = false;
    bool m_isReading = false;
    int m_generation = 0; ///< of what is read: drops late answers
    bool m_isPresented = false;
    bool m_isGuided = false;
    QString m_runs; ///< the variant that is stepped or explored
    QString m_found; ///< the result of exploring m_next

    QSpinBox* m_sessions;
    QSpinBox* m_most;
    QPushButton* m_start = nullptr;
    QPushButton* m_restart = nullptr;
    QPushButton* m_undo = nullptr;
    QPushButton* m_end = nullptr;
    QPushButton* m_explore = nullptr;
    QWidget* m_buttons = nullptr;
    QWidget* m_foot = nullptr;
    NoticeBar* m_notice;
    StepBoard* m_board;
    TimelinePanel* m_timeline;
    QLineEdit* m_text;
    QToolButton* m_replay = nullptr;
    QToolButton* m_save = nullptr;
    QToolButton* m_load = nullptr;
    Worker m_files;
};

} // namespace lockscope::ui
