// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Recordings made of recordings: `lockctl recordings export` and `merge`.

#include "app/lockctl/Console.h"
#include "app/lockctl/Recordings.h"
#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/record/RecordingCopy.h"

#include <QJsonArray>
#include <QUuid>

#include <algorithm>
#include <limits>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

constexpr ServerTime beforeAll{std::numeric_limits<qint64>::min()};
constexpr ServerTime afterAll{std::numeric_limits<qint64>::max()};

record::Identity identityFrom(const record::Identity& source, bool redacted)
{
    record::Identity copy{.id = QUuid::createUuid().toString(QUuid::WithoutBraces),
        .server = source.server,
        .engine = source.engine,
        .began = ownClock(),
        .redacted = redacted,
        .program = u"lockctl "_s + QStringLiteral(LOCKSCOPE_VERSION),
        .place = source.place};
    copy.cluster = source.cluster;
    return copy;
}

int tell(const CommandLine& line, const Result<record::Copied>& copied)
{
    if (!copied)
        return fail(copied.error());
    const QString out = line.value(u"out"_s);
    const QStringList missing = copied->missingParts();
    if (line.json()) {
        printJson(QJsonObject{{u"file"_s, out}, {u"snapshots"_s, copied->snapshotCount},
            {u"damaged"_s, copied->damaged}, {u"missing"_s, QJsonArray::fromStringList(missing)},
            {u"events"_s, copied->events}, {u"overlaps"_s, copied->twice}});
    } else {
        sayLine(u"%1: %2 and %3."_s.arg(
            out, counted(copied->snapshotCount, u"snapshot"), counted(copied->events, u"event")));
        if (copied->twice > 0)
            say(counted(copied->twice, u"range overlaps", u"ranges overlap")
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

int exportRange(const CommandLine& line)
{
    if (line.value(u"out"_s).isEmpty())
        return fail(noPlace().value());
    const auto recorded = recordedRange(line, record::RecordingReader::open(line.positional(0)));
    if (!recorded)
        return fail(recorded.error());
    const auto& [reader, span, range] = *recorded;
    const record::Identity& identity = reader->identity();
    return tell(line,
        record::copyRecordings({reader.get()}, range.first, range.last, line.value(u"out"_s),
            identityFrom(identity, identity.redacted || line.has(u"redact"_s))));
}

int merge(const CommandLine& line)
{
    if (line.value(u"out"_s).isEmpty())
        return fail(noPlace().value());
    std::vector<std::unique_ptr<record::RecordingReader>> readers;
    std::vector<record::RecordingReader*> recordings;
    for (const QString& path : line.positionals()) {
        auto reader = record::RecordingReader::open(path);
        if (!reader)
            return fail(reader.error());
        recordings.push_back(reader->get());
        readers.push_back(std::move(*reader));
    }
    const bool isRedacted = std::all_of(recordings.begin(), recordings.end(),
        [](const record::RecordingReader* each) { return each->identity().redacted; });
    record::Identity as = identityFrom(recordings.front()->identity(), isRedacted || line.has(u"redact"_s));
    for (const record::RecordingReader* each : recordings) {
        if (as.cluster.isEmpty())
            as.cluster = each->identity().cluster;
    }
    return tell(line, record::copyRecordings(recordings, beforeAll, afterAll, line.value(u"out"_s), as));
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
