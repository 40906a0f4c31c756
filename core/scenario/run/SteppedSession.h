// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/run/ScenarioSession.h"

namespace lockscope::scenario {

/// The outcome of a step, as far as the race is concerned.
enum class StepOutcome : quint8 {
    Done,
    Denied,
    Victim,
    Conflict,
    DuplicateKey,
    Lost,
    Failed,
    Died,
    Cancelled,
};
QString outcomeKey(StepOutcome outcome); ///< as in files: "done", "deadlock_victim"
std::optional<StepOutcome> outcomeFrom(QStringView key);
QString outcomeText(StepOutcome outcome); ///< for people

/// A session that does one step when it is told to, and then those that nobody else can see. startOver()
/// and step() are called on the session's thread; the others by who gives the orders, while the session is at
/// rest.
class SteppedSession {
public:
    /// Goes through the program `rounds` times.
    explicit SteppedSession(int rounds)
        : m_rounds(rounds)
    {
    }

    // Orders: see SessionThreads.
    /// Goes to the first step, at the start and again later.
    Result<void> startOver(ScenarioSession& session, const std::stop_token& stop);
    Result<void> step(ScenarioSession& session, const std::stop_token& stop);

    bool isOver() const { return m_isOver; } ///< there is no step left
    StepOutcome outcome() const { return m_outcome; } ///< of the last step
    int rounds() const { return m_roundsDone; }

private:
    Result<void> proceed(ScenarioSession& session, bool evenIfSeen, const std::stop_token& stop);

    int m_rounds;
    int m_roundsDone = 0;
    bool m_isOver = false;
    StepOutcome m_outcome = StepOutcome::Done;
};

} // namespace lockscope::scenario
