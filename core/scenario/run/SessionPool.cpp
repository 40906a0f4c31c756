// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/SessionPool.h"

#include "core/base/OwnProgram.h"
#include "core/scenario/run/SessionProcesses.h"
#include "core/scenario/run/SessionThreads.h"

#include <algorithm>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t mostEvents = 1'000'000; ///< of all sessions: 24 MB

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
            order.duration == endless ? 0 : mostEvents / roles.size()));
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
    progress.wanted = int(m_members.size());
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
