// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"
#include "core/domain/SnapshotComparison.h"
#include "core/report/Report.h"

namespace lockscope::report {

/// The columns for the rows of lockRow().
Section locksSection(const Snapshot& snapshot);
/// Those that are to be shown, contended resources first. `all`: also this program's own sessions'.
std::vector<const LockRequest*> lockRequests(const Snapshot& snapshot, bool all);
ReportRow lockRow(const Snapshot& snapshot, const LockRequest& request);

/// The lock table with its waiters. Rows of one name stand together and have one key; those of waiters have
/// the time since when they wait as their moment.
Section entriesSection(const Snapshot& snapshot);
/// Tells in how far a row of a lock table needs somebody: Failed is what nobody gives back any more.
Mark markOf(const LockTableEntry& entry, ServerTime now);
QString stateOf(const LockTableEntry& entry, ServerTime now); ///< "held", "held?", "STALE", "BAD ROW"
/// "0:42", "over 0:03", or as it is stored; empty: it has no end.
QString leaseText(const LockTableEntry& entry, ServerTime now);

/// Returns the section without rows.
Section differenceSection();
/// Two snapshots side by side; `differences` as differencesBetween() finds them.
Report toReport(
    const Snapshot& before, const Snapshot& after, const std::vector<SnapshotDifference>& differences);

} // namespace lockscope::report
