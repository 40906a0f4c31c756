// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/LockBiography.h"

#include "core/base/ServerTime.h"

#include <algorithm>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

bool isSameParty(const HistoryLine& a, const HistoryLine& b)
{
    // Rows of a lock table have no beginning of a session; a session that waits by one and holds by another
    // is the same.
    return a.recordedParty() == b.recordedParty();
}

/// Holds that began when another one that excludes them had just ended, or when a wait for them did.
QList<HandOver> handOversOf(const QList<HistoryLine>& lines, Engine engine)
{
    QList<qsizetype> ends; // holds, by when they were seen last
    for (qsizetype i = 0; i < lines.size(); ++i) {
        if (!lines[i].waited)
            ends.append(i);
    }
    std::stable_sort(
        ends.begin(), ends.end(), [&lines](qsizetype a, qsizetype b) { return lines[a].to < lines[b].to; });
    QList<HandOver> handOvers;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const HistoryLine& next = lines[i];
        if (next.waited)
            continue;
        HandOver handOver{.at = next.from, .from = {}, .to = i, .wait = {}};
        // True if it ended between the poll that saw it last and the first that did not.
        const auto endedJustBefore = [&next](const HistoryLine& line) {
            return line.gone && line.to <= next.from && *line.gone >= next.from;
        };
        auto end = std::upper_bound(ends.begin(), ends.end(), next.from,
            [&lines](ServerTime at, qsizetype which) { return at < lines[which].to; });
        // Locks that ended more than a poll before are not handed over any more.
        constexpr int maxLinesRead = 64;
        for (int linesRead = 0; end != ends.begin() && linesRead < maxLinesRead; ++linesRead) {
            const qsizetype which = *--end;
            if (which != i && endedJustBefore(lines[which]) && !isSameParty(lines[which], next)
                && excludes(engine, lines[which].mode, next.mode)) {
                handOver.from = which;
                break;
            }
        }
        for (qsizetype before = i - 1; before >= 0; --before) {
            const HistoryLine& wait = lines[before];
            if (wait.waited && wait.mode == next.mode && isSameParty(wait, next) && endedJustBefore(wait)) {
                handOver.wait = before;
                break;
            }
        }
        if (handOver.from || handOver.wait)
            handOvers.append(handOver);
    }
    return handOvers;
}

QString titleOf(const Biography& biography)
{
    if (const auto* lock = std::get_if<RecordedLock>(&biography.subject))
        return biography.lines.isEmpty() ? lock->name : biography.lines.back().lock;
    const auto& session = std::get<RecordedSession>(biography.subject);
    return biography.lines.isEmpty() ? QString::number(session.id.value)
                                     : biography.lines.back().recordedParty().title();
}

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

Result<Biography> biography(
    RecordingReader& reader, const BiographySubject& subject, ServerTime from, ServerTime to)
{
    if (to < from)
        return failure(ErrorKind::BadInput, u"The range ends before it begins."_s);
    Biography history;
    history.subject = subject;
    history.from = from;
    history.to = to;
    const auto* lock = std::get_if<RecordedLock>(&subject);
    const auto* session = std::get_if<RecordedSession>(&subject);
    LOCKSCOPE_TRY_GET(history.lines,
        lock ? reader.lockLife(*lock, from, to, Biography::maxLines + 1)
             : reader.sessionLife(session->id, session->started, from, to, Biography::maxLines + 1));
    if (history.lines.size() > Biography::maxLines) {
        // Up to the one that is left out all is there.
        history.isCut = true;
        history.to = std::max(from, history.lines.back().from);
        history.lines.removeLast();
    }
    LOCKSCOPE_TRY_GET(history.coverage, coverageOf(reader, history.from, history.to));
    history.title = titleOf(history);
    history.kind = lock ? lock->kind : QString();
    if (lock)
        history.handOvers = handOversOf(history.lines, reader.identity().engine);
    return history;
}

