// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/TextTable.h"
#include "core/base/Sentences.h"
#include "core/domain/Session.h"
#include "core/domain/SnapshotJson.h"
#include "core/record/Coverage.h"
#include "core/record/Damage.h"
#include "core/record/EventTally.h"
#include "core/record/Recorder.h"
#include "core/record/RecordingFile.h"
#include "core/record/postgres/HistoryStore.h"

#include <QFileInfo>

#include <algorithm>
#include <iterator>
#include <optional>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

QStringList filesOf(const CommandLine& line)
{
    return line.positionals().isEmpty() ? ownRecordings() : line.positionals();
}

/// Of a team's history; how many moments a recording has is not counted, there may be millions.
int listHistory(const CommandLine& line)
{
    const auto place = record::HistoryPlace::parse(line.value(u"from-history"_s));
    if (!place)
        return fail(place.error());
    const auto recordings = record::recordingsOf(place->server);
    if (!recordings)
        return fail(recordings.error());
    QJsonArray array;
    TextTable table({{u"SERVER"_s, TextTable::Fit::Flexible}, {u"BEGAN"_s}, {u"LAST"_s},
        {u"WATCHER"_s, TextTable::Fit::Flexible}, {u"LOGIN"_s, TextTable::Fit::Flexible}, {u"ID"_s}});
    for (const record::HistoryRecording& each : *recordings) {
        const record::Identity& identity = each.identity;
        array.append(QJsonObject{{u"server"_s, identity.server}, {u"id"_s, identity.id},
            {u"began"_s, toJson(std::optional(identity.began))}, {u"last"_s, toJson(each.last)},
            {u"watcher"_s, each.host}, {u"login"_s, identity.writer}, {u"place"_s, identity.place},
            {u"redacted"_s, identity.redacted}});
        const auto shown = [](ServerTime time) { return time.toIsoString().left(19) + u'Z'; };
        table.add(
            {printable(identity.server), shown(identity.began), each.last ? shown(*each.last) : QString(),
                printable(each.host), printable(identity.writer), printable(identity.id)});
    }
    if (line.json())
        printJson(array);
    else if (table.isEmpty())
        print(u"Nothing was recorded into this history yet: lockctl record --into URL\n"_s);
    else
        print(table.lines(screenSize().columns, useColours()).join(u'\n') + u'\n');
    return exitOk;
}

/// What of a recording could not be read because it is damaged; nothing: what `list` reads is not.
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

