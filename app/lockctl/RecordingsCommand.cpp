// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Recordings.h"

#include "app/lockctl/Console.h"
#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/domain/Session.h"
#include "core/domain/SnapshotJson.h"
#include "core/record/Coverage.h"
#include "core/record/Damage.h"
#include "core/record/Recorder.h"
#include "core/record/RecordingFile.h"
#include "core/record/RecordingNotes.h"
#include "core/record/RecordingSearch.h"
#include "core/record/RecordingWriter.h"
#include "core/record/StoredEvents.h"
#include "core/record/postgres/HistoryStore.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

// Keeps, drops and marks recordings: `lockctl recordings prune`, `pin`, `pins`, `unpin` and `note`.

/// Calls `work` for each file, also after one that failed, whose error is printed. Returns exitFailed if one
/// failed, or `work` says so.
ExitStatus forEachFile(
    const CommandLine& line, const std::function<Result<ExitStatus>(const QString& path)>& work,
    const std::function<void(const QString& path, const Error& error)>& onError =
        [](const QString&, const Error& error) { (void)fail(error); })
{
    ExitStatus status = exitOk;
    for (const QString& path : filesOf(line)) {
        const auto done = work(path);
        if (!done)
            onError(path, done.error());
        if (done != exitOk)
            status = exitFailed;
    }
    return status;
}

/// The right to write a recording that is there. Nothing is changed while another program writes it.
Result<std::unique_ptr<record::RecordingWriter>> writerOf(const QString& path)
{
    LOCKSCOPE_TRY_GET(const auto reader, record::RecordingReader::open(path));
    auto writer = record::RecordingWriter::open(path, reader->identity());
    if (!writer && record::isWrittenByAnother(writer.error()))
        writer.error().hint = u"End that program first: only one may write."_s;
    return writer;
}

/// A size that is named says nothing about the age, nor an age about the size.
constexpr record::Retention boundless{std::chrono::hours(24 * 365 * 100), std::numeric_limits<qint64>::max()};

/// Returns whether the snapshots may go. If they are more than half of the recording, that is said, and the
/// user at a terminal is asked; BadInput: there is none, and --yes was not given.
Result<bool> mayPrune(const CommandLine& line, const QString& path, record::RecordingWriter& writer,
    const record::Retention& retention)
{
    if (line.has(u"yes"_s))
        return true;
    LOCKSCOPE_TRY_GET(const auto tried, writer.tryPrune(retention, ownClock()));
    const auto& [before, after, bytesBefore, bytesAfter] = tried;
    const qint64 gone = before.frames - after.frames;
    if (2 * gone <= before.frames)
        return true;
    const QString what = u"%1: %2 of %3 snapshots would go, those from %4 to %5, %6 of %7."_s.arg(path,
        QString::number(gone), QString::number(before.frames), before.first.toIsoString(),
        (after.frames > 0 ? after.first : before.last).toIsoString(), byteCountText(bytesBefore - bytesAfter),
        byteCountText(bytesBefore));
    if (line.json() || !isTerminal(Stream::In))
        return failure(ErrorKind::BadInput, what, u"Nothing was dropped: add --yes if that is meant."_s);
    sayLine(what);
    return agreed(u"Drop them? [y/N] "_s);
}

/// A damaged recording is set aside: the next program that records begins another one.
void printFailure(const QString& path, const Error& error, QJsonArray& array)
{
    const bool isDamaged = record::isDamage(error) && record::isRecordingFile(path);
    const auto aside = isDamaged ? record::setAside(path) : Failure(error);
    if (!aside) {
        static_cast<void>(fail(aside.error()));
        return;
    }
    complain(u"%1 is damaged: it is %2 now. %3"_s.arg(
        path, QFileInfo(*aside).fileName(), record::rebuildingOf(*aside)));
    array.append(QJsonObject{{u"file"_s, path}, {u"damaged"_s, true}, {u"set_aside"_s, *aside}});
}

