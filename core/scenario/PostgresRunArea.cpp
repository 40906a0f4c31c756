// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/PostgresRunArea.h"

#include "core/db/SchemaInstaller.h"
#include "core/locks/SurrogateAccess.h"

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

const auto schemaPrefix = u"lockscope_"_s;
constexpr qint64 longTable = 500;

db::ServerUrl inSchema(db::ServerUrl url, const QString& schema)
{
    QString& options = url.options[u"options"_s];
    if (!options.isEmpty())
        options += u' ';
    options += u"-c search_path="_s + schema; // a plain identifier
    return url;
}

Result<void> execute(
    db::Connection& connection, const db::Statement& statement, std::initializer_list<db::Param> params = {})
{
    const auto result = connection.execute(statement, params);
    if (!result)
        return Failure(result.error());
    return {};
}

db::Statement ofSchema(const char* path, const db::Connection& connection, const QString& schema)
{
    return db::Statement::filled(path, {{"schema"_L1, connection.dialect().quoted(schema)}});
}

db::Statement ofTable(
    const char* path, const db::Connection& connection, const QString& schema, const QString& table)
{
    return db::Statement::filled(path, {{"table"_L1, connection.dialect().quoted(schema, table)}});
}

/// The lock whose holder is the run's program.
Result<locks::AcquireResult> ownRun(locks::LockStrategy& strategy, const QString& schema)
{
    locks::AcquireRequest request;
    request.name = schema;
    request.wait = milliseconds(0);
    return strategy.acquire(request);
}

/// What runs have in tables that are not their own: entries and waiters of the lock table.
void forgetLocks(db::Connection& connection, const QString& id)
{
    // Entries of a role that may not delete turn stale by themselves.
    std::ignore =
        execute(connection, db::Statement::get("postgres/scenario/run_forget_entries.sql"), {id + u'/'});
    std::ignore =
        execute(connection, db::Statement::get("postgres/scenario/run_forget_waiters.sql"), {id + u'/'});
}

/// Of the names of its sessions.
QString sessionPrefix(const QString& id)
{
    return u"lockscope workload %1/"_s.arg(id);
}

Result<void> drop(db::Connection& connection, const QString& schema)
{
    const QString id = schema.mid(schemaPrefix.size());
    if (auto ended = execute(
            connection, db::Statement::get("postgres/scenario/run_end_sessions.sql"), {sessionPrefix(id)});
        !ended)
        return ended;
    if (db::installedSchemaVersion(connection).value_or(0) > 0) {
        forgetLocks(connection, id);
        std::ignore = execute(
            connection, db::Statement::get("postgres/scenario/run_forget_names.sql"), {id + u'/', schema});
    }
    return execute(connection, ofSchema("postgres/scenario/run_drop.sql", connection, schema));
}

} // namespace

PostgresRunArea::PostgresRunArea(const QString& id, const db::ServerUrl& server)
    : RunArea(id, inSchema(server, schemaPrefix + id), schemaPrefix + id)
{
}

PostgresRunArea::~PostgresRunArea()
{
    std::ignore = remove();
}

Result<void> PostgresRunArea::begin(const Variant& variant)
{
    if (usesLocks(variant, locks::LockKind::Table)) {
        const auto version = db::installedSchemaVersion(*m_connection);
        if (!version)
            return Failure(version.error());
        if (*version == 0)
            return failure(ErrorKind::MissingObject,
                u"This variant uses the lock table, but Lockscope's schema is not installed in the database."_s,
                u"Run: lockctl install --server URL"_s);
    }
    auto strategy = locks::LockStrategy::create(locks::LockKind::Application, *m_connection);
    if (!strategy)
        return Failure(strategy.error());
    m_strategy = std::move(*strategy);
    auto alive = ownRun(*m_strategy, m_schema);
    if (!alive)
        return Failure(alive.error());
    if (!locks::isGranted(alive->outcome))
        return failure(ErrorKind::Changed, u"Another run has the same name. Start again."_s);
    m_alive = std::move(alive->grant);

    // Together: a schema without its mark would never be found again.
    if (auto begun = m_connection->begin(); !begun)
        return begun;
    for (const char* path : {"postgres/scenario/run_create.sql", "postgres/scenario/run_mark.sql"})
        if (auto made = execute(*m_connection, ofSchema(path, *m_connection, m_schema)); !made)
            return made;
    if (auto made = m_connection->commit(); !made)
        return made;

    const locks::Surrogates names;
    if (usesLocks(variant, locks::LockKind::LockedKey))
        if (auto made = execute(*m_connection,
                ofTable("postgres/scenario/run_key_table.sql", *m_connection, m_schema, names.keyTable));
            !made)
            return made;
    for (const QString& table : lockedTables(variant))
        if (auto made = execute(*m_connection,
                ofTable("postgres/scenario/run_lock_table.sql", *m_connection, m_schema,
                    names.tablePrefix + table));
            !made)
            return made;
    return {};
}

