// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/DeadlockBook.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/deadlock/Deadlock.h"
#include "core/domain/Snapshot.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/views/page/AppContext.h"

#include <QFileInfo>
#include <QLocale>

#include <algorithm>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

std::vector<ColumnInfo> deadlockColumns()
{
    return {
        ColumnInfo{u"at"_s, u"At"_s, u"As the report says"_s, 180}.ofType(report::Type::Time),
        ColumnInfo{u"kind"_s, u"What"_s, u"Where the title of its family comes from: modes and tables"_s, 600}
            .wide(6),
        {u"sessions"_s, u"Sessions"_s, {}, 90},
        ColumnInfo{u"tables"_s, u"Tables"_s, {}, 150}.wide(1).yield(2),
        {u"victim"_s, u"Victim"_s, u"Which session the server ended"_s, 70},
        ColumnInfo{
            u"family"_s, u"Family"_s, u"Equal for deadlocks of the same statements, modes and tables"_s, 130}
            .hidden(),
        ColumnInfo{u"count"_s, u"How often"_s, u"Deadlocks of this family in the list"_s, 80}.ofNumbers(),
        ColumnInfo{u"from"_s, u"Read from"_s, {}, 140}.wide(1).yield(3),
    };
}

QString victimsText(const deadlock::Deadlock& deadlock)
{
    QStringList labels;
    for (const int participant : deadlock.participants)
        if (deadlock.isVictim(participant))
            labels << deadlock.participant(participant).sessionLabel();
    return labels.isEmpty() ? u"unknown"_s : labels.join(u", "_s);
}

bool isSeen(const deadlock::DeadlockReport& report)
{
    return report.kind == deadlock::ReportKind::Live;
}

QString milliText(microseconds time)
{
    return u"%1 ms"_s.arg(double(time.count()) / 1'000, 0, 'f', 1);
}

} // namespace

QString sessionsText(const deadlock::Deadlock& deadlock)
{
    constexpr qsizetype maxNamed = 3;
    if (deadlock.participants.size() > maxNamed)
        return u"%1 sessions"_s.arg(deadlock.participants.size());
    const auto label = [&](int participant) { return deadlock.participant(participant).sessionLabel(); };
    return textOfEach(deadlock.participants, label).join(u", "_s);
}

DeadlocksModel::DeadlocksModel(QObject* parent)
    : KeyedTableModel(deadlockColumns(), parent)
{
}

std::vector<DeadlockRow> deadlockRows(const deadlock::ReportPtr& report)
{
    std::vector<DeadlockRow> rows;
    for (const deadlock::Deadlock& each : deadlock::deadlocksOf(report))
        rows.push_back({.deadlock = each,
            .identity = deadlock::identityOf(each),
            .family = deadlock::familyOf(each),
            .title = deadlock::familyTitle(each),
            .tables = each.tables().join(u", "_s)});
    return rows;
}

void DeadlocksModel::showDeadlocks(std::vector<DeadlockRow> rows)
{
    QHash<QString, int> counts;
    for (const DeadlockRow& row : rows)
        ++counts[row.family];
    for (DeadlockRow& row : rows)
        row.familyCount = counts.value(row.family);
    setRows(std::move(rows));
}

QString DeadlocksModel::text(quint32 row, int column) const
{
    const DeadlockRow& shown = rows()[row];
    switch (column) {
    case At:
        return shown.deadlock.report->time.toString();
    case Kind:
        return shown.title;
    case Sessions:
        return sessionsText(shown.deadlock);
    case Tables:
        return shown.tables;
    case Victim:
        return victimsText(shown.deadlock);
    case Family:
        return shown.family;
    case Count:
        return QString::number(shown.familyCount);
    case From: {
        const deadlock::Source& source = shown.deadlock.report->source;
        return source.position > 0 ? QFileInfo(source.place).fileName() : source.place;
    }
    default:
        return {};
    }
}

/// A time of an unknown zone stays a text.
report::Value DeadlocksModel::value(quint32 row, int column) const
{
    const deadlock::ReportTime& time = rows()[row].deadlock.report->time;
    return column == At && time.at && time.isZoneKnown ? report::Value(*time.at)
                                                       : textValue(text(row, column));
}

SortKey DeadlocksModel::sortKey(quint32 row, int column) const
{
    if (column == At) {
        const auto& at = rows()[row].deadlock.report->time.at;
        return at ? SortKey(at->us) : SortKey();
    }
    if (column == Count)
        return qint64(rows()[row].familyCount);
    return textKey(text(row, column));
}

QVariant DeadlocksModel::cell(quint32 row, int column, int role) const
{
    if (column == From && role == Qt::ToolTipRole)
        return toolTipText(rows()[row].deadlock.report->source.place);
    const bool isComplaint = !rows()[row].deadlock.report->complaints.isEmpty();
    if (column == Kind && isComplaint && role == GlyphRole)
        return QVariant::fromValue(Glyph::Warning);
    if (column == Kind && isComplaint && role == Qt::ToolTipRole)
        return toolTipText(rows()[row].deadlock.report->complaints.join(u'\n'));
    return {};
}

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
    const auto leftOutBefore = std::pair(m_isMoreLeftOut, leftOut());
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
    came.isChange =
        came.isChange || came.deadlocks > 0 || std::pair(m_isMoreLeftOut, leftOut()) > leftOutBefore;
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

QString recordsText(const DeadlockRecords& records)
{
    if (!records.latest)
        return u"The server's own records of deadlocks are being looked for."_s;
    if (!*records.latest)
        return u"The server's own records of deadlocks can't be read: %1"_s.arg(
            records.latest->error().toString());
    const deadlock::SourcePoll& poll = **records.latest;
    QStringList parts;
    if (poll.counted)
        parts << (poll.countedIsAtLeast ? u"at least %L1 counted"_s : u"%L1 counted"_s).arg(*poll.counted);
    parts << u"%L1 captured"_s.arg(poll.captured);
    QString text = parts.join(u", "_s);
    if (records.since.isValid())
        text += u" since "_s + shortDateTimeText(records.since);
    text += u" · "_s + (poll.origin.isEmpty() ? u"no source of reports"_s : poll.origin);
    if (records.readFrom.isValid() && !poll.origin.isEmpty())
        text += u", read from %1 on"_s.arg(shortDateTimeText(records.readFrom));
    if (poll.isMoreToRead)
        text += u" · more is being read"_s;
    return (QStringList(text) + poll.limits).join(u'\n');
}

QString recordsCostText(const deadlock::DeadlockWatch::Cost& cost)
{
    return u"%1 polls, %2 failed; %3 read in %4 round trips. The last one took %5, of which %6 on the server; all of them %7."_s
        .arg(cost.polls)
        .arg(cost.failures)
        .arg(QLocale::c().formattedDataSize(cost.bytes))
        .arg(cost.roundTrips)
        .arg(milliText(cost.lastClient), milliText(cost.lastServer), milliText(cost.client));
}

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
