// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/FreeRun.h"
#include "core/scenario/RunArea.h"
#include "core/scenario/Stage.h"

namespace lockscope::scenario {

/// What is there before the first session comes.
struct Scene {
    std::unique_ptr<RunArea> area;
    Stage stage;
    std::vector<const Role*> cast; ///< of each session, the first one's first
};

/// Null if the scenario has no such variant.
const Variant* variantOf(const RunOrder& order);
int sessionsOf(const RunOrder& order);
/// Checks the order, removes the remains of runs that crashed, makes an area of the run's own. Blocks.
Result<Scene> setScene(const db::ServerUrl& server, const db::PasswordProvider& passwords,
    const RunOrder& order, const std::stop_token& stop);

} // namespace lockscope::scenario
