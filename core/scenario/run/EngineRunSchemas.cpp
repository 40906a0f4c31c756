// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/EngineRunSchemas.h"

#include "core/base/PlainFile.h"
#include "core/db/SchemaInstaller.h"
#include "core/db/SchemaTrust.h"
#include "core/db/Statement.h"
#include "core/locks/LockStrategy.h"

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

const auto schemaPrefix = u"lockscope_"_s;

/// The file with its one place filled in.
db::Statement filled(
    const db::Connection& connection, const char* file, QLatin1StringView place, const QString& name)
{
    return db::Statement::filled(db::schemaPath(connection.dialect(), file).constData(), {{place, name}});
}

db::Statement ofSchema(const char* file, const db::Connection& connection, const QString& schema)
{
    return filled(connection, file, "schema"_L1, connection.dialect().quoted(schema));
}

db::Statement ofTable(
    const char* file, const db::Connection& connection, const QString& schema, const QString& table)
{
    return filled(connection, file, "table"_L1, connection.dialect().quoted(schema, table));
}

/// The lock whose holder is the run's program.
Result<locks::AcquireResult> ownRun(locks::LockStrategy& strategy, const QString& schema)
{
    locks::AcquireRequest request;
    request.name = schema;
    request.wait = milliseconds(0);
    return strategy.acquire(request);
}

} // namespace

ServerRunSchema::ServerRunSchema(const QString& id, const db::Server& server, Emptying emptying)
    : RunSchema(id, server, schemaOf(id))
    , m_emptying(emptying)
{
}

QString ServerRunSchema::schemaOf(const QString& id)
{
    return schemaPrefix + id;
}

QString ServerRunSchema::idOf(const QString& schema)
{
    return schema.mid(schemaPrefix.size());
}

Result<void> ServerRunSchema::run(
    db::Connection& connection, const db::Statement& statement, std::initializer_list<db::Param> params)
{
    return ifDone(connection.execute(statement, params));
}

void ServerRunSchema::forgetLocks(db::Connection& connection, const QString& id)
{
    // Entries of a role that may not delete turn stale by themselves.
    for (const char* file : {"scenario/forget_entries", "scenario/forget_waiters"})
        std::ignore = run(connection, db::schemaStatement(connection.dialect(), file), {id + u'/'});
}

Result<void> ServerRunSchema::drop(db::Connection& connection, const QString& schema, Emptying emptying)
{
    const QString id = idOf(schema);
    LOCKSCOPE_TRY(emptying(connection, schema));
    if (db::installedSchemaVersion(connection).value_or(0) > 0) {
        forgetLocks(connection, id);
        std::ignore = run(connection, db::schemaStatement(connection.dialect(), "scenario/forget_names"),
            {id + u'/', schema});
    }
    return run(connection, ofSchema("scenario/drop", connection, schema));
}

Result<void> ServerRunSchema::begin(const Variant& variant)
{
    if (usesLocks(variant, locks::LockKind::Table)) {
        LOCKSCOPE_TRY_GET(const auto version, db::installedSchemaVersion(*m_connection));
        if (version == 0)
            return failure(ErrorKind::MissingObject,
                u"This variant uses the lock table, but Lockscope's schema is not installed in the database."_s,
                u"Run: lockctl install --server URL"_s);
    }
    LOCKSCOPE_TRY(db::trustEventTriggers(*m_connection));
    LOCKSCOPE_TRY_GET(m_strategy, locks::LockStrategy::create(locks::LockKind::Application, *m_connection));
    LOCKSCOPE_TRY_GET(auto alive, ownRun(*m_strategy, m_schema));
    if (!locks::isGranted(alive.outcome))
        return failure(ErrorKind::Changed, u"Another run has the same name. Start again."_s);
    m_alive = std::move(alive.grant);

    LOCKSCOPE_TRY(makeSchema());
    return makeSurrogates(variant);
}

/// Together: a schema without its mark would never be found again.
Result<void> ServerRunSchema::makeSchema()
{
    LOCKSCOPE_TRY(m_connection->begin());
    for (const char* file : {"scenario/create", "scenario/mark"})
        LOCKSCOPE_TRY(run(*m_connection, ofSchema(file, *m_connection, m_schema)));
    return m_connection->commit();
}

Result<void> ServerRunSchema::makeSurrogates(const Variant& variant)
{
    const locks::Surrogates names;
    const auto make = [this](const char* file, const QString& table) {
        return run(*m_connection, ofTable(file, *m_connection, m_schema, table));
    };
    if (usesLocks(variant, locks::LockKind::LockedKey))
        LOCKSCOPE_TRY(make("scenario/key_table", names.keyTable));
    for (const QString& table : lockedTables(variant))
        LOCKSCOPE_TRY(make("scenario/lock_table", names.tablePrefix + table));
    return {};
}

Result<void> ServerRunSchema::remove()
{
    if (m_isRemoved || !m_connection)
        return {};
    m_isRemoved = true;
    if (m_connection->inTransaction())
        std::ignore = m_connection->rollback();
    tearDown();
    Result<void> dropped = m_alive.isHeld() ? drop(*m_connection, m_schema, m_emptying) : Result<void>();
    m_alive.abandon(); // ends with the connection
    m_connection.reset();
    return dropped;
}

