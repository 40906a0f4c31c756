// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RangeReport.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/record/RecordedLock.h"
#include "core/record/RecordingNotes.h"
#include "core/record/StoredEvents.h"

#include <algorithm>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

using report::Column;
using report::Mark;
using report::ReportRow;
using report::Section;
using report::Shown;
using Cell = report::Value;
using Columns = std::vector<Column>;
using Cells = std::vector<Cell>;

template <class T> void append(std::vector<T>& all, const std::vector<T>& more)
{
    all.insert(all.end(), more.begin(), more.end());
}

Cell nameValue(const QString& name)
{
    return name.isEmpty() ? Cell(u"not known"_s, Mark::Muted) : Cell(name);
}

Cell countValue(qint64 count)
{
    Cell value(count);
    value.mark = count == 0 ? Mark::Muted : Mark::None;
    return value;
}

Cell lengthValue(microseconds length, bool isKnown = true)
{
    return isKnown ? Cell::atLeast(length) : Cell();
}

QString rangeText(const RangeReport& range)
{
    return u"%1 to %2"_s.arg(report::timeText(range.from), report::timeText(range.to));
}

QString spacedText(ServerTime at)
{
    return report::timeText(at, report::TimeForm::Spaced);
}

/// Returns nothing where no part of it is proven.
Cell provenLength(microseconds length)
{
    return lengthValue(length, length.count() > 0);
}

/// The columns of a wait or hold for programs.
Columns intervalColumns(const QString& prefix)
{
    using enum report::Type;
    return {{prefix + u"kind"_s}, {prefix + u"database"_s}, {Count, prefix + u"session"_s},
        {prefix + u"user"_s}, {prefix + u"program"_s}, {prefix + u"host"_s}, {Time, prefix + u"from"_s},
        {Count, prefix + u"seen_polls"_s}, {Count, prefix + u"polls"_s}};
}

Cells intervalCells(const RangeWait& wait, bool isKnown)
{
    if (!isKnown)
        return Cells(intervalColumns({}).size());
    return {wait.lock.kind, wait.lock.database,
        wait.party.session.isValid() ? Cell(qint64(wait.party.session.value)) : Cell(), wait.party.user,
        wait.party.program, wait.party.host, wait.from, wait.sightings.seen, wait.sightings.polls};
}

/// `worstShown`: of who waited longest, and when.
Columns waitColumns(const QString& prefix, Shown worstShown)
{
    using enum report::Type;
    using enum report::Shown;
    const QString worst = prefix + u"worst."_s;
    Columns columns{
        {Count, prefix + u"count"_s, u"Waits"_s, u"How often somebody was seen to wait"_s},
        {Length, prefix + u"at_least"_s, u"Waited"_s, u"All waits together, as far as they were seen"_s},
        {Length, prefix + u"p50"_s, u"p50"_s, u"Half of the waits were no longer"_s},
        Column(Length, prefix + u"p90"_s, u"p90"_s, u"90 % of the waits were no longer"_s).yield(2),
        Column(Length, prefix + u"p99"_s, u"p99"_s,
            u"99 % of the waits were no longer; the longest, of fewer than 100"_s)
            .yield(3),
        {Length, worst + u"at_least"_s, u"Worst"_s, u"The longest wait"_s},
        Column(worst + u"by"_s, u"Worst by"_s).show(worstShown).wide(2).yield(1),
        Column(Time, worst + u"seen_until"_s, u"Worst seen at"_s,
            u"When it was seen to wait last, by the server's clock"_s)
            .show(worstShown)
            .yield(5),
        Column(worst + u"lock"_s, u"Worst for"_s).show(OnRequest).wide(2),
        {Count, prefix + u"cut"_s},
        {Count, prefix + u"end_unseen"_s},
    };
    append(columns, intervalColumns(worst));
    return columns;
}

Cells waitCells(const WaitFigures& waits)
{
    const bool some = waits.count > 0;
    Cells cells{countValue(waits.count), lengthValue(waits.total, some), lengthValue(waits.p50, some),
        lengthValue(waits.p90, some), lengthValue(waits.p99, some), lengthValue(waits.worst.length(), some),
        some ? Cell(waits.worst.party.title()) : Cell(), waits.worst.to,
        some ? Cell(waits.worst.lock.name) : Cell(), waits.cut, waits.open};
    append(cells, intervalCells(waits.worst, some));
    return cells;
}

