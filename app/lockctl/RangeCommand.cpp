// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Recordings.h"

#include "app/lockctl/Console.h"
#include "core/record/LockBiography.h"
#include "core/record/RangeReport.h"
#include "core/record/StoredEvents.h"
#include "core/report/SnapshotTables.h"

#include <QSet>

#include <limits>
#include <utility>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

const QString defaultLines = u"10"_s;

/// The options of both commands.
struct Asked : RecordedRange {
    qint64 maximum = 0; ///< lines of each list
};

Result<Asked> askedBy(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto maximum, line.number(u"limit"_s, 1));
    LOCKSCOPE_TRY_GET(auto recorded, recordedRange(line));
    return Asked{std::move(recorded), maximum};
}

Result<ExitStatus> runRange(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto asked, askedBy(line));
    LOCKSCOPE_TRY_GET(
        const auto answer, record::answerOf(*asked.reader, asked.range.first, asked.range.last));
    printReport(line, answer.report, asked.maximum);
    return answer.range.coverage.polls == 0 ? exitNoVerdict : exitOk;
}

/// Two snapshots side by side, --at and --with; without --with the last one.
Result<ExitStatus> compareSnapshots(const CommandLine& line)
{
    if (!line.has(u"at"_s))
        return failure(ErrorKind::BadInput, u"--at is missing: it names the first snapshot."_s);
    LOCKSCOPE_TRY_GET(const auto reader, recordingNamed(line));
    LOCKSCOPE_TRY_GET(auto before, snapshotAt(*reader, line.value(u"at"_s)));
    LOCKSCOPE_TRY_GET(auto after, snapshotAt(*reader, line.value(u"with"_s)));
    if (after->takenAt < before->takenAt)
        std::swap(before, after);
    return printReport(line, report::toReport(*before, *after, differencesBetween(*before, *after)));
}

Result<ExitStatus> runCompare(const CommandLine& line)
{
    if (line.has(u"at"_s) || line.has(u"with"_s))
        return compareSnapshots(line);
    LOCKSCOPE_TRY_GET(const auto asked, askedBy(line));
    const record::Span& later = asked.range;
    // A range of the same length: right before it, or from --with-from on.
    const microseconds length = later.last - later.first;
    record::Span otherwise{later.first - length, later.first, 0};
    if (line.has(u"with-from"_s)) {
        LOCKSCOPE_TRY_GET(const auto from, parseTime(line.value(u"with-from"_s), asked.span.last));
        otherwise.last = from + length;
    } else if (line.has(u"with-to"_s)) {
        LOCKSCOPE_TRY_GET(
            const auto to, parseTime(line.value(u"with-to"_s), asked.span.last, record::TimeEnd::Last));
        otherwise.first = to - length;
    }
    LOCKSCOPE_TRY_GET(
        const auto earlier, rangeOf(line, u"with-from"_s, u"with-to"_s, otherwise, asked.span.last));
    LOCKSCOPE_TRY_GET(const auto before, record::rangeReport(*asked.reader, earlier.first, earlier.last));
    LOCKSCOPE_TRY_GET(const auto after, record::rangeReport(*asked.reader, later.first, later.last));
    const auto comparison = record::compared(before, after);
    printReport(line, toReport(comparison), asked.maximum);
    return comparison.tooLittle.isEmpty() ? exitOk : exitNoVerdict;
}

/// Adds what else happened on the server in that time.
void addTally(report::Report& report, record::RecordingReader& reader, const record::Span& range)
{
    if (const auto events = reader.events(range.first, range.last))
        record::tallyOf(*events).addTo(report);
}

Result<void> tellLocks(record::RecordingReader& reader, const CommandLine& line, const record::Span& range)
{
    LOCKSCOPE_TRY_GET(const auto names, record::lockNamesMeant(reader, line.positional(0)));
    QSet<QString> locks;
    bool hasKinds = false;
    for (const QString& name : names) {
        LOCKSCOPE_TRY_GET(const auto named, reader.locksNamed(name));
        for (const record::RecordedLock& each : named)
            locks.insert(each.key());
        hasKinds = hasKinds || locks.size() > names.size();
    }
    LOCKSCOPE_TRY_GET(const auto coverage, record::coverageOf(reader, range.first, range.last));
    report::Report report{.title = u"History of "_s + line.positional(0),
        .sections = {record::historySection({.hasNames = names.size() > 1, .hasKinds = hasKinds})},
        .closing = {coverage.toString()}};
    addTally(report, reader, range);
    // Row by row: there may be millions.
    ReportPrinter printer(line);
    printer.begin(report);
    printer.begin(report.sections.front());
    const auto read = reader.history(names, range.first, range.last, [&](const record::HistoryLine& each) {
        printer.add(record::historyRow(each, false, range.first));
        return true;
    });
    if (read) {
        printer.endSection();
        printer.end();
    }
    return read;
}

