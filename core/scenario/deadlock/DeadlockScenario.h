// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"
#include "core/scenario/format/Scenario.h"

#include <QStringList>

namespace lockscope::scenario {

/// A scenario in which a reported deadlock can happen again, and variants in which it may not.
struct DeadlockScenario {
    ScenarioPtr scenario; ///< its text is the file, to save and to edit
    /// What the report does not show, or what is not in the scenario: sentences.
    QStringList leftOut;
};

/// Makes a scenario of the cycle: one session for each participant, each with what it held and then what it
/// waited for, in the modes of the report, on rows and tables that stand for the reported ones, or on
/// application locks. No statement of the report is run. The first variant is as reported; the others are
/// candidate changes, of which only executing all interleavings tells whether they cure it (explore()).
/// Unsupported: there is nothing to order, as with parallel threads of one statement; more than
/// mostParticipants. Any thread.
Result<DeadlockScenario> deadlockScenario(const deadlock::Deadlock& deadlock);

/// More would have too many interleavings to execute.
inline constexpr int mostParticipants = 4;

} // namespace lockscope::scenario