Result<int> ServerRunSchema::removeRemainsBy(Emptying emptying, const db::Server& server)
{
    LOCKSCOPE_TRY_GET(const auto connection,
        server.connect({.purpose = db::Purpose::Workload,
            .connectTimeout = milliseconds(5'000),
            .statementTimeout = milliseconds(5'000)}));
    QStringList schemas;
    const db::Statement& list = db::schemaStatement(connection->dialect(), "scenario/list");
    LOCKSCOPE_TRY(connection->execute(list, {}, [&schemas](const db::Row& row) { schemas << row.text(0); }));
    if (schemas.isEmpty())
        return 0;
    LOCKSCOPE_TRY_GET(
        const auto strategy, locks::LockStrategy::create(locks::LockKind::Application, *connection));
    int removed = 0;
    for (const QString& schema : schemas) {
        // In a transaction, because there the lock's name is not registered: a run that has just ended has
        // taken it out of the registry already.
        LOCKSCOPE_TRY(connection->begin());
        LOCKSCOPE_TRY_GET(const auto own, ownRun(*strategy, schema));
        LOCKSCOPE_TRY(connection->commit());
        // Held: its program lives. Once it is ours, nobody else removes it either.
        if (locks::isGranted(own.outcome) && drop(*connection, schema, emptying))
            ++removed;
    }
    return removed;
}

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
    LOCKSCOPE_TRY(m_connection->execute(db::Statement::get("postgres/scenario/tables"), {m_schema},
        [&](const db::Row& row) { (row.boolean(1) ? sequences : tables) << row.text(0); }));
    const db::Dialect& dialect = m_connection->dialect();
    QByteArray script;
    for (const QString& table : tables) {
        const QString name = dialect.quoted(m_schema, table);
        const QString kept = dialect.quoted(m_schema, u"lockscope_kept_"_s + table);
        const auto keep =
            db::Statement::filled("postgres/scenario/keep", {{"table"_L1, name}, {"kept"_L1, kept}});
        LOCKSCOPE_TRY_GET(const auto rows, m_connection->execute(keep));
        // A long table that is emptied row by row again and again only gets longer.
        const char* const empty = rows > longTable ? "postgres/scenario/truncate" : "postgres/scenario/empty";
        script += db::Statement::filled(empty, {{"table"_L1, name}}).sql() + ";\n";
        if (rows > 0)
            script +=
                db::Statement::filled("postgres/scenario/refill", {{"table"_L1, name}, {"kept"_L1, kept}})
                    .sql()
                + ";\n";
    }
    for (const QString& sequence : sequences) {
        QString at;
        const QString name = dialect.quoted(m_schema, sequence);
        LOCKSCOPE_TRY(m_connection->execute(
            db::Statement::filled("postgres/scenario/sequence", {{"sequence"_L1, name}}), {},
            [&at](const db::Row& row) { at = row.text(0); }));
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

SqlServerRunSchema::SqlServerRunSchema(const QString& id, const db::Server& server)
    : ServerRunSchema(id, server, empty)
{
}

/// The sessions of a program that is gone are gone, too: SQL Server ends them itself.
Result<void> SqlServerRunSchema::empty(db::Connection& connection, const QString& schema)
{
    struct Object {
        QString name;
        QString type;
    };
    std::vector<Object> objects;
    LOCKSCOPE_TRY(connection.execute(
        db::Statement::get("sqlserver/scenario/objects"), {schema}, [&objects](const db::Row& row) {
            objects.push_back({row.text(0), row.text(1)});
        }));
    for (const Object& object : objects) {
        const char* const path = object.type == u"P" ? "sqlserver/scenario/drop_procedure"
            : object.type == u"SO"                   ? "sqlserver/scenario/drop_sequence"
                                                     : "sqlserver/scenario/drop_table";
        const auto drop =
            db::Statement::filled(path, {{"object"_L1, connection.dialect().quoted(schema, object.name)}});
        LOCKSCOPE_TRY(run(connection, drop));
    }
    return {};
}

namespace {

QString lockFileOf(const QString& id)
{
    return SqliteRunSchema::folder().filePath(id + u".lock"_s);
}

void removeFiles(const QString& id)
{
    for (const char* ending : {".db", ".db-wal", ".db-shm", ".db-journal"})
        QFile::remove(SqliteRunSchema::folder().filePath(id + QString::fromLatin1(ending)));
}

} // namespace

QDir SqliteRunSchema::folder()
{
    return QDir(cacheFolder() + u"/runs"_s);
}

SqliteRunSchema::SqliteRunSchema(const QString& id)
    : RunSchema(id, db::Server::at(db::ServerUrl::ofFile(folder().filePath(id + u".db"_s))), QString())
    , m_alive((folder().mkpath(u"."_s), lockFileOf(id)))
{
    m_alive.setStaleLockTime(0); // only the death of its process makes it stale
    m_alive.tryLock(0);
}

Result<void> SqliteRunSchema::begin(const Variant&)
{
    if (!m_alive.isLocked())
        return failure(ErrorKind::Server, u"Can't make a file for the run in %1."_s.arg(folder().path()),
            u"Check that the folder can be written to."_s);
    return ifDone(db::installSchema(*m_connection));
}

Result<void> SqliteRunSchema::remove()
{
    if (!m_alive.isLocked())
        return {};
    m_connection.reset();
    removeFiles(m_id);
    m_alive.unlock();
    return {};
}

int SqliteRunSchema::removeRemains()
{
    int removed = 0;
    for (const QString& name : folder().entryList({u"run_*.db"_s}, QDir::Files)) {
        const QString id = name.chopped(3);
        QLockFile alive(lockFileOf(id));
        alive.setStaleLockTime(0);
        if (!alive.tryLock(0))
            continue;
        removeFiles(id);
        ++removed;
    }
    return removed;
}

} // namespace lockscope::scenario