QStringList moreOf(const WaitFigures& waits)
{
    if (waits.count == 0)
        return {};
    QStringList lines{u"Worst: %1 waited ≥ %2 for %3"_s.arg(
        waits.worst.party.title(), lengthInWords(waits.worst.length()), waits.worst.lock.name)};
    lines << u"from %1, seen until %2"_s.arg(spacedText(waits.worst.from), spacedText(waits.worst.to));
    if (waits.cut > 0)
        lines << u"%1 of %2 reach beyond an end of the range"_s.arg(waits.cut).arg(waits.count);
    if (waits.open > 0)
        lines << u"the end of %1 was not recorded"_s.arg(counted(waits.open, u"wait"));
    return lines;
}

/// Rows of one table stand together: the history is that of the row of the worst wait.
RecordedLock lockWithHistory(const RecordedLock& lock, const WaitFigures& waits)
{
    return lock.identity.isEmpty() ? waits.worst.lock : lock;
}

Section locksSection(const RangeReport& range)
{
    using enum report::Type;
    using enum report::Shown;
    Section section{.key = u"locks"_s,
        .title = u"Locks that were waited for"_s,
        .columns = {Column(u"lock"_s, u"Lock"_s, u"Rows of a table stand together"_s).wide(3)},
        .whenEmpty = range.coverage.polls > 0 ? u"Nobody was seen to wait for a lock."_s : QString()};
    append(section.columns, waitColumns(u"waits."_s, Shown::Always));
    append(section.columns,
        Columns{Column(Count, u"sessions"_s, u"Sessions"_s, u"How many different sessions waited"_s).yield(4),
            Column(u"kind"_s, u"Kind"_s).show(OnRequest),
            Column(u"database"_s, u"Database"_s).show(OnRequest)});
    for (const RangeLock& each : range.locks) {
        ReportRow row{.cells = {nameValue(each.lock.name)},
            .key = each.lock.key(),
            .more = moreOf(each.waits),
            .rowTime = each.waits.worst.to,
            .about = BiographySubject(lockWithHistory(each.lock, each.waits))};
        append(row.cells, waitCells(each.waits));
        append(row.cells, Cells{each.waiters, each.lock.kind, each.lock.database});
        section.rows.push_back(std::move(row));
    }
    return section;
}

Section holdersSection(const RangeReport& range)
{
    using enum report::Type;
    using enum report::Shown;
    Section section{.key = u"holders"_s,
        .title = u"Who made others wait longest"_s,
        .columns = {Column(u"holder"_s, u"Holder"_s).wide(2), Column(u"lock"_s, u"Lock"_s).wide(3),
            {Length, u"made_wait"_s, u"Made wait"_s,
                u"How long others waited with it at the head of their chain, all of them together"_s},
            {Count, u"blocked"_s, u"Blocked"_s, u"How many waits had it at the head of their chain"_s},
            Column(Length, u"made_wait_directly"_s, u"Directly"_s,
                u"How long others waited for this very lock, all of them together"_s)
                .yield(4),
            {Length, u"at_least"_s, u"Held"_s, u"Within the range, as far as it was seen"_s},
            Column(Time, u"from"_s, u"From"_s,
                u"By the server's clock; the range's beginning if it had it before"_s)
                .yield(3),
            Column(u"user"_s, u"User"_s).wide(1).yield(1), Column(u"host"_s, u"Host"_s).wide(1).yield(2),
            Column(
                Time, u"worst_at"_s, u"Worst seen at"_s, u"When the longest of those waits was seen last"_s)
                .show(OnRequest),
            Column(Time, u"seen_until"_s, u"Until"_s).show(OnRequest)}};
    const Columns forPrograms = intervalColumns({});
    std::vector<std::size_t> others; // that are not among those above
    for (std::size_t i = 0; i < forPrograms.size(); ++i)
        if (std::ranges::find(section.columns, forPrograms[i].key, &Column::key) == section.columns.end())
            others.push_back(i);
    for (const std::size_t each : others)
        section.columns.push_back(forPrograms[each]);
    for (const RangeHolder& each : range.holders) {
        ReportRow row{
            .cells = {each.party.title(), nameValue(each.lock.name), lengthValue(each.madeWait),
                countValue(each.blocked), lengthValue(each.madeWaitDirectly), provenLength(each.held()),
                each.from, each.party.user, each.party.host, each.worstAt, each.to},
            .key = u"%1 %2 %3 %4 %5"_s.arg(each.lock.key(), each.party.title())
                       .arg(each.from.us)
                       .arg(each.party.started.us)
                       .arg(section.rows.size()),
            .more = {u"%1 held %2 from %3 to %4"_s.arg(
                each.party.title(), each.lock.name, spacedText(each.from), spacedText(each.to))},
            .rowTime = each.worstAt,
            .about = BiographySubject(each.lock)};
        const Cells cells = intervalCells({.lock = each.lock,
                                              .party = each.party,
                                              .from = each.from,
                                              .to = each.to,
                                              .sightings = each.sightings},
            true);
        for (const std::size_t which : others)
            row.cells.push_back(cells[which]);
        section.rows.push_back(std::move(row));
    }
    return section;
}

