// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Observation.h"
#include "core/domain/CrossServer.h"
#include "core/watch/ServerWatch.h"

namespace lockscope::watch {

/// Returns the servers as they were seen last, in that order, for crossServer(): one without a snapshot where
/// nothing is known, or what is known is old.
std::vector<SeenServer> seenServers(const std::vector<const ServerWatch*>& watches);

/// The deadlocks over servers that are seen.
struct SeenRings {
    /// A ring is told of by the observer of the server that comes first in it.
    struct Ring {
        size_t server = 0;
        alert::MeasuredElsewhere measured; ///< for how long each of its waits has been there together
    };
    std::vector<Ring> rings;
    bool seesAll = false; ///< nothing is hidden by a server that does not answer
};
SeenRings seenRings(const std::vector<SeenServer>& servers);

} // namespace lockscope::watch
