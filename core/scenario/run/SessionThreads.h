// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/run/ScenarioSession.h"
#include "core/scenario/run/SessionPool.h"

#include <semaphore>
#include <thread>

namespace lockscope::scenario {

/// Each session is a thread of this program, which carries out one order after the other.
class SessionThreads final : public SessionPool {
public:
    /// `capacity`: events that the log of each session keeps.
    SessionThreads(
        const PreparedRun& prepared, std::size_t capacity, std::stop_source ending = std::stop_source());
    ~SessionThreads() override;

    void connectAll() override;
    void begin(Steady::time_point start) override;
    void endRounds() override { m_soft.request_stop(); }
    void cancel() override;

    /// Called on the session's thread. `stop` comes with cancel().
    using Order = std::function<Result<void>(ScenarioSession& session, const std::stop_token& stop)>;
    /// Only to a session that is not busy.
    void give(int number, Order order);
    /// Forgets an error from before.
    void giveAll(const Order& order);
    /// Only of a session that is not busy.
    const ScenarioSession& session(int number) const { return thread(number).session; }

private:
    struct SessionThread {
        ScenarioSession session;
        std::stop_source stop{}; ///< of its order
        Order order LOCKSCOPE_GUARDED_BY(&SessionThreads::m_mutex){};
        ConditionVariable given{};
        std::jthread thread{}; ///< the last one: it uses all the others
    };
    SessionThread& thread(int number) const { return *m_threads[std::size_t(number) - 1]; }
    void carryOut(SessionThread& on, const std::stop_token& closing);

    std::counting_semaphore<> m_connecting{maxConnecting};
    std::vector<std::unique_ptr<SessionThread>> m_threads; ///< constant after construction
};

} // namespace lockscope::scenario
