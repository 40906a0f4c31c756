// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/postgres/PostgresSurrogateAccess.h"

#include "core/locks/postgres/PostgresHolder.h"
#include "core/locks/postgres/PostgresSavepoint.h"

namespace lockscope::locks {

namespace {

constexpr std::size_t mostStatementsKept = 1'000;
/// An insert can't be told not to wait for another one of the same key.
constexpr milliseconds hardlyAnyWait{1};

SurrogateAccess::Answer taken(bool hadToWait)
{
    return {true, hadToWait};
}

db::Statement keyStatement(const char* path, const db::Connection& connection, const Surrogates& surrogates)
{
    const db::Dialect& dialect = connection.dialect();
    return db::Statement::filled(path,
        {{QLatin1StringView("table"), dialect.quoted(surrogates.schema, surrogates.keyTable)},
            {QLatin1StringView("key"), dialect.quoted(surrogates.keyColumn)}});
}

} // namespace

const PostgresTableSurrogate::Locking& PostgresTableSurrogate::locking(const QString& name)
{
    const auto known = m_locking.find(name);
    if (known != m_locking.end())
        return known->second;
    if (m_locking.size() >= mostStatementsKept)
        m_locking.clear();
    const QString table = m_tables.tableOf(name);
    const auto filled = [&table](const char* path) {
        return db::Statement::filled(path, {{QLatin1StringView("table"), table}});
    };
    return m_locking
        .emplace(
            name, Locking{filled("postgres/surrogates/table_try"), filled("postgres/surrogates/table_wait")})
        .first->second;
}

Result<SurrogateAccess::Answer> PostgresTableSurrogate::acquire(
    const QString& name, milliseconds wait, const std::stop_token& stop)
{
    const Locking& sql = locking(name);
    const std::array tryOnce{db::BatchItem{&sql.tryOnce, {}, {}}};
    // Too short for a cancel: an answer is better.
    const auto tried = runInSavepoint(m_connection, tryOnce);
    if (tried)
        return taken(false);
    if (tried.error().kind != ErrorKind::Timeout)
        return Failure(tried.error());
    if (wait == milliseconds(0))
        return Answer{};
    const std::array waiting{db::BatchItem{&sql.wait, {}, {}}};
    if (auto waited = runInSavepoint(m_connection, waiting, wait, stop); !waited)
        return Failure(waited.error());
    return taken(true);
}

std::optional<LockOwnerInfo> PostgresTableSurrogate::holderOf(const QString& name)
{
    return readHolder(
        m_connection, db::Statement::get("postgres/surrogates/table_holder"), m_tables.tableOf(name));
}

PostgresKeySurrogate::PostgresKeySurrogate(db::Connection& connection, const Surrogates& surrogates)
    : m_connection(connection)
    , m_try(keyStatement("postgres/surrogates/key_try", connection, surrogates))
    , m_add(keyStatement("postgres/surrogates/key_add", connection, surrogates))
    , m_wait(keyStatement("postgres/surrogates/key_wait", connection, surrogates))
    , m_noWait(keyStatement("postgres/surrogates/key_nowait", connection, surrogates))
    , m_holder(keyStatement("postgres/surrogates/key_holder", connection, surrogates))
{
}

std::optional<Error> PostgresKeySurrogate::refuse(const QString&) const
{
    return std::nullopt;
}

Result<void> PostgresKeySurrogate::prepare(const QString& name)
{
    if (auto begun = m_connection.begin(); !begun)
        return Failure(begun.error());
    const std::array items{db::BatchItem{&m_add, {name}, {}}};
    const auto made = runInSavepoint(m_connection, items, hardlyAnyWait);
    auto ended = m_connection.commit();
    // Somebody is just making it, or has it: whoever acquires it will wait for him.
    if (!made && made.error().kind != ErrorKind::Timeout)
        return Failure(made.error());
    return ended;
}

Result<SurrogateAccess::Answer> PostgresKeySurrogate::acquire(
    const QString& name, milliseconds wait, const std::stop_token& stop)
{
    // No row: somebody has it, or it is not there yet.
    const auto tried = m_connection.execute(m_try, {name});
    if (!tried)
        return Failure(tried.error());
    if (*tried == 1)
        return taken(false);
    const bool mayWait = wait != milliseconds(0);
    const std::array items{
        db::BatchItem{&m_add, {name}, {}}, db::BatchItem{mayWait ? &m_wait : &m_noWait, {name}, {}}};
    const auto locked = runInSavepoint(
        m_connection, items, mayWait ? wait : hardlyAnyWait, mayWait ? stop : std::stop_token());
    if (!locked && !mayWait && locked.error().kind == ErrorKind::Timeout)
        return Answer{};
    if (!locked)
        return Failure(locked.error());
    return taken(locked->front() == 0);
}

std::optional<LockOwnerInfo> PostgresKeySurrogate::holderOf(const QString& name)
{
    return readHolder(m_connection, m_holder, name);
}

} // namespace lockscope::locks
