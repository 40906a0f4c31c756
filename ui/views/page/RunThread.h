// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/db/Server.h"

#include <QObject>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace lockscope::ui {

/// Runs one thing at a time on a thread of its own. GUI thread only; nothing here waits. Taken apart while it
/// runs, it lets the run stop and tidy up behind it. What the run reports meanwhile comes by `postTo`.
class RunThread : public QObject {
public:
    using QObject::QObject;

    /// Asks the run to stop; its end is reported soon after.
    void stop()
    {
        if (m_isRunning && !std::exchange(m_isStopping, true))
            m_worker.reset();
    }
    bool isRunning() const { return m_isRunning; }
    bool isStopping() const { return m_isStopping; }

protected:
    /// Begins a run that lasts until stop(), and returns what does its jobs. The end of the thread is the end
    /// of the run, so that a stop before it has begun is reported as well: `tidy` is called last on the
    /// thread, then `ended` here.
    Worker& open(std::function<void()> ended, const std::function<void()>& tidy = {})
    {
        m_isRunning = true;
        m_isStopping = false;
        m_worker = std::make_unique<Worker>([to = QPointer(this), ended = std::move(ended), tidy] {
            if (tidy)
                tidy();
            postTo(to, [ended](RunThread& run) {
                run.m_isRunning = run.m_isStopping = false;
                ended();
            });
        });
        return *m_worker;
    }
    /// Begins a run that is one job, unless one runs. At its end `ended` is called with the job's outcome, a
    /// shared pointer; with `unbegun` if it was stopped before.
    template <class Outcome, class Job, class Ended> void begin(Job job, Outcome unbegun, Ended ended)
    {
        if (m_isRunning)
            return;
        const auto outcome = std::make_shared<Outcome>(std::move(unbegun));
        open([outcome, ended = std::move(ended)] { ended(outcome); })
            .ask(
                this,
                [job = std::move(job), outcome](const std::stop_token& stop) {
                    *outcome = job(stop);
                    return true;
                },
                [this](bool) { m_worker.reset(); });
    }
    /// Returns a function for the run's thread, which passes values on to a signal here, at most ten times a
    /// second.
    template <class Run, class Value>
    static std::function<void(const Value&)> reporter(Run* run, void (Run::*signal)(const Value&))
    {
        using Steady = std::chrono::steady_clock;
        return [to = QPointer(run), signal, last = Steady::time_point()](const Value& value) mutable {
            if (Steady::now() - last < std::chrono::milliseconds(100))
                return;
            last = Steady::now();
            postTo(to, [signal, value](Run& here) { (here.*signal)(value); });
        };
    }
    Worker& worker() { return *m_worker; } ///< of the run that is open

private:
    std::unique_ptr<Worker> m_worker; ///< of this run; its end is the run's
    bool m_isRunning = false;
    bool m_isStopping = false;
};

/// `question(connection, stop)` on a connection of its own of the worker's thread; its Result is given to
/// `show` on ours, unless `asker` has gone by then. What was asked before ends.
template <class Question, class Show>
void askServer(Worker& worker, const db::Server& server, milliseconds statementTimeout, QObject* asker,
    Question question, Show show)
{
    using Answer = std::invoke_result_t<Question, db::Connection&, const std::stop_token&>;
    worker.cancel();
    worker.ask(
        asker,
        [server, statementTimeout, question = std::move(question)](const std::stop_token& stop) -> Answer {
            db::ConnectOptions options;
            options.purpose = db::Purpose::Monitor;
            options.statementTimeout = statementTimeout;
            const auto connection = server.connect(options);
            if (!connection)
                return Failure(connection.error());
            return question(**connection, stop);
        },
        std::move(show));
}

} // namespace lockscope::ui
