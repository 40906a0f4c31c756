// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Conditions.h"
#include "core/deadlock/DeadlockIdentity.h"
#include "core/domain/CrossServer.h"
#include "core/order/OrderWatch.h"
#include "core/watch/ServerWatch.h"

#include <functional>
#include <optional>
#include <vector>

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

/// Adds to `seen` those deadlocks of a report that `known` has not, and remembers them. `at`: when they
/// happened. `whyNew` says of each family why it is new: neverSeen(), or something else; empty: it was known.
void addUnknown(const deadlock::ReportPtr& report, ServerTime at, deadlock::KnownDeadlocks& known,
    const std::function<QString(const QString& family)>& whyNew, std::vector<alert::SeenDeadlock>& seen);

QString neverSeen();

/// Returns the lock orders that can make a deadlock, without those that the user has muted; nothing: not
/// known. Blocks on the disk.
std::optional<std::vector<alert::OppositeOrder>> ordersOf(const order::OrderStatePtr& state);

} // namespace lockscope::watch
