// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/run/FreeRun.h"
#include "core/scenario/run/RunContext.h"
#include "core/scenario/run/RunSchema.h"

namespace lockscope::scenario {

/// The state before the first session comes.
struct PreparedRun {
    std::unique_ptr<RunSchema> area;
    RunContext context;
    std::vector<const Role*> roles; ///< of each session, the first one's first
};

/// Returns null if the scenario has no such variant.
const Variant* variantOf(const RunOrder& order);
int sessionsOf(const RunOrder& order);
/// Checks the order, removes the remains of runs that crashed, makes an area of the run's own. Blocks.
Result<PreparedRun> prepareRun(const db::Server& server, const RunOrder& order, const std::stop_token& stop);
/// Returns how often the rules and the scenario's invariant have been broken, `length` after the start.
Result<Violations> judge(const PreparedRun& run, const Rules& rules,
    const std::vector<SessionReport>& sessions, microseconds length);

} // namespace lockscope::scenario
