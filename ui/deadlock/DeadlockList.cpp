// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/deadlock/DeadlockList.h"

#include <QSet>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// A ring stands for a while before the server breaks it and writes its report.
constexpr microseconds longestRing{60'000'000};
/// The server's report may bear the time when it began to look.
constexpr microseconds slack{2'000'000};

QSet<SessionId> sessionsOf(const deadlock::Report& report)
{
    QSet<SessionId> sessions;
    for (const deadlock::Cycle& cycle : report.cycles)
        for (const int participant : cycle.participants())
            sessions.insert(report.participants[participant].session);
    return sessions;
}

bool isSeen(const DeadlockList::Told& told)
{
    return told.report->kind == deadlock::ReportKind::Live;
}

/// `seen` is what a snapshot of that server showed of what `report` tells.
bool isSame(const DeadlockList::Told& seen, const DeadlockList::Told& report)
{
    if (seen.rows.empty() || report.rows.empty() || seen.rows.front().server.isEmpty()
        || seen.rows.front().server != report.rows.front().server)
        return false;
    const auto& at = seen.report->time.at;
    const auto& told = report.report->time.at;
    return at && told && report.report->time.isZoneKnown && *at <= *told + slack && *told - *at <= longestRing
        && sessionsOf(*seen.report) == sessionsOf(*report.report);
}

} // namespace

QList<DeadlockList::Told> DeadlockList::toldBy(
    const QList<deadlock::ReportPtr>& reports, const QString& server)
{
    QList<Told> all;
    for (const deadlock::ReportPtr& report : reports) {
        Told told{report, deadlockRows(report)};
        for (DeadlockRow& row : told.rows)
            row.server = server;
        all << told;
    }
    return all;
}

bool DeadlockList::isToldBetter(const Told& seen) const
{
    return std::any_of(m_told.cbegin(), m_told.cend(),
        [&seen](const Told& other) { return !isSeen(other) && isSame(seen, other); });
}

bool DeadlockList::dropSeen(const Told& report)
{
    return 0 < m_told.removeIf([this, &report](const Told& other) {
        if (!isSeen(other) || !isSame(other, report))
            return false;
        m_text -= other.report->raw.size();
        return true;
    });
}

DeadlockList::Came DeadlockList::add(const QList<Told>& all)
{
    Came came;
    for (const Told& each : all) {
        // Who waits for whom, without a ring, is no deadlock.
        if (!m_known.isNew(*each.report) || each.rows.empty() || (isSeen(each) && isToldBetter(each)))
            continue;
        const int deadlocks = static_cast<int>(each.rows.size());
        if (!isSeen(each) && dropSeen(each))
            came.known += deadlocks;
        m_told << each;
        m_text += each.report->raw.size();
        came.deadlocks += deadlocks;
    }
    while (m_told.size() > mostReports || (m_text > mostText && m_told.size() > 1)) {
        const deadlock::ReportPtr oldest = m_told.takeFirst().report;
        m_text -= oldest->raw.size();
        m_known.forget(*oldest);
    }
    return came;
}

void DeadlockList::clear()
{
    m_told.clear();
    m_text = 0;
    m_known.clear();
}

std::vector<DeadlockRow> DeadlockList::rows(const std::optional<ServerTime>& until) const
{
    std::vector<DeadlockRow> all;
    for (const Told& each : m_told) {
        const auto& at = each.report->time.at;
        if (!until || !at || *at <= *until)
            all.insert(all.end(), each.rows.begin(), each.rows.end());
    }
    return all;
}

} // namespace lockscope::ui
