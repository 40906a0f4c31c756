// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/SqlServerRunArea.h"

#include "core/db/SchemaInstaller.h"
#include "core/locks/SurrogateAccess.h"

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

const auto schemaPrefix = u"lockscope_"_s;
const auto mark = u"lockscope_run"_s;

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

Result<void> dropObjects(db::Connection& connection, const QString& schema)
{
    struct Object {
        QString name;
        QString type;
    };
    std::vector<Object> objects;
    const auto listed = connection.execute(db::Statement::get("sqlserver/scenario/run_objects.sql"),
        {schema, mark}, [&objects](const db::Row& row) {
            objects.push_back({row.text(0), row.text(1)});
        });
    if (!listed)
        return Failure(listed.error());
    for (const Object& object : objects) {
        const char* const path = object.type == u"P" ? "sqlserver/scenario/run_drop_procedure.sql"
            : object.type == u"SO"                   ? "sqlserver/scenario/run_drop_sequence.sql"
                                                     : "sqlserver/scenario/run_drop_table.sql";
        const auto drop =
            db::Statement::filled(path, {{"object"_L1, connection.dialect().quoted(schema, object.name)}});
        if (auto dropped = execute(connection, drop); !dropped)
            return dropped;
    }
    return {};
}

/// The sessions of a program that is gone are gone, too: SQL Server ends them itself.
Result<void> drop(db::Connection& connection, const QString& schema)
{
    const QString id = schema.mid(schemaPrefix.size());
    // Entries of a role that may not delete turn stale by themselves.
    if (db::installedSchemaVersion(connection).value_or(0) > 0) {
        std::ignore =
            execute(connection, db::Statement::get("sqlserver/scenario/run_forget_entries.sql"), {id + u'/'});
        std::ignore =
            execute(connection, db::Statement::get("sqlserver/scenario/run_forget_waiters.sql"), {id + u'/'});
        std::ignore = execute(
            connection, db::Statement::get("sqlserver/scenario/run_forget_names.sql"), {id + u'/', schema});
    }
    if (auto dropped = dropObjects(connection, schema); !dropped)
        return dropped;
    return execute(connection, ofSchema("sqlserver/scenario/run_drop.sql", connection, schema));
}

} // namespace

SqlServerRunArea::SqlServerRunArea(const QString& id, const db::ServerUrl& server)
    : RunArea(id, server, schemaPrefix + id)
{
}

SqlServerRunArea::~SqlServerRunArea()
{
    std::ignore = remove();
}

Result<void> SqlServerRunArea::begin(const Variant& variant)
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
    const db::Statement create = ofSchema("sqlserver/scenario/run_create.sql", *m_connection, m_schema);
    const db::Statement marking = ofTable("sqlserver/scenario/run_mark.sql", *m_connection, m_schema, mark);
    for (const db::Statement* const statement : {&create, &marking})
        if (auto made = execute(*m_connection, *statement); !made)
            return made;
    if (auto made = m_connection->commit(); !made)
        return made;

    const locks::Surrogates names;
    if (usesLocks(variant, locks::LockKind::LockedKey))
        if (auto made = execute(*m_connection,
                ofTable("sqlserver/scenario/run_key_table.sql", *m_connection, m_schema, names.keyTable));
            !made)
            return made;
    for (const QString& table : lockedTables(variant))
        if (auto made = execute(*m_connection,
                ofTable("sqlserver/scenario/run_lock_table.sql", *m_connection, m_schema,
                    names.tablePrefix + table));
            !made)
            return made;
    return {};
}

Result<void> SqlServerRunArea::remove()
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

Result<int> SqlServerRunArea::removeRemains(
    const db::ServerUrl& server, const db::PasswordProvider& passwords)
{
    db::ConnectOptions options;
    options.purpose = db::Purpose::Workload;
    options.statementTimeout = milliseconds(5'000);
    const auto connection = db::Connection::open(server, passwords, options);
    if (!connection)
        return Failure(connection.error());
    QStringList schemas;
    const auto listed = (*connection)
                            ->execute(db::Statement::get("sqlserver/scenario/run_list.sql"), {mark},
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
