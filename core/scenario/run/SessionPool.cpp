// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/SessionPool.h"

#include "core/base/Spawn.h"

#include <utility>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t maxEvents = 1'000'000; ///< of all sessions: 24 MB

} // namespace

Result<std::unique_ptr<SessionPool>> SessionPool::create(
    const PreparedRun& prepared, const RunOrder& order, std::stop_source ending)
{
    const std::size_t maxOfEach = order.duration == endless ? 0 : maxEvents / prepared.roles.size();
    if (order.sessionsAre == SessionsAre::Threads)
        return std::make_unique<SessionThreads>(prepared, maxOfEach, std::move(ending));
    LOCKSCOPE_TRY_GET(auto program,
        order.sessionProgram.isEmpty()
            ? findOwnProgram(u"lockscope-session"_s, u"which runs a session in a process of its own"_s)
            : Result<QString>(order.sessionProgram));
    // Asked once, and not by each of the processes: a keychain may ask its user.
    const db::Server& server = prepared.context.server;
    const bool asks = server.passwords && db::Dialect::of(server.engine()).can(db::Capability::LogIn);
    LOCKSCOPE_TRY_GET(
        auto password, asks ? server.passwords(server.profile.url.toString()) : Result<QString>(QString()));
    return std::make_unique<SessionProcesses>(
        prepared, maxOfEach, std::move(ending), std::move(program), std::move(password));
}

SessionPool::SessionPool(const PreparedRun& prepared, std::size_t capacity, std::stop_source ending)
    : m_context(prepared.context)
    , m_soft(std::move(ending))
{
    const auto& roles = prepared.roles;
    for (std::size_t i = 0; i < roles.size(); ++i)
        m_members.push_back(std::make_unique<Member>(
            *roles[i], int(i) + 1, prepared.area->sessionName(int(i) + 1, roles[i]->name), capacity));
}

bool SessionPool::isBusy(int number) const
{
    const MutexLock guard(m_mutex);
    return m_busy.contains(number);
}

bool SessionPool::waitForRest(milliseconds atMost) const
{
    const MutexLock lock(m_mutex);
    return m_changed.waitFor(
        m_mutex, atMost, [this]() LOCKSCOPE_REQUIRES(m_mutex) { return m_busy.empty(); });
}

quint64 SessionPool::completed() const
{
    const MutexLock guard(m_mutex);
    return m_completed;
}

bool SessionPool::waitForMore(quint64 seen, milliseconds atMost) const
{
    const MutexLock lock(m_mutex);
    return m_changed.waitFor(
        m_mutex, atMost, [this, seen]() LOCKSCOPE_REQUIRES(m_mutex) { return m_completed > seen; });
}

std::optional<Error> SessionPool::error() const
{
    const MutexLock guard(m_mutex);
    return m_error;
}

void SessionPool::tell(Progress& progress) const
{
    for (const auto& member : m_members) {
        progress.counts += member->log.counts();
        progress.waiting += member->log.latest() == EventKind::WaitBegin ? 1 : 0;
    }
    progress.plannedSessions = int(m_members.size());
    const MutexLock guard(m_mutex);
    const int busy = int(m_busy.size());
    // The busy ones are not there yet in the beginning, and still there later.
    progress.sessions = progress.phase == Progress::Phase::Preparing ? progress.plannedSessions - busy : busy;
}

std::vector<SessionReport> SessionPool::reports() const
{
    std::vector<SessionReport> all;
    for (const auto& member : m_members)
        all.push_back({member->number, member->role.name, member->log.copy()});
    return all;
}

void SessionPool::noteBusy(int number)
{
    const MutexLock guard(m_mutex);
    m_busy.insert(number);
}

void SessionPool::noteRest(int number, const std::optional<Error>& error)
{
    if (error)
        m_soft.request_stop();
    const MutexLock guard(m_mutex);
    if (!m_error)
        m_error = error;
    m_busy.erase(number);
    ++m_completed;
    m_changed.notifyAll();
}

SessionThreads::SessionThreads(const PreparedRun& prepared, std::size_t capacity, std::stop_source ending)
    : SessionPool(prepared, capacity, std::move(ending))
{
    for (const auto& member : m_members) {
        SessionThread& made = *m_threads.emplace_back(new SessionThread{
            .session = {m_context, member->role, member->number, member->name, member->log}});
        made.thread =
            std::jthread([this, &made](const std::stop_token& closing) { carryOut(made, closing); });
    }
}

SessionThreads::~SessionThreads()
{
    SessionThreads::cancel();
    m_soft.request_stop();
    for (const auto& each : m_threads)
        each->thread.request_stop(); // all, before one of them is waited for
}

void SessionThreads::connectAll()
{
    giveAll([this](ScenarioSession& session, const std::stop_token&) {
        m_connecting.acquire();
        auto opened = m_soft.stop_requested() ? Result<void>() : session.open();
        m_connecting.release();
        // A stop cancels whatever runs, the set-up of a session among it.
        return m_soft.stop_requested() ? Result<void>() : opened;
    });
}

void SessionThreads::begin(Steady::time_point start)
{
    giveAll([start](ScenarioSession& session, const std::stop_token& stop) {
        session.log().startAt(start);
        auto ran = session.runRounds(start, stop);
        session.close(); // others may wait for what it holds
        return ran;
    });
}

void SessionThreads::cancel()
{
    for (const auto& each : m_threads)
        each->stop.request_stop();
}

void SessionThreads::give(int number, Order order)
{
    noteBusy(number);
    SessionThread& to = thread(number);
    to.stop = std::stop_source();
    const MutexLock guard(m_mutex);
    to.order = std::move(order);
    to.given.notifyOne();
}

void SessionThreads::giveAll(const Order& order)
{
    {
        const MutexLock guard(m_mutex);
        m_error.reset();
    }
    for (const auto& member : m_members)
        give(member->number, order);
}

void SessionThreads::carryOut(SessionThread& on, const std::stop_token& closing)
{
    const auto isGiven = [&on]() LOCKSCOPE_REQUIRES(&SessionThreads::m_mutex) { return bool(on.order); };
    while (true) {
        Order order;
        {
            const MutexLock lock(m_mutex);
            // One that was given before the end is carried out, if only to be cancelled.
            if (!on.given.wait(m_mutex, closing, isGiven))
                break;
            order = std::exchange(on.order, nullptr);
        }
        const auto done = order(on.session, on.stop.get_token());
        noteRest(on.session.number(), done ? std::nullopt : std::optional(done.error()));
    }
    on.session.close(); // where it was opened
}

} // namespace lockscope::scenario