/// A row of a lock table may not say which session wrote it.
std::any sessionOf(const RecordedParty& party)
{
    return party.session.isValid() ? std::any(BiographySubject(RecordedSession{party.session, party.started}))
                                   : std::any();
}

/// The figures of a section of sums besides waits.
enum class SumKind : quint8 { Waits, Blame, Holds };

ReportRow sumRow(const RangeParty& sum, SumKind sums)
{
    const bool waited = sum.waits.count > 0;
    const bool held = !sum.longestHeld.lock.kind.isEmpty();
    ReportRow row{.cells = {nameValue(sum.name)}, .key = u"of "_s + sum.name, .more = moreOf(sum.waits)};
    append(row.cells, waitCells(sum.waits));
    if (waited) {
        row.rowTime = sum.waits.worst.to;
        row.about = sums == SumKind::Holds ? sessionOf(sum.waits.worst.party)
                                           : std::any(BiographySubject(sum.waits.worst.lock));
    }
    if (sums == SumKind::Waits)
        return row;
    const bool blocked = sum.blocked > 0;
    append(row.cells,
        Cells{countValue(sum.blocked), lengthValue(sum.madeWait, blocked),
            lengthValue(sum.madeWaitDirectly, blocked || sum.madeWaitDirectly.count() > 0)});
    if (sums == SumKind::Blame) {
        row.more.prepend(sum.name);
        return row;
    }
    append(row.cells,
        Cells{provenLength(sum.longestHeld.length()), held ? Cell(sum.longestHeld.lock.name) : Cell(),
            held ? Cell(sum.longestHeld.to) : Cell()});
    append(row.cells, intervalCells(sum.longestHeld, held));
    if (!waited && held) {
        row.rowTime = sum.longestHeld.to;
        row.about = sessionOf(sum.longestHeld.party);
    }
    return row;
}

/// A section of `parties`; `section` has its name column.
Section sumsSection(Section section, const QList<RangeParty>& parties, SumKind sums)
{
    using enum report::Type;
    using enum report::Shown;
    append(section.columns, waitColumns(u"waits."_s, Shown::OnRequest));
    if (sums != SumKind::Waits)
        append(section.columns,
            Columns{{Count, u"blocked"_s, u"Blocked"_s, u"Waits with it at the head of their chain"_s},
                {Length, u"made_wait"_s, u"Made wait"_s,
                    u"How long others waited with it at the head of their chain; if several were, all of them count"_s},
                Column(Length, u"made_wait_directly"_s, u"Directly"_s,
                    u"How long others waited for what it held"_s)
                    .show(OnRequest)});
    if (sums == SumKind::Holds) {
        append(section.columns,
            Columns{{Length, u"longest_held.at_least"_s, u"Held longest"_s, u"Any lock, waited for or not"_s},
                Column(u"longest_held.lock"_s, u"Of"_s, u"What it held longest"_s).wide(2).yield(1),
                {Time, u"longest_held.seen_until"_s}});
        append(section.columns, intervalColumns(u"longest_held."_s));
    }
    for (const RangeParty& each : parties)
        section.rows.push_back(sumRow(each, sums));
    return section;
}

