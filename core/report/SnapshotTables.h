// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/BlockingForest.h"
#include "core/domain/Snapshot.h"
#include "core/domain/SnapshotComparison.h"
#include "core/report/Report.h"

namespace lockscope::report {

/// The columns for the rows of lockRow().
Section locksSection(const Snapshot& snapshot);
/// Those that are to be shown, contended resources first. `all`: also this program's own sessions'.
std::vector<const LockRequest*> lockRequests(const Snapshot& snapshot, bool all);
ReportRow lockRow(const Snapshot& snapshot, const LockRequest& request);
QString stateOf(RequestState state); ///< "holding", "waiting", "converting"

/// The lock table with its waiters. Rows of one name stand together and have one key; those of waiters have
/// the time since when they wait as their rowTime.
Section entriesSection(const Snapshot& snapshot);
ReportRow entryRow(const LockTableEntry& entry, ServerTime now);
ReportRow waiterRow(const LockTableWaiter& waiter, int place, ServerTime now);
/// Tells in how far a row of a lock table needs somebody: Failed is what nobody gives back any more.
Mark markOf(const LockTableEntry& entry, ServerTime now);
QString stateOf(const LockTableEntry& entry, ServerTime now); ///< "held", "held?", "stale", "bad row"
/// "next", "waits, no. 2", "silent, passed over" or "bad row"; `place` in the queue, from 1.
QString stateOf(const LockTableWaiter& waiter, int place, ServerTime now);
/// "4 min 40 s left", "expired 3 s ago", "until 2026-11-21 02:59" as it is stored, "no end", "never stale".
QString leaseText(const LockTableEntry& entry, ServerTime now);
/// Returns a time that a client stored by its own clock without what is beyond the minute.
QString storedTimeText(const QString& stored);

/// Returns the table of who blocks whom, with the columns for the rows of blockingRow().
Section blockingSection(const Snapshot& snapshot);
/// `level` in the tree, 0 of those on top.
ReportRow blockingRow(const BlockingRow& row, int level, ServerTime now);
/// Returns the forest as a table, each session above those that wait for it; deadlocks are notes.
Report toReport(const Snapshot& snapshot, const std::vector<BlockingNode>& forest);
/// Returns a text for each deadlock: "Deadlock: 51, 63 wait for each other."
QStringList ringTexts(const Snapshot& snapshot);

/// Returns the section without rows.
Section differenceSection();
/// Two snapshots side by side; `differences` as differencesBetween() finds them.
Report toReport(
    const Snapshot& before, const Snapshot& after, const std::vector<SnapshotDifference>& differences);

/// A session and what it has to do with locks.
struct SessionRow {
    Session session;
    QStringList holds; ///< names, each once, without the locks that every transaction has on itself
    int held = 0; ///< requests granted, of those
    QStringList waitsFor;
    std::optional<ServerTime> waitingSince; ///< of its longest wait
    bool waitExact = true;
    QString name; ///< "63", "prepared 'nightly'"
    std::vector<SessionId> blockers;
    QString blockedBy; ///< their names
    int victims = 0; ///< sessions that wait for it, directly or not

    QString stateText() const; ///< "waits for a lock", or as the server says
    bool operator==(const SessionRow&) const = default;
};

/// Returns all sessions: those that block the most first, then the longest waits, then the oldest
/// transactions.
std::vector<SessionRow> sessionRows(const Snapshot& snapshot);
Section sessionsSection(); ///< without rows
ReportRow sessionRow(const SessionRow& row, ServerTime now);

} // namespace lockscope::report
