// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/sqlserver/SqlServerSurrogateAccess.h"

#include "core/locks/LockTimeout.h"

namespace lockscope::locks {

namespace {

using L = QLatin1StringView;

/// SET LOCK_TIMEOUT takes no parameter.
std::pair<L, QString> timeout(milliseconds wait)
{
    return {L("timeout"), QString::number(lockTimeout(wait))};
}

Failure cancelled()
{
    return failure(ErrorKind::Cancelled, QStringLiteral("The wait was cancelled."));
}

} // namespace

std::optional<Error> SqlServerSurrogateAccess::refuse(const QString& name) const
{
    if (!name.endsWith(u' '))
        return std::nullopt;
    return failure(ErrorKind::BadInput, QStringLiteral("The lock name \"%1\" ends with a space.").arg(name),
        QStringLiteral("SQL Server compares names without spaces at their end: it would be the same lock as "
                       "the name without."))
        .value();
}

Result<SurrogateAccess::Answer> SqlServerSurrogateAccess::lock(const db::Statement& statement,
    std::vector<db::Param> params, milliseconds wait, const std::stop_token& stop)
{
    const bool mayWait = wait != milliseconds(0);
    const QString savepoint = QStringLiteral("lockscope %1").arg(++m_waits);
    params.emplace_back(mayWait);
    params.emplace_back(savepoint);
    qint64 code = -1;
    const auto result = m_connection.execute(
        statement, std::span<const db::Param>(params), [&code](const db::Row& row) { code = row.int64(0); },
        mayWait ? stop : std::stop_token());
    if (mayWait && stop.stop_requested()) {
        // The server may have ended the transaction with the cancel, and the lock with it.
        if (m_connection.isOpen() && m_connection.inTransaction())
            (void)m_connection.execute(db::Statement::get("sqlserver/surrogates/undo"), {savepoint});
        return cancelled();
    }
    if (!result)
        return Failure(result.error());
    if (code < 0 && mayWait)
        return failure(ErrorKind::Timeout, statement.whatFailed());
    return Answer{code >= 0, code == 1};
}

std::optional<Error> SqlServerTableSurrogate::refuse(const QString& name) const
{
    if (auto refused = m_tables.refuse(name))
        return refused;
    return SqlServerSurrogateAccess::refuse(name);
}

Result<SurrogateAccess::Answer> SqlServerTableSurrogate::acquire(
    const QString& name, milliseconds wait, const std::stop_token& stop)
{
    const auto statement = db::Statement::filled(
        "sqlserver/surrogates/table_lock", {{L("table"), m_tables.tableOf(name)}, timeout(wait)});
    return lock(statement, {}, wait, stop);
}

SqlServerKeySurrogate::SqlServerKeySurrogate(db::Connection& connection, const Surrogates& surrogates)
    : SqlServerSurrogateAccess(connection)
    , m_table(connection.dialect().quoted(surrogates.schema, surrogates.keyTable))
    , m_key(connection.dialect().quoted(surrogates.keyColumn))
{
}

Result<void> SqlServerKeySurrogate::prepare(const QString& name)
{
    const auto statement =
        db::Statement::filled("sqlserver/surrogates/key_add", {{L("table"), m_table}, {L("key"), m_key}});
    const auto made = m_connection.execute(statement, {name});
    if (!made)
        return Failure(made.error());
    return {};
}

Result<SurrogateAccess::Answer> SqlServerKeySurrogate::acquire(
    const QString& name, milliseconds wait, const std::stop_token& stop)
{
    const auto statement = db::Statement::filled(
        "sqlserver/surrogates/key_lock", {{L("table"), m_table}, {L("key"), m_key}, timeout(wait)});
    return lock(statement, {name}, wait, stop);
}

} // namespace lockscope::locks
