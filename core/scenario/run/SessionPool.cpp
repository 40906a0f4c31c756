// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/SessionPool.h"

#include "core/base/OwnProgram.h"
#include "core/scenario/run/SessionProcesses.h"

#include <algorithm>
#include <semaphore>
#include <thread>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

/// Each session is a thread of this program.
class SessionThreads final : public SessionPool {
public:
    SessionThreads(const PreparedRun& prepared, const RunOrder& order, std::stop_source ending);
    ~SessionThreads() override;

    void connectAll() override;
    void begin(Steady::time_point start) override;
    void endRounds() override;
    void cancel() override;

private:
    void runSession(Member& member);
    std::optional<Steady::time_point> waitForBegin();

    std::counting_semaphore<> m_connecting{maxConnecting};
    std::stop_source m_hard;
    Steady::time_point m_start LOCKSCOPE_GUARDED_BY(m_mutex);
    bool m_mayBegin LOCKSCOPE_GUARDED_BY(m_mutex) = false;
    std::vector<std::thread> m_threads;
};

SessionThreads::SessionThreads(const PreparedRun& prepared, const RunOrder& order, std::stop_source ending)
    : SessionPool(prepared, order, std::move(ending))
{
}

SessionThreads::~SessionThreads()
{
    m_hard.request_stop();
    SessionThreads::endRounds();
    for (std::thread& thread : m_threads)
        thread.join();
}

void SessionThreads::connectAll()
{
    for (const auto& member : m_members)
        m_threads.emplace_back([this, &member = *member] { runSession(member); });
}

void SessionThreads::begin(Steady::time_point start)
{
    const MutexLock guard(m_mutex);
    for (const auto& member : m_members)
        member->log.startAt(start);
    m_start = start;
    m_mayBegin = true;
    m_changed.notifyAll();
}

void SessionThreads::endRounds()
{
    m_soft.request_stop();
    const MutexLock guard(m_mutex);
    m_mayBegin = true;
    m_changed.notifyAll();
}

void SessionThreads::cancel()
{
    m_hard.request_stop();
}

void SessionThreads::runSession(Member& member)
{
    {
        FreeSession session(m_context, member.role, member.number, member.name, member.log, m_pace);
        m_connecting.acquire();
        const bool isSelected = !m_soft.stop_requested();
        const auto opened = isSelected ? session.open() : Result<void>();
        m_connecting.release();
        // A stop cancels whatever runs, the set-up of a session among it.
        if (!opened && !m_soft.stop_requested())
            fail(opened.error());
        else if (const auto start = opened && isSelected ? waitForBegin() : std::nullopt)
            if (auto ran = session.run(*start, m_soft.get_token(), m_hard.get_token()); !ran)
                fail(ran.error());
    }
    noteGone();
}

/// Nobody begins before everybody is there. Nothing if the run ends before.
std::optional<Steady::time_point> SessionThreads::waitForBegin()
{
    noteConnected();
    const MutexLock lock(m_mutex);
    m_changed.wait(m_mutex, [this]() LOCKSCOPE_REQUIRES(m_mutex) { return m_mayBegin; });
    return m_soft.stop_requested() ? std::nullopt : std::optional(m_start);
}

constexpr std::size_t maxEvents = 1'000'000; ///< of all sessions: 24 MB

} // namespace

Result<std::unique_ptr<SessionPool>> SessionPool::create(
    const PreparedRun& prepared, const RunOrder& order, std::stop_source ending)
{
    if (order.sessionsAre == SessionsAre::Threads)
        return std::make_unique<SessionThreads>(prepared, order, std::move(ending));
    auto program = order.sessionProgram.isEmpty()
        ? findOwnProgram(u"lockscope-session"_s, u"which runs a session in a process of its own"_s)
        : Result<QString>(order.sessionProgram);
    if (!program)
        return Failure(program.error());
    // Asked once, and not by each of the processes: a keychain may ask its user.
    const db::Server& server = prepared.context.server;
    const bool asks = server.passwords && db::Dialect::of(server.engine()).can(db::Capability::LogIn);
    auto password = asks ? server.passwords(server.profile.url.toString()) : Result<QString>(QString());
    if (!password)
        return Failure(password.error());
    return std::make_unique<SessionProcesses>(
        prepared, order, std::move(ending), std::move(*program), std::move(*password));
}

SessionPool::SessionPool(const PreparedRun& prepared, const RunOrder& order, std::stop_source ending)
    : m_context(prepared.context)
    , m_pace{order.think, order.rate}
    , m_soft(std::move(ending))
{
    const auto& roles = prepared.roles;
    for (std::size_t i = 0; i < roles.size(); ++i)
        m_members.push_back(std::make_unique<Member>(*roles[i], int(i) + 1,
            prepared.area->sessionName(int(i) + 1, roles[i]->name),
            order.duration == endless ? 0 : maxEvents / roles.size()));
}

bool SessionPool::wait(Until until, milliseconds atMost)
{
    const MutexLock lock(m_mutex);
    const auto isSo = [&]() LOCKSCOPE_REQUIRES(m_mutex) {
        return (until == Until::AllConnected ? m_connected : m_gone) == int(m_members.size());
    };
    m_changed.waitFor(m_mutex, atMost,
        [&]() LOCKSCOPE_REQUIRES(m_mutex) { return isSo() || (until == Until::AllConnected && m_error); });
    return isSo();
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
    const MutexLock guard(m_mutex);
    progress.sessions = std::max(m_connected - m_gone, 0); // some may have gone before
    progress.plannedSessions = int(m_members.size());
}

std::vector<SessionReport> SessionPool::reports() const
{
    std::vector<SessionReport> all;
    for (const auto& member : m_members)
        all.push_back({member->number, member->role.name, member->log.copy()});
    return all;
}

void SessionPool::noteConnected()
{
    const MutexLock guard(m_mutex);
    ++m_connected;
    m_changed.notifyAll();
}

void SessionPool::noteGone()
{
    const MutexLock guard(m_mutex);
    ++m_gone;
    m_changed.notifyAll();
}

void SessionPool::fail(const Error& error)
{
    m_soft.request_stop();
    const MutexLock guard(m_mutex);
    if (!m_error)
        m_error = error;
    m_changed.notifyAll();
}

} // namespace lockscope::scenario
