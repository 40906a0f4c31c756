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

/// A request with a number for its resource that is the same in both lists that are compared.
struct RequestRow {
    const LockRequest* request;
    quint32 resource;
    bool sameText = true; ///< the resource is shown as it was before
};
RowDiff diffRequests(const std::vector<RequestRow>& before, const std::vector<RequestRow>& after);

} // namespace lockscope
