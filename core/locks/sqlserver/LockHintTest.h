// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"

namespace lockscope::locks {

/// The uses of a server's locking hints that a strategy needs.
enum class Hint {
    UpdLock, ///< a row that was only read with it can't be read so by another session
    ReadPast, ///< and is skipped by a statement that asks for that
    TabLockX, ///< a table that was only read with it is nobody else's
};

/// Unsupported if the server takes the hint and ignores it: two sessions of our own try it out, once for each
/// server and program, on a table that the schema keeps in the database for that, else on a temporary one.
/// Servers of other kinds than SQL Server have statements of their own instead of hints: nothing is tried
/// there. Opens two connections; may block for their connect time-outs.
Result<void> testLockHint(const db::Connection& connection, Hint hint);

} // namespace lockscope::locks