Result<void> runOnSession(record::RecordingReader& reader, const CommandLine& line, const record::Span& range)
{
    LOCKSCOPE_TRY_GET(const auto id, line.number(u"session"_s, std::numeric_limits<int>::min()));
    LOCKSCOPE_TRY_GET(const auto session, record::theSession(reader, SessionId{id}, range.last));
    LOCKSCOPE_TRY_GET(const auto result, record::biography(reader, session, range.first, range.last));
    if (result.isCut)
        complain(u"These are the first %1 lines, up to %2: name a shorter time with --from and --to."_s
                     .arg(result.lines.size())
                     .arg(result.to.toIsoString()));
    report::Report report = toReport(result);
    addTally(report, reader, range);
    printReport(line, std::move(report));
    return {};
}

Result<ExitStatus> runHistory(const CommandLine& line)
{
    const bool ofSession = line.has(u"session"_s);
    if (ofSession == !line.positional(0).isEmpty())
        return failure(ErrorKind::BadInput, u"A history is of a lock, or of a session."_s,
            u"Name either LOCK or --session."_s);
    LOCKSCOPE_TRY_GET(const auto recorded, recordedRange(line));
    LOCKSCOPE_TRY((ofSession ? runOnSession : tellLocks)(*recorded.reader, line, recorded.range));
    return exitOk;
}

} // namespace

Command rangeCommand()
{
    Command command(u"range"_s, u"what happened between two times, by a recording"_s, runRange,
        u"Sums up a time of a recording: which locks were waited for, how often and how long, with percentiles and the worst; who made others wait; by program and by user; and how much of it was "
        "seen. At the end: was it locks, or was it slow? Rows of a table count together. Durations are lower bounds: an end is seen at the next poll."_s);
    command.examples = {u"lockctl range --recording shop.lockscope --from 2h --to 1h"_s,
        u"lockctl range --server postgresql://ops@db/shop --from 15m --json"_s};
    addRange(command);
    command.addValue(
        u"limit"_s, u"N"_s, u"So many lines of each list at most; JSON and CSV have all."_s, defaultLines);
    addForms(command,
        {u"locks"_s, u"holders"_s, u"programs"_s, u"users"_s, u"statements"_s, u"tables"_s, u"marks"_s});
    return command;
}

Command compareCommand()
{
    Command command(u"compare"_s, u"two times of a recording, before and after a change"_s, runCompare,
        u"Compares two times of a recording, each by what was seen of it: waits in an hour and their percentiles, by lock and by program; which are new, gone, or differ by more than chance. Exits with 3 if too little was seen to say anything. With --at it compares two snapshots instead: "
        "sessions, locks and waits that are new, gone, or there in another way."_s);
    command.examples = {u"lockctl compare --recording shop.lockscope --from 1h"_s,
        u"lockctl compare --recording shop.lockscope --from 1h --with-from 8d"_s,
        u"lockctl compare --recording shop.lockscope --at 03:12 --with 03:15"_s};
    addRange(command);
    command.addValue(u"with-from"_s, u"TIME"_s,
        u"The time to compare with; else the time right before --from, of the same length."_s);
    command.addValue(u"with-to"_s, u"TIME"_s, u"Its end; else it is as long as the other."_s);
    command.addValue(u"at"_s, u"TIME"_s, u"Compare the snapshot of this time with the one of --with."_s);
    command.addValue(u"with"_s, u"TIME"_s, u"The other snapshot; else the last one."_s);
    command.addValue(u"limit"_s, u"N"_s, u"So many lines at most; JSON and CSV have all."_s, defaultLines);
    addForms(command);
    command.apart = {{{u"at"_s, u"with"_s}, {u"from"_s, u"to"_s, u"with-from"_s, u"with-to"_s, u"limit"_s}}};
    return command;
}

Command historyCommand()
{
    Command command(u"history"_s, u"who held a lock, and when, by a recording"_s, runHistory,
        u"Shows, from a recording, who held the lock of that name or waited for it, and when; with --session what that session held and waited for. Names are as \"lockctl list\" shows them; '%orders%' names all that have that in them. It misses what came and went between two polls, or in a gap."_s);
    command.arguments = u"[LOCK]"_s;
    command.examples = {u"lockctl history public.orders --recording shop.lockscope --from 1h"_s,
        u"lockctl history '%orders%' --from 03:10 --to 03:20"_s,
        u"lockctl history --session 4711 --server postgresql://ops@db/shop"_s};
    addRange(command);
    command.addValue(u"session"_s, u"ID"_s,
        u"Show what this session held and waited for. If several had the number, the last one that began before --to."_s);
    addForms(command);
    return command;
}

} // namespace lockscope::ctl
