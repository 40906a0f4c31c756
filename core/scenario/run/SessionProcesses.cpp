// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/SessionPool.h"

#include "core/base/PostToThread.h"
#include "core/base/Spawn.h"

#include <QEventLoop>
#include <QFileInfo>
#include <QProcess>
#include <QTimer>

#include <deque>
#include <future>
#include <utility>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

/// A process of lockscope-session, seen from the program that started it. It ends with this object, and
/// with this program. Bound to a thread with an event loop.
class SessionProcess : public QObject {
public:
    /// Called with all its messages, in their order. Not called any more after the end.
    using MessageHandler = std::function<void(const SessionMessage& message)>;
    /// Called once, when there is no process any more. An error: it did not announce its end before. May not
    /// destroy the object yet: deleteLater().
    using EndHandler = std::function<void(const std::optional<Error>& error)>;

    SessionProcess(QString program, MessageHandler onNews, EndHandler onEnd);
    ~SessionProcess() override;

    /// Does not wait. The password goes through the pipe; the command line has the session's name only.
    void start(const SessionTask& task);
    void tell(const SessionOrder& order);
    /// Ends it at once. Events that it has not sent yet are lost; that is no error.
    void kill();

private:
    void read();
    void noteEnd();
    void end(const std::optional<Error>& error);
    Error unexpectedEnd() const;

    const QString m_program;
    const MessageHandler m_onNews;
    EndHandler m_onEnd;
    QProcess m_process;
    FrameReader m_frames;
    QString m_session;
    bool m_isConnected = false;
    bool m_hasReportedEnd = false;
    bool m_isKilled = false; ///< by us
    std::optional<Error> m_nonsense;
};

SessionProcess::SessionProcess(QString program, MessageHandler onNews, EndHandler onEnd)
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
            return; // other errors end with the process
        const bool isThere = QFileInfo(m_program).isExecutable();
        end(Error{.kind = isThere ? ErrorKind::Server : ErrorKind::MissingObject,
            .what = u"Can't start the program of a session, %1."_s.arg(m_program),
            .detail = m_process.errorString(),
            .hint = isThere ? u"Try it with fewer sessions."_s : ownProgramHint()});
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
    while (!m_nonsense && !m_hasReportedEnd) {
        const auto frame = m_frames.next();
        if (!frame && !m_frames.isBroken())
            return;
        const auto message = frame ? messageFrom(*frame) : std::nullopt;
        if (!message) {
            m_nonsense = Error{.kind = ErrorKind::Internal,
                .what = u"The program of session %1, %2, sends messages that make no sense."_s.arg(
                    m_session, m_program),
                .hint = u"Install Lockscope's programs together."_s};
            m_process.kill();
            return;
        }
        m_isConnected = m_isConnected || std::holds_alternative<ConnectedMessage>(*message);
        m_hasReportedEnd = std::holds_alternative<CrashMessage>(*message)
            || std::holds_alternative<FailedMessage>(*message)
            || std::holds_alternative<FinishedMessage>(*message);
        m_onNews(*message);
    }
}

void SessionProcess::noteEnd()
{
    read();
    if (m_nonsense)
        end(m_nonsense);
    else
        end(m_hasReportedEnd || m_isKilled ? std::nullopt : std::optional(unexpectedEnd()));
}

void SessionProcess::end(const std::optional<Error>& error)
{
    if (const auto onEnd = std::exchange(m_onEnd, nullptr))
        onEnd(error);
}

/// Its last step is unknown, so nothing can be judged any more.
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
    error.hint = u"Its last step is unknown, so that the run can't be judged: start it again."_s;
    if (!m_isConnected)
        error.hint = ownProgramHint();
    return error;
}

constexpr milliseconds graceBeforeKill{250}; ///< to cancel what the server is doing

} // namespace

/// The processes, and what is to be done next with each. On the pool's thread only.
class SessionProcesses::ProcessSupervisor : public QObject {
public:
    ProcessSupervisor(SessionProcesses& pool, QEventLoop& loop)
        : m_pool(pool)
        , m_loop(loop)
    {
        for (const auto& member : pool.m_members)
            m_slots.push_back({.member = *member, .task = pool.taskOf(*member)});
    }
    ~ProcessSupervisor() override { killAll(); }

    void startAll()
    {
        for (Slot& slot : m_slots)
            m_toStart.push_back(&slot);
        startNext();
    }
    void begin(Steady::time_point start)
    {
        m_start = start;
        sendAll(BeginOrder{start});
        for (Slot& slot : m_slots)
            if (slot.isGone)
                noteGone(slot);
    }
    void endRounds()
    {
        m_isEnding = true;
        sendAll(EndRoundsOrder());
        for (Slot& slot : m_slots)
            if (!slot.process)
                noteGone(slot);
    }
    void cancel()
    {
        endRounds();
        sendAll(CancelOrder());
        QTimer::singleShot(graceBeforeKill, this, [this] { killAll(); });
    }
    void quit() { m_loop.quit(); }

private:
    struct Slot {
        Member& member;
        SessionTask task;
        SessionProcess* process = nullptr; ///< null before the first one, between two, and in the end
        bool isConnecting = false;
        bool hasConnected = false; ///< once
        bool isGone = false;
        std::optional<milliseconds> restart = {}; ///< after the crash that it has reported
    };

