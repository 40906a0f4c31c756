// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Observation.h"
#include "core/domain/CrossServer.h"
#include "core/watch/ServerWatch.h"

namespace lockscope::watch {

/// Returns the servers as they were seen last, in that order, for crossServer(): one without a snapshot where
/// nothing is known, or what is known is old. Null: nobody watches it any more.
std::vector<SeenServer> seenServers(const std::vector<const ServerWatch*>& watches);

/// Servers tell this of each other, for their incidents.
struct SeenTogether {
    struct OfServer {
        /// Deadlocks over servers, by how long their waits have been there together. The first of the
        /// servers has it.
        std::vector<alert::MeasuredElsewhere> rings;
        std::vector<alert::ClientWait> clientWaits;
    };
    std::vector<OfServer> servers; ///< one for each
    QStringList hidden; ///< Observation::hiddenServers
};
SeenTogether seenTogether(const std::vector<SeenServer>& servers);

} // namespace lockscope::watch