namespace {

/// Names that contain what was written, or the last part of it, or of which it has a part wrong.
Result<QStringList> namesSimilarTo(RecordingReader& reader, const QString& written)
{
    constexpr qint64 maxShown = 5;
    const QString text = QString(written).remove(u'%');
    const QString last = text.section(u'.', -1);
    for (const QString& part : {text, last, last.left(last.size() / 2 + 1)}) {
        const auto names = reader.lockNamesLike(likePattern(part), maxShown);
        if (!names || !names->isEmpty())
            return names;
    }
    return QStringList();
}

/// The error for a name that was never seen.
Error neverSeen(RecordingReader& reader, const QString& written)
{
    const auto similar = namesSimilarTo(reader, written);
    const QString hint = similar && !similar->isEmpty()
        ? u"Similar names in it: %1."_s.arg(similar->join(u", "_s))
        : u"Write its name as the lists of locks show it, or a part of it: '%orders%'."_s;
    return {.kind = ErrorKind::MissingObject,
        .what = u"No lock '%1' is in the recording."_s.arg(written),
        .hint = hint};
}

} // namespace

Result<QStringList> lockNamesMeant(RecordingReader& reader, const QString& written)
{
    LOCKSCOPE_TRY_GET(const auto exact, reader.locksNamed(written));
    if (!exact.isEmpty())
        return QStringList{written};
    if (!written.contains(u'%'))
        return Failure(neverSeen(reader, written));
    LOCKSCOPE_TRY_GET(const auto names, reader.lockNamesLike(likePattern(written), maxNames + 1));
    if (names.isEmpty())
        return Failure(neverSeen(reader, written));
    if (names.size() > maxNames)
        return failure(ErrorKind::BadInput,
            u"More than %1 locks are called '%2'."_s.arg(maxNames).arg(written),
            u"Write more of the name."_s);
    return names;
}

Result<RecordedSession> theSession(RecordingReader& reader, SessionId id, ServerTime around)
{
    LOCKSCOPE_TRY_GET(const auto lives, reader.lives(id));
    if (lives.isEmpty())
        return failure(ErrorKind::MissingObject,
            u"No session %1 that held or waited for a lock is in the recording."_s.arg(id.value));
    // The engine's words for a beginning may be local time: the last one that is not later, else the first.
    RecordedSession found{id, lives.front().started};
    for (const RecordedParty& life : lives) {
        if (life.started <= around)
            found.started = life.started;
    }
    return found;
}

ServerTime timeOfLine(const HistoryLine& line, ServerTime from)
{
    return line.waited ? line.to : std::max(line.from, from);
}

Age lengthOf(const HistoryLine& line)
{
    return {line.sightings.proven ? std::chrono::floor<milliseconds>(line.to - line.from) : milliseconds(0),
        false};
}

QString describe(const HistoryLine& line, const BiographySubject& subject)
{
    QString text = std::holds_alternative<RecordedLock>(subject)
        ? line.recordedParty().title() + (line.waited ? u" waited for it"_s : u" held it"_s)
        : (line.waited ? u"waited for "_s : u"held "_s) + line.lock;
    if (!line.mode.isEmpty())
        text += u", "_s + line.mode;
    text += (line.fromExact ? u", from %1"_s : u", from %1 or earlier"_s).arg(clockText(line.from));
    if (line.goesOn)
        text += u", and still at %1, the last poll"_s.arg(clockText(line.to));
    else if (line.gone)
        text += u", until %1 or later; gone at %2"_s.arg(clockText(line.to), clockText(*line.gone));
    else
        text += u", seen until %1; nobody saw when it ended"_s.arg(clockText(line.to));
    const QString seen = line.sightings.toString();
    const QString length = line.sightings.proven ? lengthOf(line).toString() : QString();
    const QString facts = seen.isEmpty()
        ? length
        : u"seen at %1 polls"_s.arg(seen) + (length.isEmpty() ? QString() : u", "_s + length);
    return text + u" (%1)"_s.arg(facts);
}

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
