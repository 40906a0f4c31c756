// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Recordings.h"

#include "app/lockctl/Console.h"
#include "app/lockctl/ServerOption.h"
#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/record/RecordingReader.h"
#include "core/record/SnapshotSearch.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QUuid>

#include <algorithm>
#include <limits>
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
    LOCKSCOPE_TRY_GET(const auto server, serverAddress(line, {}));
    QString path = record::recordingPath(server);
    if (!QFileInfo::exists(path))
        return failure(ErrorKind::MissingObject,
            u"There is no recording of %1: %2 is not there."_s.arg(server.display(), path),
            u"Begin one: lockctl record; or name another one with --recording."_s);
    return path;
}

Result<std::unique_ptr<record::RecordingReader>> recordingNamed(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto path, recordingPathNamed(line));
    return record::RecordingReader::open(path);
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
        LOCKSCOPE_TRY_GET(range.first, parseTime(line.value(from), last));
    }
    if (line.has(to)) {
        // The first such time after the other; else one that is just to come means today's.
        constexpr std::chrono::hours soon(1);
        constexpr std::chrono::hours day(24);
        const ServerTime latest = line.has(from) ? range.first + day - microseconds(1) : last + soon;
        LOCKSCOPE_TRY_GET(range.last, parseTime(line.value(to), last, record::TimeEnd::Last, latest));
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
    LOCKSCOPE_TRY_GET(const auto span, reader ? (*reader)->span() : Failure(reader.error()));
    LOCKSCOPE_TRY_GET(const auto range, rangeOf(line, u"from"_s, u"to"_s, span, span.last));
    return RecordedRange{std::move(*reader), span, range};
}

Result<RecordedRange> recordedRange(const CommandLine& line)
{
    return recordedRange(line, recordingNamed(line));
}

Result<SnapshotPtr> snapshotAt(record::RecordingReader& reader, const QString& time)
{
    LOCKSCOPE_TRY_GET(const auto span, reader.span());
    LOCKSCOPE_TRY_GET(const auto at,
        time.isEmpty() ? Result<ServerTime>(span.last) : parseTime(time, span.last, record::TimeEnd::Last));
    if (at < span.first)
        return failure(
            ErrorKind::MissingObject, u"The recording begins at %1."_s.arg(span.first.toIsoString()));
    LOCKSCOPE_TRY_GET(const auto found,
        record::findSnapshot(reader, {.kind = record::SnapshotRequest::Kind::At, .from = at}));
    if (found.snapshot && found.gap)
        complain(found.gapText());
    return found.snapshot;
}

Result<SnapshotPtr> snapshotAskedFor(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto reader, recordingNamed(line));
    LOCKSCOPE_TRY_GET(auto snapshot, snapshotAt(*reader, line.value(u"at"_s)));
    if (!line.json() && line.value(u"format"_s) == u"text") // of other forms it would be a part
        sayLine(u"%1 at %2:"_s.arg(reader->identity().server, snapshot->takenAt.toIsoString()));
    return snapshot;
}

