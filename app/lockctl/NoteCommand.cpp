// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Notes in recordings: `lockctl recordings note`.

#include "app/lockctl/Console.h"
#include "app/lockctl/Recordings.h"
#include "core/record/RecordingNotes.h"

#include <QFile>

#include <cstdio>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

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
    const auto reader = record::RecordingReader::open(path);
    const auto span = reader ? (*reader)->span() : Failure(reader.error());
    const auto at = span ? parseTime(line.value(u"at"_s), span->last) : Failure(span.error());
    if (!at)
        return Failure(at.error());
    note.at = *at;
    return note;
}

int note(const CommandLine& line)
{
    const auto path = recordingPathNamed(line);
    const auto wanted = path ? noteIn(line, *path) : Failure(path.error());
    const auto added = wanted ? record::addNote(*path, *wanted, takenUpWithin) : Failure(wanted.error());
    if (!added)
        return fail(added.error());
    if (line.json())
        printJson(QJsonObject{{u"file"_s, *path}, {u"at"_s, added->event.at.toIsoString()},
            {u"text"_s, added->event.what}, {u"recorded"_s, added->isRecorded}});
    else
        sayLine((added->isRecorded
                ? u"Noted at %1 in %2."_s
                : u"Noted at %1. The program that writes %2 takes the note up with its next snapshot."_s)
                    .arg(added->event.at.toIsoString(), *path));
    return exitOk;
}

} // namespace

Command noteRecordingCommand()
{
    Command command{u"recordings note"_s, u"mark a time: a deployment, what somebody did"_s, note,
        u"Puts a note into a recording, now or at a time: the time bar shows it as a mark, and \"lockctl range\" lists it. With - the text is read from standard input. A recording that another program writes meanwhile is noted in by that program, within seconds."_s};
    command.arguments = u"TEXT"_s;
    command.examples =
        QStringList{u"lockctl recordings note 'deploy 4.2' --server postgresql://ops@db/shop"_s,
            u"git log -1 --format=%s | lockctl recordings note - --recording shop.lockscope"_s,
            u"lockctl recordings note 'index built' --at 03:12 --recording shop.lockscope"_s};
    command.addValue(u"recording"_s, u"FILE"_s,
        u"The recording; else that of the server, in the account's folder. See lockctl record."_s);
    command.addValue(u"at"_s, u"TIME"_s, u"When it was, by the server's clock; else now."_s);
    return command;
}

} // namespace lockscope::ctl
