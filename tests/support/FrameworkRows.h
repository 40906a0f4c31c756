// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/domain/Framework.h"
#include "core/domain/LockTable.h"

namespace lockscope::test {

/// A framework "Demo" with this one lock, as a file of the catalogue would give it.
FrameworkMatchPtr matchOf(FrameworkLock lock, const QString& name = QStringLiteral("Demo"));

/// A lock "turn" that is a row: what is compared, and what frees it (nothing: the row is deleted).
FrameworkLock rowLock(
    const QStringList& compare, const std::vector<std::pair<QString, FrameworkValue>>& update = {});

/// A row of `table` as the monitor would show it, read with the expressions that acts compare with. `where`
/// picks one row.
LockTableEntry shownRow(db::Connection& connection, const FrameworkMatchPtr& match,
    const LockRowTablePtr& table, const QString& where);

} // namespace lockscope::test