Result<ExitStatus> pruneOne(
    const CommandLine& line, const QString& path, const record::Retention& retention, QJsonArray& array)
{
    const qint64 before = record::recordingBytes(path);
    LOCKSCOPE_TRY_GET(auto writer, writerOf(path));
    LOCKSCOPE_TRY_GET(const bool may, mayPrune(line, path, *writer, retention));
    if (!may) {
        sayLine(u"Nothing was dropped from %1."_s.arg(path));
        return exitFailed;
    }
    LOCKSCOPE_TRY(writer->prune(retention, ownClock()));
    if (line.has(u"compact"_s))
        LOCKSCOPE_TRY(writer->compact());
    writer.reset(); // the file is complete then, without others beside it
    const qint64 after = record::recordingBytes(path);
    const auto reader = record::RecordingReader::open(path);
    const qint64 count = reader ? (*reader)->span().value_or(record::Span()).frames : 0;
    array.append(QJsonObject{
        {u"file"_s, path}, {u"snapshots"_s, count}, {u"bytes"_s, after}, {u"bytes_before"_s, before}});
    if (!line.json())
        sayLine(u"%1: %2 kept, %3 on the disk (before: %4)."_s.arg(path,
            counted(count, u"snapshot is", u"snapshots are"), byteCountText(after), byteCountText(before)));
    return exitOk;
}

Result<ExitStatus> prune(const CommandLine& line)
{
    if (!line.has(u"keep"_s))
        return failure(
            ErrorKind::BadInput, u"Nothing says what is kept."_s, u"Give --keep, such as --keep 7d,1G."_s);
    LOCKSCOPE_TRY_GET(const auto retention, retentionOf(line.value(u"keep"_s), boundless));
    QJsonArray array;
    const ExitStatus status = forEachFile(
        line, [&](const QString& path) { return pruneOne(line, path, retention, array); },
        [&](const QString& path, const Error& error) { printFailure(path, error, array); });
    if (line.json())
        printJson(array);
    return status;
}

QJsonObject pinJson(const record::Pin& pin)
{
    return {{u"pin"_s, pin.number}, {u"from"_s, toJson(std::optional(pin.from))},
        {u"to"_s, toJson(std::optional(pin.to))}, {u"why"_s, pin.why}};
}

Result<ExitStatus> pin(const CommandLine& line)
{
    const QString path = line.positional(0);
    for (const QString& needed : {u"from"_s, u"to"_s, u"why"_s})
        if (line.value(needed).isEmpty())
            return failure(ErrorKind::BadInput, u"--%1 is missing."_s.arg(needed));
    LOCKSCOPE_TRY_GET(const auto recorded, recordedRange(line, record::RecordingReader::open(path)));
    const auto& [reader, span, range] = recorded;
    if (range.last < span.first)
        return failure(ErrorKind::BadInput, u"No snapshot lies in that time."_s,
            u"The recording goes from %1 to %2."_s.arg(span.first.toIsoString(), span.last.toIsoString()));
    const record::Pin added{.from = range.first, .to = range.last, .why = line.value(u"why"_s)};
    LOCKSCOPE_TRY_GET(auto writer, writerOf(path));
    LOCKSCOPE_TRY(writer->pin(added.from, added.to, added.why));
    return answer(
        line, u"%1 to %2 is kept."_s.arg(added.from.toIsoString(), added.to.toIsoString()), pinJson(added));
}

Result<ExitStatus> unpin(const CommandLine& line)
{
    bool isNumber = false;
    const qint64 number = line.positional(1).toLongLong(&isNumber);
    if (!isNumber)
        return failure(ErrorKind::BadInput, u"'%1' is no number of a pin."_s.arg(line.positional(1)),
            u"`lockctl recordings pins` lists them."_s);
    LOCKSCOPE_TRY_GET(auto writer, writerOf(line.positional(0)));
    LOCKSCOPE_TRY(writer->unpin(number));
    return answer(line, u"Pin %1 is removed; what it kept is dropped when it is too old."_s.arg(number),
        {{u"unpinned"_s, number}});
}

