// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/ProcessCompany.h"

#include "core/db/HandOver.h"
#include "core/scenario/PlayerProcess.h"

#include <QEventLoop>
#include <QTimer>

#include <deque>
#include <future>
#include <utility>

namespace lockscope::scenario {

namespace {

constexpr milliseconds graceBeforeKill{250}; ///< to cancel what the server is doing

} // namespace

/// The processes, and what is to be done next with each. On the company's thread only.
class ProcessCompany::Crew : public QObject {
public:
    Crew(ProcessCompany& company, QEventLoop& loop)
        : m_company(company)
        , m_loop(loop)
    {
        for (const auto& member : company.m_members)
            m_seats.push_back({*member, company.taskOf(*member)});
    }
    ~Crew() override { killAll(); }

    void startAll()
    {
        for (Seat& seat : m_seats)
            m_toStart.push_back(&seat);
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
        for (Seat& seat : m_seats)
            if (!seat.process)
                noteGone(seat);
    }
    void cancel()
    {
        endRounds();
        tellAll(CancelOrder());
        QTimer::singleShot(graceBeforeKill, this, [this] { killAll(); });
    }
    void leave() { m_loop.quit(); }

private:
    struct Seat {
        Member& member;
        PlayerTask task;
        PlayerProcess* process = nullptr; ///< null before the first one, between two, and in the end
        bool isConnecting = false;
        bool hasConnected = false; ///< once
        bool isGone = false;
        std::optional<milliseconds> restart = {}; ///< after the crash that it has told
    };

    void startNext()
    {
        while (!m_isEnding && !m_company.error() && m_connecting < mostConnecting && !m_toStart.empty()) {
            Seat& seat = *m_toStart.front();
            m_toStart.pop_front();
            start(seat);
        }
    }

    void start(Seat& seat)
    {
        ++m_connecting;
        seat.isConnecting = true;
        seat.process = new PlayerProcess(
            m_company.m_program, [this, &seat](const PlayerNews& news) { hear(seat, news); },
            [this, &seat](const std::optional<Error>& error) { noteEnd(seat, error); });
        seat.process->setParent(this);
        seat.process->start(seat.task);
        // It may have failed at once.
        if (seat.process && m_start)
            seat.process->tell(BeginOrder{*m_start});
    }

    void hear(Seat& seat, const PlayerNews& news)
    {
        if (const auto* log = std::get_if<LogNews>(&news)) {
            seat.member.log.append(log->log);
        } else if (const auto* crash = std::get_if<CrashNews>(&news)) {
            seat.task.past = crash->past;
            seat.restart = crash->restart;
        } else if (const auto* failed = std::get_if<FailedNews>(&news)) {
            m_company.fail(failed->error);
        } else if (std::holds_alternative<ConnectedNews>(news)) {
            leaveDoor(seat);
            if (!std::exchange(seat.hasConnected, true))
                m_company.noteConnected();
        }
    }

    void noteEnd(Seat& seat, const std::optional<Error>& error)
    {
        std::exchange(seat.process, nullptr)->deleteLater();
        leaveDoor(seat);
        if (error)
            m_company.fail(*error);
        const auto restart = std::exchange(seat.restart, std::nullopt);
        if (error || !restart || m_isEnding)
            return noteGone(seat);
        QTimer::singleShot(*restart, this, [this, &seat] {
            m_toStart.push_back(&seat);
            startNext();
        });
    }

    void leaveDoor(Seat& seat)
    {
        if (!std::exchange(seat.isConnecting, false))
            return;
        --m_connecting;
        // Not from here: a program that can't be started would start the next one inside itself.
        QMetaObject::invokeMethod(
            this, [this] { startNext(); }, Qt::QueuedConnection);
    }

    void noteGone(Seat& seat)
    {
        if (!std::exchange(seat.isGone, true))
            m_company.noteGone();
    }

    void tellAll(const PlayerOrder& order)
    {
        for (Seat& seat : m_seats)
            if (seat.process)
                seat.process->tell(order);
    }
    void killAll()
    {
        for (Seat& seat : m_seats)
            if (seat.process)
                seat.process->kill();
    }

    ProcessCompany& m_company;
    QEventLoop& m_loop;
    std::deque<Seat> m_seats; ///< one of each member
    std::deque<Seat*> m_toStart;
    int m_connecting = 0;
    std::optional<Steady::time_point> m_start;
    bool m_isEnding = false;
};

ProcessCompany::ProcessCompany(
    const Scene& scene, const RunOrder& order, std::stop_source ending, QString program, QString password)
    : Company(scene, order, std::move(ending))
    , m_program(std::move(program))
    , m_password(std::move(password))
{
    std::promise<Crew*> made;
    auto crew = made.get_future();
    m_thread = std::thread([this, &made] {
        QEventLoop loop;
        Crew all(*this, loop);
        made.set_value(&all);
        loop.exec();
    });
    m_crew = crew.get();
}

ProcessCompany::~ProcessCompany()
{
    m_soft.request_stop();
    db::postTo(m_crew, [crew = m_crew] { crew->leave(); });
    m_thread.join();
}

PlayerTask ProcessCompany::taskOf(const Member& member) const
{
    PlayerTask task;
    task.scenario = m_stage.scenario->text;
    task.variant = m_stage.variant->id;
    task.role = int(&member.role - m_stage.variant->roles.data());
    task.number = member.number;
    task.name = member.name;
    task.values = m_stage.values;
    task.identifiers = m_stage.identifiers;
    task.url = m_stage.url.toString();
    task.password = m_password;
    task.schema = m_stage.schema;
    task.lockPrefix = m_stage.lockPrefix;
    task.seed = m_stage.seed;
    task.pace = m_pace;
    return task;
}

void ProcessCompany::connectAll()
{
    db::postTo(m_crew, [crew = m_crew] { crew->startAll(); });
}

void ProcessCompany::begin(Steady::time_point start)
{
    db::postTo(m_crew, [crew = m_crew, start] { crew->begin(start); });
}

void ProcessCompany::endRounds()
{
    m_soft.request_stop();
    db::postTo(m_crew, [crew = m_crew] { crew->endRounds(); });
}

void ProcessCompany::cancel()
{
    db::postTo(m_crew, [crew = m_crew] { crew->cancel(); });
}

} // namespace lockscope::scenario
