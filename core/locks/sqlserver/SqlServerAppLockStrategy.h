// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/AppLockNames.h"
#include "core/locks/LockStrategy.h"
#include "core/locks/sqlserver/SessionLivenessLock.h"

namespace lockscope::locks {

/// Strategy 3 on SQL Server: sp_getapplock and sp_releaseapplock with all they offer (Microsoft's
/// documentation of both). Names are compared binary; the same name may be taken several times, in several
/// modes, and each needs its release. Who holds a lock that was refused is not told: finding out means to
/// enumerate all locks of the server.
///
/// On Babelfish (4.3) the wait is ours, which asks 20 times a second: in no order, and the server sees no
/// deadlock; give such waits a limit.
///
/// A wait that ends without a grant leaves an open transaction alive, but a deadlock or a cancel may roll it
/// back: the server decides.
class SqlServerAppLockStrategy : public LockStrategy {
public:
    /// `principal`: only its members may take the lock, and the same name of another principal is another
    /// lock.
    SqlServerAppLockStrategy(db::Connection& connection, std::shared_ptr<LeaseKeeper> keeper,
        QString principal = QStringLiteral("public"));

    LockKind kind() const override { return LockKind::Application; }

private:
    Result<void> check(const AcquireRequest& request) const override;
    Result<AcquireResult> take(
        const AcquireRequest& request, std::stop_token stop, LossHandler lost) override;
    Result<qint64> ask(
        const AcquireRequest& request, qint64 timeout, const std::stop_token& stop, qint64& code);
    Result<qint64> askAgainAndAgain(const AcquireRequest& request, const std::stop_token& stop, qint64& code);
    Result<void> giveBack(const AcquireRequest& request, bool isTaken);
    Result<Grant> grant(const AcquireRequest& request, LossHandler lost);

    db::Connection& m_connection;
    const std::shared_ptr<LeaseKeeper> m_keeper;
    const QString m_principal;
    AppLockNames m_names;
    SessionLivenessLock m_mark;
};

} // namespace lockscope::locks