Result<ExitStatus> pins(const CommandLine& line)
{
    using enum report::Type;
    using report::Column;
    report::Section section{
        .columns = {{Count, u"pin"_s, u"Pin"_s}, {Time, u"from"_s, u"From"_s}, {Time, u"to"_s, u"To"_s},
            Column(u"why"_s, u"Why"_s).wide(2), Column(u"file"_s, u"File"_s).wide(1)},
        .whenEmpty = u"Nothing is pinned."_s};
    const ExitStatus status = forEachFile(line, [&section](const QString& path) -> Result<ExitStatus> {
        LOCKSCOPE_TRY_GET(const auto reader, record::RecordingReader::open(path));
        LOCKSCOPE_TRY_GET(const auto found, reader->pins());
        for (const record::Pin& each : found)
            section.rows.push_back({.cells = {each.number, each.from, each.to, each.why, path}});
        return exitOk;
    });
    printReport(line, {.sections = {std::move(section)}});
    return status;
}

constexpr milliseconds takenUpWithin{5'000};
constexpr qint64 maxInput = 64 * 1024;

/// Returns the text of the note: the argument, or with "-" all of standard input.
QString textOf(const CommandLine& line)
{
    if (line.positional(0) != u"-")
        return line.positional(0);
    QFile input;
    return input.open(stdin, QIODevice::ReadOnly) ? QString::fromUtf8(input.read(maxInput)) : QString();
}

Result<record::NewNote> noteIn(const CommandLine& line, const QString& path)
{
    record::NewNote note{textOf(line), {}};
    if (!line.has(u"at"_s))
        return note;
    LOCKSCOPE_TRY_GET(const auto reader, record::RecordingReader::open(path));
    LOCKSCOPE_TRY_GET(const auto span, reader->span());
    LOCKSCOPE_TRY_GET(note.at, parseTime(line.value(u"at"_s), span.last));
    return note;
}

Result<ExitStatus> note(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto path, recordingPathNamed(line));
    LOCKSCOPE_TRY_GET(const auto requested, noteIn(line, path));
    LOCKSCOPE_TRY_GET(const auto added, record::addNote(path, requested, takenUpWithin));
    const QString at = added.event.at.toIsoString();
    return answer(line,
        (added.isRecorded
                ? u"Noted at %1 in %2."_s
                : u"Noted at %1. The program that writes %2 takes the note up with its next snapshot."_s)
            .arg(at, path),
        {{u"file"_s, path}, {u"at"_s, at}, {u"text"_s, added.event.what}, {u"recorded"_s, added.isRecorded}});
}

/// Lists a team's history; the snapshots of a recording are not counted, there may be millions.
Result<ExitStatus> listHistory(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto place, record::HistoryPlace::parse(line.value(u"from-history"_s)));
    LOCKSCOPE_TRY_GET(const auto recordings, record::recordingsOf(place.server));
    return printReport(line, toReport(recordings));
}

/// Returns the error if a part of the recording is damaged; nothing: the parts that `list` reads are intact.
std::optional<Error> damageIn(record::RecordingReader& reader, const Result<record::Span>& span,
    const Result<QList<record::Segment>>& segments)
{
    const auto events =
        span ? reader.events(span->first, span->last) : Result<QList<record::Event>>(QList<record::Event>());
    const auto last = span ? reader.at(span->last) : Result<SnapshotPtr>(SnapshotPtr());
    if (!span && span.error().kind != ErrorKind::MissingObject)
        return span.error();
    if (!segments)
        return segments.error();
    if (!events)
        return events.error();
    return last ? std::nullopt : std::optional(last.error());
}

report::Section recordingsSection()
{
    using enum report::Type;
    using report::Column;
    return {.columns = {Column(u"server"_s, u"Server"_s).wide(1), {Time, u"from"_s, u"From"_s},
                {Time, u"to"_s, u"To"_s}, {Count, u"snapshots"_s, u"Snapshots"_s},
                {Count, u"gaps"_s, u"Gaps"_s}, {Count, u"deadlocks"_s, u"Deadlocks"_s},
                {Count, u"alerts"_s, u"Alerts"_s}, {Bytes, u"bytes"_s, u"Size"_s},
                Column(u"file"_s, u"File"_s).wide(1), {Flag, u"damaged"_s, u"Damaged"_s},
                {Flag, u"redacted"_s}, {u"place"_s}, {u"cluster"_s}, {Flag, u"readable_by_others"_s}},
        .whenEmpty = u"There is no recording. Begin one: lockctl record"_s};
}

