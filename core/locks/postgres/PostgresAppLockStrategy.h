// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/AppLockNames.h"
#include "core/locks/LockStrategy.h"

#include <map>

namespace lockscope::locks {

struct AppLockSql;

/// Strategy 3: the server's lock manager holds a lock on a name (PostgreSQL: advisory locks; documentation,
/// chapter "Advisory Locks"). Nothing to clean up: it ends with its release, its transaction or its session.
/// The same name may be taken several times; each needs its release. A wait that fails never aborts the
/// caller's transaction.
class PostgresAppLockStrategy : public LockStrategy {
public:
    PostgresAppLockStrategy(db::Connection& connection, std::shared_ptr<LeaseKeeper> keeper);

    LockKind kind() const override { return LockKind::Application; }

    /// How often this connection holds a session-owned name, by name and mode.
    using Counts = std::map<std::pair<QString, AcquireMode>, int>;

private:
    struct Run;
    Result<void> check(const AcquireRequest& request) const override;
    Result<AcquireResult> take(
        const AcquireRequest& request, std::stop_token stop, LossHandler lost) override;
    Result<void> tryOnce(Run& run);
    Result<void> wait(Run& run);
    Result<AcquireResult> conclude(Run& run, const Result<void>& result, LossHandler lost);
    Result<void> giveBack(Run& run);
    AcquireResult refused(const Run& run, Outcome outcome);
    Grant grant(const Run& run, LossHandler lost);

    Result<void> checkIsPrimary() const;

    db::Connection& m_connection;
    mutable bool m_isPrimary = false; ///< known for sure; a primary never becomes a standby under a session
    const std::shared_ptr<LeaseKeeper> m_keeper;
    const std::shared_ptr<Counts> m_counts = std::make_shared<Counts>();
    AppLockNames m_names;
};

} // namespace lockscope::locks
