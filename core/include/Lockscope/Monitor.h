// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/monitor/ServerMonitor.h"

#include <Lockscope/Snapshot.h>

namespace lockscope {

/// Takes a snapshot each interval on a thread of its own and signals it; needs the event loop of the thread
/// that makes it.
using monitor::Health;
using Monitor = monitor::ServerMonitor;

/// A monitor of `server`, to be started by start().
inline std::unique_ptr<Monitor> makeMonitor(Server server)
{
    return std::make_unique<Monitor>(
        [server = std::move(server)](
            const ProbeSelection& probes) -> Result<std::unique_ptr<monitor::SnapshotSource>> {
            return monitor::makeSnapshotSource(server, probes);
        });
}

} // namespace lockscope
