// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/source/ReportIntake.h"

#include "core/deadlock/SqlServerReport.h"

#include <algorithm>
#include <utility>

namespace lockscope::deadlock {

namespace {

/// Keys of 32 characters; twice as many are kept at most. A block or a ring buffer has no more.
constexpr qsizetype maxKnown = 20'000;

} // namespace

bool ReportIntake::isKnown(const QString& key)
{
    if (m_known.contains(key) || m_knownBefore.contains(key))
        return true;
    if (m_known.size() >= maxKnown)
        m_knownBefore = std::exchange(m_known, {});
    m_known.insert(key);
    return false;
}

void ReportIntake::take(const QString& xml, const QString& place, bool isOld, SourcePoll& poll)
{
    poll.bytesRead += xml.size() * qint64(sizeof(QChar));
    for (const ReportPtr& report : readSqlServerXml(xml, place)) {
        if (isKnown(report->source.eventKey))
            continue;
        const auto& at = report->time.at;
        if (at ? *at < since() : isOld && !m_since)
            continue;
        poll.reports << report;
        if (report->kind == ReportKind::Deadlock && (at ? *at >= m_firstPoll : !isOld))
            m_captured += std::max<qint64>(report->cycles.size(), 1);
    }
}

} // namespace lockscope::deadlock
