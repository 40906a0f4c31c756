// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/report/Report.h"
#include "core/scenario/run/FreeRun.h"

namespace lockscope::scenario {

/// Runs of a scenario's variants side by side, in this order.
report::Report toReport(const std::vector<std::shared_ptr<const RunReport>>& runs);

/// "812", "8.1".
QString rateText(double perSecond);
/// Returns "4 locks denied", "1 crash": those that there are.
QStringList countsInWords(const Counts& counts);
/// Returns "812 rounds/s", "waits: half below 3 ms, …" and the counts.
QStringList figuresInWords(const RunReport& run);

/// Stands for a variant below its bars, where a title has no room.
QString variantLetter(std::size_t row);

} // namespace lockscope::scenario
