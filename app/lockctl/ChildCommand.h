// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProcessEnvironment>
#include <QStringList>

#include <mutex>

namespace lockscope::ctl {

/// The command that runs while we hold the lock, with our standard streams.
class ChildCommand {
public:
    /// Runs it to its end; the exit code as a shell would tell it. Needs the application's event loop.
    int run(const QStringList& command, const QProcessEnvironment& environment);
    /// Passes a signal on; before the command has started, it will not start any more. Any thread.
    void forward(int signal);
    void terminate(); ///< any thread

private:
    std::mutex m_mutex;
    qint64 m_processId = 0; // guarded by m_mutex; 0 while there is no process
    int m_refused = 0; // guarded by m_mutex; the signal that came before the start
};

} // namespace lockscope::ctl
