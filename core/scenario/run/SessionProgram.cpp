// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/SessionProgram.h"

#include "core/base/Mutex.h"
#include "core/base/SleepFor.h"
#include "core/db/credentials/Secrets.h"
#include "core/scenario/format/ScenarioFile.h"
#include "core/scenario/run/ScenarioSession.h"
#include "core/scenario/run/SessionProtocol.h"

#include <QCoreApplication>
#include <QDataStream>
#include <QFile>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr milliseconds reportEvery{100};
constexpr milliseconds graceToCancel{800}; ///< to cancel what the server is doing for us
constexpr std::size_t maxUnread = 200'000; ///< events, while nobody reads

enum SessionExitCode { Done = 0, Failed = 1, WrongUsage = 2, Orphaned = 3, Crashed = 4 };

/// Reads the orders of the session. One thread.
class OrderReader {
public:
    OrderReader() { std::ignore = m_input.open(0, QIODevice::ReadOnly | QIODevice::Unbuffered); }

    /// Blocks. Nothing once nobody is there any more, or what they say makes no sense.
    std::optional<SessionOrder> next()
    {
        const QByteArray frame = readFrame(m_stream);
        return m_stream.status() == QDataStream::Ok ? orderFrom(frame) : std::nullopt;
    }

private:
    QFile m_input;
    QDataStream m_stream{&m_input};
};

/// Sends the session's events, in their order. Any thread.
class EventWriter {
public:
    explicit EventWriter(SessionLog& log)
        : m_log(log)
    {
        m_isOpen = m_output.open(1, QIODevice::WriteOnly | QIODevice::Unbuffered);
    }

    void tell(const SessionMessage& message)
    {
        const MutexLock guard(m_mutex);
        write(message);
    }
    void sendLog()
    {
        const MutexLock guard(m_mutex);
        write(LogMessage{m_log.take()});
    }
    /// Sends this after all that has happened, and exits.
    [[noreturn]] void sendAndExit(const SessionMessage& message, SessionExitCode code)
    {
        const MutexLock guard(m_mutex);
        write(LogMessage{m_log.take()});
        write(message);
        // Nothing is closed or flushed: the system takes it all back, as after a crash, and faster.
        std::_Exit(code);
    }

private:
    void write(const SessionMessage& message) LOCKSCOPE_REQUIRES(m_mutex)
    {
        const QByteArray frame = toFrame(message);
        if (m_isOpen)
            m_output.write(frame); // who is gone shows on the other side, too
    }

    SessionLog& m_log;
    Mutex m_mutex;
    QFile m_output LOCKSCOPE_GUARDED_BY(m_mutex);
    bool m_isOpen = false; // constant after construction
};

/// The run's context, in this process. Nothing if the task makes no sense.
std::optional<RunContext> contextFrom(const SessionTask& task)
{
    const auto scenario = readScenario(task.scenario, u"scenario"_s);
    const auto url = db::ServerUrl::parse(task.url);
    if (!scenario || !url)
        return std::nullopt;
    RunContext context;
    context.scenario = *scenario;
    context.variant = context.scenario->find(task.variant);
    if (!context.variant || task.role < 0 || task.role >= int(context.variant->roles.size()))
        return std::nullopt;
    context.values = task.values;
    context.identifiers = task.identifiers;
    context.server = db::Server::at(*url, db::fixedPassword(task.password));
    context.schema = task.schema;
    context.lockPrefix = task.lockPrefix;
    context.seed = task.seed;
    context.pace = task.pace;
    return context;
}

/// The process of one session. The main thread runs it, others read orders and write events.
class ProgramSession {
public:
    explicit ProgramSession(const SessionTask& task)
        : m_task(task)
    {
    }