namespace {

constexpr ServerTime beforeAll{std::numeric_limits<qint64>::min()};
constexpr ServerTime afterAll{std::numeric_limits<qint64>::max()};

record::Identity identityFrom(const record::Identity& source, bool redacted)
{
    return {.id = QUuid::createUuid().toString(QUuid::WithoutBraces),
        .server = source.server,
        .engine = source.engine,
        .began = ownClock(),
        .redacted = redacted,
        .program = u"lockctl "_s + QStringLiteral(LOCKSCOPE_VERSION),
        .place = source.place,
        .cluster = source.cluster};
}

ExitStatus tell(const CommandLine& line, const record::Copied& copied)
{
    const QString out = line.value(u"out"_s);
    const QStringList missing = copied.missingParts();
    if (line.json()) {
        printJson(QJsonObject{{u"file"_s, out}, {u"snapshots"_s, copied.snapshotCount},
            {u"damaged"_s, copied.damaged}, {u"missing"_s, QJsonArray::fromStringList(missing)},
            {u"events"_s, copied.events}, {u"overlaps"_s, copied.twice}});
    } else {
        sayLine(u"%1: %2 and %3."_s.arg(
            out, counted(copied.snapshotCount, u"snapshot"), counted(copied.events, u"event")));
        if (copied.twice > 0)
            say(counted(copied.twice, u"range overlaps", u"ranges overlap")
                + u": of each time what the first file has was taken.\n"_s);
    }
    for (const QString& part : missing)
        complain(part);
    return missing.isEmpty() ? exitOk : exitFailed;
}

Failure noPlace()
{
    return failure(ErrorKind::BadInput, u"Nothing says where it goes."_s,
        u"Name a file that is not there with --out."_s);
}

Result<ExitStatus> exportRange(const CommandLine& line)
{
    if (line.value(u"out"_s).isEmpty())
        return noPlace();
    LOCKSCOPE_TRY_GET(
        const auto recorded, recordedRange(line, record::RecordingReader::open(line.positional(0))));
    const auto& [reader, span, range] = recorded;
    const record::Identity& identity = reader->identity();
    LOCKSCOPE_TRY_GET(const auto copied,
        record::copyRecordings({reader.get()}, range.first, range.last, line.value(u"out"_s),
            identityFrom(identity, identity.redacted || line.has(u"redact"_s))));
    return tell(line, copied);
}

Result<ExitStatus> merge(const CommandLine& line)
{
    if (line.value(u"out"_s).isEmpty())
        return noPlace();
    std::vector<std::unique_ptr<record::RecordingReader>> readers;
    std::vector<record::RecordingReader*> recordings;
    for (const QString& path : line.positionals()) {
        LOCKSCOPE_TRY_GET(auto reader, record::RecordingReader::open(path));
        recordings.push_back(reader.get());
        readers.push_back(std::move(reader));
    }
    const bool isRedacted = std::ranges::all_of(
        recordings, [](const record::RecordingReader* each) { return each->identity().redacted; });
    record::Identity as = identityFrom(recordings.front()->identity(), isRedacted || line.has(u"redact"_s));
    for (const record::RecordingReader* each : recordings)
        if (as.cluster.isEmpty())
            as.cluster = each->identity().cluster;
    LOCKSCOPE_TRY_GET(
        const auto copied, record::copyRecordings(recordings, beforeAll, afterAll, line.value(u"out"_s), as));
    return tell(line, copied);
}

void addOut(Command& command)
{
    command.addValue(u"out"_s, u"FILE"_s, u"The new recording; it must not be there yet. Required."_s);
}

void addRedact(Command& command)
{
    command.addFlag(u"redact"_s,
        u"Leave out the values that stand in statements, and the details that events have beside their sentence. Names stay."_s);
}

} // namespace

Command exportRecordingCommand()
{
    Command command(u"recordings export"_s, u"a clip: a range as a file of its own"_s, exportRange,
        u"Copies the snapshots, events and pins from one time to another into a recording of its own, to send to somebody. Intervals of locks are cut to the range. Also while the recording is being written."_s);
    command.arguments = u"FILE"_s;
    command.examples = {u"lockctl recordings export shop.lockscope --from 10m --out clip.lockscope"_s};
    command.addValue(u"from"_s, u"TIME"_s, u"A time, or so long before the last snapshot."_s);
    command.addValue(u"to"_s, u"TIME"_s, u"The same."_s);
    addOut(command);
    addRedact(command);
    return command;
}

Command mergeRecordingsCommand()
{
    Command command(u"recordings merge"_s, u"one recording of several of the same server"_s, merge,
        u"Copies recordings of one server into one, in the order of the server's time. Where several cover the same time, the one that is named first is taken. Gaps stay gaps."_s);
    command.arguments = u"FILE…"_s;
    command.examples = {u"lockctl recordings merge a.lockscope b.lockscope --out all.lockscope"_s};
    addOut(command);
    addRedact(command);
    return command;
}

} // namespace lockscope::ctl
