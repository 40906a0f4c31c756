// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

namespace lockscope {

/// Bounds the ages of granted requests from below by those who wait for them. Locks are given in the order of
/// the queue: whoever is in a waiter's way has been so, as holder or ahead of it in the queue, since that
/// wait began. Only waits whose beginning is known exactly are reckoned with, and only conflicting modes.
///
/// `grantSeen` marks by index those requests that were seen waiting before they were granted: their ages are
/// known better, and stay as they are. It may be shorter than the requests. A lock of a transaction is not
/// older than that transaction. O(requests).
void boundAgesByWaiters(Snapshot& snapshot, const std::vector<bool>& grantSeen = {});

} // namespace lockscope