Result<ExitStatus> list(const CommandLine& line)
{
    if (line.has(u"from-history"_s))
        return listHistory(line);
    report::Report report{.sections = {recordingsSection()}};
    std::vector<report::ReportRow>& rows = report.sections.front().rows;
    int code = exitOk;
    for (const QString& path : filesOf(line)) {
        const auto reader = record::RecordingReader::open(path);
        if (!reader) {
            static_cast<void>(fail(reader.error()));
            code = exitFailed;
            if (!record::isDamage(reader.error()))
                continue;
            report::ReportRow row{
                .cells = std::vector<report::Value>(report.sections.front().columns.size())};
            row.cells[7] = record::recordingBytes(path);
            row.cells[8] = path;
            row.cells[9] = report::Value::flag(true);
            rows.push_back(std::move(row));
            continue;
        }
        const auto span = (*reader)->span();
        const auto segments = (*reader)->segments();
        const auto found = damageIn(**reader, span, segments);
        if (found) {
            static_cast<void>(fail(*found));
            code = exitFailed;
        }
        const QString exposure = record::exposureOf(path);
        if (!exposure.isEmpty())
            complain(exposure);
        const qint64 bytes = record::recordingBytes(path);
        const record::Span known = span.value_or(record::Span());
        const auto coverage = record::coverageOf(**reader, known.first, known.last);
        const qint64 gaps = coverage ? coverage->gaps.size() : 0;
        const auto tally =
            record::tallyOf((*reader)->events(known.first, known.last).value_or(QList<record::Event>()));
        const record::Identity identity = (*reader)->identity();
        rows.push_back({.cells = {identity.server, known.first, known.last, known.frames, gaps,
                            tally.deadlocks, tally.alerts, bytes, path,
                            report::Value::flag(found.has_value()), report::Value::flag(identity.redacted),
                            identity.place, identity.cluster, report::Value::flag(!exposure.isEmpty())}});
    }
    if (code != exitOk)
        report.sections.front().whenEmpty.clear();
    printReport(line, std::move(report));
    return code;
}

/// Returns what the last snapshot does not show, because the login that recorded it lacked a right.
QList<Limitation> missingRights(record::RecordingReader& reader)
{
    QList<Limitation> missing;
    const auto span = reader.span();
    const auto last = span && span->frames > 0 ? reader.at(span->last) : Result<SnapshotPtr>();
    if (last && *last)
        std::ranges::copy_if((*last)->limitations, std::back_inserter(missing),
            [](const Limitation& limit) { return limit.kind == Limitation::Kind::MissingPermission; });
    return missing;
}

Result<ExitStatus> verifyOne(const CommandLine& line, const QString& path, QJsonArray& array)
{
    LOCKSCOPE_TRY_GET(const auto reader, record::RecordingReader::open(path));
    LOCKSCOPE_TRY_GET(const auto verdict, reader->verify());
    const QJsonArray damaged = jsonOfEach(verdict.damaged, &ServerTime::toIsoString);
    const QList<Limitation> missing = missingRights(*reader);
    const QJsonArray rights = jsonOfEach(missing, [](const Limitation& limit) {
        return QJsonObject{{u"what"_s, limit.what}, {u"grant"_s, limit.remedy}};
    });
    array.append(QJsonObject{{u"file"_s, path}, {u"whole"_s, verdict.whole}, {u"damaged"_s, damaged},
        {u"faults"_s, QJsonArray::fromStringList(verdict.faults)}, {u"missing_rights"_s, rights}});
    for (const QString& fault : verdict.faults)
        complain(u"%1: %2"_s.arg(path, fault));
    if (!verdict.isIntact())
        complain(record::rebuildingOf(path));
    if (!line.json()) {
        say(verdict.whole == 0 && damaged.isEmpty() ? u"%1: there is no snapshot in it.\n"_s.arg(path)
                : damaged.isEmpty()
                ? u"%1: all %2 snapshots can be read.\n"_s.arg(path, QString::number(verdict.whole))
                : u"%1: %2 snapshots are intact, %3 are damaged, the first at %4.\n"_s.arg(path,
                    QString::number(verdict.whole), QString::number(damaged.size()),
                    verdict.damaged.first().toIsoString()));
        for (const Limitation& limit : missing)
            sayLine(printable(u"At the last snapshot: %1"_s.arg(sentences({limit.what, limit.remedy}))));
    }
    return verdict.isIntact() ? exitOk : exitFailed;
}

