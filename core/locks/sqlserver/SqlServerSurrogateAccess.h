// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Statement.h"
#include "core/locks/SurrogateTables.h"

namespace lockscope::locks {

/// What both kinds share on SQL Server: names, and one statement that tries and then waits, in one round
/// trip. A wait that runs out leaves the transaction alive; a deadlock or a cancel may end it: the server
/// decides. Names are compared as the database compares them; who holds a refused lock is not told (see
/// SqlServerAppLockStrategy).
class SqlServerSurrogateAccess : public SurrogateAccess {
public:
    std::optional<Error> refuse(const QString& name) const override;
    std::optional<LockOwnerInfo> holderOf(const QString&) override { return std::nullopt; }

protected:
    explicit SqlServerSurrogateAccess(db::Connection& connection)
        : m_connection(connection)
    {
    }
    Result<Answer> lock(const db::Statement& statement, std::vector<db::Param> params, milliseconds wait,
        const std::stop_token& stop);

    db::Connection& m_connection;

private:
    quint64 m_waits = 0; ///< so far: names the savepoints
};

/// TABLOCKX, HOLDLOCK.
class SqlServerTableSurrogate : public SqlServerSurrogateAccess {
public:
    SqlServerTableSurrogate(db::Connection& connection, const Surrogates& surrogates)
        : SqlServerSurrogateAccess(connection)
        , m_tables(connection, surrogates)
    {
    }
    std::optional<Error> refuse(const QString& name) const override;
    Result<void> prepare(const QString& name) override { return m_tables.prepare(name); }
    Result<Answer> acquire(const QString& name, milliseconds wait, const std::stop_token& stop) override;

private:
    SurrogateTables m_tables;
};

/// UPDLOCK, HOLDLOCK, ROWLOCK on the row of a key, which is made if it is not there.
class SqlServerKeySurrogate : public SqlServerSurrogateAccess {
public:
    SqlServerKeySurrogate(db::Connection& connection, const Surrogates& surrogates);
    Result<void> prepare(const QString& name) override;
    Result<Answer> acquire(const QString& name, milliseconds wait, const std::stop_token& stop) override;

private:
    const QString m_table; ///< quoted
    const QString m_key; ///< quoted
};

} // namespace lockscope::locks
