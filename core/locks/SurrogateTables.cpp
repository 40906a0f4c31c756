// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/SurrogateTables.h"

#include "core/db/SchemaFile.h"

namespace lockscope::locks {

namespace {

/// Longer identifiers are cut silently. PostgreSQL's documentation, "Identifiers and Key Words"; Microsoft's,
/// "Database Identifiers".
constexpr qsizetype longestInBytes = 63; ///< PostgreSQL
constexpr qsizetype longestInCharacters = 128; ///< SQL Server

} // namespace

SurrogateTables::SurrogateTables(db::Connection& connection, Surrogates surrogates)
    : m_connection(connection)
    , m_surrogates(std::move(surrogates))
{
}

std::optional<Error> SurrogateTables::refuse(const QString& name) const
{
    const bool inBytes = m_connection.engine() == Engine::Postgres;
    const auto lengthOf = [inBytes](
                              const QString& text) { return inBytes ? text.toUtf8().size() : text.size(); };
    const qsizetype longest =
        (inBytes ? longestInBytes : longestInCharacters) - lengthOf(m_surrogates.tablePrefix);
    if (lengthOf(name) <= longest)
        return std::nullopt;
    return failure(ErrorKind::BadInput,
        QStringLiteral("The lock name \"%1\" is too long for the name of a table.").arg(name),
        QStringLiteral("%1 keeps %2 %3 of it. Use a surrogate key for long names.")
            .arg(engineName(m_connection.engine()))
            .arg(longest)
            .arg(inBytes ? QStringLiteral("bytes") : QStringLiteral("characters")))
        .value();
}

QString SurrogateTables::tableOf(const QString& name) const
{
    return m_connection.dialect().quoted(m_surrogates.schema, m_surrogates.tablePrefix + name);
}

Result<void> SurrogateTables::prepare(const QString& name)
{
    bool exists = false;
    const auto asked =
        m_connection.execute(db::schemaStatement(m_connection.dialect(), "surrogates/table_exists"),
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
        m_connection.execute(db::schemaStatement(m_connection.dialect(), "surrogates/table_add"), {name});
    if (!made)
        return Failure(made.error());
    return {};
}

} // namespace lockscope::locks
