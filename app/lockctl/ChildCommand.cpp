// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/ChildCommand.h"

#include "app/lockctl/Command.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/Program.h"
#include "core/base/Sentences.h"
#include "core/base/SleepFor.h"

#include <QEventLoop>
#include <QProcess>

#include <cerrno>
#include <csignal>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

int ChildCommand::run(const QStringList& command, const QProcessEnvironment& environment)
{
    QProcess process;
    QEventLoop loop;
    QObject::connect(&process, &QProcess::finished, &loop, &QEventLoop::quit);
    if (const int code = start(process, command, environment); code != exitOk)
        return code;
    if (process.state() != QProcess::NotRunning)
        loop.exec();
    const int code =
        process.exitStatus() == QProcess::NormalExit ? process.exitCode() : exitSignal + process.exitCode();
    const MutexLock lock(m_mutex);
    m_processId = 0;
    m_end = {Clock::now(), code};
    m_killer.request_stop();
    return code;
}

/// The exit code if there is nothing to wait for.
int ChildCommand::start(QProcess& process, const QStringList& command, const QProcessEnvironment& environment)
{
    const auto found = Program::find(command.first(), environment.value(u"PATH"_s, u"/bin:/usr/bin"_s));
    if (!found) {
        complain(found.error().reason);
        return found.error().exitCode;
    }
    const Program::Start start(*found, command, environment, m_survivesUs);
    process.setProgram(found->path);
    process.setArguments(command.mid(1));
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::ForwardedChannels);
    process.setInputChannelMode(QProcess::ForwardedInputChannel);
    process.setChildProcessModifier([&start] { start.inChild(); });
    {
        const MutexLock lock(m_mutex);
        if (m_refused != 0)
            return exitSignal + m_refused;
        process.start();
        if (process.waitForStarted(-1))
            m_processId = process.processId();
    }
    if (process.error() != QProcess::FailedToStart)
        return exitOk;
    complain(asSentence(u"Can't start \"%1\": %2"_s.arg(command.first(), process.errorString())));
    // It is there: find() has seen it. But perhaps not the program that is to run it.
    return process.errorString().contains(qt_error_string(ENOENT)) ? exitNotFound : exitNotExecutable;
}

void ChildCommand::send(int signal)
{
    ::kill(static_cast<pid_t>(m_processId), signal);
}

void ChildCommand::forward(int signal, bool fromTerminal)
{
    const MutexLock lock(m_mutex);
    if (m_processId == 0 && !m_end)
        m_refused = signal;
    else if (m_processId != 0 && !fromTerminal)
        send(signal);
}

void ChildCommand::terminate(std::chrono::milliseconds grace)
{
    const MutexLock lock(m_mutex);
    if (m_processId == 0) {
        if (!m_end)
            m_refused = SIGTERM;
        return;
    }
    send(SIGTERM);
    send(SIGCONT); // a command that is stopped would not even notice
    if (m_killer.joinable())
        return;
    m_killer = std::jthread([this, grace](const std::stop_token& stop) {
        if (!sleepFor(grace, stop))
            return;
        const MutexLock killing(m_mutex);
        if (m_processId != 0)
            send(SIGKILL);
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
