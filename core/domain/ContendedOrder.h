// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

namespace lockscope {

/// The resources that somebody waits for, by index, in the order of the chains that their waits are part of:
/// those of deadlocks, then of the worst head (isWorse) and so on; of one chain the longest wait first.
std::vector<quint32> contendedOrder(const Snapshot& snapshot);

} // namespace lockscope
