// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/LockBiography.h"
#include "core/report/Report.h"

namespace lockscope::record {

/// The columns of a list of history lines for people; programs get all of them.
struct HistoryColumns {
    bool ofSession = false; ///< all are of one session
    bool hasNames = false; ///< of several locks: which one
    bool hasKinds = false; ///< of locks with the same name
};
/// Returns the section without rows.
report::Section historySection(const HistoryColumns& columns);
/// A row of it; about the session of a lock's history, or the lock of a session's. `from`: of the range.
report::ReportRow historyRow(const HistoryLine& line, bool ofSession, ServerTime from);
report::Report toReport(const Biography& biography);

} // namespace lockscope::record
