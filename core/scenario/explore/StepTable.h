// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/report/Report.h"
#include "core/scenario/explore/Explore.h"

namespace lockscope::scenario {

/// Returns the table "steps", in the order in which they were done.
report::Section stepsSection(const Interleaving& interleaving);
/// Returns the table "divergences", for programs.
report::Section divergencesSection(const std::vector<Divergence>& divergences);

/// Returns what was explored, with the steps of the witness.
report::Report reportOf(const ExploreReport& explored);
/// Returns what happened this time, and what differs.
report::Report reportOf(const ReplayReport& replayed);

} // namespace lockscope::scenario
