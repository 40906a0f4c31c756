// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QStringList>

#include <sys/types.h>

namespace lockscope::sandbox {

/// A child of the supervisor. It dies with the thread that started it, however that ends (Linux), and its
/// output goes to a file.
class ChildProcess {
public:
    struct Command {
        QString program;
        QStringList arguments;
        int input = -1; ///< descriptor; −1 = /dev/null
        int output = -1; ///< descriptor of standard output and error
        int lock = -1; ///< descriptor of the FileLock that it keeps for as long as it lives; −1 = none
        int signalIfParentDies = 0;
    };
    static Result<ChildProcess> start(const Command& command);

    /// Exit status as of waitpid, or nullopt while it runs.
    std::optional<int> status();
    int wait();
    void signal(int number) const;
    pid_t pid() const { return m_pid; }

private:
    explicit ChildProcess(pid_t pid)
        : m_pid(pid)
    {
    }
    pid_t m_pid;
    std::optional<int> m_status;
};

} // namespace lockscope::sandbox
