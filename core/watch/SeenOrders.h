// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Observation.h"
#include "core/order/OrderWatch.h"

#include <optional>
#include <vector>

namespace lockscope::watch {

/// Returns the lock orders that can make a deadlock, without those that the user has muted; nothing: not
/// known. Blocks on the disk.
std::optional<std::vector<alert::OppositeOrder>> ordersOf(const order::OrderStatePtr& state);

} // namespace lockscope::watch
