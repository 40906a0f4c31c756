// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/RoutineTableAccess.h"

namespace lockscope::locks {

/// Waiters sleep until a notification names their ticket. Behind a pooler in transaction mode they don't
/// queue: they ask again and again, and whoever asks first has it.
class PostgresTableAccess final : public RoutineTableAccess {
public:
    explicit PostgresTableAccess(db::Connection& connection)
        : RoutineTableAccess(connection)
    {
    }

    Result<void> waitForTurn(
        const QString& name, qint64 ticket, milliseconds longest, const std::stop_token& stop) override;

private:
    bool canListen() const;
    Waiting waitingOf(const Attempt& attempt) const override;
};

} // namespace lockscope::locks
