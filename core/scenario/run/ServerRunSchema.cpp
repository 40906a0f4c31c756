// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/ServerRunSchema.h"

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

ServerRunSchema::~ServerRunSchema()
{
    std::ignore = ServerRunSchema::remove();
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
    const auto result = connection.execute(statement, params);
    if (!result)
        return Failure(result.error());
    return {};
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
    if (auto emptied = emptying(connection, schema); !emptied)
        return emptied;
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
        const auto version = db::installedSchemaVersion(*m_connection);
        if (!version)
            return Failure(version.error());
        if (*version == 0)
            return failure(ErrorKind::MissingObject,
                u"This variant uses the lock table, but Lockscope's schema is not installed in the database."_s,
                u"Run: lockctl install --server URL"_s);
    }
    if (auto trusted = db::trustEventTriggers(*m_connection); !trusted)
        return trusted;
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

    if (auto made = makeSchema(); !made)
        return made;
    return makeSurrogates(variant);
}

/// Together: a schema without its mark would never be found again.
Result<void> ServerRunSchema::makeSchema()
{
    if (auto begun = m_connection->begin(); !begun)
        return begun;
    for (const char* file : {"scenario/create", "scenario/mark"})
        if (auto made = run(*m_connection, ofSchema(file, *m_connection, m_schema)); !made)
            return made;
    return m_connection->commit();
}

Result<void> ServerRunSchema::makeSurrogates(const Variant& variant)
{
    const locks::Surrogates names;
    const auto make = [this](const char* file, const QString& table) {
        return run(*m_connection, ofTable(file, *m_connection, m_schema, table));
    };
    if (usesLocks(variant, locks::LockKind::LockedKey))
        if (auto made = make("scenario/key_table", names.keyTable); !made)
            return made;
    for (const QString& table : lockedTables(variant))
        if (auto made = make("scenario/lock_table", names.tablePrefix + table); !made)
            return made;
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
    const auto connection = server.connect({.purpose = db::Purpose::Workload,
        .connectTimeout = milliseconds(5'000),
        .statementTimeout = milliseconds(5'000)});
    if (!connection)
        return Failure(connection.error());
    QStringList schemas;
    const db::Statement& list = db::schemaStatement((*connection)->dialect(), "scenario/list");
    const auto listed =
        (*connection)->execute(list, {}, [&schemas](const db::Row& row) { schemas << row.text(0); });
    if (!listed)
        return Failure(listed.error());
    if (schemas.isEmpty())
        return 0;
    const auto strategy = locks::LockStrategy::create(locks::LockKind::Application, **connection);
    if (!strategy)
        return Failure(strategy.error());
    int removed = 0;
    for (const QString& schema : schemas) {
        // In a transaction, because there the lock's name is not registered: a run that has just ended has
        // taken it out of the registry already.
        if (auto begun = (*connection)->begin(); !begun)
            return Failure(begun.error());
        const auto own = ownRun(**strategy, schema);
        if (!own)
            return Failure(own.error());
        if (auto ended = (*connection)->commit(); !ended)
            return Failure(ended.error());
        // Held: its program lives. Once it is ours, nobody else removes it either.
        if (locks::isGranted(own->outcome) && drop(**connection, schema, emptying))
            ++removed;
    }
    return removed;
}

} // namespace lockscope::scenario
