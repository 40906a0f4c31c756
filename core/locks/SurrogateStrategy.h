// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/SurrogateAccess.h"
#include "core/locks/sqlserver/SessionLivenessLock.h"

namespace lockscope::locks {

/// Strategy 2: the exclusive lock of a table that is there only for this, or of the row of a key, serialises
/// callers without serializable isolation on the real tables. It belongs to the open transaction and ends
/// with it. Different tables, and different keys, don't meet.
class SurrogateStrategy : public LockStrategy {
public:
    /// `kind` is LockedTable or LockedKey.
    SurrogateStrategy(LockKind kind, db::Connection& connection, std::shared_ptr<LeaseKeeper> keeper,
        const Surrogates& surrogates = {});
    ~SurrogateStrategy() override;

    LockKind kind() const override { return m_kind; }
    /// MissingObject if the program's own surrogates are not there: only the product's own are made.
    Result<void> prepare(const QString& name) override;

private:
    Result<void> check(const AcquireRequest& request) const override;
    Result<AcquireResult> take(
        const AcquireRequest& request, std::stop_token stop, LossHandler lost) override;
    Grant grant(const AcquireRequest& request, LossHandler lost);
    Result<void> trustSchema();

    const LockKind m_kind;
    const bool m_inOurSchema;
    db::Connection& m_connection;
    const std::shared_ptr<LeaseKeeper> m_keeper;
    const std::unique_ptr<SurrogateAccess> m_access;
    SessionLivenessLock m_mark;
};

} // namespace lockscope::locks
