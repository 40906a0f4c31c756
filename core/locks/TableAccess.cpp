// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/SchemaFile.h"
#include "core/db/SchemaTrust.h"
#include "core/locks/postgres/PostgresTableAccess.h"
#include "core/locks/sqlite/SqliteTableAccess.h"
#include "core/locks/sqlserver/SqlServerTableAccess.h"

namespace lockscope::locks {

std::unique_ptr<TableAccess> TableAccess::create(db::Connection& connection)
{
    if (connection.engine() == Engine::Sqlite)
        return std::make_unique<SqliteTableAccess>(connection);
    if (connection.engine() == Engine::SqlServer)
        return std::make_unique<SqlServerTableAccess>(connection);
    return std::make_unique<PostgresTableAccess>(connection);
}

TableAccess::TableAccess(db::Connection& connection)
    : m_connection(connection)
    , m_renew(statement("locks/renew"))
{
}

const db::Statement& TableAccess::statement(const char* file) const
{
    return db::schemaStatement(m_connection.dialect(), file);
}

Result<void> TableAccess::trustSchema()
{
    return db::trustSchema(m_connection, db::SchemaUse::Calling);
}

Result<ServerTime> TableAccess::renew(const QString& name, const QString& token, milliseconds lease)
{
    if (auto trusted = trustSchema(); !trusted)
        return Failure(trusted.error());
    std::optional<ServerTime> end;
    const auto result = m_connection.execute(m_renew, {name, token, qint64(microseconds(lease).count())},
        [&end](const db::Row& row) { end = row.optionalTime(0); });
    if (!result)
        return Failure(result.error());
    if (!end)
        return lockIsGone(name);
    return *end;
}

void TableAccess::readObstacle(Answer& answer, const db::Row& row, int first)
{
    answer.obstacleLasts = microseconds(row.int64(first));
    if (row.isNull(first + 1))
        return;
    answer.heldBy = LockOwnerInfo{row.text(first + 1), row.text(first + 2), row.text(first + 3),
        row.int64(first + 4), SessionId{row.int64(first + 5)}};
}

Failure lockIsGone(const QString& name)
{
    return failure(ErrorKind::Changed, QStringLiteral("The lock \"%1\" is not ours any more.").arg(name),
        QStringLiteral("Its lease ran out and somebody else took it, or an operator released it. "
                       "Nobody else's lock was touched. Stop what it protects, look who has it now, and take "
                       "it again if you still need it."));
}

} // namespace lockscope::locks
