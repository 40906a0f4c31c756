// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/GrantState.h"

namespace lockscope::locks {

/// A lock that ends with the transaction in which it was taken, and only so.
struct TransactionGrant : Grant::State {
    TransactionGrant(db::Connection& theConnection, std::shared_ptr<GrantKeeper> grantKeeper)
        : State(std::move(grantKeeper))
        , connection(theConnection)
    {
        watched->session = connection.sessionId();
        watched->sessionStarted = connection.sessionStarted();
    }

    Result<void> release() override;
    Result<ServerTime> renew() override;
    bool isAlive() const override;
    bool endsByItself() const override { return true; }

    db::Connection& connection;
    mutable bool hasEnded = false;
};

} // namespace lockscope::locks
