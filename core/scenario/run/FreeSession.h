// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/run/ScenarioSession.h"

namespace lockscope::scenario {

/// The speed of the sessions of a free run.
struct Pace {
    milliseconds think{0}; ///< between rounds
    double rate = 0; ///< rounds a second; 0 = as fast as it can
};

/// One session of a free run: goes through its program round after round, at its pace. One thread.
class FreeSession {
public:
    /// `context`, `role` and `log` must outlive the session. `number` counts from 1. `resume`: of the
    /// session, if this is not its first program.
    FreeSession(const RunContext& context, const Role& role, int number, QString sessionName, SessionLog& log,
        Pace pace, std::optional<ResumePoint> resume = {});

    /// Connects. Blocks.
    Result<void> open() { return m_session.open(); }
    /// Runs until `soft` (after the round that goes on) or `hard` (in the middle of it). `start`: when the
    /// run began. Errors: those of ScenarioSession::step().
    Result<void> run(Steady::time_point start, const std::stop_token& soft, const std::stop_token& hard);

private:
    Result<ScenarioSession::After> runRound(const std::stop_token& hard);
    void think(const std::stop_token& soft);
    bool keepPace(qint64 round, Steady::time_point start, const std::stop_token& soft) const;

    ScenarioSession m_session;
    const Pace m_pace;
    const std::optional<ResumePoint> m_resume;
    QRandomGenerator m_random; ///< of thinking times
};

} // namespace lockscope::scenario
