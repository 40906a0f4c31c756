// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Console.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/ReportOutput.h"
#include "core/base/Sentences.h"
#include "core/record/Coverage.h"
#include "core/record/Damage.h"
#include "core/record/Recorder.h"
#include "core/record/RecordingFile.h"
#include "core/record/RecordingSearch.h"
#include "core/record/SetAside.h"
#include "core/record/StoredEvents.h"
#include "core/record/postgres/HistoryStore.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

/// Lists a team's history; the snapshots of a recording are not counted, there may be millions.
int listHistory(const CommandLine& line)
{
    const auto place = record::HistoryPlace::parse(line.value(u"from-history"_s));
    const auto recordings = place ? record::recordingsOf(place->server) : Failure(place.error());
    if (!recordings)
        return fail(recordings.error());
    printReport(line, toReport(*recordings));
    return exitOk;
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

int list(const CommandLine& line)
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

int verify(const CommandLine& line)
{
    int code = exitOk;
    QJsonArray array;
    for (const QString& path : filesOf(line)) {
        const auto reader = record::RecordingReader::open(path);
        const auto verdict = reader ? (*reader)->verify() : Failure(reader.error());
        if (!verdict) {
            static_cast<void>(fail(verdict.error()));
            code = exitFailed; // also where it is damage, which is bad input elsewhere
            continue;
        }
        QJsonArray damaged;
        for (const ServerTime at : verdict->damaged)
            damaged.append(at.toIsoString());
        if (!verdict->isIntact())
            code = exitFailed;
        const QList<Limitation> missing = missingRights(**reader);
        QJsonArray rights;
        for (const Limitation& limit : missing)
            rights.append(QJsonObject{{u"what"_s, limit.what}, {u"grant"_s, limit.remedy}});
        array.append(QJsonObject{{u"file"_s, path}, {u"whole"_s, verdict->whole}, {u"damaged"_s, damaged},
            {u"faults"_s, QJsonArray::fromStringList(verdict->faults)}, {u"missing_rights"_s, rights}});
        for (const QString& fault : verdict->faults)
            complain(u"%1: %2"_s.arg(path, fault));
        if (!verdict->isIntact())
            complain(record::rebuildingOf(path));
        if (!line.json())
            say(damaged.isEmpty()
                    ? u"%1: all %2 snapshots can be read.\n"_s.arg(path, QString::number(verdict->whole))
                    : u"%1: %2 snapshots are intact, %3 are damaged, the first at %4.\n"_s.arg(path,
                        QString::number(verdict->whole), QString::number(damaged.size()),
                        verdict->damaged.first().toIsoString()));
        if (!line.json()) {
            for (const Limitation& limit : missing)
                sayLine(printable(u"At the last snapshot: %1"_s.arg(sentences({limit.what, limit.remedy}))));
        }
    }
    if (line.json())
        printJson(array);
    return code;
}

int search(const CommandLine& line)
{
    const auto limit = line.number(u"limit"_s, 1);
    if (!limit)
        return fail(limit.error());
    const QStringList words = line.positionals();
    const QStringList files = words.size() > 1 ? words.mid(1) : ownRecordings();
    report::Report report{.sections = {record::foundSection(true)}};
    bool isCut = false;
    int code = exitFailed; // nothing is found
    for (const QString& file : files) {
        const auto reader = record::RecordingReader::open(file);
        const auto found =
            reader ? record::searchRecording(**reader, words.value(0), *limit) : Failure(reader.error());
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

} // namespace lockscope::ctl
