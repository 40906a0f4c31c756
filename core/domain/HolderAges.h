// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

namespace lockscope {

/// Bounds the ages of granted requests from below by those who wait for them. Locks are given in the order of
/// the queue: whoever is in a waiter's way has been so, as holder or ahead of it in the queue, since that
/// wait began. Only waits whose beginning is known exactly are reckoned with, and only conflicting modes.
/// Who holds a lock in somebody's way gets further modes of it past those who wait: if several modes of a
/// holder conflict with a wait, nothing tells which of them is as old, and it bounds none.
///
/// `notBefore` tells by index when a request was not granted yet, where that is known: waits that began
/// earlier were behind something else then. It may be shorter than the requests. A lock of a transaction is
/// not older than that transaction. O(requests).
void boundAgesByWaiters(Snapshot& snapshot, const std::vector<ServerTime>& notBefore = {});

} // namespace lockscope
