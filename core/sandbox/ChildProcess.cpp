// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/sandbox/ChildProcess.h"

#include "core/base/Spawn.h"
#include "core/sandbox/Account.h"

#include <sys/wait.h>

#include <csignal>

namespace lockscope::sandbox {

using namespace Qt::StringLiterals;

Result<ChildProcess> ChildProcess::start(const Command& command)
{
    // PGDATA, PGOPTIONS and passwords are none of PostgreSQL's business.
    std::vector<QByteArray> environment = ourEnvironment({"PATH=", "TZ=", "LD_LIBRARY_PATH=", "TMPDIR="});
    environment.insert(environment.end(), {"LC_ALL=C", "LANG=C"});
    const auto pid = spawn({.arguments = inFileEncoding(QStringList{command.program} + command.arguments),
        .environment = environment,
        .descriptors = {command.input, command.output, command.output},
        .kept = command.lock < 0 ? std::vector<int>() : std::vector{command.lock},
        .signalIfWeDie = command.signalIfParentDies});
    if (!pid)
        return systemFailure(u"Can't start %1."_s.arg(command.program), pid.error());
    return ChildProcess(*pid);
}

std::optional<int> ChildProcess::status()
{
    int status = 0;
    if (!m_status && waitpid(m_pid, &status, WNOHANG) == m_pid)
        m_status = status;
    return m_status;
}

int ChildProcess::wait()
{
    int status = 0;
    while (!m_status) {
        if (waitpid(m_pid, &status, 0) == m_pid)
            m_status = status;
        else if (errno != EINTR)
            m_status = -1;
    }
    return *m_status;
}

void ChildProcess::signal(int number) const
{
    if (!m_status)
        kill(m_pid, number);
}

} // namespace lockscope::sandbox
