// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"
#include "core/report/Report.h"

namespace lockscope::report {

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
