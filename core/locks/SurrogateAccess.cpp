// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/postgres/PostgresSurrogateAccess.h"
#include "core/locks/sqlserver/SqlServerSurrogateAccess.h"

namespace lockscope::locks {

std::unique_ptr<SurrogateAccess> SurrogateAccess::create(
    LockKind kind, db::Connection& connection, const Surrogates& surrogates)
{
    if (connection.engine() == Engine::SqlServer && kind == LockKind::LockedTable)
        return std::make_unique<SqlServerTableSurrogate>(connection, surrogates);
    if (connection.engine() == Engine::SqlServer)
        return std::make_unique<SqlServerKeySurrogate>(connection, surrogates);
    if (kind == LockKind::LockedTable)
        return std::make_unique<PostgresTableSurrogate>(connection, surrogates);
    return std::make_unique<PostgresKeySurrogate>(connection, surrogates);
}

} // namespace lockscope::locks