Section gapsSection(const Coverage& coverage, const QString& key)
{
    using enum report::Type;
    Section section{.key = key,
        .columns = {{Time, u"from"_s}, {Time, u"to"_s}, {u"reason"_s}, {u"detail"_s}},
        .shown = Shown::ToPrograms};
    for (const Coverage::Gap& gap : coverage.gaps)
        section.rows.push_back({.cells = {gap.from, gap.to, gapReasonName(gap.reason), gap.detail}});
    return section;
}

void addSpan(report::Report& report, const RangeReport& range, const QString& prefix)
{
    using enum report::Type;
    const auto add = [&](const QString& key, report::Type type, const Cell& value) {
        report.facts.push_back({{type, prefix + key}, value});
    };
    add(u"from"_s, Time, range.from);
    add(u"to"_s, Time, range.to);
    add(u"seen.range"_s, Length, Cell(range.coverage.length));
    add(u"seen.seen"_s, Length, Cell(range.coverage.recorded));
    add(u"seen.polls"_s, Count, range.coverage.polls);
    add(u"seen.usual_pause"_s, Length, Cell(range.coverage.usualPause));
    report.sections.push_back(gapsSection(range.coverage, prefix + u"seen.gaps"_s));
}

Section nameSection(const QString& key, const QString& title, const QString& name, const QString& meaning)
{
    return {.key = key, .title = title, .columns = {Column(u"name"_s, name, meaning).wide(3)}};
}

Section changesSection(const RangeComparison& comparison)
{
    using enum report::Type;
    using enum report::Shown;
    const QString earlier = u"The same in the earlier range"_s;
    Section section{.key = u"changes"_s,
        .columns = {{u"by"_s, u"By"_s, u"Lock or program"_s}, Column(u"name"_s, u"Name"_s).wide(3),
            {Number, u"per_hour_after"_s, u"Waits/h"_s, u"In an hour that was seen"_s},
            {Number, u"per_hour_before"_s, u"before"_s, earlier}}};
    const auto addLengths = [&](const QString& key, const QString& title, const QString& meaning,
                                int yields) {
        section.columns.push_back(Column(Length, u"after."_s + key, title, meaning).yield(yields));
        section.columns.push_back(Column(Length, u"before."_s + key, u"before"_s, earlier).yield(yields));
    };
    addLengths(u"p50"_s, u"p50"_s, u"Half of the waits were no longer"_s, 0);
    addLengths(u"p90"_s, u"p90"_s, u"90 % of the waits were no longer"_s, 2);
    addLengths(u"worst.at_least"_s, u"Worst"_s, {}, 3);
    append(section.columns,
        Columns{{u"verdict"_s, u"Verdict"_s,
                    u"Whether the number of waits differs by more than chance does once in twenty times"_s},
            Column(Count, u"after.count"_s, u"Waits"_s).show(OnRequest),
            Column(Count, u"before.count"_s, u"before"_s).show(OnRequest),
            Column(Length, u"after.at_least"_s, u"Waited"_s).show(OnRequest),
            Column(Length, u"before.at_least"_s, u"before"_s).show(OnRequest),
            {Number, u"waited_seconds_per_hour_after"_s}, {Number, u"waited_seconds_per_hour_before"_s}});
    const auto mark = [](RangeChange::Verdict verdict) {
        using enum RangeChange::Verdict;
        switch (verdict) {
        case New:
        case More:
            return Mark::Warning;
        case Gone:
        case Less:
            return Mark::Good;
        case TooLittle:
        case Same:
            break;
        }
        return Mark::Muted;
    };
    const auto add = [&](const RangeChange& change, const QString& by, const QString& name,
                         const QString& key) {
        const bool before = change.before.count > 0;
        const bool after = change.after.count > 0;
        const WaitFigures& waits = after ? change.after : change.before;
        ReportRow row{.cells = {by, nameValue(name), change.perHourAfter, change.perHourBefore,
                          lengthValue(change.after.p50, after), lengthValue(change.before.p50, before),
                          lengthValue(change.after.p90, after), lengthValue(change.before.p90, before),
                          lengthValue(change.after.worst.length(), after),
                          lengthValue(change.before.worst.length(), before),
                          Cell(verdictName(change.verdict), mark(change.verdict)), change.after.count,
                          change.before.count, lengthValue(change.after.total, after),
                          lengthValue(change.before.total, before), change.waitedAfter, change.waitedBefore},
            .key = key,
            .more = moreOf(waits)};
        if (after || before)
            row.rowTime = waits.worst.to;
        if (!change.lock.kind.isEmpty())
            row.about = BiographySubject(lockWithHistory(change.lock, waits));
        section.rows.push_back(std::move(row));
    };
    add(comparison.all, u"All"_s, u"All waits"_s, u"all"_s);
    for (const RangeChange& each : comparison.locks)
        add(each, u"Lock"_s, each.name, u"lock "_s + each.lock.key());
    for (const RangeChange& each : comparison.programs)
        add(each, u"Program"_s, each.name, u"program "_s + each.name);
    return section;
}

