// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/RoutineTableAccess.h"

namespace lockscope::locks {

/// An attempt includes the whole wait: see AcquireLock in schema/sqlserver/install.sql for how a waiter
/// sleeps inside the server.
class SqlServerTableAccess final : public RoutineTableAccess {
public:
    explicit SqlServerTableAccess(db::Connection& connection)
        : RoutineTableAccess(connection)
    {
    }

    /// Only on servers that can't wait inside of a procedure.
    Result<void> waitForTurn(
        const QString& name, qint64 ticket, milliseconds longest, const std::stop_token& stop) override;

private:
    Waiting waitingOf(const Attempt& attempt) const override;
    Answer readAnswer(const db::Row& row) const override;
};

} // namespace lockscope::locks
