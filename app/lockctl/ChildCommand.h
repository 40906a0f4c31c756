// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Mutex.h"

#include <QProcessEnvironment>
#include <QStringList>

#include <tl/expected.hpp>

#include <chrono>
#include <optional>
#include <thread>

#include <sys/types.h>

namespace lockscope::ctl {

/// The command that runs while we hold the lock, with our standard streams and whatever else we were given,
/// but with nothing of our own: no descriptor, no signal handler, no blocked signal.
class ChildCommand {
public:
    using Clock = std::chrono::steady_clock;

    /// Sets whether it goes on if this program dies without being able to do anything (Linux); else it gets
    /// SIGTERM then.
    void setSurvivesUs(bool survives) { m_survivesUs = survives; }
    /// Runs it to its end; the exit code as a shell would tell it. Needs the application's event loop, and
    /// the main thread, whose end the system takes for ours.
    int run(const QStringList& command, const QProcessEnvironment& environment);
    /// Passes a signal on, unless the terminal has given it to all of us; before the command has started, it
    /// will not start any more. Any thread.
    void forward(int signal, bool fromTerminal);
    /// SIGTERM, and SIGKILL if it still runs after `grace`. Any thread.
    void terminate(std::chrono::milliseconds grace);
    bool isRunning() const;
    /// The time of its end, and its exit code; nothing if it has not ended.
    struct End {
        Clock::time_point at;
        int code;
    };
    std::optional<End> end() const;

private:
    tl::expected<pid_t, int> start(const QStringList& command, const QProcessEnvironment& environment);

    bool m_survivesUs = false;
    mutable Mutex m_mutex;
    pid_t m_processId LOCKSCOPE_GUARDED_BY(m_mutex) = 0; ///< 0 while there is no process
    int m_refused LOCKSCOPE_GUARDED_BY(m_mutex) = 0; ///< the signal that came before the start
    std::optional<End> m_end LOCKSCOPE_GUARDED_BY(m_mutex);
    std::jthread m_killer;
};

} // namespace lockscope::ctl