Section marksSection(const QList<Event>& notes)
{
    using enum report::Type;
    Section section{.key = u"marks"_s,
        .title = u"Notes"_s,
        .columns = {{Time, u"at"_s, u"At"_s}, Column(u"text"_s, u"Note"_s).wide(3),
            Column(u"author"_s, u"By"_s).wide(1)}};
    for (const Event& note : notes)
        section.rows.push_back({.cells = {note.at, note.what, authorOf(note)}, .rowTime = note.at});
    return section;
}

} // namespace

report::Report toReport(const RangeReport& range)
{
    report::Report report{.title = rangeText(range), .notes = notesOf(range)};
    addSpan(report, range, {});
    const Columns columns = waitColumns(u"waits."_s, Shown::ToPrograms);
    const Cells cells = waitCells(range.waits);
    for (std::size_t i = 0; i < columns.size(); ++i)
        report.facts.push_back({columns[i], cells[i]});
    append(report.sections,
        std::vector<Section>{locksSection(range), holdersSection(range),
            sumsSection(nameSection(u"programs"_s, u"By program"_s, u"Program"_s, {}), range.programs,
                SumKind::Holds),
            sumsSection(nameSection(u"users"_s, u"By user"_s, u"User"_s, {}), range.users, SumKind::Holds),
            sumsSection(nameSection(u"statements"_s, u"By statement"_s, u"Statement"_s,
                            u"A ? stands for each value"_s),
                range.statements, SumKind::Blame),
            sumsSection(nameSection(u"tables"_s, u"By table, with its rows and pages"_s, u"Table"_s,
                            u"With its rows and pages"_s),
                range.tables, SumKind::Waits)});
    return report;
}

report::Report toReport(const RangeComparison& comparison)
{
    report::Report report{
        .title = u"%1, compared with %2"_s.arg(rangeText(comparison.after), rangeText(comparison.before)),
        .notes = notesOf(comparison)};
    addSpan(report, comparison.before, u"before."_s);
    addSpan(report, comparison.after, u"after."_s);
    report.facts.push_back(
        {{u"too_little"_s}, comparison.tooLittle.isEmpty() ? Cell() : Cell(comparison.tooLittle)});
    report.sections.push_back(changesSection(comparison));
    return report;
}

Result<RangeAnswer> answerOf(RecordingReader& reader, ServerTime from, ServerTime to)
{
    LOCKSCOPE_TRY_GET(auto range, rangeReport(reader, from, to));
    LOCKSCOPE_TRY_GET(const auto around, reader.surroundings(from, to));
    report::Report report = toReport(range);
    // The rest is shown although events can't be read.
    if (const auto events = reader.events(from, to)) {
        report.sections.push_back(marksSection(notesAmong(*events)));
        tallyOf(*events).addTo(report);
    }
    SlowOrLocked::of(around).addTo(report);
    return RangeAnswer{std::move(range), std::move(report)};
}

} // namespace lockscope::record
