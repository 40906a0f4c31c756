// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/LockMode.h"
#include "core/domain/LockTable.h"
#include "core/domain/Session.h"

#include <QDateTime>

#include <functional>
#include <vector>

namespace lockscope {

/// A lock that this program itself takes by the library.
struct OwnLock {
    Engine engine = Engine::Postgres;
    QString place; ///< server and database: "db1:5432/shop"; of SQLite the file
    QString form; ///< its kind, with %1 for its name: "'%1' in lockscope.lock_entry", "app lock '%1'"
    QString name;
    LockMode mode;
};

/// One request of a thread of this program for a lock, and the locks that it held at that time.
struct OwnStep {
    int thread = 0; ///< a number for each thread that takes locks, from 1 on
    std::vector<OwnLock> held; ///< all that it held at the request, in the order in which it took them
    OwnLock taken;
    /// Somebody else had it, so that the thread waited; it may not have been granted in the end.
    bool hadToWait = false;
    LockOwnerInfo party;
    SessionKey session; ///< the session that holds the lock, if the thread knows it; else empty
    ServerTime at; ///< time of the grant, by the server's clock; lock table only
    QDateTime here; ///< time of the step, by this computer's clock
};

/// Called on the thread that takes the lock, before acquire() returns: must return soon. Several threads may
/// call it at the same time.
using OwnStepListener = std::function<void(const OwnStep&)>;

} // namespace lockscope
