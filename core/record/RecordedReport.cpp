// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordedReport.h"

#include "core/deadlock/ReadReports.h"

namespace lockscope::record {

Result<QList<deadlock::ReportPtr>> reportsOf(const RecordedReport& report)
{
    auto read = deadlock::readReports(report.raw.toUtf8(), report.origin);
    if (!read)
        return read;
    for (deadlock::ReportPtr& each : *read) {
        if (each->time.at && each->time.isZoneKnown)
            continue;
        auto timed = std::make_shared<deadlock::Report>(*each);
        timed->time.at = report.at;
        timed->time.isZoneKnown = true;
        each = std::move(timed);
    }
    return read;
}

} // namespace lockscope::record
