// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/history/RangeRows.h"

#include "core/base/ShownText.h"
#include "ui/kit/models/SnapshotNames.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

using record::RangeChange;

ReportCell named(const QString& text)
{
    return text.isEmpty() ? ReportCell{u"not known"_s, {}, Tone::Muted, Glyph::None} : textCell(text);
}

ReportCell count(qint64 number)
{
    return {QString::number(number), SortKey(number), number == 0 ? Tone::Muted : Tone::Normal, Glyph::None};
}

ReportCell length(microseconds value, bool isKnown = true)
{
    if (!isKnown)
        return {noValue, {}, Tone::Muted, Glyph::None};
    return {record::atLeastText(value), SortKey(qint64(value.count())), Tone::Normal, Glyph::None};
}

ReportCell momentCell(ServerTime at, bool isKnown = true)
{
    if (!isKnown)
        return {noValue, {}, Tone::Muted, Glyph::None};
    return {momentText(at), SortKey(at.us), Tone::Normal, Glyph::None};
}

ReportCell rate(std::optional<double> perHour)
{
    if (!perHour)
        return {noValue, {}, Tone::Muted, Glyph::None};
    return {QString::number(*perHour, 'f', *perHour < 10 ? 1 : 0), SortKey(qRound64(*perHour * 1'000)),
        Tone::Normal, Glyph::None};
}

void addFigures(std::vector<ReportCell>& cells, const record::WaitFigures& waits)
{
    const bool some = waits.count > 0;
    cells.push_back(count(waits.count));
    cells.push_back(length(waits.total, some));
    cells.push_back(length(waits.p50, some));
    cells.push_back(length(waits.p90, some));
    cells.push_back(length(waits.p99, some));
    cells.push_back(length(waits.worst.length(), some));
}

void addFigureColumns(std::vector<ColumnInfo>& columns)
{
    columns.push_back({u"waits"_s, u"Waits"_s, u"How often somebody was seen to wait"_s, 62, true, true});
    columns.push_back(
        {u"waited"_s, u"Waited"_s, u"All waits together, as far as they were seen"_s, 86, true, true});
    columns.push_back({u"p50"_s, u"p50"_s, u"Half of the waits were no longer"_s, 80, true, true});
    columns.push_back(
        {u"p90"_s, u"p90"_s, u"90 % of the waits were no longer"_s, 80, true, true, false, 0, 2});
    columns.push_back({u"p99"_s, u"p99"_s,
        u"99 % of the waits were no longer; the longest, of fewer than 100"_s, 80, true, true, false, 0, 3});
    columns.push_back({u"worst"_s, u"Worst"_s, u"The longest wait"_s, 86, true, true});
}

QString waitsTip(const record::WaitFigures& waits)
{
    if (waits.count == 0)
        return {};
    QStringList lines{inOneLine(u"Worst: %1 waited %2 for %3"_s.arg(
        waits.worst.party.title(), record::atLeastText(waits.worst.length()), waits.worst.lock.name))};
    lines << u"from %1, seen until %2"_s.arg(momentText(waits.worst.from), momentText(waits.worst.to));
    if (waits.cut > 0)
        lines << u"%1 of %2 reach beyond an end of the range"_s.arg(waits.cut).arg(waits.count);
    if (waits.open > 0)
        lines << u"Of %1 nobody saw the end"_s.arg(waits.open);
    return lines.join(u'\n');
}

void addBlameColumns(std::vector<ColumnInfo>& columns)
{
    columns.push_back(
        {u"blocked"_s, u"Blocked"_s, u"Waits with it at the head of their chain"_s, 68, true, true});
    columns.push_back({u"made"_s, u"Made wait"_s,
        u"How long others waited with it at the head of their chain; if several were, all of them count"_s,
        88, true, true});
}

void addBlame(std::vector<ReportCell>& cells, const record::RangeParty& party)
{
    cells.push_back(count(party.blocked));
    cells.push_back(length(party.madeWait, party.blocked > 0));
}

/// Leads to the worst wait, and to the history of its lock.
ReportRow waitsRow(const record::RangeParty& sum)
{
    ReportRow row{u"of "_s + sum.name, {named(sum.name)}, waitsTip(sum.waits), {}, {}};
    addFigures(row.cells, sum.waits);
    if (sum.waits.count > 0) {
        row.moment = sum.waits.worst.to;
        row.subject = sum.waits.worst.lock;
    }
    return row;
}

/// A row of a lock table may not say which session wrote it.
std::optional<record::BiographySubject> subjectOf(const record::RecordedParty& party)
{
    if (!party.session.isValid())
        return std::nullopt;
    return record::RecordedSession{party.session, party.started};
}

/// Rows of one table stand together: the history is that of the row of the worst wait.
record::BiographySubject subjectOf(const record::RangeLock& lock)
{
    return lock.lock.identity.isEmpty() ? lock.waits.worst.lock : lock.lock;
}

Tone toneOf(RangeChange::Verdict verdict)
{
    switch (verdict) {
    case RangeChange::Verdict::New:
    case RangeChange::Verdict::More:
        return Tone::Amber;
    case RangeChange::Verdict::Gone:
    case RangeChange::Verdict::Less:
        return Tone::Good;
    default:
        return Tone::Muted;
    }
}

ReportRow changeRow(const RangeChange& change, const QString& what, const QString& key)
{
    const bool before = change.before.count > 0;
    const bool after = change.after.count > 0;
    ReportRow row{key,
        {textCell(what), named(change.name), rate(change.perHourAfter), rate(change.perHourBefore),
            length(change.after.p50, after), length(change.before.p50, before),
            length(change.after.p90, after), length(change.before.p90, before),
            length(change.after.worst.length(), after), length(change.before.worst.length(), before),
            ReportCell{record::verdictName(change.verdict), {}, toneOf(change.verdict), Glyph::None}},
        waitsTip(after ? change.after : change.before), {}, {}};
    if (after || before)
        row.moment = after ? change.after.worst.to : change.before.worst.to;
    if (!change.lock.kind.isEmpty())
        row.subject = change.lock.identity.isEmpty()
            ? (after ? change.after.worst.lock : change.before.worst.lock)
            : change.lock;
    return row;
}

} // namespace

std::vector<ColumnInfo> lockColumns()
{
    std::vector<ColumnInfo> columns{
        {u"lock"_s, u"Lock"_s, u"Rows of a table stand together"_s, 210, true, false, false, 3}};
    addFigureColumns(columns);
    columns.push_back(
        {u"sessions"_s, u"Sessions"_s, u"How many different sessions waited"_s, 70, true, true, false, 0, 4});
    columns.push_back({u"by"_s, u"Worst by"_s, {}, 130, true, false, false, 2, 1});
    columns.push_back({u"at"_s, u"Worst seen at"_s, u"When it was seen to wait last, by the server's clock"_s,
        166, true, false, false, 0, 5});
    columns.push_back({u"kind"_s, u"Kind"_s, {}, 110, false});
    columns.push_back({u"database"_s, u"Database"_s, {}, 110, false});
    return columns;
}

std::vector<ReportRow> lockRows(const record::RangeReport& report)
{
    std::vector<ReportRow> rows;
    for (const record::RangeLock& each : report.locks) {
        ReportRow row{each.lock.key(), {named(each.lock.name)}, waitsTip(each.waits), each.waits.worst.to,
            subjectOf(each)};
        addFigures(row.cells, each.waits);
        row.cells.push_back(count(each.waiters));
        row.cells.push_back(textCell(each.waits.worst.party.title()));
        row.cells.push_back(momentCell(each.waits.worst.to));
        row.cells.push_back(textCell(each.lock.kind));
        row.cells.push_back(textCell(each.lock.database));
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<ColumnInfo> statementColumns()
{
    std::vector<ColumnInfo> columns = tableColumns();
    columns.front() = {u"name"_s, u"Statement"_s, u"A ? stands for each value"_s, 240, true, false, false, 3};
    addBlameColumns(columns);
    return columns;
}

std::vector<ReportRow> statementRows(const record::RangeReport& report)
{
    std::vector<ReportRow> rows;
    for (const record::RangeParty& each : report.statements) {
        rows.push_back(waitsRow(each));
        rows.back().tip = inOneLine(each.name) + u'\n' + rows.back().tip;
        addBlame(rows.back().cells, each);
    }
    return rows;
}

std::vector<ColumnInfo> tableColumns()
{
    std::vector<ColumnInfo> columns{
        {u"name"_s, u"Table"_s, u"With its rows and pages"_s, 210, true, false, false, 3}};
    addFigureColumns(columns);
    return columns;
}

std::vector<ReportRow> tableRows(const record::RangeReport& report)
{
    std::vector<ReportRow> rows;
    for (const record::RangeParty& each : report.tables)
        rows.push_back(waitsRow(each));
    return rows;
}

std::vector<ColumnInfo> partyColumns(const QString& what)
{
    std::vector<ColumnInfo> columns{{u"name"_s, what, {}, 170, true, false, false, 3}};
    addFigureColumns(columns);
    addBlameColumns(columns);
    columns.push_back({u"held"_s, u"Held longest"_s, u"Any lock, waited for or not"_s, 96, true, true});
    columns.push_back({u"of"_s, u"Of"_s, u"What it held longest"_s, 140, true, false, false, 2, 1});
    return columns;
}

std::vector<ReportRow> partyRows(const QList<record::RangeParty>& parties)
{
    std::vector<ReportRow> rows;
    for (const record::RangeParty& each : parties) {
        const bool held = !each.longestHeld.lock.kind.isEmpty();
        ReportRow row{u"of "_s + each.name, {named(each.name)}, waitsTip(each.waits), {}, {}};
        addFigures(row.cells, each.waits);
        addBlame(row.cells, each);
        row.cells.push_back(length(each.longestHeld.length(), held));
        row.cells.push_back(textCell(each.longestHeld.lock.name));
        if (each.waits.count > 0) {
            row.moment = each.waits.worst.to;
            row.subject = subjectOf(each.waits.worst.party);
        } else if (held) {
            row.moment = each.longestHeld.to;
            row.subject = subjectOf(each.longestHeld.party);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<ColumnInfo> holderColumns()
{
    return {
        {u"holder"_s, u"Holder"_s, {}, 150, true, false, false, 2},
        {u"lock"_s, u"Lock"_s, {}, 200, true, false, false, 3},
        {u"made"_s, u"Made wait"_s,
            u"How long others waited with it at the head of their chain, all of them together"_s, 96, true,
            true},
        {u"blocked"_s, u"Blocked"_s, u"How many waits had it at the head of their chain"_s, 70, true, true},
        {u"directly"_s, u"Directly"_s, u"How long others waited for this very lock, all of them together"_s,
            88, false, true},
        {u"held"_s, u"Held"_s, u"Within the range, as far as it was seen"_s, 90, true, true},
        {u"from"_s, u"From"_s, u"By the server's clock; the range's beginning if it had it before"_s, 166},
        {u"user"_s, u"User"_s, {}, 110, true, false, false, 1, 1},
        {u"host"_s, u"Host"_s, {}, 110, true, false, false, 1, 2},
        {u"at"_s, u"Worst seen at"_s, u"When the longest of those waits was seen last"_s, 166, false},
    };
}

std::vector<ReportRow> holderRows(const record::RangeReport& report)
{
    std::vector<ReportRow> rows;
    for (const record::RangeHolder& each : report.holders) {
        const QString key = u"%1 %2 %3"_s.arg(each.lock.key(), each.party.title()).arg(each.from.us);
        rows.push_back({key + u" %1 %2"_s.arg(each.party.started.us).arg(rows.size()),
            {textCell(each.party.title()), named(each.lock.name), length(each.madeWait), count(each.blocked),
                length(each.madeWaitDirectly), length(each.held()), momentCell(each.from),
                textCell(each.party.user), textCell(each.party.host), momentCell(each.worstAt)},
            inOneLine(u"%1 held %2 from %3 to %4"_s.arg(
                each.party.title(), each.lock.name, momentText(each.from), momentText(each.to))),
            each.worstAt, each.lock});
    }
    return rows;
}

std::vector<ColumnInfo> changeColumns()
{
    const QString before = u"The same in the earlier range"_s;
    return {
        {u"what"_s, u"By"_s, u"Lock or program"_s, 70},
        {u"name"_s, u"Name"_s, {}, 200, true, false, false, 3},
        {u"rate"_s, u"Waits/h"_s, u"In an hour that was seen"_s, 74, true, true},
        {u"rate_before"_s, u"before"_s, before, 66, true, true},
        {u"p50"_s, u"p50"_s, u"Half of the waits were no longer"_s, 80, true, true},
        {u"p50_before"_s, u"before"_s, before, 80, true, true},
        {u"p90"_s, u"p90"_s, u"90 % of the waits were no longer"_s, 80, true, true, false, 0, 2},
        {u"p90_before"_s, u"before"_s, before, 80, true, true, false, 0, 2},
        {u"worst"_s, u"Worst"_s, {}, 80, true, true, false, 0, 3},
        {u"worst_before"_s, u"before"_s, before, 80, true, true, false, 0, 3},
        {u"verdict"_s, u"Verdict"_s,
            u"Of how often: a difference that chance makes once in twenty times or less"_s, 140},
    };
}

std::vector<ReportRow> changeRows(const record::RangeComparison& comparison)
{
    RangeChange all = comparison.all;
    all.name = u"All waits"_s;
    std::vector<ReportRow> rows{changeRow(all, u"All"_s, u"all"_s)};
    for (const RangeChange& each : comparison.locks)
        rows.push_back(changeRow(each, u"Lock"_s, u"lock "_s + each.lock.key()));
    for (const RangeChange& each : comparison.programs)
        rows.push_back(changeRow(each, u"Program"_s, u"program "_s + each.name));
    return rows;
}

} // namespace lockscope::ui
