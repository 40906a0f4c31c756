// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/scenario/StepRunner.h"

#include "core/base/PostToThread.h"

#include <QCoreApplication>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>

namespace lockscope::ui {

using scenario::Interleaving;
using scenario::Standing;
using scenario::StepRun;

namespace {

/// Then a step that is known to be held up by nothing is shown as running, and looked at again.
constexpr milliseconds patience{2'000};
constexpr milliseconds lookAgainEvery{400};

bool isSame(const std::vector<scenario::SteppedView>& a, const std::vector<scenario::SteppedView>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
        return one.standing == other.standing && one.stepsDone == other.stepsDone && one.line == other.line
            && one.blockers == other.blockers && one.otherBlockers == other.otherBlockers
            && one.blockedOn == other.blockedOn;
    });
}

} // namespace

/// Where orders are put down and the run is kept. All but the orders belongs to the thread that works.
class StepRunner::StepWorker {
public:
    ServerReach reach;
    QPointer<StepRunner> runner; ///< looked into on the GUI thread only
    std::unique_ptr<StepRun> run;

    template <class Tell> void tell(Tell what) const
    {
        postTo(QCoreApplication::instance(), [to = runner, what = std::move(what)] {
            if (to)
                what(*to);
        });
    }

    void put(Command command)
    {
        const std::lock_guard guard(m_mutex);
        m_commands.push_back(std::move(command));
        m_changed.notify_all();
    }

    /// Until `stop`: carries out what is asked for, and looks now and then how those are that wait.
    void serve(const std::stop_token& stop)
    {
        while (!stop.stop_requested()) {
            Command next;
            {
                std::unique_lock lock(m_mutex);
                if (m_changed.wait_for(lock, stop, lookAgainEvery, [this] { return !m_commands.empty(); })) {
                    next = std::move(m_commands.front());
                    m_commands.pop_front();
                }
            }
            if (stop.stop_requested())
                return;
            if (next)
                answer(next(*this, stop));
            else
                lookAgain(stop);
        }
    }

    Result<void> restart(const std::stop_token& stop)
    {
        m_divergences.clear();
        return run->restart(stop);
    }

    Result<void> undo(const std::stop_token& stop)
    {
        const std::size_t steps = run->record().steps.size();
        if (steps == 0)
            return {};
        // As it was then: a wait that only a later step ended has no end yet.
        const Interleaving before = m_records[steps - 1];
        if (auto restarted = restart(stop); !restarted)
            return restarted;
        return replay(before, stop);
    }

    Result<void> replay(const Interleaving& recorded, const std::stop_token& stop)
    {
        m_divergences.clear();
        const auto replayed = scenario::replayIn(*run, recorded, stop);
        if (!replayed)
            return Failure(replayed.error());
        for (const scenario::Divergence& each : replayed->divergences)
            m_divergences << each.toString();
        return {};
    }

    /// How it stands now, for the GUI. The verdict asks the server: only when nobody holds up the answer.
    StatePtr state()
    {
        auto state = std::make_shared<State>();
        state->sessions = run->sessions();
        for (const scenario::SteppedView& each : state->sessions)
            state->programs.push_back(run->program(each.number));
        state->record = run->record();
        state->isOver = run->isOver();
        state->isStuck = run->isStuck();
        state->divergences = m_divergences;
        if (state->isOver) { // stuck, too
            if (const auto judged = run->judge()) {
                const scenario::Scenario& of = *run->order().run.scenario;
                const scenario::Variant* variant = of.find(state->record.variant);
                state->isBroken = judged->isBroken();
                state->verdict = scenario::verdict(
                    of, variant ? *variant : *of.unsafe(), *judged, run->order().run.parameters);
            }
        }
        if (!state->record.steps.empty())
            state->timeline = std::make_shared<const Timeline>(timelineOf(*run, state->verdict));
        const std::size_t steps = state->record.steps.size();
        m_records.resize(steps + 1);
        m_records[steps] = state->record;
        return state;
    }

