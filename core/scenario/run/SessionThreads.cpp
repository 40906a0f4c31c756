// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/SessionThreads.h"

namespace lockscope::scenario {

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
        const bool isWanted = !m_soft.stop_requested();
        const auto opened = isWanted ? session.open() : Result<void>();
        m_connecting.release();
        // A stop cancels whatever runs, the set-up of a session among it.
        if (!opened && !m_soft.stop_requested())
            fail(opened.error());
        else if (const auto start = opened && isWanted ? awaitBegin() : std::nullopt)
            if (auto ran = session.run(*start, m_soft.get_token(), m_hard.get_token()); !ran)
                fail(ran.error());
    }
    noteGone();
}

/// Nobody begins before everybody is there. Nothing if the run ends before.
std::optional<Steady::time_point> SessionThreads::awaitBegin()
{
    noteConnected();
    const MutexLock lock(m_mutex);
    m_changed.wait(m_mutex, [this]() LOCKSCOPE_REQUIRES(m_mutex) { return m_mayBegin; });
    return m_soft.stop_requested() ? std::nullopt : std::optional(m_start);
}

} // namespace lockscope::scenario
