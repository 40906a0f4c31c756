// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/SnapshotSource.h"

#include "core/domain/Engine.h"
#include "core/monitor/postgres/PostgresSnapshotSource.h"
#include "core/monitor/sqlite/SqliteSnapshotSource.h"
#include "core/monitor/sqlserver/SqlServerSnapshotSource.h"

namespace lockscope::monitor {

std::unique_ptr<SnapshotSource> makeSnapshotSource(db::Server server, const ProbeSelection& probes)
{
    using Make = std::unique_ptr<SnapshotSource> (*)(db::Server, const ProbeSelection&);
    static constexpr PerEngine<Make> make{
        .postgres = [](db::Server at, const ProbeSelection& selection) -> std::unique_ptr<SnapshotSource> {
            return std::make_unique<PostgresSnapshotSource>(std::move(at), selection);
        },
        .sqlServer = [](db::Server at, const ProbeSelection& selection) -> std::unique_ptr<SnapshotSource> {
            return std::make_unique<SqlServerSnapshotSource>(std::move(at), selection);
        },
        .sqlite = [](db::Server at, const ProbeSelection& selection) -> std::unique_ptr<SnapshotSource> {
            return std::make_unique<SqliteSnapshotSource>(std::move(at), selection);
        }};
    const Engine engine = server.engine();
    return make[engine](std::move(server), probes);
}

} // namespace lockscope::monitor
