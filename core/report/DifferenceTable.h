// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/SnapshotComparison.h"
#include "core/report/Report.h"

namespace lockscope::report {

/// Returns the section without rows.
Section differenceSection();
/// Two snapshots side by side; `differences` as differencesBetween() finds them.
Report toReport(
    const Snapshot& before, const Snapshot& after, const std::vector<SnapshotDifference>& differences);

} // namespace lockscope::report