Result<ExitStatus> verify(const CommandLine& line)
{
    QJsonArray array;
    const ExitStatus status =
        forEachFile(line, [&](const QString& path) { return verifyOne(line, path, array); });
    if (line.json())
        printJson(array);
    return status;
}

Result<ExitStatus> search(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto limit, line.number(u"limit"_s, 1));
    const QStringList words = line.positionals();
    const QStringList files = words.size() > 1 ? words.mid(1) : ownRecordings();
    report::Report report{.sections = {record::foundSection(true)}};
    bool isCut = false;
    int code = exitFailed; // nothing is found
    for (const QString& file : files) {
        const auto reader = record::RecordingReader::open(file);
        const auto found =
            reader ? record::searchRecording(**reader, words.value(0), limit) : Failure(reader.error());
        if (!found) {
            const int failed = fail(found.error());
            if (files.size() == 1)
                return failed;
            continue;
        }
        isCut = isCut || found->isCut;
        for (const record::FoundText& each : found->all) {
            code = exitOk;
            report.sections.front().rows.push_back(foundRow(each, file));
        }
    }
    if (code != exitOk && !line.json())
        complain(u"Nothing in %1 has '%2'."_s.arg(counted(files.size(), u"recording"), words.value(0)));
    printReport(line, std::move(report));
    if (isCut)
        complain(u"There is more: write more of the text, or raise --limit."_s);
    return code;
}

Command pruneRecordingsCommand()
{
    Command command(u"recordings prune"_s, u"drop what is older, or too much"_s, prune,
        u"Drops from recordings, from those in the account's folder if none is named, what is older than --keep says by now, and the oldest of what is too much. Pins stay. Where more than half of a recording goes it says what, and asks; a program that can't be asked needs --yes. A recording that "
        "another program writes is left alone: that program prunes it."_s);
    command.arguments = u"[FILE…]"_s;
    command.examples = {u"lockctl recordings prune --keep 2d,500M --compact"_s};
    command.addValue(
        u"keep"_s, u"LIMITS"_s, u"How much is kept: an age, a size, or both, as 7d,1G. Required."_s);
    command.addFlag(u"yes"_s, u"Don't ask where more than half of a recording goes."_s);
    command.addFlag(u"compact"_s,
        u"Give all free space back to the disk: write the file again, which needs its size again meanwhile."_s);
    return command;
}

Command pinRecordingCommand()
{
    Command command(u"recordings pin"_s, u"keep a time beyond what is kept else"_s, pin,
        u"Keeps what was recorded from one time to another, whatever its age. Alerts and deadlocks are pinned by the program that records, five minutes before and after."_s);
    command.arguments = u"FILE"_s;
    command.examples = {u"lockctl recordings pin shop.lockscope --from 10m --to 5m --why OPS-17"_s};
    command.addValue(u"from"_s, u"TIME"_s, u"A time, or so long before the last snapshot."_s);
    command.addValue(u"to"_s, u"TIME"_s, u"The same."_s);
    command.addValue(u"why"_s, u"TEXT"_s, u"The reason."_s);
    return command;
}

