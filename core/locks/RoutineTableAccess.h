// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/TableAccess.h"

namespace lockscope::locks {

/// Routines of the schema (PostgreSQL's functions, SQL Server's procedures) do each step in one round trip.
class RoutineTableAccess : public TableAccess {
public:
    Result<Answer> attempt(const Attempt& attempt, const std::stop_token& stop) final;
    Result<void> leave(const QString& name, const QString& token, qint64 ticket) final;
    Result<void> release(const QString& name, const QString& token) final;

protected:
    explicit RoutineTableAccess(db::Connection& connection);

    /// What locks/acquire is told about waiting.
    struct Waiting {
        db::Param wait;
        db::Param ticket;
        /// PostgreSQL: how long a lock of the server's may be waited for, in ms.
        std::optional<db::Param> patience = {};
    };
    virtual Waiting waitingOf(const Attempt& attempt) const = 0;
    /// A row of locks/acquire.
    virtual Answer readAnswer(const db::Row& row) const;
    static constexpr int ownColumns = 10; ///< where the columns begin that only one engine has

private:
    const db::Statement& m_acquire;
    const db::Statement& m_release;
    const db::Statement& m_leave;
};

} // namespace lockscope::locks
