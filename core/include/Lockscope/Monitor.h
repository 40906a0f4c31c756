// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/monitor/ServerMonitor.h"

#include <Lockscope/Snapshot.h>

namespace lockscope {

/// The state of a server's answers, see Monitor::health().
using monitor::Health;
/// Polls one server at an interval, on a thread of its own, and emits signals on the thread that makes it,
/// which needs an event loop.
using Monitor = monitor::ServerMonitor;

/// Returns a monitor of `server`: connect its signals, then call start(). A server that can't be reached is
/// no error here: Monitor::healthChanged() reports it.
inline std::unique_ptr<Monitor> makeMonitor(Server server)
{
    return std::make_unique<Monitor>(
        [server = std::move(server)](
            const ProbeSelection& probes) -> Result<std::unique_ptr<monitor::SnapshotSource>> {
            return monitor::makeSnapshotSource(server, probes);
        });
}

} // namespace lockscope