Command unpinRecordingCommand()
{
    Command command(u"recordings unpin"_s, u"remove a pin"_s, unpin,
        u"Removes a pin; what it kept is dropped, like the rest, when it is too old."_s);
    command.arguments = u"FILE PIN"_s;
    command.examples = {u"lockctl recordings unpin shop.lockscope 3"_s};
    return command;
}

Command listPinsCommand()
{
    Command command(u"recordings pins"_s, u"what is pinned"_s, pins,
        u"Lists the pins of recordings, of those in the account's folder if none is named."_s);
    command.arguments = u"[FILE…]"_s;
    command.examples = {u"lockctl recordings pins"_s};
    addForms(command);
    return command;
}

Command noteRecordingCommand()
{
    Command command(u"recordings note"_s, u"mark a time: a deployment, what somebody did"_s, note,
        u"Puts a note into a recording, now or at a time: the time bar shows it as a mark, and \"lockctl range\" lists it. With - the text is read from standard input. A recording that another program writes meanwhile is noted in by that program, within seconds."_s);
    command.arguments = u"TEXT"_s;
    command.examples = {u"lockctl recordings note 'deploy 4.2' --server postgresql://ops@db/shop"_s,
        u"git log -1 --format=%s | lockctl recordings note - --recording shop.lockscope"_s,
        u"lockctl recordings note 'index built' --at 03:12 --recording shop.lockscope"_s};
    command.addValue(u"recording"_s, u"FILE"_s,
        u"The recording; else that of the server, in the account's folder. See lockctl record."_s);
    command.addValue(u"at"_s, u"TIME"_s, u"When it was, by the server's clock; else now."_s);
    return command;
}

Command searchRecordingsCommand()
{
    Command command(u"recordings search"_s, u"find a text, user, program, table or lock"_s, search,
        u"Finds what has a text in it, in whatever case, in recordings, those in the account's folder if none is named: statements, locks and tables, users, programs, hosts, databases and events, each with when it was seen first and last. \"%\" stands for any text. Exits with 1 if nothing has it."_s);
    command.arguments = u"TEXT [FILE…]"_s;
    command.examples = {
        u"lockctl recordings search orders"_s, u"lockctl recordings search 'update%orders' shop.lockscope"_s};
    command.addValue(u"limit"_s, u"N"_s, u"So many lines of each recording at most."_s, u"50"_s);
    addForms(command);
    return command;
}

} // namespace

Command recordingsCommand()
{
    Command command(u"recordings"_s, u"what is recorded"_s, nullptr,
        u"Recordings that \"lockctl record\" or the window has made: what there is, whether it is intact, how long it is kept, notes in it, and clips of it to send to somebody."_s);
    command.examples = {u"lockctl recordings list"_s, u"lockctl recordings verify shop.lockscope"_s,
        u"lockctl recordings note 'deploy 4.2' --server postgresql://ops@db/shop"_s,
        u"lockctl recordings export shop.lockscope --from 10m --out clip.lockscope"_s};
    Command listing(u"recordings list"_s, u"the recordings, their times and sizes"_s, list,
        u"Lists recordings, those in the account's folder if none is named: which server, from when to when, count of snapshots and gaps."_s);
    listing.arguments = u"[FILE…]"_s;
    listing.examples = {u"lockctl recordings list"_s};
    listing.addValue(u"from-history"_s, u"URL"_s,
        u"The recordings of a team's history. --recording URL#SERVER, or URL#ID, names one."_s);
    addForms(listing);
    Command verifying(u"recordings verify"_s, u"read all of them and report what is damaged"_s, verify,
        u"Reads all of recordings, of those in the account's folder if none is named. Exits with 1 if anything is damaged."_s);
    verifying.arguments = u"[FILE…]"_s;
    verifying.examples = {u"lockctl recordings verify shop.lockscope"_s};
    command.commands = {listing, verifying, pruneRecordingsCommand(), exportRecordingCommand(),
        mergeRecordingsCommand(), searchRecordingsCommand(), noteRecordingCommand(), pinRecordingCommand(),
        listPinsCommand(), unpinRecordingCommand()};
    return command;
}

} // namespace lockscope::ctl
