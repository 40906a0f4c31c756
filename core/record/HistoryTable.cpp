// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/HistoryTable.h"

#include "core/base/ClockText.h"

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
    using report::Shown;
    using report::Type;
    const auto shownIf = [](bool is) { return is ? Shown::Always : Shown::ToPrograms; };
    const Shown party = shownIf(!columns.ofSession);
    return {.key = {},
        .columns = {{.key = u"from"_s,
                        .title = u"From"_s,
                        .type = Type::Time,
                        .meaning = u"≤: at the latest then, perhaps earlier"_s,
                        .bound = report::Bound::AtMost,
                        .tellsExact = true},
            {.key = u"at_least"_s,
                .title = u"For"_s,
                .type = Type::Length,
                .meaning = u"At least, as far as its transaction or lease proves it"_s},
            {.key = u"seen"_s,
                .title = u"Seen"_s,
                .meaning = u"At so many of the polls made in that time"_s,
                .yields = 1},
            {.key = u"what"_s, .title = u"What"_s},
            {.key = u"kind"_s, .title = u"Kind"_s, .shown = shownIf(columns.hasKinds), .yields = 1},
            {.key = u"database"_s,
                .title = u"Database"_s,
                .shown = shownIf(columns.hasKinds && !columns.ofSession),
                .share = 1},
            {.key = u"lock"_s,
                .title = u"Lock"_s,
                .shown = shownIf(columns.hasNames || columns.ofSession),
                .share = 3},
            {.key = u"session"_s, .title = u"Session"_s, .type = Type::Count, .shown = party},
            {.key = u"program"_s, .title = u"Program"_s, .shown = party, .share = 2},
            {.key = u"user"_s, .title = u"User"_s, .shown = party, .share = 1, .yields = 1},
            {.key = u"host"_s, .title = u"Host"_s, .shown = party, .share = 1, .yields = 2},
            {.key = u"mode"_s, .title = u"Mode"_s, .share = 1, .yields = 3},
            {.key = u"until"_s,
                .title = u"Until"_s,
                .meaning =
                    u"“gone by”: the first poll that did not see it; “seen until”: not recorded afterwards"_s},
            {.key = u"seen_until"_s, .type = Type::Time, .shown = Shown::ToPrograms},
            {.key = u"gone"_s, .type = Type::Time, .shown = Shown::ToPrograms},
            {.key = u"seen_polls"_s, .type = Type::Count, .shown = Shown::ToPrograms},
            {.key = u"polls"_s, .type = Type::Count, .shown = Shown::ToPrograms}},
        .whenEmpty = columns.ofSession ? u"In that time it was not seen to hold a lock or to wait for one."_s
                                       : u"In that time nobody was seen to hold it or to wait for it."_s};
}

report::Row historyRow(const HistoryLine& line, bool ofSession, ServerTime from)
{
    using report::Mark;
    using report::Value;
    const bool hasSession = line.party.session.isValid();
    const RecordedSession session{line.party.session, line.partyStarted};
    report::Row row{.cells = {Value(line.from, line.fromExact),
                        line.sightings.proven ? Value::atLeast(line.to - line.from) : Value(),
                        ordered(line.sightings.toString(), line.sightings.seen),
                        line.waited ? Value(u"waited"_s, Mark::Waiter) : Value(u"held"_s, Mark::Holder),
                        line.kind, line.database, line.lock,
                        hasSession ? Value(qint64(line.party.session.value)) : Value(), line.party.program,
                        line.party.owner, line.party.host, line.mode, ordered(untilText(line), line.to.us),
                        line.to, line.gone.value_or(ServerTime()), line.sightings.seen, line.sightings.polls},
        .more = {describe(
            line, ofSession ? BiographySubject(session) : BiographySubject(line.recordedLock()))},
        .moment = momentOf(line, from)};
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
    std::vector<report::Row>& rows = report.sections.front().rows;
    for (const HistoryLine& line : biography.lines) {
        rows.push_back(historyRow(line, ofSession, biography.from));
        rows.back().key = QString::number(rows.size() - 1);
    }
    return report;
}

} // namespace lockscope::record
