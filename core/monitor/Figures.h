// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/WaitTotals.h"

#include <QString>

#include <utility>
#include <vector>

namespace lockscope::monitor {

/// The few numbers that answer "is anything stuck?", counted from one snapshot. The monitor's own sessions
/// are left out everywhere.
struct Figures : WaitTotals {
    int holders = 0; ///< granted lock requests and live or stale lock-table entries
    int holdingSessions = 0;
    int stale = 0; ///< lock-table entries past their lease or stale age
    Age oldestHold; ///< of granted requests whose age is known and of lock-table entries that are not stale
    /// The waiters per name of what they have waited longest for, most first, ties by name; empty names are
    /// shown as "(unnamed)".
    std::vector<std::pair<QString, int>> waitersByName;
    /// The same, with rows and pages counted for their table, and with transactions for the table of the row
    /// that the waiter waits for: each row and each transaction is another name, which means nothing in a
    /// chart. A transaction whose row is not seen counts for "(transactions)".
    std::vector<std::pair<QString, int>> waitersByTable;
};

Figures figuresOf(const Snapshot& snapshot);

} // namespace lockscope::monitor
