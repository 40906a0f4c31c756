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
    auto lines = lock ? reader.lockLife(*lock, from, to, Biography::maxLines + 1)
                      : reader.sessionLife(session->id, session->started, from, to, Biography::maxLines + 1);
    if (!lines)
        return Failure(lines.error());
    history.lines = std::move(*lines);
    if (history.lines.size() > Biography::maxLines) {
        // Up to the one that is left out all is there.
        history.isCut = true;
        history.to = std::max(from, history.lines.back().from);
        history.lines.removeLast();
    }
    auto coverage = coverageOf(reader, history.from, history.to);
    if (!coverage)
        return Failure(coverage.error());
    history.coverage = std::move(*coverage);
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
    const auto exact = reader.locksNamed(written);
    if (!exact)
        return Failure(exact.error());
    if (!exact->isEmpty())
        return QStringList{written};
    if (!written.contains(u'%'))
        return Failure(neverSeen(reader, written));
    const auto names = reader.lockNamesLike(likePattern(written), maxNames + 1);
    if (!names)
        return names;
    if (names->isEmpty())
        return Failure(neverSeen(reader, written));
    if (names->size() > maxNames)
        return failure(ErrorKind::BadInput,
            u"More than %1 locks are called '%2'."_s.arg(maxNames).arg(written),
            u"Write more of the name."_s);
    return names;
}

Result<RecordedSession> theSession(RecordingReader& reader, SessionId id, ServerTime around)
{
    const auto lives = reader.lives(id);
    if (!lives)
        return Failure(lives.error());
    if (lives->isEmpty())
        return failure(ErrorKind::MissingObject,
            u"No session %1 that held or waited for a lock is in the recording."_s.arg(id.value));
    // The engine's words for a beginning may be local time: the last one that is not later, else the first.
    RecordedSession found{id, lives->front().started};
    for (const RecordedParty& life : *lives) {
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

} // namespace lockscope::record
