// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Id.h"
#include "core/base/ServerTime.h"
#include "core/domain/LockMode.h"
#include "core/domain/Resource.h"

#include <optional>

namespace lockscope {

enum class RequestState : quint8 {
    Granted,
    Waiting,
    Converting, ///< holds the lock, and waits for a stronger mode
};
/// The owner that a lock ends with.
enum class LockOwner : quint8 { Transaction, Session, Other };

/// Identifies one request across snapshots: a waiter that becomes the holder keeps its key.
struct LockRequestKey {
    SessionId session;
    ServerTime sessionStarted;
    ResourceKey resource;
    LockMode mode;
    LockOwner owner = LockOwner::Transaction;
    quint32 ordinal = 0; ///< differs for rows that agree in all the rest

    bool operator==(const LockRequestKey&) const = default;
};

/// One row of pg_locks or sys.dm_tran_locks: a session holds a mode on a resource, or waits for it.
struct LockRequest {
    SessionId session;
    ServerTime sessionStarted;
    quint32 resource = 0; ///< index into Snapshot::resources
    LockMode mode;
    RequestState state = RequestState::Granted;
    LockOwner owner = LockOwner::Transaction;
    quint32 count = 1; ///< the number of times that it is held, where the engine gives it
    quint32 ordinal = 0;
    /// The time when it was granted or began to wait: exact, or the latest time at which that can have been.
    std::optional<ServerTime> since;
    bool sinceExact = false; ///< the server states `since`

    bool isWaiting() const { return state != RequestState::Granted; }
    bool operator==(const LockRequest&) const = default;
};

/// `waiter` can't continue before `blocker` releases that resource, or leaves its queue.
struct WaitEdge {
    enum class Kind : quint8 {
        Holder, ///< the blocker holds a conflicting mode
        Queue, ///< the blocker is only ahead in the queue, with a conflicting mode
    };
    SessionId waiter;
    SessionId blocker;
    quint32 resource = 0; ///< index into Snapshot::resources
    Kind kind = Kind::Holder;

    bool operator==(const WaitEdge&) const = default;
};

} // namespace lockscope
