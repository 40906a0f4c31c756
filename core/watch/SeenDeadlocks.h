// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Observation.h"
#include "core/deadlock/DeadlockIdentity.h"
#include "core/order/OrderWatch.h"

#include <functional>
#include <optional>
#include <vector>

namespace lockscope::watch {

/// Adds to `seen` those deadlocks of a report that `known` has not, and remembers them. `at`: when they
/// happened. `whyNew` says of each family why it is new: neverSeen(), or something else; empty: it was known.
void addUnknown(const deadlock::ReportPtr& report, ServerTime at, deadlock::KnownDeadlocks& known,
    const std::function<QString(const QString& family)>& whyNew, std::vector<alert::SeenDeadlock>& seen);

QString neverSeen();

/// Returns the lock orders that can make a deadlock, without those that the user has muted; nothing: not
/// known. Blocks on the disk.
std::optional<std::vector<alert::OppositeOrder>> ordersOf(const order::OrderStatePtr& state);

} // namespace lockscope::watch
