// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/LockStrategy.h"

namespace lockscope::locks {

class TableAccess;

/// Strategy 1: a row is the lock. It outlives the connection; a lease tells when it is stale.
/// Needs the product's schema, and no open transaction: the row must be visible to the others at once.
class LockTableStrategy : public LockStrategy {
public:
    LockTableStrategy(db::Connection& connection, std::shared_ptr<LeaseKeeper> keeper);
    ~LockTableStrategy() override;

    LockKind kind() const override { return LockKind::Table; }

private:
    struct Run;
    Result<void> check(const AcquireRequest& request) const override;
    Result<AcquireResult> take(
        const AcquireRequest& request, std::stop_token stop, LossHandler lost) override;
    Result<void> takeUpAgain(Run& run, const Error& error);
    Result<AcquireResult> giveUp(Run& run, Outcome outcome);
    AcquireResult grant(Run& run, LossHandler lost);

    db::Connection& m_connection;
    /// Shared with the grants: a grant may outlive the strategy, not the connection.
    const std::shared_ptr<TableAccess> m_table;
    const std::shared_ptr<LeaseKeeper> m_keeper;
};

} // namespace lockscope::locks
