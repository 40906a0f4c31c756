// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Rule.h"
#include "core/report/Report.h"
#include "core/watch/IncidentStore.h"

namespace lockscope::watch {

// Tables of what stands in a rules file, in the order given. Each row is about its item.

report::Section rulesSection(const std::vector<alert::Rule>& rules);
/// `queue`: of the store, for what waits and fails.
report::Section channelsSection(const std::vector<alert::ChannelSettings>& channels,
    const std::vector<alert::Rule>& rules, const QList<IncidentStore::QueueState>& queue);
report::Section maintenanceSection(
    const std::vector<alert::MaintenanceWindow>& windows, const QDateTime& now);

/// "now, until 04:00; Sat 28 Nov 02:00–04:00": the next times of a window by the local clock, the first of
/// several by ';'. Empty: it is over.
QString nextTimesText(const alert::MaintenanceWindow& window, const QDateTime& now, int count);

} // namespace lockscope::watch
