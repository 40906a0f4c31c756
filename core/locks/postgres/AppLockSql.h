// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Statement.h"
#include "core/locks/LockStrategy.h"

namespace lockscope::locks {

/// The statements for one owner and mode.
struct AppLockSql {
    db::Statement tryOnce;
    db::Statement wait;
    db::Statement release; ///< session owner only: the others end with their transaction
    db::Statement undo; ///< session owner only
    QString nativeMode; ///< as pg_locks shows it

    /// `mode` is Exclusive or Shared.
    static const AppLockSql& get(LockOwner owner, AcquireMode mode);
};

} // namespace lockscope::locks
