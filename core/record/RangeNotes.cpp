// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Duration.h"
#include "core/record/RangeReport.h"

namespace lockscope::record {

using namespace Qt::StringLiterals;

QStringList notesOf(const RangeReport& report)
{
    const Coverage& coverage = report.coverage;
    QStringList notes{coverage.toString()};
    if (coverage.usualPause.count() > 0)
        notes
            << u"Polls were %1 apart: shorter waits may be missing, and each wait may have been that much longer."_s
                   .arg(shortDuration(coverage.usualPause.count()));
    const WaitFigures& waits = report.waits;
    if (waits.cut > 0)
        notes << u"%1 of %2 waits extend beyond the range: only the part inside counts."_s.arg(waits.cut).arg(
            waits.count);
    if (waits.open > 0)
        notes << u"Of %1 waits nobody saw the end."_s.arg(waits.open);
    return notes;
}

} // namespace lockscope::record
