// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/ChildCommand.h"

#include "app/lockctl/Command.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/Program.h"
#include "core/base/Sentences.h"
#include "core/base/SleepFor.h"

#include <QEventLoop>

#include <cerrno>
#include <csignal>
#include <sys/wait.h>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

int ChildCommand::run(const QStringList& command, const QProcessEnvironment& environment)
{
    std::signal(SIGCHLD, SIG_DFL); // ignored, it would leave us no exit code
    const auto process = start(command, environment);
    if (!process)
        return process.error();
    QEventLoop loop;
    const std::jthread waiting([this, &loop, number = static_cast<id_t>(*process)] {
        siginfo_t ended{};
        while (waitid(P_PID, number, &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR) { }
        {
            const MutexLock lock(m_mutex);
            waitid(P_PID, number, &ended, WEXITED); // from now on another process may get its number
            m_processId = 0;
            m_end = {
                Clock::now(), ended.si_code == CLD_EXITED ? ended.si_status : exitSignal + ended.si_status};
            m_killer.request_stop();
        }
        QMetaObject::invokeMethod(&loop, &QEventLoop::quit, Qt::QueuedConnection);
    });
    loop.exec();
    return end()->code;
}

/// The process, or the exit code if there is nothing to wait for.
tl::expected<pid_t, int> ChildCommand::start(
    const QStringList& command, const QProcessEnvironment& environment)
{
    const auto found = Program::find(command.first(), environment.value(u"PATH"_s, u"/bin:/usr/bin"_s));
    if (!found) {
        complain(found.error().reason);
        return tl::unexpected(found.error().exitCode);
    }
    tl::expected<pid_t, int> process;
    {
        const MutexLock lock(m_mutex);
        if (m_refused != 0)
            return tl::unexpected(exitSignal + m_refused);
        process = found->start(command, environment, m_survivesUs);
        m_processId = process.value_or(0);
    }
    if (process)
        return process;
    complain(asSentence(u"Can't start \"%1\": %2"_s.arg(command.first(), qt_error_string(process.error()))));
    // It is there: find() has seen it. But perhaps not the program that is to run it.
    return tl::unexpected<int>(process.error() == ENOENT ? exitNotFound : exitNotExecutable);
}

void ChildCommand::forward(int signal, bool fromTerminal)
{
    const MutexLock lock(m_mutex);
    if (m_processId == 0 && !m_end)
        m_refused = signal;
    else if (m_processId != 0 && !fromTerminal)
        ::kill(m_processId, signal);
}

void ChildCommand::terminate(std::chrono::milliseconds grace)
{
    const MutexLock lock(m_mutex);
    if (m_processId == 0) {
        if (!m_end)
            m_refused = SIGTERM;
        return;
    }
    ::kill(m_processId, SIGTERM);
    ::kill(m_processId, SIGCONT); // a command that is stopped would not even notice
    if (m_killer.joinable())
        return;
    m_killer = std::jthread([this, grace](const std::stop_token& stop) {
        if (!sleepFor(grace, stop))
            return;
        const MutexLock killing(m_mutex);
        if (m_processId != 0)
            ::kill(m_processId, SIGKILL);
    });
}

bool ChildCommand::isRunning() const
{
    const MutexLock lock(m_mutex);
    return m_processId != 0;
}

std::optional<ChildCommand::End> ChildCommand::end() const
{
    const MutexLock lock(m_mutex);
    return m_end;
}

} // namespace lockscope::ctl
