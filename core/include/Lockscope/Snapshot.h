// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"
#include "core/monitor/SnapshotSource.h"

#include <Lockscope/Server.h>

namespace lockscope {

/// Selects the data that a snapshot has: statements, internal locks, rows of frameworks.
using monitor::ProbeSelection;

/// Returns the present holders and waiters: connects, polls once, and disconnects. Blocks until the server
/// has answered or a time-out has passed; after a request of `stop` it soon returns the error Cancelled. Any
/// thread.
inline Result<SnapshotPtr> takeSnapshot(
    const Server& server, const ProbeSelection& probes = {}, std::stop_token stop = {})
{
    return monitor::makeSnapshotSource(server, probes)->take(stop);
}

} // namespace lockscope
