// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/SqlServerSurrogateAccess.h"

#include <algorithm>
#include <limits>

namespace lockscope::locks {

namespace {

using L = QLatin1StringView;

constexpr int longestIdentifier = 128; ///< Microsoft's documentation, "Database Identifiers"

/// SET LOCK_TIMEOUT takes no parameter.
QString lockTimeout(milliseconds wait)
{
    return QString::number(std::clamp<qint64>(wait.count(), -1, std::numeric_limits<qint32>::max()));
}

Failure cancelled()
{
    return failure(ErrorKind::Cancelled, QStringLiteral("The wait was cancelled."));
}

} // namespace

SqlServerSurrogateAccess::SqlServerSurrogateAccess(db::Connection& connection, Surrogates surrogates)
    : m_connection(connection)
    , m_surrogates(std::move(surrogates))
{
}

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
            (void)m_connection.execute(db::Statement::get("sqlserver/locks/surrogate_undo.sql"), {savepoint});
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
    const qsizetype longest = longestIdentifier - m_surrogates.tablePrefix.size();
    if (name.size() <= longest)
        return SqlServerSurrogateAccess::refuse(name);
    return failure(ErrorKind::BadInput,
        QStringLiteral("The lock name \"%1\" is too long for the name of a table.").arg(name),
        QStringLiteral("SQL Server keeps %1 characters of it. Use a surrogate key for long names.")
            .arg(longest))
        .value();
}

QString SqlServerTableSurrogate::tableOf(const QString& name) const
{
    return m_connection.dialect().quoted(m_surrogates.schema, m_surrogates.tablePrefix + name);
}

Result<void> SqlServerTableSurrogate::prepare(const QString& name)
{
    bool exists = false;
    const auto asked = m_connection.execute(db::Statement::get("sqlserver/locks/surrogate_table_exists.sql"),
        {tableOf(name)}, [&exists](const db::Row& row) { exists = row.boolean(0); });
    if (!asked)
        return Failure(asked.error());
    if (exists)
        return {};
    if (!m_surrogates.areOurs())
        return failure(ErrorKind::MissingObject,
            QStringLiteral("The surrogate table %1 is not there.").arg(tableOf(name)),
            QStringLiteral("Create it: any table that is used for nothing else will do."));
    const auto made =
        m_connection.execute(db::Statement::get("sqlserver/locks/surrogate_table_add.sql"), {name});
    if (!made)
        return Failure(made.error());
    return {};
}

Result<SurrogateAccess::Answer> SqlServerTableSurrogate::acquire(
    const QString& name, milliseconds wait, const std::stop_token& stop)
{
    const auto statement = db::Statement::filled("sqlserver/locks/surrogate_table_lock.sql",
        {{L("table"), tableOf(name)}, {L("timeout"), lockTimeout(wait)}});
    return lock(statement, {}, wait, stop);
}

QString SqlServerKeySurrogate::table() const
{
    return m_connection.dialect().quoted(m_surrogates.schema, m_surrogates.keyTable);
}

QString SqlServerKeySurrogate::key() const
{
    return m_connection.dialect().quoted(m_surrogates.keyColumn);
}

Result<void> SqlServerKeySurrogate::prepare(const QString& name)
{
    const auto statement = db::Statement::filled(
        "sqlserver/locks/surrogate_key_add.sql", {{L("table"), table()}, {L("key"), key()}});
    const auto made = m_connection.execute(statement, {name});
    if (!made)
        return Failure(made.error());
    return {};
}

Result<SurrogateAccess::Answer> SqlServerKeySurrogate::acquire(
    const QString& name, milliseconds wait, const std::stop_token& stop)
{
    const auto statement = db::Statement::filled("sqlserver/locks/surrogate_key_lock.sql",
        {{L("table"), table()}, {L("key"), key()}, {L("timeout"), lockTimeout(wait)}});
    return lock(statement, {name}, wait, stop);
}

} // namespace lockscope::locks