    [[noreturn]] void run(OrderReader& reader)
    {
        std::thread([this, &reader] { listen(reader); }).detach(); // nobody ever returns from here
        auto context = contextFrom(m_task);
        if (!context)
            fail({.kind = ErrorKind::Internal,
                .what = u"The session's program does not understand the scenario."_s,
                .hint = u"Install Lockscope's programs together."_s});
        context->ending = m_soft.get_token();
        context->crash = [this](const ResumePoint& resume, milliseconds restart) {
            m_writer.sendAndExit(CrashMessage{resume, restart}, Crashed);
        };
        runRounds(*context);
        m_writer.sendAndExit(FinishedMessage(), Done);
    }

private:
    void listen(OrderReader& reader)
    {
        auto order = reader.next();
        for (; order && !std::holds_alternative<CancelOrder>(*order); order = reader.next()) {
            if (const auto* begin = std::get_if<BeginOrder>(&*order)) {
                const MutexLock guard(m_mutex);
                m_start = begin->start;
                m_changed.notifyAll();
            } else {
                m_soft.request_stop();
            }
        }
        // Cancelled, or the program that has started us is gone. A cancel may hang in the network: not longer
        // than so.
        std::thread([] {
            std::this_thread::sleep_for(graceToCancel);
            std::_Exit(Orphaned);
        }).detach();
        m_soft.request_stop();
        m_hard.request_stop();
    }

    void runRounds(const RunContext& context)
    {
        ScenarioSession session(context, context.variant->roles[static_cast<std::size_t>(m_task.role)],
            m_task.number, m_task.name, m_log);
        if (auto opened = session.open(); !opened) {
            if (m_soft.stop_requested())
                return; // the stop cancels whatever runs, the set-up of a session among it
            fail(opened.error());
        }
        m_writer.tell(ConnectedMessage());
        const auto start = waitForBegin();
        if (!start)
            return;
        m_log.startAt(*start);
        const std::jthread telling([this](const std::stop_token& stop) { sendMeanwhile(stop); });
        if (auto ran = session.runRounds(*start, m_hard.get_token(), m_task.resume); !ran)
            fail(ran.error());
    }

    /// Returns nothing if the run ends before.
    std::optional<Steady::time_point> waitForBegin()
    {
        const MutexLock lock(m_mutex);
        m_changed.wait(m_mutex, m_soft.get_token(),
            [this]() LOCKSCOPE_REQUIRES(m_mutex) { return m_start.has_value(); });
        return m_soft.stop_requested() ? std::nullopt : m_start;
    }

    void sendMeanwhile(const std::stop_token& stop)
    {
        while (m_log.waitForEvents(stop)) {
            m_writer.sendLog();
            if (!sleepFor(reportEvery, stop))
                return;
        }
    }

    [[noreturn]] void fail(const Error& error) { m_writer.sendAndExit(FailedMessage{error}, Failed); }

    const SessionTask m_task;
    SessionLog m_log{maxUnread};
    EventWriter m_writer{m_log};
    std::stop_source m_soft; ///< no new rounds
    std::stop_source m_hard;
    Mutex m_mutex;
    ConditionVariable m_changed;
    std::optional<Steady::time_point> m_start LOCKSCOPE_GUARDED_BY(m_mutex);
};

/// Ctrl+C on a terminal reaches everybody there; when sessions end is said by who has started them.
void ignoreTheTerminal()
{
    for (const int number : {SIGINT, SIGHUP, SIGPIPE})
        std::signal(number, SIG_IGN); // NOLINT(cert-err33-c): can't fail for these
}

} // namespace

int runSessionProgram(int argc, char** argv)
{
    const QCoreApplication app(argc, argv);
    ignoreTheTerminal();
    // The argument, the session's name, is for people who look at the list of processes.
    OrderReader reader;
    const auto order = argc == 2 ? reader.next() : std::nullopt;
    const auto* const task = order ? std::get_if<SessionTask>(&*order) : nullptr;
    if (!task) {
        std::fputs(
            "lockscope-session runs one session of a scenario; Lockscope's programs start it.\n", stderr);
        return WrongUsage;
    }
    ProgramSession(*task).run(reader);
}

} // namespace lockscope::scenario