void PostgresRunArea::cancelStatements()
{
    // Those that it doesn't reach are cancelled one by one.
    std::ignore = execute(*m_connection, db::Statement::get("postgres/scenario/run_cancel_statements.sql"),
        {sessionPrefix(m_id)});
}

Result<void> PostgresRunArea::remember()
{
    struct Table {
        QString name;
        bool isLong = false;
    };
    std::vector<Table> tables;
    QStringList sequences;
    const auto listed = m_connection->execute(
        db::Statement::get("postgres/scenario/run_tables.sql"), {m_schema}, [&](const db::Row& row) {
            if (row.boolean(1))
                sequences << row.text(0);
            else
                tables.push_back({row.text(0)});
        });
    if (!listed)
        return Failure(listed.error());
    const db::Dialect& dialect = m_connection->dialect();
    QByteArray script;
    for (Table& table : tables) {
        const QString name = dialect.quoted(m_schema, table.name);
        const QString kept = dialect.quoted(m_schema, u"lockscope_kept_"_s + table.name);
        const auto keep =
            db::Statement::filled("postgres/scenario/run_keep.sql", {{"table"_L1, name}, {"kept"_L1, kept}});
        const auto rows = m_connection->execute(keep);
        if (!rows)
            return Failure(rows.error());
        // A long table that is emptied row by row again and again only gets longer.
        const char* const empty =
            *rows > longTable ? "postgres/scenario/run_truncate.sql" : "postgres/scenario/run_empty.sql";
        script += db::Statement::filled(empty, {{"table"_L1, name}}).sql() + ";\n";
        if (*rows > 0)
            script += db::Statement::filled(
                          "postgres/scenario/run_refill.sql", {{"table"_L1, name}, {"kept"_L1, kept}})
                          .sql()
                + ";\n";
    }
    for (const QString& sequence : sequences) {
        QString at;
        const QString name = dialect.quoted(m_schema, sequence);
        const auto read = m_connection->execute(
            db::Statement::filled("postgres/scenario/run_sequence.sql", {{"sequence"_L1, name}}), {},
            [&at](const db::Row& row) { at = row.text(0); });
        if (!read)
            return Failure(read.error());
        script += db::Statement::filled(
                      "postgres/scenario/run_set_sequence.sql", {{"sequence"_L1, name}, {"value"_L1, at}})
                      .sql()
            + ";\n";
    }
    m_restoring = script.isEmpty() ? QByteArray("SELECT 1") : script;
    m_hasLockTable = db::installedSchemaVersion(*m_connection).value_or(0) > 0;
    return {};
}

Result<void> PostgresRunArea::restore()
{
    if (m_restoring.isEmpty())
        return failure(ErrorKind::Internal, u"Nothing was remembered that could be restored."_s);
    if (m_hasLockTable)
        forgetLocks(*m_connection, m_id);
    return m_connection->executeScript(m_restoring);
}

Result<void> PostgresRunArea::remove()
{
    if (m_isRemoved || !m_connection)
        return {};
    m_isRemoved = true;
    if (m_connection->inTransaction())
        std::ignore = m_connection->rollback();
    tearDown();
    Result<void> dropped = m_alive.isHeld() ? drop(*m_connection, m_schema) : Result<void>();
    m_alive.abandon(); // ends with the connection
    m_connection.reset();
    return dropped;
}

Result<int> PostgresRunArea::removeRemains(const db::ServerUrl& server, const db::PasswordProvider& passwords)
{
    db::ConnectOptions options;
    options.purpose = db::Purpose::Workload;
    options.statementTimeout = milliseconds(5'000);
    const auto connection = db::Connection::open(server, passwords, options);
    if (!connection)
        return Failure(connection.error());
    QStringList schemas;
    const auto listed = (*connection)
                            ->execute(db::Statement::get("postgres/scenario/run_list.sql"), {},
                                [&schemas](const db::Row& row) { schemas << row.text(0); });
    if (!listed)
        return Failure(listed.error());
    const auto strategy = locks::LockStrategy::create(locks::LockKind::Application, **connection);
    if (!strategy)
        return Failure(strategy.error());
    int removed = 0;
    for (const QString& schema : schemas) {
        const auto own = ownRun(**strategy, schema);
        if (!own)
            return Failure(own.error());
        // Held: its program lives. Once it is ours, nobody else removes it either.
        if (locks::isGranted(own->outcome) && drop(**connection, schema))
            ++removed;
    }
    return removed;
}

} // namespace lockscope::scenario
