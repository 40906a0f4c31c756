// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/LockBackend.h"

#include <chrono>

namespace lockscope::db {
class SqliteConnection;
}

namespace lockscope::locks {

/// Each step is one write transaction of the file. SQLite can't wake anybody, so waiters poll the file's data
/// version. A registration lasts 2 s and is renewed at a third of that, without the cost of a commit that
/// survives a power failure. Another program that writes for long keeps nobody longer than he asked to wait:
/// an attempt that can't get at the file is one that was refused.
class SqliteLockBackend final : public LockBackend {
public:
    SqliteLockBackend(db::Connection& connection, Surrogates surrogates);

    Result<Answer> attempt(const Attempt& attempt, const std::stop_token& stop) override;
    Result<void> leave(const QString& name, const QString& token, qint64 ticket) override;
    Result<void> waitForTurn(
        const QString& name, qint64 ticket, milliseconds longest, const std::stop_token& stop) override;

private:
    class Patience;

    db::SqliteConnection& file() const;
    Result<Answer> attemptAtFile(const Attempt& attempt, const std::stop_token& stop);
    Result<Answer> attemptInTransaction(const Attempt& attempt, const std::stop_token& stop);
    Result<void> take(Answer& answer, const Attempt& attempt, const std::stop_token& stop);
    Result<qint64> keepPlace(const Attempt& attempt, const std::stop_token& stop);
    Result<void> findObstacle(
        Answer& answer, const QString& name, qint64 ticket, const std::stop_token& stop);
    /// Returns whether there still is a place to renew.
    Result<bool> giveSignOfLife(qint64 ticket, const std::stop_token& stop);
    struct Sight {
        bool mayBeOurTurn = false;
        std::optional<microseconds> obstacleLasts; ///< if somebody changed the file since it was `seen`
    };
    Result<Sight> checkTurn(
        const QString& name, qint64 ticket, std::optional<qint64>& seen, const std::stop_token& stop);
    Result<qint64> dataVersion(const std::stop_token& stop);

    QString m_token; ///< that the waiter will take the name with
    std::chrono::steady_clock::time_point m_renewed; ///< its place in the queue
    bool m_mayBeTaken = false; ///< the latest attempt may have left a row behind
};

} // namespace lockscope::locks
