// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/DeadlockBook.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/deadlock/Deadlock.h"
#include "core/domain/Snapshot.h"

#include <algorithm>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

int DeadlockBook::add(const QList<deadlock::ReportPtr>& reports, const QString& server)
{
    QList<deadlock::ReportPtr> fresh;
    for (const deadlock::ReportPtr& report : reports)
        if (!m_list.has(*report))
            fresh << report;
    return fresh.isEmpty() ? 0 : addRows(DeadlockList::rowsOfReports(fresh, server)).deadlocks;
}

DeadlockList::Came DeadlockBook::addRows(
    const QList<DeadlockList::ReportRows>& all, DeadlockList::Cause cause)
{
    const DeadlockList::Came came = m_list.add(all, cause);
    const int before = std::exchange(m_unseen, std::max(0, m_unseen + came.deadlocks - came.known));
    if (came.isChange)
        Q_EMIT changed();
    if (m_unseen != before)
        Q_EMIT unseenChanged(m_unseen);
    return came;
}

void DeadlockBook::clear()
{
    m_list.clear();
    m_recordedNotice.reset();
    Q_EMIT changed();
}

void DeadlockBook::noteSnapshot(const Snapshot& snapshot, const QString& server)
{
    // A ring needs two waits; most servers have none most of the time.
    if (snapshot.waits.size() < 2)
        return;
    if (const deadlock::ReportPtr seen = deadlock::fromSnapshot(snapshot))
        add({seen}, server);
}

void DeadlockBook::noteRecords(const DeadlockRecords& records, const QString& server)
{
    m_records.insert(server, records);
    Q_EMIT recordsChanged();
    if (!records.latest || !*records.latest || (*records.latest)->reports.isEmpty())
        return;
    m_reader.ask(
        this,
        [reports = (*records.latest)->reports, server](
            const std::stop_token&) { return DeadlockList::rowsOfReports(reports, server); },
        [this](const QList<DeadlockList::ReportRows>& newRows) { addRows(newRows); });
}

std::optional<DeadlockRecords> DeadlockBook::records(const QString& server) const
{
    const auto found = m_records.constFind(server);
    return found == m_records.cend() ? std::nullopt : std::optional(*found);
}

void DeadlockBook::addRecorded(const Result<Recorded>& result, const QString& server)
{
    m_recordedNotice.reset();
    if (!result) {
        m_recordedNotice = BarNotice{.level = AgeLevel::Red,
            .text = u"The recorded deadlocks of %1 can't be read."_s.arg(inOneLine(server)),
            .detail = result.error().toString()};
        Q_EMIT recordedNoticeChanged();
        return;
    }
    if (m_list.add(result->reports).isChange)
        Q_EMIT changed();
    if (!result->missing.isEmpty())
        m_recordedNotice = BarNotice{.level = AgeLevel::Amber,
            .text = u"Deadlocks of the recording of %1 may be missing in this list."_s.arg(inOneLine(server)),
            .detail = sentences(result->missing)};
    Q_EMIT recordedNoticeChanged();
}

void DeadlockBook::setUnseen(int unseen)
{
    if (std::exchange(m_unseen, unseen) != unseen)
        Q_EMIT unseenChanged(unseen);
}

} // namespace lockscope::ui
