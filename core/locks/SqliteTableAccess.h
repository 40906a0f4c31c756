// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/TableAccess.h"

namespace lockscope::locks {

/// Each step is one write transaction of the file. SQLite can't wake anybody, so waiters look at the file's
/// data version.
class SqliteTableAccess : public TableAccess {
public:
    explicit SqliteTableAccess(db::Connection& connection);

    Result<Answer> attempt(const Attempt& attempt, const std::stop_token& stop) override;
    Result<void> leave(const QString& name, const QString& token, qint64 ticket) override;
    Result<void> waitForTurn(
        const QString& name, qint64 ticket, milliseconds longest, const std::stop_token& stop) override;
    Result<void> release(const QString& name, const QString& token) override;

private:
    Result<Answer> attemptInTransaction(const Attempt& attempt, const std::stop_token& stop);
    Result<void> take(Answer& answer, const Attempt& attempt, const std::stop_token& stop);
    Result<qint64> keepPlace(const Attempt& attempt, const std::stop_token& stop);
    Result<void> findObstacle(
        Answer& answer, const QString& name, qint64 ticket, const std::stop_token& stop);
    Result<qint64> dataVersion(const std::stop_token& stop);
};

} // namespace lockscope::locks
