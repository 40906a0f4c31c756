// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/TableAccess.h"

#include <condition_variable>
#include <mutex>

namespace lockscope::locks {

/// Procedures of the schema do each step in one round trip, the whole wait included: see AcquireLock in
/// schema/sqlserver/install.sql for how a waiter sleeps inside the server.
class SqlServerTableAccess : public TableAccess {
public:
    explicit SqlServerTableAccess(db::Connection& connection);

    Result<Answer> attempt(const Attempt& attempt, const std::stop_token& stop) override;
    Result<void> leave(const QString& name, const QString& token, qint64 ticket) override;
    /// Only on servers that can't wait inside of a procedure.
    Result<void> waitForTurn(
        const QString& name, qint64 ticket, milliseconds longest, const std::stop_token& stop) override;
    Result<void> release(const QString& name, const QString& token) override;
    Result<ServerTime> renew(const QString& name, const QString& token, milliseconds lease) override;

private:
    db::Connection& m_connection;
    const db::Statement& m_acquire;
    const db::Statement& m_release;
    const db::Statement& m_renew;
    const db::Statement& m_leave;
};

} // namespace lockscope::locks
