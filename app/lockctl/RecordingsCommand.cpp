// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/TextTable.h"
#include "core/domain/Session.h"
#include "core/domain/SnapshotJson.h"
#include "core/record/Recorder.h"

#include <QDir>
#include <QFileInfo>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

QStringList filesOf(const CommandLine& line)
{
    if (!line.positionals().isEmpty())
        return line.positionals();
    QStringList files;
    const QDir folder(record::recordingsFolder());
    for (const QString& name : folder.entryList({u"*.lockscope"_s}, QDir::Files, QDir::Name))
        files << folder.filePath(name);
    return files;
}

int list(const CommandLine& line)
{
    QJsonArray array;
    TextTable table({{u"SERVER"_s, TextTable::Fit::Flexible}, {u"FROM"_s}, {u"TO"_s},
        {u"MOMENTS"_s, TextTable::Fit::Right}, {u"GAPS"_s, TextTable::Fit::Right},
        {u"SIZE"_s, TextTable::Fit::Right}, {u"FILE"_s, TextTable::Fit::Flexible}});
    int code = exitOk;
    for (const QString& path : filesOf(line)) {
        const auto reader = record::RecordingReader::open(path);
        if (!reader) {
            static_cast<void>(fail(reader.error()));
            code = exitFailed;
            continue;
        }
        const auto span = (*reader)->span();
        const auto segments = (*reader)->segments();
        const qint64 gaps = segments && !segments->isEmpty() ? segments->size() - 1 : 0;
        const qint64 bytes = QFileInfo(path).size() + QFileInfo(path + u"-wal"_s).size();
        const record::Span known = span.value_or(record::Span());
        array.append(QJsonObject{{u"file"_s, path}, {u"server"_s, (*reader)->identity().server},
            {u"from"_s, span ? toJson(std::optional(known.first)) : QJsonValue()},
            {u"to"_s, span ? toJson(std::optional(known.last)) : QJsonValue()}, {u"moments"_s, known.frames},
            {u"gaps"_s, gaps}, {u"bytes"_s, bytes}, {u"redacted"_s, (*reader)->identity().redacted}});
        const auto shown = [&span](ServerTime time) {
            return span ? time.toIsoString().left(19) + u'Z' : QString();
        };
        table.add({printable((*reader)->identity().server), shown(known.first), shown(known.last),
            QString::number(known.frames), QString::number(gaps), byteCountText(bytes), printable(path)});
    }
    if (line.json())
        printJson(array);
    else if (table.isEmpty())
        print(u"There is no recording. Begin one: lockctl record\n"_s);
    else
        print(table.lines(screenSize().columns, useColours()).join(u'\n') + u'\n');
    return code;
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
        if (!damaged.isEmpty())
            code = exitFailed;
        array.append(QJsonObject{{u"file"_s, path}, {u"whole"_s, verdict->whole}, {u"damaged"_s, damaged}});
        if (!line.json())
            say(damaged.isEmpty()
                    ? u"%1: all %2 moments are whole.\n"_s.arg(path).arg(verdict->whole)
                    : u"%1: %2 moments are whole, %3 are damaged, the first at %4.\n"_s.arg(path)
                          .arg(verdict->whole)
                          .arg(damaged.size())
                          .arg(verdict->damaged.first().toIsoString()));
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
        QStringList{u"lockctl recordings list"_s, u"lockctl recordings verify shop.lockscope"_s};
    command.description = u"Recordings that \"lockctl record\" has made."_s;
    Command listing{u"recordings list"_s, u"the recordings, their times and sizes"_s, list,
        u"Lists the recordings in the account's folder: which server, from when to when, how many moments, how often nobody looked."_s};
    Command verifying{u"recordings verify"_s, u"read all of them and tell what is damaged"_s, verify,
        u"Reads every moment of recordings. Exits with 1 if one can't be read."_s};
    verifying.arguments = u"FILE…"_s;
    command.commands = {listing, verifying};
    return command;
}

} // namespace lockscope::ctl
