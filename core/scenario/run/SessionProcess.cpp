// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/SessionProcess.h"

#include "core/base/OwnProgram.h"

#include <QFileInfo>

#include <utility>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

SessionProcess::SessionProcess(QString program, NewsHandler onNews, EndHandler onEnd)
    : m_program(std::move(program))
    , m_onNews(std::move(onNews))
    , m_onEnd(std::move(onEnd))
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.remove(u"LOCKSCOPE_PASSWORD"_s);
    m_process.setProcessEnvironment(environment);
    m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    connect(&m_process, &QProcess::readyReadStandardOutput, this, &SessionProcess::read);
    connect(&m_process, &QProcess::finished, this, &SessionProcess::noteEnd);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart)
            return; // the others are told by its end
        const bool isThere = QFileInfo(m_program).isExecutable();
        end(Error{isThere ? ErrorKind::Server : ErrorKind::MissingObject,
            u"Can't start the program of a session, %1."_s.arg(m_program), {}, m_process.errorString(),
            isThere ? u"Try it with fewer sessions."_s : ownProgramHint(), {}});
    });
}

SessionProcess::~SessionProcess()
{
    m_process.disconnect(this);
    if (m_process.state() == QProcess::NotRunning)
        return;
    m_process.kill();
    m_process.waitForFinished();
}

void SessionProcess::start(const SessionTask& task)
{
    m_session = task.name;
    m_process.start(m_program, {task.name});
    tell(task);
}

void SessionProcess::tell(const SessionOrder& order)
{
    if (m_process.state() != QProcess::NotRunning)
        m_process.write(toFrame(order));
}

void SessionProcess::kill()
{
    m_isKilled = true;
    m_process.kill();
}

void SessionProcess::read()
{
    m_frames.add(m_process.readAllStandardOutput());
    while (!m_nonsense && !m_hasToldEnd) {
        const auto frame = m_frames.next();
        if (!frame && !m_frames.isBroken())
            return;
        const auto news = frame ? newsFrom(*frame) : std::nullopt;
        if (!news) {
            m_nonsense = Error{ErrorKind::Internal,
                u"The program of session %1, %2, tells what makes no sense."_s.arg(m_session, m_program), {},
                {}, u"Install Lockscope's programs together."_s, {}};
            m_process.kill();
            return;
        }
        m_isConnected = m_isConnected || std::holds_alternative<ConnectedNews>(*news);
        m_hasToldEnd = std::holds_alternative<CrashNews>(*news) || std::holds_alternative<FailedNews>(*news)
            || std::holds_alternative<FinishedNews>(*news);
        m_onNews(*news);
    }
}

void SessionProcess::noteEnd()
{
    read();
    if (m_nonsense)
        end(m_nonsense);
    else
        end(m_hasToldEnd || m_isKilled ? std::nullopt : std::optional(unexpectedEnd()));
}

void SessionProcess::end(const std::optional<Error>& error)
{
    if (const auto onEnd = std::exchange(m_onEnd, nullptr))
        onEnd(error);
}

/// What it did last was not told: nothing can be judged any more.
Error SessionProcess::unexpectedEnd() const
{
    Error error;
    error.kind = ErrorKind::Server;
    error.what = u"The process of session %1 was ended in the middle of the run."_s.arg(m_session);
    if (!m_isConnected)
        error.what = u"The process of session %1 ended before it was connected."_s.arg(m_session);
    error.detail = m_process.exitStatus() == QProcess::CrashExit
        ? u"It was killed, or crashed (signal %1)."_s.arg(m_process.exitCode())
        : u"%1 ended with the exit code %2."_s.arg(m_program).arg(m_process.exitCode());
    error.hint = u"What it did last is not known, so that the run can't be judged: start it again."_s;
    if (!m_isConnected)
        error.hint = ownProgramHint();
    return error;
}

} // namespace lockscope::scenario
