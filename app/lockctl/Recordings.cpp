// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Recordings.h"

#include "app/lockctl/Console.h"
#include "app/lockctl/ServerOption.h"
#include "core/record/SnapshotSearch.h"

#include <QFileInfo>

#include <utility>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

void addRecording(Command& command)
{
    command.addValue(u"recording"_s, u"FILE"_s,
        u"Read this recording instead of a server; see lockctl record. Of a team's history: postgresql://user@host/db#SERVER."_s);
    command.addValue(u"at"_s, u"TIME"_s,
        u"Show that time, by the recording, else by the server's own one. \"2026-11-22T03:12:07Z\", \"03:12\", \"03:12:07\" or \"yesterday 03:12\", without a zone UTC, as times are shown; or so long before the last snapshot: \"5m\", \"-10m\"."_s);
}

void addRange(Command& command)
{
    command.addValue(u"recording"_s, u"FILE"_s,
        u"The recording; else that of the server, in the account's folder. See lockctl record."_s);
    command.addValue(u"from"_s, u"TIME"_s,
        u"Leave out what ended before: a time, or so long before the last snapshot. Else show all."_s);
    command.addValue(u"to"_s, u"TIME"_s, u"Leave out what began later."_s);
}

Result<QString> recordingPathNamed(const CommandLine& line)
{
    if (line.has(u"recording"_s)) {
        // Which of the two is meant nobody should have to guess.
        if (line.has(u"server"_s))
            return failure(ErrorKind::BadInput, u"--recording and --server are both named."_s,
                u"Leave one of them out."_s);
        return line.value(u"recording"_s);
    }
    if (!line.has(u"server"_s) && !qEnvironmentVariableIsSet("LOCKSCOPE_SERVER"))
        return failure(ErrorKind::BadInput, u"No recording is named."_s,
            u"Give --recording FILE, or --server URL for that server's own; \"lockctl recordings list\" shows which there are."_s);
    const auto server = serverAddress(line, {});
    if (!server)
        return Failure(server.error());
    QString path = record::recordingPath(*server);
    if (!QFileInfo::exists(path))
        return failure(ErrorKind::MissingObject,
            u"There is no recording of %1: %2 is not there."_s.arg(server->display(), path),
            u"Begin one: lockctl record; or name another one with --recording."_s);
    return path;
}

Result<std::unique_ptr<record::RecordingReader>> recordingNamed(const CommandLine& line)
{
    const auto path = recordingPathNamed(line);
    return path ? record::RecordingReader::open(*path) : Failure(path.error());
}

QStringList filesOf(const CommandLine& line)
{
    return line.positionals().isEmpty() ? ownRecordings() : line.positionals();
}

Result<record::Span> rangeOf(const CommandLine& line, const QString& from, const QString& to,
    const record::Span& otherwise, ServerTime last)
{
    record::Span range = otherwise;
    if (line.has(from)) {
        const auto first = parseTime(line.value(from), last);
        if (!first)
            return Failure(first.error());
        range.first = *first;
    }
    if (line.has(to)) {
        // The first such time after the other; else one that is just to come means today's.
        constexpr std::chrono::hours soon(1);
        constexpr std::chrono::hours day(24);
        const ServerTime latest = line.has(from) ? range.first + day - microseconds(1) : last + soon;
        const auto until = parseTime(line.value(to), last, record::TimeEnd::Last, latest);
        if (!until)
            return Failure(until.error());
        range.last = *until;
    }
    if (range.last < range.first)
        return failure(ErrorKind::BadInput,
            u"--%1 %2 is after --%3 %4."_s.arg(
                from, range.first.toIsoString(), to, range.last.toIsoString()));
    return range;
}

Result<RecordedRange> recordedRange(
    const CommandLine& line, Result<std::unique_ptr<record::RecordingReader>> reader)
{
    const auto span = reader ? (*reader)->span() : Failure(reader.error());
    const auto range = span ? rangeOf(line, u"from"_s, u"to"_s, *span, span->last) : Failure(span.error());
    if (!range)
        return Failure(range.error());
    return RecordedRange{std::move(*reader), *span, *range};
}

Result<RecordedRange> recordedRange(const CommandLine& line)
{
    return recordedRange(line, recordingNamed(line));
}

Result<SnapshotPtr> snapshotAt(record::RecordingReader& reader, const QString& time)
{
    const auto span = reader.span();
    if (!span)
        return Failure(span.error());
    const auto at =
        time.isEmpty() ? Result<ServerTime>(span->last) : parseTime(time, span->last, record::TimeEnd::Last);
    if (!at)
        return Failure(at.error());
    if (*at < span->first)
        return failure(
            ErrorKind::MissingObject, u"The recording begins at %1."_s.arg(span->first.toIsoString()));
    const auto found = record::findSnapshot(reader, {.kind = record::SnapshotRequest::Kind::At, .from = *at});
    if (!found)
        return Failure(found.error());
    if (found->snapshot && found->gap)
        complain(found->gapText());
    return found->snapshot;
}

Result<SnapshotPtr> snapshotAskedFor(const CommandLine& line)
{
    const auto reader = recordingNamed(line);
    const auto snapshot = reader ? snapshotAt(**reader, line.value(u"at"_s)) : Failure(reader.error());
    if (snapshot && !line.json())
        sayLine(u"%1 at %2:"_s.arg((*reader)->identity().server, (*snapshot)->takenAt.toIsoString()));
    return snapshot;
}

} // namespace lockscope::ctl
