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

/// A thread of this program took a lock, or waited for it, while it had others.
struct OwnStep {
    int thread = 0; ///< a number for each thread that takes locks, from 1 on
    std::vector<OwnLock> held; ///< all that it had when it asked, in the order in which it took them
    OwnLock taken;
    /// Somebody else had it, so that the thread waited; it may not have been granted in the end.
    bool hadToWait = false;
    LockOwnerInfo party;
    SessionKey session; ///< that has the lock, where the thread knows it; else empty
    ServerTime at; ///< lock table only, once granted
    QDateTime here; ///< by this program's clock
};

/// Called on the thread that takes the lock, before it has it in hand: must return soon. Several threads may
/// call at the same time.
using OwnStepListener = std::function<void(const OwnStep&)>;

} // namespace lockscope
