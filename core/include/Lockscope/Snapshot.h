// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"
#include "core/monitor/SnapshotSource.h"

#include <Lockscope/Server.h>

namespace lockscope {

using monitor::ProbeSelection;

/// Returns the present holders and waiters, once: connects, asks, and disconnects. Blocks as long as the
/// server does; `stop` ends that soon. Any thread.
inline Result<SnapshotPtr> takeSnapshot(
    const Server& server, const ProbeSelection& probes = {}, std::stop_token stop = {})
{
    return monitor::makeSnapshotSource(server, probes)->take(stop);
}

} // namespace lockscope
