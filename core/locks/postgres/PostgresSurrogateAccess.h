// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Statement.h"
#include "core/locks/SurrogateTables.h"

#include <map>

namespace lockscope::locks {

/// LOCK TABLE … IN ACCESS EXCLUSIVE MODE.
class PostgresTableSurrogate : public SurrogateAccess {
public:
    PostgresTableSurrogate(db::Connection& connection, const Surrogates& surrogates)
        : m_connection(connection)
        , m_tables(connection, surrogates)
    {
    }

    std::optional<Error> refuse(const QString& name) const override { return m_tables.refuse(name); }
    Result<void> prepare(const QString& name) override { return m_tables.prepare(name); }
    Result<Answer> acquire(const QString& name, milliseconds wait, const std::stop_token& stop) override;
    std::optional<LockOwnerInfo> holderOf(const QString& name) override;

private:
    struct Locking {
        db::Statement tryOnce;
        db::Statement wait;
    };
    const Locking& locking(const QString& name);

    db::Connection& m_connection;
    SurrogateTables m_tables;
    std::map<QString, Locking> m_locking; ///< by name
};

/// SELECT … FOR UPDATE of the row of a key, which is made if it is not there.
class PostgresKeySurrogate : public SurrogateAccess {
public:
    PostgresKeySurrogate(db::Connection& connection, const Surrogates& surrogates);

    std::optional<Error> refuse(const QString& name) const override;
    Result<void> prepare(const QString& name) override;
    Result<Answer> acquire(const QString& name, milliseconds wait, const std::stop_token& stop) override;
    std::optional<LockOwnerInfo> holderOf(const QString& name) override;

private:
    db::Connection& m_connection;
    const db::Statement m_try;
    const db::Statement m_add;
    const db::Statement m_wait;
    const db::Statement m_noWait;
    const db::Statement m_holder;
};

} // namespace lockscope::locks
