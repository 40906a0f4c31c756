// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/ChildCommand.h"

#include "app/lockctl/Command.h"
#include "app/lockctl/Console.h"

#include <QEventLoop>
#include <QProcess>
#include <QStandardPaths>

#include <csignal>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

int ChildCommand::run(const QStringList& command, const QProcessEnvironment& environment)
{
    QProcess process;
    process.setProgram(command.first());
    process.setArguments(command.mid(1));
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::ForwardedChannels);
    process.setInputChannelMode(QProcess::ForwardedInputChannel);
    QEventLoop loop;
    QObject::connect(&process, &QProcess::finished, &loop, &QEventLoop::quit);
    {
        const std::lock_guard lock(m_mutex);
        if (m_refused != 0)
            return exitSignal + m_refused;
        process.start();
        if (process.waitForStarted(-1))
            m_processId = process.processId();
    }
    if (process.error() == QProcess::FailedToStart) {
        complain(u"Can't start \"%1\": %2."_s.arg(command.first(), process.errorString()));
        return QStandardPaths::findExecutable(command.first()).isEmpty() ? exitNotFound : exitNotExecutable;
    }
    if (process.state() != QProcess::NotRunning)
        loop.exec();
    const std::lock_guard lock(m_mutex);
    m_processId = 0;
    return process.exitStatus() == QProcess::NormalExit ? process.exitCode()
                                                        : exitSignal + process.exitCode();
}

void ChildCommand::forward(int signal)
{
    const std::lock_guard lock(m_mutex);
    if (m_processId == 0) {
        m_refused = signal;
        return;
    }
#ifdef Q_OS_UNIX
    ::kill(static_cast<pid_t>(m_processId), signal);
#endif
}

void ChildCommand::terminate()
{
    forward(SIGTERM);
}

} // namespace lockscope::ctl
