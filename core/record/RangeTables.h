// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/RangeComparison.h"
#include "core/record/SlowOrLocked.h"
#include "core/report/Report.h"

namespace lockscope::record {

/// Makes the tables of a range: "locks", "holders", "programs", "users", "statements" and "tables"; for
/// programs "seen.gaps", too. Rows are about a BiographySubject that has a history, or about nothing.
report::Report toReport(const RangeReport& range);
/// Two ranges side by side: the table "changes".
report::Report toReport(const RangeComparison& comparison);

/// A range, and what else is recorded of that time.
struct RangeAnswer {
    RangeReport range;
    report::Report report; ///< with the table "marks" of notes, events, and whether it was locks or slow
};
/// Returns the tables of rangeReport().
Result<RangeAnswer> answerOf(RecordingReader& reader, ServerTime from, ServerTime to);

} // namespace lockscope::record