int list(const CommandLine& line)
{
    if (line.has(u"from-history"_s))
        return listHistory(line);
    QJsonArray array;
    TextTable table({{u"SERVER"_s, TextTable::Fit::Flexible}, {u"FROM"_s}, {u"TO"_s},
        {u"MOMENTS"_s, TextTable::Fit::Right}, {u"GAPS"_s, TextTable::Fit::Right},
        {u"DEADLOCKS"_s, TextTable::Fit::Right}, {u"ALERTS"_s, TextTable::Fit::Right},
        {u"SIZE"_s, TextTable::Fit::Right}, {u"FILE"_s, TextTable::Fit::Flexible}});
    int code = exitOk;
    for (const QString& path : filesOf(line)) {
        const auto reader = record::RecordingReader::open(path);
        if (!reader) {
            static_cast<void>(fail(reader.error()));
            code = exitFailed;
            if (!record::isDamage(reader.error()))
                continue;
            array.append(QJsonObject{{u"file"_s, path}, {u"damaged"_s, true}});
            table.add({{}, {}, {}, {}, {}, {}, {}, byteCountText(QFileInfo(path).size()),
                printable(u"damaged: "_s + path)});
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
        const qint64 bytes = QFileInfo(path).size() + QFileInfo(path + u"-wal"_s).size();
        const record::Span known = span.value_or(record::Span());
        const auto coverage = record::coverageOf(**reader, known.first, known.last);
        const qint64 gaps = coverage ? coverage->gaps.size() : 0;
        const auto tally =
            record::tallyOf((*reader)->events(known.first, known.last).value_or(QList<record::Event>()));
        array.append(QJsonObject{{u"file"_s, path}, {u"server"_s, (*reader)->identity().server},
            {u"from"_s, span ? toJson(std::optional(known.first)) : QJsonValue()},
            {u"to"_s, span ? toJson(std::optional(known.last)) : QJsonValue()}, {u"moments"_s, known.frames},
            {u"gaps"_s, gaps}, {u"deadlocks"_s, tally.deadlocks}, {u"alerts"_s, tally.alerts},
            {u"bytes"_s, bytes}, {u"redacted"_s, (*reader)->identity().redacted},
            {u"place"_s, (*reader)->identity().place}, {u"cluster"_s, (*reader)->identity().cluster},
            {u"damaged"_s, found.has_value()}, {u"readable_by_others"_s, !exposure.isEmpty()}});
        const auto shown = [&span](ServerTime time) {
            return span ? time.toIsoString().left(19) + u'Z' : QString();
        };
        table.add({printable((*reader)->identity().server), shown(known.first), shown(known.last),
            QString::number(known.frames), QString::number(gaps), QString::number(tally.deadlocks),
            QString::number(tally.alerts), byteCountText(bytes),
            printable(found ? u"damaged: "_s + path : path)});
    }
    if (line.json())
        printJson(array);
    else if (!table.isEmpty())
        print(table.lines(screenSize().columns, useColours()).join(u'\n') + u'\n');
    else if (code == exitOk)
        print(u"There is no recording. Begin one: lockctl record\n"_s);
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
        if (!verdict->isWhole())
            code = exitFailed;
        const QList<Limitation> missing = missingRights(**reader);
        QJsonArray rights;
        for (const Limitation& limit : missing)
            rights.append(QJsonObject{{u"what"_s, limit.what}, {u"grant"_s, limit.remedy}});
        array.append(QJsonObject{{u"file"_s, path}, {u"whole"_s, verdict->whole}, {u"damaged"_s, damaged},
            {u"faults"_s, QJsonArray::fromStringList(verdict->faults)}, {u"missing_rights"_s, rights}});
        for (const QString& fault : verdict->faults)
            complain(u"%1: %2"_s.arg(path, fault));
        if (!verdict->isWhole())
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

} // namespace

Command recordingsCommand()
{
    Command command{u"recordings"_s, u"what is recorded"_s};
    command.examples =
        QStringList{u"lockctl recordings list"_s, u"lockctl recordings verify shop.lockscope"_s,
            u"lockctl recordings note 'deploy 4.2' --server postgresql://ops@db/shop"_s,
            u"lockctl recordings export shop.lockscope --from 10m --out clip.lockscope"_s};
    command.description =
        u"Recordings that \"lockctl record\" or the window has made: what there is, whether it is whole, how long it is kept, notes in it, and clips of it to send to somebody."_s;
    Command listing{u"recordings list"_s, u"the recordings, their times and sizes"_s, list,
        u"Lists recordings, those in the account's folder if none is named: which server, from when to when, count of snapshots and gaps."_s};
    listing.arguments = u"[FILE…]"_s;
    listing.examples = QStringList{u"lockctl recordings list"_s};
    listing.addValue(u"from-history"_s, u"URL"_s,
        u"Those of a team's history. One of them is --recording URL#SERVER, or URL#ID."_s);
    Command verifying{u"recordings verify"_s, u"read all of them and tell what is damaged"_s, verify,
        u"Reads all of recordings, of those in the account's folder if none is named. Exits with 1 if anything is damaged."_s};
    verifying.arguments = u"[FILE…]"_s;
    verifying.examples = QStringList{u"lockctl recordings verify shop.lockscope"_s};
    command.commands = {listing, verifying, pruneRecordingsCommand(), exportRecordingCommand(),
        mergeRecordingsCommand(), searchRecordingsCommand(), noteRecordingCommand(), pinRecordingCommand(),
        listPinsCommand(), unpinRecordingCommand()};
    return command;
}

} // namespace lockscope::ctl
