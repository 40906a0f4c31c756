// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/report/Report.h"
#include "core/scenario/run/FreeRun.h"

namespace lockscope::scenario {

/// Runs of a scenario's variants side by side, in this order.
report::Report toReport(const std::vector<std::shared_ptr<const RunReport>>& runs);

/// Stands for a variant below its bars, where a title has no room.
QString variantLetter(std::size_t row);

} // namespace lockscope::scenario
