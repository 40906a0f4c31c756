// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QStringList>

namespace lockscope {

struct LockTableEntry;

namespace db {
class Connection;
}

namespace admin {

/// What fires by itself when this row is freed: triggers with their functions, of its partitions and of the
/// tables that change with it, too, and rules. "trigger kept on public.shedlock (audit.note())". Of our lock
/// table, what Lockscope did not install. For a preview: the act judges again whose they are. Empty where the
/// engine does not tell (not PostgreSQL). One round trip; changes nothing.
Result<QStringList> firedByFreeing(db::Connection& connection, const LockTableEntry& entry);

} // namespace admin
} // namespace lockscope
