// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/EngineRunSchemas.h"

#include "core/db/SchemaInstaller.h"

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 longTable = 500;

db::Server inSchema(db::Server server, const QString& schema)
{
    server.profile.url.options.insert(u"run_schema"_s, schema);
    return server;
}

/// Returns the prefix of the names of its sessions.
QString sessionPrefix(const QString& id)
{
    return u"lockscope workload %1/"_s.arg(id);
}

} // namespace

PostgresRunSchema::PostgresRunSchema(const QString& id, const db::Server& server)
    : ServerRunSchema(id, inSchema(server, schemaOf(id)), empty)
{
}

Result<void> PostgresRunSchema::empty(db::Connection& connection, const QString& schema)
{
    // Its sessions would block it.
    return run(
        connection, db::Statement::get("postgres/scenario/end_sessions"), {sessionPrefix(idOf(schema))});
}

Result<int> PostgresRunSchema::removeRemains(const db::Server& server)
{
    return removeRemainsBy(empty, server);
}

void PostgresRunSchema::cancelStatements()
{
    // Those that it doesn't reach are cancelled one by one.
    std::ignore =
        run(*m_connection, db::Statement::get("postgres/scenario/cancel_statements"), {sessionPrefix(m_id)});
}

Result<void> PostgresRunSchema::remember()
{
    QStringList tables;
    QStringList sequences;
    const auto listed = m_connection->execute(db::Statement::get("postgres/scenario/tables"), {m_schema},
        [&](const db::Row& row) { (row.boolean(1) ? sequences : tables) << row.text(0); });
    if (!listed)
        return Failure(listed.error());
    const db::Dialect& dialect = m_connection->dialect();
    QByteArray script;
    for (const QString& table : tables) {
        const QString name = dialect.quoted(m_schema, table);
        const QString kept = dialect.quoted(m_schema, u"lockscope_kept_"_s + table);
        const auto keep =
            db::Statement::filled("postgres/scenario/keep", {{"table"_L1, name}, {"kept"_L1, kept}});
        const auto rows = m_connection->execute(keep);
        if (!rows)
            return Failure(rows.error());
        // A long table that is emptied row by row again and again only gets longer.
        const char* const empty =
            *rows > longTable ? "postgres/scenario/truncate" : "postgres/scenario/empty";
        script += db::Statement::filled(empty, {{"table"_L1, name}}).sql() + ";\n";
        if (*rows > 0)
            script +=
                db::Statement::filled("postgres/scenario/refill", {{"table"_L1, name}, {"kept"_L1, kept}})
                    .sql()
                + ";\n";
    }
    for (const QString& sequence : sequences) {
        QString at;
        const QString name = dialect.quoted(m_schema, sequence);
        const auto read = m_connection->execute(
            db::Statement::filled("postgres/scenario/sequence", {{"sequence"_L1, name}}), {},
            [&at](const db::Row& row) { at = row.text(0); });
        if (!read)
            return Failure(read.error());
        script +=
            db::Statement::filled("postgres/scenario/set_sequence", {{"sequence"_L1, name}, {"value"_L1, at}})
                .sql()
            + ";\n";
    }
    m_restoring = script.isEmpty() ? QByteArray("SELECT 1") : script;
    m_hasLockTable = db::installedSchemaVersion(*m_connection).value_or(0) > 0;
    return {};
}

Result<void> PostgresRunSchema::restore()
{
    if (m_restoring.isEmpty())
        return failure(ErrorKind::Internal, u"Nothing was remembered that could be restored."_s);
    if (m_hasLockTable)
        forgetLocks(*m_connection, m_id);
    return m_connection->executeScript(m_restoring);
}

} // namespace lockscope::scenario
