// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/sandbox/ChildProcess.h"

#include "core/sandbox/SystemError.h"

#include <QFile>

#include <fcntl.h>
#include <sys/wait.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <csignal>
#include <vector>

namespace lockscope::sandbox {

using namespace Qt::StringLiterals;

namespace {

/// Returns the part of our environment that PostgreSQL may see: PGDATA, PGOPTIONS and passwords are none of
/// its business.
QList<QByteArray> environmentForServer()
{
    QList<QByteArray> environment{"LC_ALL=C", "LANG=C"};
    for (const char* name : {"PATH", "TZ", "LD_LIBRARY_PATH", "TMPDIR"}) {
        if (qEnvironmentVariableIsSet(name))
            environment << QByteArray(name) + '=' + qgetenv(name);
    }
    return environment;
}

std::vector<char*> pointersTo(QList<QByteArray>& texts)
{
    std::vector<char*> pointers;
    for (QByteArray& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

void dieWithParent([[maybe_unused]] int signalNumber, [[maybe_unused]] pid_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, signalNumber);
    // The parent may have died before the line above; then no signal comes.
    if (getppid() != parent)
        _exit(127);
#endif
}

} // namespace

Result<ChildProcess> ChildProcess::start(const Command& command)
{
    QList<QByteArray> arguments{QFile::encodeName(command.program)};
    for (const QString& argument : command.arguments)
        arguments << QFile::encodeName(argument);
    QList<QByteArray> environment = environmentForServer();
    const std::vector<char*> argv = pointersTo(arguments);
    const std::vector<char*> envp = pointersTo(environment);

    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0)
        return systemFailure(u"Can't start %1."_s.arg(command.program));
    if (pid == 0) {
        dieWithParent(command.signalIfParentDies, parent);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        dup2(command.input >= 0 ? command.input : ::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
        dup2(command.output, STDOUT_FILENO);
        dup2(command.output, STDERR_FILENO);
        execve(argv.front(), argv.data(), envp.data());
        _exit(127);
    }
    return ChildProcess(pid);
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
