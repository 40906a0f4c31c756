// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/SessionThreads.h"

#include <utility>

namespace lockscope::scenario {

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
