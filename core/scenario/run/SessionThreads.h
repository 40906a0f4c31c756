// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "core/scenario/run/SessionPool.h"

#include <semaphore>
#include <thread>

namespace lockscope::scenario {

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
    std::optional<Steady::time_point> awaitBegin();

    std::counting_semaphore<> m_connecting{mostConnecting};
    std::stop_source m_hard;
    Steady::time_point m_start LOCKSCOPE_GUARDED_BY(m_mutex);
    bool m_mayBegin LOCKSCOPE_GUARDED_BY(m_mutex) = false;
    std::vector<std::thread> m_threads;
};

} // namespace lockscope::scenario
