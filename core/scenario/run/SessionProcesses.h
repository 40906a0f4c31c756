// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/run/SessionPool.h"
#include "core/scenario/run/SessionProtocol.h"

#include <thread>

namespace lockscope::scenario {

/// Each session is a process of its own (lockscope-session). A thread with an event loop looks after them
/// all; the run never waits for one of them alone.
///
/// A session whose program crashes because the scenario says so gets a new process, which goes on where a
/// thread would. A process that ends by itself or is killed by somebody else is an error of the run: its last
/// events are missing, and a log with gaps must not be judged.
class SessionProcesses final : public SessionPool {
public:
    /// `program`: the path of lockscope-session.
    SessionProcesses(const PreparedRun& prepared, std::size_t capacity, std::stop_source ending,
        QString program, QString password);
    ~SessionProcesses() override;

    void connectAll() override;
    void begin(Steady::time_point start) override;
    void endRounds() override;
    void cancel() override;

private:
    class ProcessSupervisor;
    /// Gives an order to all: has it done by the supervisor, on its thread.
    void giveAll(std::function<void(ProcessSupervisor&)> order);
    SessionTask taskOf(const Member& member) const;

    const QString m_program;
    const QString m_password;
    ProcessSupervisor* m_supervisor = nullptr; ///< on m_thread; constant after construction
    std::thread m_thread;
};

} // namespace lockscope::scenario
