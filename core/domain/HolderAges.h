// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

namespace lockscope {

/// Bounds the ages of granted requests from below by those who wait for them. Locks are given in the order of
/// the queue: a session that blocks a waiter has done so, as holder or ahead of it in the queue, since that
/// wait began. Only waits with an exactly known start count, and only conflicting modes. A holder of a
/// blocking lock gets further modes of it past those who wait: if several modes of a holder conflict with a
/// wait, none of them is known to be as old, and the wait bounds none.
///
/// `notBefore` gives by index when a request was not granted yet, where that is known: waits that began
/// earlier were behind something else then. It may be shorter than the requests. A lock of a transaction is
/// not older than that transaction. O(requests).
void boundAgesByWaiters(Snapshot& snapshot, const std::vector<ServerTime>& notBefore = {});

} // namespace lockscope
