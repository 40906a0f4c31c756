// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/DeadlockList.h"

#include "core/deadlock/SameDeadlock.h"

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

bool isSeen(const deadlock::Report& report)
{
    return report.kind == deadlock::ReportKind::Live;
}

/// One of them was seen, and both are of one server.
bool isSame(const DeadlockRow& one, const DeadlockRow& other)
{
    return !one.server.isEmpty() && one.server == other.server
        && deadlock::isSameDeadlock(one.deadlock, other.deadlock);
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

/// By the server, or by an earlier look.
bool DeadlockList::isToldBetter(const DeadlockRow& seen) const
{
    return std::any_of(m_told.cbegin(), m_told.cend(), [&seen](const Told& other) {
        return std::any_of(other.rows.begin(), other.rows.end(),
            [&seen](const DeadlockRow& row) { return isSame(seen, row); });
    });
}

/// A look may have seen several: the others stay.
bool DeadlockList::dropSeen(const DeadlockRow& told)
{
    bool isDropped = false;
    for (qsizetype i = m_told.size(); i-- > 0;) {
        if (!isSeen(*m_told[i].report))
            continue;
        std::vector<DeadlockRow>& rows = m_told[i].rows;
        isDropped |= 0 < std::erase_if(rows, [&told](const DeadlockRow& row) { return isSame(row, told); });
        if (rows.empty()) {
            m_text -= m_told[i].report->raw.size();
            m_told.removeAt(i);
        }
    }
    return isDropped;
}

DeadlockList::Came DeadlockList::add(const QList<Told>& all)
{
    Came came;
    for (Told each : all) {
        if (!m_known.isNew(*each.report))
            continue;
        if (isSeen(*each.report))
            std::erase_if(each.rows, [this](const DeadlockRow& row) { return isToldBetter(row); });
        else
            for (const DeadlockRow& row : each.rows)
                came.known += dropSeen(row) ? 1 : 0;
        // Who waits for whom, without a ring, is no deadlock.
        if (each.rows.empty())
            continue;
        m_told << each;
        m_text += each.report->raw.size();
        came.deadlocks += static_cast<int>(each.rows.size());
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