    void startNext()
    {
        while (!m_isEnding && !m_pool.error() && m_connecting < maxConnecting && !m_toStart.empty()) {
            Slot& slot = *m_toStart.front();
            m_toStart.pop_front();
            start(slot);
        }
    }

    void start(Slot& slot)
    {
        ++m_connecting;
        slot.isConnecting = true;
        slot.process = new SessionProcess(
            m_pool.m_program, [this, &slot](const SessionMessage& message) { handle(slot, message); },
            [this, &slot](const std::optional<Error>& error) { noteEnd(slot, error); });
        slot.process->setParent(this);
        slot.process->start(slot.task);
        // It may have failed at once.
        if (slot.process && m_start)
            slot.process->tell(BeginOrder{*m_start});
    }

    void handle(Slot& slot, const SessionMessage& message)
    {
        if (const auto* log = std::get_if<LogMessage>(&message)) {
            slot.member.log.append(log->log);
        } else if (const auto* crash = std::get_if<CrashMessage>(&message)) {
            slot.task.resume = crash->resume;
            slot.restart = crash->restart;
        } else if (const auto* failed = std::get_if<FailedMessage>(&message)) {
            m_pool.noteRest(slot.member.number, failed->error);
        } else if (std::holds_alternative<ConnectedMessage>(message)) {
            endConnecting(slot);
            if (!std::exchange(slot.hasConnected, true) && !m_pool.m_soft.stop_requested())
                m_pool.noteRest(slot.member.number);
        }
    }

    void noteEnd(Slot& slot, const std::optional<Error>& error)
    {
        std::exchange(slot.process, nullptr)->deleteLater();
        endConnecting(slot);
        const auto restart = std::exchange(slot.restart, std::nullopt);
        if (error || !restart || m_isEnding)
            return noteGone(slot, error);
        QTimer::singleShot(*restart, this, [this, &slot] {
            m_toStart.push_back(&slot);
            startNext();
        });
    }

    void endConnecting(Slot& slot)
    {
        if (!std::exchange(slot.isConnecting, false))
            return;
        --m_connecting;
        // Not from here: a program that can't be started would start the next one inside itself.
        QMetaObject::invokeMethod(
            this, [this] { startNext(); }, Qt::QueuedConnection);
    }

    void noteGone(Slot& slot, const std::optional<Error>& error = {})
    {
        slot.isGone = true;
        m_pool.noteRest(slot.member.number, error);
    }

    void sendAll(const SessionOrder& order)
    {
        for (Slot& slot : m_slots)
            if (slot.process)
                slot.process->tell(order);
    }
    void killAll()
    {
        for (Slot& slot : m_slots)
            if (slot.process)
                slot.process->kill();
    }

    SessionProcesses& m_pool;
    QEventLoop& m_loop;
    std::deque<Slot> m_slots; ///< one of each member
    std::deque<Slot*> m_toStart;
    int m_connecting = 0;
    std::optional<Steady::time_point> m_start;
    bool m_isEnding = false;
};

SessionProcesses::SessionProcesses(const PreparedRun& prepared, std::size_t capacity, std::stop_source ending,
    QString program, QString password)
    : SessionPool(prepared, capacity, std::move(ending))
    , m_program(std::move(program))
    , m_password(std::move(password))
{
    std::promise<ProcessSupervisor*> made;
    auto supervisor = made.get_future();
    m_thread = std::thread([this, &made] {
        QEventLoop loop;
        ProcessSupervisor all(*this, loop);
        made.set_value(&all);
        loop.exec();
    });
    m_supervisor = supervisor.get();
}

SessionProcesses::~SessionProcesses()
{
    m_soft.request_stop();
    postTo(m_supervisor, [supervisor = m_supervisor] { supervisor->quit(); });
    m_thread.join();
}

SessionTask SessionProcesses::taskOf(const Member& member) const
{
    SessionTask task;
    task.scenario = m_context.scenario->text;
    task.variant = m_context.variant->id;
    task.role = int(&member.role - m_context.variant->roles.data());
    task.number = member.number;
    task.name = member.name;
    task.values = m_context.values;
    task.identifiers = m_context.identifiers;
    task.url = m_context.server.profile.url.toString();
    task.password = m_password;
    task.schema = m_context.schema;
    task.lockPrefix = m_context.lockPrefix;
    task.seed = m_context.seed;
    task.pace = m_context.pace;
    return task;
}

void SessionProcesses::giveAll(std::function<void(ProcessSupervisor&)> order)
{
    for (const auto& member : m_members)
        noteBusy(member->number);
    postTo(m_supervisor, [supervisor = m_supervisor, order = std::move(order)] { order(*supervisor); });
}

void SessionProcesses::connectAll()
{
    giveAll([](ProcessSupervisor& supervisor) { supervisor.startAll(); });
}

void SessionProcesses::begin(Steady::time_point start)
{
    giveAll([start](ProcessSupervisor& supervisor) { supervisor.begin(start); });
}

void SessionProcesses::endRounds()
{
    m_soft.request_stop();
    giveAll([](ProcessSupervisor& supervisor) { supervisor.endRounds(); });
}

void SessionProcesses::cancel()
{
    giveAll([](ProcessSupervisor& supervisor) { supervisor.cancel(); });
}

} // namespace lockscope::scenario
