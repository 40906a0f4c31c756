// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/HistoryTable.h"

#include "core/base/ServerTime.h"

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

QString untilText(const HistoryLine& line)
{
    if (line.goesOn)
        return u"goes on at "_s + clockText(line.to);
    return line.gone ? u"gone by "_s + clockText(*line.gone) : u"seen until "_s + clockText(line.to);
}

report::Value ordered(const QString& text, qint64 order)
{
    report::Value value(text);
    value.order = order;
    return value;
}

} // namespace

report::Section historySection(const HistoryColumns& columns)
{
    using enum report::Type;
    using enum report::Shown;
    using report::Column;
    const auto shownIf = [](bool is) { return is ? Always : ToPrograms; };
    const report::Shown party = shownIf(!columns.ofSession);
    return {
        .columns = {Column(Time, u"from"_s, u"From"_s, u"≤: at the latest then, perhaps earlier"_s)
                        .atMost()
                        .withExact(),
            {Length, u"at_least"_s, u"For"_s, u"At least, as far as its transaction or lease proves it"_s},
            Column(u"seen"_s, u"Seen"_s, u"At so many of the polls made in that time"_s).yield(1),
            {u"what"_s, u"What"_s}, Column(u"kind"_s, u"Kind"_s).show(shownIf(columns.hasKinds)).yield(1),
            Column(u"database"_s, u"Database"_s)
                .show(shownIf(columns.hasKinds && !columns.ofSession))
                .wide(1),
            Column(u"lock"_s, u"Lock"_s).show(shownIf(columns.hasNames || columns.ofSession)).wide(3),
            Column(Count, u"session"_s, u"Session"_s).show(party),
            Column(u"program"_s, u"Program"_s).show(party).wide(2),
            Column(u"user"_s, u"User"_s).show(party).wide(1).yield(1),
            Column(u"host"_s, u"Host"_s).show(party).wide(1).yield(2),
            Column(u"mode"_s, u"Mode"_s).wide(1).yield(3),
            {u"until"_s, u"Until"_s,
                u"“gone by”: the first poll that did not see it; “seen until”: not recorded afterwards"_s},
            {Time, u"seen_until"_s}, {Time, u"gone"_s}, {Count, u"seen_polls"_s}, {Count, u"polls"_s}},
        .whenEmpty = columns.ofSession ? u"In that time it was not seen to hold a lock or to wait for one."_s
                                       : u"In that time nobody was seen to hold it or to wait for it."_s};
}

report::ReportRow historyRow(const HistoryLine& line, bool ofSession, ServerTime from)
{
    using report::Mark;
    using report::Value;
    const bool hasSession = line.party.session.isValid();
    const RecordedSession session{line.party.session, line.partyStarted};
    report::ReportRow row{
        .cells = {Value(line.from, line.fromExact),
            line.sightings.proven ? Value::atLeast(line.to - line.from) : Value(),
            ordered(line.sightings.toString(), line.sightings.seen),
            line.waited ? Value(u"waited"_s, Mark::Waiter) : Value(u"held"_s, Mark::Holder), line.kind,
            line.database, line.lock, hasSession ? Value(qint64(line.party.session.value)) : Value(),
            line.party.program, line.party.owner, line.party.host, line.mode,
            ordered(untilText(line), line.to.us), line.to, line.gone.value_or(ServerTime()),
            line.sightings.seen, line.sightings.polls},
        .more = {describe(
            line, ofSession ? BiographySubject(session) : BiographySubject(line.recordedLock()))},
        .rowTime = timeOfLine(line, from)};
    if (ofSession)
        row.about = BiographySubject(line.recordedLock());
    else if (hasSession)
        row.about = BiographySubject(session);
    return row;
}

report::Report toReport(const Biography& biography)
{
    const bool ofSession = std::holds_alternative<RecordedSession>(biography.subject);
    report::Report report{.title = u"History of %1, %2 to %3"_s.arg(biography.title,
                              report::timeText(biography.from), report::timeText(biography.to)),
        .sections = {historySection({.ofSession = ofSession, .hasKinds = ofSession})},
        .closing = {biography.coverage.toString()}};
    if (biography.isCut)
        report.notes << u"Only the first %1 lines are shown, up to %2."_s.arg(
            QString::number(biography.lines.size()), report::timeText(biography.to));
    std::vector<report::ReportRow>& rows = report.sections.front().rows;
    for (const HistoryLine& line : biography.lines) {
        rows.push_back(historyRow(line, ofSession, biography.from));
        rows.back().key = QString::number(rows.size() - 1);
    }
    return report;
}

} // namespace lockscope::record
