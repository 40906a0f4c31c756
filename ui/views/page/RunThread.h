// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"

#include <QObject>

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
    /// Begins a run that is one job.
    template <class Job> void begin(Job job, std::function<void()> ended)
    {
        open(std::move(ended))
            .ask(
                this,
                [job = std::move(job)](const std::stop_token& stop) {
                    job(stop);
                    return true;
                },
                [this](bool) { m_worker.reset(); });
    }
    Worker& worker() { return *m_worker; } ///< of the run that is open

private:
    std::unique_ptr<Worker> m_worker; ///< of this run; its end is the run's
    bool m_isRunning = false;
    bool m_isStopping = false;
};

} // namespace lockscope::ui
