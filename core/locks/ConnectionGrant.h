// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/GrantState.h"

namespace lockscope::locks {

/// A lock that ends with its connection at the latest.
struct ConnectionGrant : Grant::State {
    ConnectionGrant(db::Connection& theConnection, std::shared_ptr<LeaseKeeper> leaseKeeper);

    bool isAlive() const override;
    Result<void> beat(const std::stop_token& stop) override;

    db::Connection& connection;
};

/// One that the session holds up to its release.
struct SessionGrant : ConnectionGrant {
    using ConnectionGrant::ConnectionGrant;

    Result<void> release() final;
    /// One release for one acquire. False if the session does not hold it.
    virtual Result<bool> releaseOnce() = 0;
};

/// One that ends with the transaction in which it was taken, and only so.
struct TransactionGrant final : ConnectionGrant {
    TransactionGrant(db::Connection& theConnection, std::shared_ptr<LeaseKeeper> leaseKeeper);

    /// Changed if the transaction is over, else Unsupported.
    Result<void> release() override;
    bool isAlive() const override;
    bool endsByItself() const override { return true; }

    const quint64 transaction; ///< its number
};

} // namespace lockscope::locks
