// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/Event.h"

#include "core/base/EnumTable.h"
#include "core/deadlock/ReadReports.h"

namespace lockscope::alert {

using namespace Qt::StringLiterals;

QString eventKindName(Event::Kind kind)
{
    static constexpr EnumTable<Event::Kind> names(
        {u"failure", u"gap", u"act", u"deadlock", u"alert", u"note", u"mark"});
    return names[kind].toString();
}

Result<QList<deadlock::ReportPtr>> reportsOf(const RecordedReport& report)
{
    auto read = deadlock::readReports(report.raw.toUtf8(), report.origin);
    if (!read)
        return read;
    for (deadlock::ReportPtr& each : *read) {
        if (each->time.at && each->time.isZoneKnown)
            continue;
        auto timed = std::make_shared<deadlock::DeadlockReport>(*each);
        timed->time.at = report.at;
        timed->time.isZoneKnown = true;
        each = std::move(timed);
    }
    return read;
}

} // namespace lockscope::alert