    void answer(const Result<void>& done)
    {
        tell([state = state(), error = done ? std::optional<Error>() : done.error()](StepRunner& to) {
            to.m_waiting = std::max(0, to.m_waiting - 1);
            Q_EMIT to.changed(state);
            if (error)
                Q_EMIT to.failed(*error);
        });
    }

private:
    void lookAgain(const std::stop_token& stop)
    {
        const auto& sessions = run->sessions();
        const bool isWaiting = std::any_of(sessions.begin(), sessions.end(), [](const auto& each) {
            return each.standing == Standing::Running || each.standing == Standing::Blocked;
        });
        if (!isWaiting)
            return;
        const auto before = sessions;
        if (!run->refresh(stop) || isSame(before, run->sessions()))
            return;
        tell([state = state()](StepRunner& to) { Q_EMIT to.changed(state); });
    }

    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::deque<Command> m_commands; // under m_mutex
    std::vector<Interleaving> m_records; ///< by how many steps were done
    QStringList m_divergences;
};

StepRunner::StepRunner(QObject* parent)
    : QObject(parent)
{
}

StepRunner::~StepRunner() = default;

void StepRunner::begin(const std::shared_ptr<StepWorker>& worker, Command work)
{
    m_isRunning = true;
    m_waiting = 1;
    m_thread = BackgroundThread([worker, work = std::move(work)](const std::stop_token& stop) {
        const auto done = work(*worker, stop);
        worker->run.reset(); // what it has made goes before anybody is told
        std::optional<Error> error;
        if (!done && !stop.stop_requested())
            error = done.error();
        worker->tell([error](StepRunner& to) {
            to.m_isRunning = false;
            to.m_waiting = 0;
            to.m_worker.reset();
            to.m_thread = {};
            Q_EMIT to.ended(error);
        });
    });
}

void StepRunner::start(
    ServerReach reach, const scenario::StepOrder& order, const std::optional<Interleaving>& first)
{
    if (m_isRunning)
        return;
    m_worker = std::make_shared<StepWorker>();
    m_worker->reach = std::move(reach);
    m_worker->runner = this;
    begin(m_worker, [order, first](StepWorker& worker, const std::stop_token& stop) -> Result<void> {
        const auto url = worker.reach.resolve();
        if (!url)
            return Failure(url.error());
        auto run = StepRun::start(*url, worker.reach.passwords, order, stop);
        if (!run)
            return Failure(run.error());
        worker.run = std::move(*run);
        worker.answer(first ? worker.replay(*first, stop) : Result<void>());
        worker.serve(stop);
        return {};
    });
}

void StepRunner::explore(ServerReach reach, const scenario::ExploreOrder& order)
{
    if (m_isRunning)
        return;
    const auto worker = std::make_shared<StepWorker>();
    worker->reach = std::move(reach);
    worker->runner = this;
    begin(worker, [order](StepWorker& at, const std::stop_token& stop) -> Result<void> {
        const auto url = at.reach.resolve();
        if (!url)
            return Failure(url.error());
        auto told = scenario::Steady::now() - patience;
        const auto onProgress = [&](const scenario::ExploreProgress& progress) {
            constexpr milliseconds tellEvery{100};
            if (scenario::Steady::now() - told < tellEvery)
                return;
            told = scenario::Steady::now();
            at.tell([progress](StepRunner& to) { Q_EMIT to.exploring(progress); });
        };
        auto report = scenario::explore(*url, at.reach.passwords, order, stop, onProgress);
        if (!report)
            return Failure(report.error());
        at.tell([shared = std::make_shared<const scenario::ExploreReport>(std::move(*report))](
                    StepRunner& to) { Q_EMIT to.explored(shared); });
        return {};
    });
}

void StepRunner::ask(Command command)
{
    if (!m_worker || isStopping())
        return;
    ++m_waiting;
    m_worker->put(std::move(command));
}

void StepRunner::step(int session)
{
    ask([session](StepWorker& worker, const std::stop_token& stop) {
        return worker.run->step(session, stop, patience);
    });
}

void StepRunner::undo()
{
    ask([](StepWorker& worker, const std::stop_token& stop) { return worker.undo(stop); });
}

void StepRunner::restart()
{
    ask([](StepWorker& worker, const std::stop_token& stop) { return worker.restart(stop); });
}

void StepRunner::stop()
{
    // Asked from another thread: a cancel may have to connect to the server first.
    if (m_isRunning)
        m_thread = {};
}

} // namespace lockscope::ui
