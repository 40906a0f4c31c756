// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/source/DeadlockSource.h"

#include "core/db/Connection.h"
#include "core/deadlock/source/PostgresDeadlockSource.h"
#include "core/deadlock/source/SqlServerDeadlockSource.h"

namespace lockscope::deadlock {

namespace {

template <class Source>
std::unique_ptr<DeadlockSource> makeSource(db::Connection& connection, std::optional<ServerTime> since)
{
    return std::make_unique<Source>(connection, since);
}

constexpr PerEngine<decltype(&makeSource<PostgresDeadlockSource>)> deadlockSources{
    .postgres = makeSource<PostgresDeadlockSource>,
    .sqlServer = makeSource<SqlServerDeadlockSource>,
    .sqlite = nullptr};

} // namespace

bool DeadlockSource::isPossible(Engine engine)
{
    return deadlockSources[engine] != nullptr;
}

std::unique_ptr<DeadlockSource> DeadlockSource::create(
    db::Connection& connection, std::optional<ServerTime> since)
{
    return isPossible(connection.engine()) ? deadlockSources[connection.engine()](connection, since)
                                           : nullptr;
}

} // namespace lockscope::deadlock
