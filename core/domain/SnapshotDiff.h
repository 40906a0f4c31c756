// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/RowDiff.h"
#include "core/domain/Snapshot.h"

namespace lockscope {

/// The changes between two snapshots, by stable keys. A request whose resource index moved but whose values
/// agree counts as kept.
struct SnapshotDiff {
    RowDiff requests;
    RowDiff sessions;
    RowDiff entries;
    RowDiff entryWaiters;

    bool isEmpty() const;
};

SnapshotDiff diffSnapshots(const Snapshot& before, const Snapshot& after);

} // namespace lockscope
