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
    /// The facts that the report does not show, and those that are not in the scenario: sentences.
    QStringList leftOut;
};

/// Makes a scenario of the cycle: one session for each participant, each with what it held and then what it
/// waited for, in the modes of the report, on rows and tables that stand for the reported ones, or on
/// application locks. What the report leaves open (one row or two, the mode in which a table was held) is
/// taken each way that fits, in variants of their own (Variant::assumes). No statement of the report is run.
/// The first variant is as reported; the others are candidate changes, of which only executing all
/// interleavings tells whether they cure it (explore()). Unsupported: there is nothing to order, as with
/// parallel threads of one statement, with different indexes of one table, or where a transaction's end is
/// waited for; more than maxParticipants. Any thread.
Result<DeadlockScenario> deadlockScenario(const deadlock::Deadlock& deadlock);

/// Between a variant's id and the number of its assumption, from 2 on: "one-order-if-2".
inline constexpr QLatin1StringView assumptionMark{"-if-"};

/// More would have too many interleavings to execute.
inline constexpr int maxParticipants = 4;

} // namespace lockscope::scenario
