// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/source/DeadlockSource.h"

#include "core/db/Connection.h"
#include "core/deadlock/source/PostgresDeadlockSource.h"
#include "core/deadlock/source/SqlServerDeadlockSource.h"

namespace lockscope::deadlock {

std::unique_ptr<DeadlockSource> DeadlockSource::create(
    db::Connection& connection, std::optional<ServerTime> since)
{
    switch (connection.engine()) {
    case Engine::Postgres:
        return std::make_unique<PostgresDeadlockSource>(connection, since);
    case Engine::SqlServer:
        return std::make_unique<SqlServerDeadlockSource>(connection, since);
    case Engine::Sqlite:
        break;
    }
    return nullptr;
}

} // namespace lockscope::deadlock
