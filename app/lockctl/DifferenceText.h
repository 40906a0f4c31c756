// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/SnapshotComparison.h"

namespace lockscope::ctl {

/// What differs between two snapshots, as a table with a column for each of them; for people.
QString differencesText(
    const Snapshot& before, const Snapshot& after, const std::vector<SnapshotDifference>& differences);

} // namespace lockscope::ctl
