// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Snapshot.h"
#include "core/domain/Thresholds.h"
#include "ui/kit/charts/TopList.h"
#include "ui/views/page/DetailSubject.h"

#include <optional>
#include <vector>

namespace lockscope::ui {

/// The place of the rows behind a number of the overview.
struct OverviewPlace {
    QString page;
    QString filter;
    DetailSubject subject; ///< shown instead of a filter
};
/// The entry's row; for a lock of the engine, what the filter leaves on the page of locks.
OverviewPlace placeOf(const std::optional<LockTableKey>& entry, const QString& filter);

/// A waiter, for any kind of lock.
struct OverviewWait {
    QString resource; ///< that is waited for
    QString target; ///< the row behind a wait for a transaction, as far as it is known; else as `resource`
    QString who;
    SessionId session;
    Age age;
    std::optional<LockTableKey> entry = {}; ///< of a wait for a name of a lock table
    FrameworkMatchPtr framework = {}; ///< of the lock
};
/// The oldest first.
std::vector<OverviewWait> waitsOf(const Snapshot& snapshot);

/// Rows of a list, and where each leads.
struct OverviewList {
    QList<TopList::Row> rows;
    QList<OverviewPlace> places;
};
OverviewList mostContended(const Snapshot& snapshot, int maximum, const AgeThresholds& thresholds);
OverviewList oldestWaits(const Snapshot& snapshot, int maximum, const AgeThresholds& thresholds);

} // namespace lockscope::ui
