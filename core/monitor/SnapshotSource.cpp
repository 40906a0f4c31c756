// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/SnapshotSource.h"

#include "core/domain/Engine.h"
#include "core/monitor/postgres/PostgresSnapshotSource.h"
#include "core/monitor/sqlite/SqliteSnapshotSource.h"
#include "core/monitor/sqlserver/SqlServerSnapshotSource.h"

namespace lockscope::monitor {

namespace {

template <typename Source>
std::unique_ptr<SnapshotSource> sourceOf(db::Server server, const ProbeSelection& probes)
{
    return std::make_unique<Source>(std::move(server), probes);
}

} // namespace

std::unique_ptr<SnapshotSource> makeSnapshotSource(db::Server server, const ProbeSelection& probes)
{
    using Make = std::unique_ptr<SnapshotSource> (*)(db::Server, const ProbeSelection&);
    static constexpr PerEngine<Make> make{.postgres = sourceOf<PostgresSnapshotSource>,
        .sqlServer = sourceOf<SqlServerSnapshotSource>,
        .sqlite = sourceOf<SqliteSnapshotSource>};
    const Engine engine = server.engine();
    return make[engine](std::move(server), probes);
}

} // namespace lockscope::monitor
