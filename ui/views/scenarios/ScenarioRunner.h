// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/scenario/explore/Explore.h"
#include "core/scenario/run/FreeRun.h"
#include "core/scenario/run/RunSchema.h"
#include "ui/views/page/RunThread.h"
#include "ui/views/scenarios/Timeline.h"

#include <QDialog>
#include <QList>
#include <QObject>
#include <QSet>
#include <QTimer>

#include <functional>

class QCheckBox;
class QPushButton;
class QWidget;

namespace lockscope::ui {

class AppContext;
class NoticeBar;

/// Runs orders one after the other. When stopped, it emits `ran` with the results so far, then `ended`;
/// orders that have not begun are left out.
class ScenarioRunner : public RunThread {
    Q_OBJECT

public:
    /// A run that is over, and its picture.
    struct Ran {
        std::shared_ptr<const scenario::RunReport> report;
        TimelinePtr timeline;
        QString lockOrder{}; ///< locks that are taken in opposite orders; empty: none, or not known yet
    };
    using RunThread::RunThread;

    /// To be called only while nothing runs.
    void start(const db::Server& server, const QList<scenario::RunOrder>& orders);

Q_SIGNALS:
    /// Several times a second; `number` of `count` orders, from 1.
    void progressed(const lockscope::scenario::Progress& progress, int number, int count);
    /// Emitted now and then, with what the sessions have lived through so far.
    void timelineUpdated(const lockscope::ui::TimelinePtr& timeline);
    void ran(const lockscope::ui::ScenarioRunner::Ran& run);
    /// Emitted for the last one that ran: locks that are taken in opposite orders. Not for one that was
    /// stopped, nor for several that are compared.
    void ordered(const QString& verdict);
    /// Emitted when everything is over and nothing is left. An error: of the order that was the last.
    void ended(const std::optional<lockscope::Error>& error);

private:
    static std::optional<Error> run(const db::Server& server, const QList<scenario::RunOrder>& orders,
        const QPointer<ScenarioRunner>& to, const std::stop_token& stop);
};

/// A run that is gone through step by step, or explored.
class StepRunner : public RunThread {
    Q_OBJECT

public:
    /// The state of all sessions; immutable.
    struct State {
        std::vector<scenario::SteppedView> sessions;
        std::vector<std::vector<scenario::ProgramLine>> programs; ///< by session
        scenario::Interleaving record;
        bool isOver = false;
        bool isStuck = false;
        bool isBroken = false;
        QString verdict; ///< as soon as it is over or stuck
        QStringList divergences; ///< of what was replayed last
        std::vector<scenario::TableState> tables; ///< their present contents
        TimelinePtr timeline; ///< counted in steps; null before the first one
    };
    using StatePtr = std::shared_ptr<const State>;

    explicit StepRunner(QObject* parent = nullptr);
    ~StepRunner() override;
    Q_DISABLE_COPY_MOVE(StepRunner)

    // Only while nothing runs.
    /// At the start, or after the steps of `first`.
    void start(const db::Server& server, const scenario::StepOrder& order,
        const std::optional<scenario::Interleaving>& first = {});
    void explore(const db::Server& server, const scenario::ExploreOrder& order);

    // Only while a run is open and not busy; each is answered by `changed` or `failed`, or ends the run.
    void step(int session);
    /// Goes from the start again, up to the step before the last one.
    void undo();
    void restart();

    bool isBusy() const { return m_isBusy; } ///< an answer is still to come

Q_SIGNALS:
    void changed(const std::shared_ptr<const lockscope::ui::StepRunner::State>& state);
    void failed(const lockscope::Error& error);
    void exploring(const lockscope::scenario::ExploreProgress& progress);
    void explored(const std::shared_ptr<const lockscope::scenario::ExploreReport>& report);
    /// Emitted when everything is over and nothing is left on the server.
    void ended(const std::optional<lockscope::Error>& error);

private:
    class OpenRun;
    struct Answer;
    using Command = std::function<Result<void>(OpenRun&, const std::stop_token&)>;
    /// `first` opens a run, or does all there is to do.
    void begin(Command first);
    void ask(Command command);
    void give(Worker& worker, Command command);
    void tell(const Answer& answer);
    void pollAgain();

    std::shared_ptr<OpenRun> m_open; ///< used by the worker only
    QTimer m_pollAgain;
    bool m_isBusy = false;
    bool m_isOpen = false; ///< steps can be done
};

/// Asks before a scenario runs on a server that is not the sandbox: names the server, and says before
/// anything is made there whether the rights are enough. GUI thread; the server is asked on another one.
class RunConsent : public QObject {
    Q_OBJECT

public:
    /// Its questions are about the server on view and go when another one, or a past time, is shown.
    RunConsent(AppContext& context, QWidget* window);

    struct Question {
        QString title; ///< of the scenario
        int sessions = 0;
        scenario::RunNeeds needs;
    };
    /// Calls `run`: at once on the sandbox and where the user has turned the question off; else when the user
    /// agrees, or emits refused(), as it does at once if a past time is on view.
    void ask(const db::Server& server, const Question& question, const std::function<void()>& run);
    /// Asks no question about this server while the window is open, as if the user had said so.
    void allow(const db::ServerUrl& url) { m_allowed.insert(url.toString()); }

Q_SIGNALS:
    void refused();

private:
    AppContext& m_context;
    QWidget* m_window;
    QSet<QString> m_allowed; ///< by address
    Worker m_asking; ///< ends with the window, whatever the server is doing
};

/// About runs of one scenario, one after the other.
RunConsent::Question questionOf(const QList<scenario::RunOrder>& orders);

/// "Run this there?": Cancel is the default, and Run only possible when the rights are known to be enough.
class RunQuestion : public QDialog {
    Q_OBJECT

public:
    RunQuestion(const QString& server, const RunConsent::Question& question, QWidget* parent);

    void showRights(const Result<scenario::RunRights>& rights);
    bool isNotToBeAskedAgain() const;

private:
    NoticeBar* m_answer;
    QCheckBox* m_again;
    QPushButton* m_run;
};

} // namespace lockscope::ui
