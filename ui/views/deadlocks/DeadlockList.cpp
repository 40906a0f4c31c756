// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/DeadlockList.h"

#include "core/base/Sentences.h"

#include <QHash>
#include <algorithm>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

bool isSeen(const deadlock::DeadlockReport& report)
{
    return report.kind == deadlock::ReportKind::Live;
}

} // namespace

QList<DeadlockList::ReportRows> DeadlockList::rowsOfReports(
    const QList<deadlock::ReportPtr>& reports, const QString& server)
{
    QList<ReportRows> all;
    for (const deadlock::ReportPtr& report : reports) {
        ReportRows newRows{report, deadlockRows(report)};
        for (DeadlockRow& row : newRows.rows)
            row.identity.server = server;
        all << newRows;
    }
    return all;
}

/// A poll may have seen several: the others stay.
bool DeadlockList::dropSeen(const DeadlockRow& newRows)
{
    bool isDropped = false;
    for (qsizetype i = m_reports.size(); i-- > 0;) {
        if (!isSeen(*m_reports[i].report))
            continue;
        std::vector<DeadlockRow>& rows = m_reports[i].rows;
        isDropped |= 0 < std::erase_if(rows, [&newRows](const DeadlockRow& row) {
            return deadlock::isSameDeadlock(row.identity, newRows.identity);
        });
        if (rows.empty()) {
            m_text -= m_reports[i].report->raw.size();
            m_reports.removeAt(i);
        }
    }
    return isDropped;
}

bool DeadlockList::isOverfull() const
{
    return m_reports.size() > maxReports || (m_text > maxTextLength && m_reports.size() > 1);
}

QString DeadlockList::leftOutText() const
{
    return leftOut() == 0 ? QString()
                          : u"The list is full: %1%2 dropped. Clear makes space."_s.arg(
                              atLeast(), counted(leftOut(), u"deadlock was", u"deadlocks were"));
}

/// Puts those first that go first.
void DeadlockList::sortForDropping(const QSet<const deadlock::DeadlockReport*>& fresh)
{
    std::ranges::stable_sort(
        m_reports, {}, [](const ReportRows& each) { return each.report->time.at; }); // no time is the least
    QHash<const deadlock::DeadlockReport*, int> ranks;
    int count = 0;
    qint64 text = 0;
    for (auto each = m_reports.crbegin(); each != m_reports.crend(); ++each) {
        if (!each->isOpened)
            continue;
        const qint64 length = each->report->raw.size();
        const bool isWithinHalf = count < maxReports / 2 && text + length <= maxTextLength / 2;
        count += isWithinHalf ? 1 : 0;
        text += isWithinHalf ? length : 0;
        const bool isNew = fresh.contains(each->report.get());
        ranks[each->report.get()] = isNew ? 2 : isWithinHalf ? 1 : 0;
    }
    std::ranges::stable_sort(
        m_reports, {}, [&ranks](const ReportRows& each) { return ranks.value(each.report.get()); });
}

DeadlockList::Came DeadlockList::add(const QList<ReportRows>& all, Cause cause)
{
    Came came;
    const qint64 leftOutBefore = leftOut();
    QSet<const deadlock::DeadlockReport*> fresh;
    deadlock::KnownDeadlocks openedAgain;
    for (ReportRows each : all) {
        each.isOpened = cause == Cause::OwnAct;
        std::erase_if(each.rows, [&](const DeadlockRow& row) {
            if (!row.identity.isSeen() && dropSeen(row))
                came.isChange = ++came.known > 0;
            const bool isKnown = m_known.add(row.identity) == deadlock::KnownDeadlocks::Came::Again;
            if (isKnown && each.isOpened)
                openedAgain.add(row.identity);
            return isKnown;
        });
        // A wait without a ring is no deadlock.
        if (each.rows.empty())
            continue;
        m_reports << each;
        fresh << each.report.get();
        m_text += each.report->raw.size();
        for (const DeadlockRow& row : each.rows)
            m_leftOut.forget(row.identity); // also if only its ring had been seen
        came.deadlocks += static_cast<int>(each.rows.size());
    }
    if (openedAgain.count() > 0)
        for (ReportRows& each : m_reports)
            each.isOpened |= std::ranges::any_of(each.rows, [&openedAgain](const DeadlockRow& row) {
                return openedAgain.add(row.identity) != deadlock::KnownDeadlocks::Came::New;
            });
    if (isOverfull())
        sortForDropping(fresh);
    while (isOverfull()) {
        const ReportRows oldest = m_reports.takeFirst();
        if (fresh.contains(oldest.report.get()))
            came.deadlocks -= static_cast<int>(oldest.rows.size());
        else
            came.isChange = true;
        m_text -= oldest.report->raw.size();
        for (const DeadlockRow& row : oldest.rows) {
            m_known.forget(row.identity);
            m_isMoreLeftOut = m_isMoreLeftOut || leftOut() == maxReports;
            if (leftOut() < maxReports)
                m_leftOut.add(row.identity);
        }
    }
    came.isChange = came.isChange || came.deadlocks > 0 || leftOut() > leftOutBefore;
    return came;
}

void DeadlockList::clear()
{
    m_reports.clear();
    m_text = 0;
    m_known.clear();
    m_leftOut.clear();
    m_isMoreLeftOut = false;
}

std::vector<DeadlockRow> DeadlockList::rows(const std::optional<ServerTime>& until) const
{
    std::vector<const ReportRows*> shown;
    for (auto each = m_reports.crbegin(); each != m_reports.crend(); ++each) {
        const auto& at = each->report->time.at;
        if (!until || !at || *at <= *until)
            shown.push_back(&*each);
    }
    std::stable_sort(shown.begin(), shown.end(), [](const ReportRows* a, const ReportRows* b) {
        return a->report->time.at > b->report->time.at; // none is the least
    });
    std::vector<DeadlockRow> all;
    for (const ReportRows* each : shown)
        all.insert(all.end(), each->rows.begin(), each->rows.end());
    return all;
}

int DeadlockList::count(const QString& server, ServerTime from, ServerTime to) const
{
    int count = 0;
    for (const ReportRows& each : m_reports) {
        const auto& at = each.report->time.at;
        if (at && *at > from && *at <= to)
            count += static_cast<int>(std::ranges::count_if(
                each.rows, [&](const DeadlockRow& row) { return row.identity.server == server; }));
    }
    return count;
}

} // namespace lockscope::ui
