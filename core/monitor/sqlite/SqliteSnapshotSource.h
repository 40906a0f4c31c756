// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/monitor/FrameworkProbe.h"
#include "core/monitor/LockTableProbe.h"
#include "core/monitor/ServerSnapshotSource.h"

#include <optional>

namespace lockscope::monitor {

/// The lock tables of an SQLite file. Sessions and engine locks can't be seen from outside there: that is a
/// Limitation of every snapshot.
class SqliteSnapshotSource final : public ServerSnapshotSource {
public:
    SqliteSnapshotSource(db::Server server, const ProbeSelection& probes);

private:
    Result<void> probeServer(const std::stop_token& stop) override;
    Result<void> poll(Snapshot& snapshot, const std::stop_token& stop) override;

    std::optional<LockTableProbe> m_lockTables;
    std::optional<FrameworkProbe> m_frameworks;
};

} // namespace lockscope::monitor
