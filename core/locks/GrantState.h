// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/LeaseKeeper.h"
#include "core/locks/LockStrategy.h"

namespace lockscope::locks {

/// What a Grant holds; each strategy derives its own way to let go.
struct Grant::State {
    explicit State(std::shared_ptr<LeaseKeeper> leaseKeeper)
        : watched(std::make_shared<WatchedGrant>())
        , keeper(std::move(leaseKeeper))
    {
    }
    virtual ~State() { unwatch(); }
    Q_DISABLE_COPY_MOVE(State)

    virtual Result<void> release() = 0;
    virtual Result<ServerTime> renew(); ///< Unsupported if the strategy has no leases
    virtual Result<void> beat(const std::stop_token&) { return {}; } ///< of a lock that ends with its session
    /// What is known without asking the server.
    virtual bool isAlive() const = 0;
    /// Nothing to do at the server when the grant is dropped.
    virtual bool endsByItself() const { return false; }

    /// Makes it known as this lock, and to the keeper if there is one.
    void watch(LockKind kind, const QString& name, LossHandler lost)
    {
        watched->kind = kind;
        watched->name = name;
        watched->handler = std::move(lost);
        if (keeper)
            keeper->watch(watched);
    }
    void unwatch()
    {
        if (keeper)
            keeper->forget(watched);
    }

    const std::shared_ptr<WatchedGrant> watched;
    const std::shared_ptr<LeaseKeeper> keeper;
    qint64 fencing = 0;
    ServerTime acquiredAt;
    bool isReleased = false;
};

} // namespace lockscope::locks
