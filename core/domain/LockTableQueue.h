// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

#include <vector>

namespace lockscope {

// Both point into the snapshot.

/// The row of that name; null if there is none.
const LockTableEntry* entryOf(const Snapshot& snapshot, const LockTableKey& key);
/// Returns the waiters that have given a sign of life by `now`, in the order of the queue.
std::vector<const LockTableWaiter*> queueOf(
    const Snapshot& snapshot, const LockTableKey& key, ServerTime now);

} // namespace lockscope
