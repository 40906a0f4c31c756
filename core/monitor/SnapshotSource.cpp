// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/SnapshotSource.h"

#include "core/monitor/postgres/PostgresSnapshotSource.h"
#include "core/monitor/sqlite/SqliteSnapshotSource.h"
#include "core/monitor/sqlserver/SqlServerSnapshotSource.h"

namespace lockscope::monitor {

std::unique_ptr<SnapshotSource> makeSnapshotSource(db::Server server, const ProbeSelection& probes)
{
    switch (server.engine()) {
    case Engine::Postgres:
        return std::make_unique<PostgresSnapshotSource>(std::move(server), probes);
    case Engine::Sqlite:
        return std::make_unique<SqliteSnapshotSource>(std::move(server));
    case Engine::SqlServer:
        break;
    }
    return std::make_unique<SqlServerSnapshotSource>(std::move(server), probes);
}

} // namespace lockscope::monitor
