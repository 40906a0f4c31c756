// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/ThreadCompany.h"

namespace lockscope::scenario {

ThreadCompany::ThreadCompany(const Scene& scene, const RunOrder& order, std::stop_source ending)
    : Company(scene, order, std::move(ending))
{
}

ThreadCompany::~ThreadCompany()
{
    m_hard.request_stop();
    ThreadCompany::endRounds();
    for (std::thread& thread : m_threads)
        thread.join();
}

void ThreadCompany::connectAll()
{
    for (const auto& member : m_members)
        m_threads.emplace_back([this, &member = *member] { live(member); });
}

void ThreadCompany::begin(Steady::time_point start)
{
    const std::lock_guard guard(m_mutex);
    for (const auto& member : m_members)
        member->log.startAt(start);
    m_start = start;
    m_mayBegin = true;
    m_changed.notify_all();
}

void ThreadCompany::endRounds()
{
    m_soft.request_stop();
    const std::lock_guard guard(m_mutex);
    m_mayBegin = true;
    m_changed.notify_all();
}

void ThreadCompany::cancel()
{
    m_hard.request_stop();
}

void ThreadCompany::live(Member& member)
{
    {
        Player player(m_stage, member.role, member.number, member.name, member.log, m_pace);
        m_doors.acquire();
        const bool isWanted = !m_soft.stop_requested();
        const auto opened = isWanted ? player.open() : Result<void>();
        m_doors.release();
        // A stop cancels whatever runs, the set-up of a session among it.
        if (!opened && !m_soft.stop_requested())
            fail(opened.error());
        else if (opened && isWanted && awaitBegin())
            if (auto played = player.play(m_start, m_soft.get_token(), m_hard.get_token()); !played)
                fail(played.error());
    }
    noteGone();
}

/// Nobody begins before everybody is there.
bool ThreadCompany::awaitBegin()
{
    noteConnected();
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_mayBegin; });
    return !m_soft.stop_requested();
}

} // namespace lockscope::scenario
