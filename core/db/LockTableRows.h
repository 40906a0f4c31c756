// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Dialect.h"
#include "core/db/ServerProfile.h"
#include "core/db/Statement.h"
#include "core/domain/LockTable.h"

namespace lockscope::db {

/// Our own lock table, as it is called on this engine: "lockscope.lock_entry".
QString lockTableName(Engine engine);

/// A row of monitor/entries. Each row becomes an entry: of one that can't be right, badRow has the reason.
/// Every time that is valid lies in the years 1 to 9999.
LockTableEntry entryFromRow(Engine engine, const Row& row);
/// A row of monitor/entry_waiters.
LockTableWaiter waiterFromRow(Engine engine, const Row& row);

} // namespace lockscope::db
