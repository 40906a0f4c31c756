// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Statement.h"
#include "core/locks/SurrogateAccess.h"

#include <map>

namespace lockscope::locks {

/// LOCK TABLE … IN ACCESS EXCLUSIVE MODE. Names have 53 bytes at most: the server cuts longer ones silently.
class PostgresTableSurrogate : public SurrogateAccess {
public:
    PostgresTableSurrogate(db::Connection& connection, Surrogates surrogates);

    std::optional<Error> refuse(const QString& name) const override;
    Result<void> prepare(const QString& name) override;
    Result<Answer> acquire(const QString& name, milliseconds wait, const std::stop_token& stop) override;
    std::optional<LockParty> holderOf(const QString& name) override;

private:
    struct Locking {
        db::Statement tryOnce;
        db::Statement wait;
    };
    QString tableOf(const QString& name) const;
    const Locking& locking(const QString& name);

    db::Connection& m_connection;
    const Surrogates m_surrogates;
    std::map<QString, Locking> m_locking; ///< by name
};

/// SELECT … FOR UPDATE of the row of a key, which is made if it is not there.
class PostgresKeySurrogate : public SurrogateAccess {
public:
    PostgresKeySurrogate(db::Connection& connection, const Surrogates& surrogates);

    std::optional<Error> refuse(const QString& name) const override;
    Result<void> prepare(const QString& name) override;
    Result<Answer> acquire(const QString& name, milliseconds wait, const std::stop_token& stop) override;
    std::optional<LockParty> holderOf(const QString& name) override;

private:
    db::Connection& m_connection;
    const db::Statement m_try;
    const db::Statement m_add;
    const db::Statement m_wait;
    const db::Statement m_noWait;
    const db::Statement m_holder;
};

} // namespace lockscope::locks
