// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/SnapshotSource.h"

#include "core/monitor/postgres/PostgresSnapshotSource.h"
#include "core/monitor/sqlite/SqliteSnapshotSource.h"
#include "core/monitor/sqlserver/SqlServerSnapshotSource.h"

namespace lockscope::monitor {

std::unique_ptr<SnapshotSource> makeSnapshotSource(
    const db::ServerProfile& profile, db::PasswordProvider passwords, ProbeSelection probes)
{
    switch (profile.url.engine) {
    case Engine::Postgres:
        return std::make_unique<PostgresSnapshotSource>(profile, std::move(passwords), probes);
    case Engine::Sqlite:
        return std::make_unique<SqliteSnapshotSource>(profile, std::move(passwords));
    case Engine::SqlServer:
        break;
    }
    return std::make_unique<SqlServerSnapshotSource>(profile, std::move(passwords), probes);
}

} // namespace lockscope::monitor
