// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/sqlserver/AppLockText.h"
#include "core/domain/Resource.h"

#include <QStringView>

#include <optional>

namespace lockscope::monitor {

/// The texts by which SQL Server names what is locked or waited for. All of it is foreign input: whatever it
/// is, the answer is a key that keeps the text, never a failure.
///
/// Source of the forms: SQL Server documentation, "sys.dm_tran_locks", "sys.dm_os_waiting_tasks",
/// "sys.dm_exec_requests"; KB 224453 for wait_resource.

using db::AppLockText;
using db::parseAppLockText;

/// Returns the kind of a resource type of SQL Server, "KEY".
ResourceKind sqlServerResourceKind(QStringView type);

/// The columns that name a resource in sys.dm_tran_locks.
struct ResourceColumns {
    QString type; ///< "KEY", "APPLICATION" …
    QString subtype;
    qint64 database = 0;
    qint64 entity = 0;
    QString description;
    qint64 partition = 0;
};
/// Equal only for what the server holds for one and the same resource.
ResourceKey resourceKey(const ResourceColumns& thing);

/// Returns the row or key that a lock on a transaction (optimized locking) stands for, by its description.
std::optional<ResourceKey> underlyingKey(const ResourceColumns& thing);

/// The resource that a task waits for, as far as the text shows it.
struct WaitTarget {
    ResourceKey key;
    QString mode; ///< the mode of the blocking lock; may be empty
    /// Application locks come with hash and principal only: for joining with those whose names are known.
    QString appLockHash;
    /// True if two things of this key are surely the same: tasks give of a key only its B-tree, of a row only
    /// its page.
    bool exact = true;
    QString lockId; ///< "lock11af9a5300": equal for tasks that wait for the same resource; empty if unknown
    std::optional<ResourceKey> underlying = {}; ///< see underlyingKey()

    bool operator==(const WaitTarget&) const = default;
};
/// sys.dm_os_waiting_tasks.resource_description: "keylock hobtid=7205… dbid=5 id=lock8f mode=X
/// associatedObjectId=…"
WaitTarget parseWaitingTask(QStringView description);
/// sys.dm_exec_requests.wait_resource: "KEY: 5:72057594038910976 (8194443284a0)". Rows and pages come without
/// the heap or B-tree that they are of.
WaitTarget parseWaitResource(QStringView text);

/// "LCK_M_X" → "X", "LCK_M_SCH_M" → "Sch-M", "LCK_M_RIn_NL" → "RangeI-N", "LCK_M_S_XACT_READ" → "S"; empty
/// for other waits.
QString modeOfWaitType(QStringView waitType);

/// "page 1:109", "row 1:109:0", "key (8194443284a0)": the part of a table that the key means, for display;
/// empty if it means the whole.
QString partText(const ResourceKey& key);

} // namespace lockscope::monitor
