// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/sandbox/SandboxSupervisor.h"

namespace lockscope::sandbox {

/// A program's hold on the sandbox: while it is open, the server runs.
class SandboxLink {
public:
    /// Joins the supervisor of `task.layout`, or starts `supervisorProgram` if there is none, and waits until
    /// the server is ready.
    static Result<SandboxLink> open(
        const SandboxTask& task, const QString& supervisorProgram, const QDeadlineTimer& deadline);
    /// False once the supervisor is gone, and the server with it.
    bool isAlive() const;
    /// Lets go and waits until the supervisor has ended (temporary sandboxes only: others don't tell).
    void leaveAndWait(const QDeadlineTimer& deadline);

private:
    explicit SandboxLink(Descriptor fd)
        : m_fd(std::move(fd))
    {
    }
    Descriptor m_fd;
};

} // namespace lockscope::sandbox
