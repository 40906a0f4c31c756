// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/RoutineTableAccess.h"

namespace lockscope::locks {

/// Waiters sleep until a notification names their ticket.
class PostgresTableAccess final : public RoutineTableAccess {
public:
    explicit PostgresTableAccess(db::Connection& connection)
        : RoutineTableAccess(connection)
    {
    }

    Result<void> waitForTurn(
        const QString& name, qint64 ticket, milliseconds longest, const std::stop_token& stop) override;

private:
    Waiting waitingOf(const Attempt& attempt) const override;
};

} // namespace lockscope::locks
