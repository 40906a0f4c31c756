// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/PostgresTableAccess.h"
#include "core/locks/SqlServerTableAccess.h"
#include "core/locks/SqliteTableAccess.h"

namespace lockscope::locks {

std::unique_ptr<TableAccess> TableAccess::create(db::Connection& connection)
{
    if (connection.engine() == Engine::Sqlite)
        return std::make_unique<SqliteTableAccess>(connection);
    if (connection.engine() == Engine::SqlServer)
        return std::make_unique<SqlServerTableAccess>(connection);
    return std::make_unique<PostgresTableAccess>(connection);
}

Failure lockIsGone(const QString& name)
{
    return failure(ErrorKind::Changed, QStringLiteral("The lock \"%1\" is not ours any more.").arg(name),
        QStringLiteral("Its lease ran out and somebody else took it, or an operator released it. "
                       "Nobody else's lock was touched."));
}

} // namespace lockscope::locks
