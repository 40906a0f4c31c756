// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/SessionProcesses.h"

#include "core/base/PostToThread.h"
#include "core/scenario/run/SessionProcess.h"

#include <QEventLoop>
#include <QTimer>

#include <deque>
#include <future>
#include <utility>

namespace lockscope::scenario {

namespace {

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
            m_slots.push_back({*member, pool.taskOf(*member)});
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
        tellAll(BeginOrder{start});
    }
    void endRounds()
    {
        if (std::exchange(m_isEnding, true))
            return;
        tellAll(EndRoundsOrder());
        for (Slot& slot : m_slots)
            if (!slot.process)
                noteGone(slot);
    }
    void cancel()
    {
        endRounds();
        tellAll(CancelOrder());
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
        std::optional<milliseconds> restart = {}; ///< after the crash that it has told
    };

    void startNext()
    {
        while (!m_isEnding && !m_pool.error() && m_connecting < mostConnecting && !m_toStart.empty()) {
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
            m_pool.m_program, [this, &slot](const SessionNews& news) { handle(slot, news); },
            [this, &slot](const std::optional<Error>& error) { noteEnd(slot, error); });
        slot.process->setParent(this);
        slot.process->start(slot.task);
        // It may have failed at once.
        if (slot.process && m_start)
            slot.process->tell(BeginOrder{*m_start});
    }

    void handle(Slot& slot, const SessionNews& news)
    {
        if (const auto* log = std::get_if<LogNews>(&news)) {
            slot.member.log.append(log->log);
        } else if (const auto* crash = std::get_if<CrashNews>(&news)) {
            slot.task.resume = crash->resume;
            slot.restart = crash->restart;
        } else if (const auto* failed = std::get_if<FailedNews>(&news)) {
            m_pool.fail(failed->error);
        } else if (std::holds_alternative<ConnectedNews>(news)) {
            endConnecting(slot);
            if (!std::exchange(slot.hasConnected, true))
                m_pool.noteConnected();
        }
    }

    void noteEnd(Slot& slot, const std::optional<Error>& error)
    {
        std::exchange(slot.process, nullptr)->deleteLater();
        endConnecting(slot);
        if (error)
            m_pool.fail(*error);
        const auto restart = std::exchange(slot.restart, std::nullopt);
        if (error || !restart || m_isEnding)
            return noteGone(slot);
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

    void noteGone(Slot& slot)
    {
        if (!std::exchange(slot.isGone, true))
            m_pool.noteGone();
    }

    void tellAll(const SessionOrder& order)
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

SessionProcesses::SessionProcesses(const PreparedRun& prepared, const RunOrder& order,
    std::stop_source ending, QString program, QString password)
    : SessionPool(prepared, order, std::move(ending))
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
    task.pace = m_pace;
    return task;
}

void SessionProcesses::connectAll()
{
    postTo(m_supervisor, [supervisor = m_supervisor] { supervisor->startAll(); });
}

void SessionProcesses::begin(Steady::time_point start)
{
    postTo(m_supervisor, [supervisor = m_supervisor, start] { supervisor->begin(start); });
}

void SessionProcesses::endRounds()
{
    m_soft.request_stop();
    postTo(m_supervisor, [supervisor = m_supervisor] { supervisor->endRounds(); });
}

void SessionProcesses::cancel()
{
    postTo(m_supervisor, [supervisor = m_supervisor] { supervisor->cancel(); });
}

} // namespace lockscope::scenario
