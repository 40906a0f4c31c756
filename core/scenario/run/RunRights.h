// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Server.h"

namespace lockscope::scenario {

/// The rights that a run needs on a server and that this login lacks there.
struct RunRights {
    QString database; ///< in which it would take place
    QString missing; ///< a sentence; empty: a run can begin
    QString remedy; ///< a statement for an administrator, or what to do; empty with `missing`

    bool operator==(const RunRights&) const = default;
};

/// The objects that a run uses besides tables of its own.
struct RunNeeds {
    bool names = false; ///< of the lock table
    bool procedures = false; ///< its set-up makes some

    bool operator==(const RunNeeds&) const = default;
};

/// Asks before anything is made; changes nothing. Blocks for a connection of its own and a round trip.
/// `server` is not `sandbox:`.
Result<RunRights> rightsToRun(const db::Server& server, const RunNeeds& needs);

} // namespace lockscope::scenario
