// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/Company.h"
#include "core/scenario/PlayerProtocol.h"

#include <thread>

namespace lockscope::scenario {

/// Each session is a process of its own (lockscope-player). A thread with an event loop looks after them all;
/// who directs never waits for one of them alone.
///
/// A session whose program crashes because the scenario says so gets a new process, which goes on where a
/// thread would. A process that ends by itself or is killed by somebody else is an error of the run: what it
/// did last was not told, and a log with gaps must not be judged.
class ProcessCompany final : public Company {
public:
    /// `program`: the path of lockscope-player.
    ProcessCompany(const Scene& scene, const RunOrder& order, std::stop_source ending, QString program,
        QString password);
    ~ProcessCompany() override;

    void connectAll() override;
    void begin(Steady::time_point start) override;
    void endRounds() override;
    void cancel() override;

private:
    class Crew;
    PlayerTask taskOf(const Member& member) const;

    const QString m_program;
    const QString m_password;
    Crew* m_crew = nullptr; ///< on m_thread; constant after construction
    std::thread m_thread;
};

} // namespace lockscope::scenario
