// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/TextTable.h"
#include "core/domain/SnapshotJson.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

milliseconds lengthOf(const record::HistoryLine& each)
{
    return std::chrono::floor<milliseconds>(each.to - each.from);
}

QJsonArray linesJson(const QList<record::HistoryLine>& lines)
{
    QJsonArray array;
    for (const record::HistoryLine& each : lines)
        array.append(QJsonObject{{u"kind"_s, each.kind}, {u"database"_s, each.database},
            {u"lock"_s, each.lock}, {u"what"_s, each.waited ? u"waited"_s : u"held"_s},
            {u"mode"_s, each.mode}, {u"session"_s, each.party.session.value}, {u"user"_s, each.party.owner},
            {u"program"_s, each.party.program}, {u"host"_s, each.party.host},
            {u"from"_s, toJson(std::optional(each.from))}, {u"from_exact"_s, each.fromExact},
            {u"seen_until"_s, toJson(std::optional(each.to))}, {u"gone"_s, toJson(each.gone)},
            {u"at_least_ms"_s, qint64(lengthOf(each).count())}});
    return array;
}

QString linesText(const QList<record::HistoryLine>& lines)
{
    if (lines.isEmpty())
        return u"Nobody was seen to hold it or to wait for it.\n"_s;
    TextTable table({{u"FROM"_s}, {u"FOR"_s, TextTable::Fit::Right}, {u"WHAT"_s}, {u"MODE"_s},
        {u"SESSION"_s, TextTable::Fit::Right}, {u"USER"_s, TextTable::Fit::Flexible},
        {u"PROGRAM"_s, TextTable::Fit::Flexible}, {u"HOST"_s, TextTable::Fit::Flexible}, {u"UNTIL"_s}});
    for (const record::HistoryLine& each : lines)
        table.add({(each.fromExact ? QString() : u"≤ "_s) + each.from.toIsoString().left(19) + u'Z',
                      Age{lengthOf(each), false}.toString(), each.waited ? u"waited"_s : u"held"_s,
                      printable(each.mode),
                      each.party.session.isValid() ? QString::number(each.party.session.value) : QString(),
                      printable(each.party.owner), printable(each.party.program), printable(each.party.host),
                      each.gone ? u"gone by "_s + each.gone->toIsoString().mid(11, 8)
                                : u"seen until "_s + each.to.toIsoString().mid(11, 8)},
            each.waited ? Tone::Warning : Tone::Plain);
    return table.lines(screenSize().columns, useColours()).join(u'\n') + u'\n';
}

int run(const CommandLine& line)
{
    if (!line.has(u"recording"_s))
        return fail({ErrorKind::BadInput, u"A history is of a recording."_s, {}, {},
            u"Name it with --recording."_s, {}});
    const auto reader = record::RecordingReader::open(line.value(u"recording"_s));
    if (!reader)
        return fail(reader.error());
    const auto span = (*reader)->span();
    if (!span)
        return fail(span.error());
    const auto moment = [&](const QString& option, ServerTime otherwise) -> Result<ServerTime> {
        return line.has(option) ? parseMoment(line.value(option), span->last) : otherwise;
    };
    const auto from = moment(u"from"_s, span->first);
    const auto to = moment(u"to"_s, span->last);
    if (!from || !to)
        return fail(from ? to.error() : from.error());
    const auto lines = (*reader)->history(line.positional(0), *from, *to);
    if (!lines)
        return fail(lines.error());
    if (line.json())
        printJson(linesJson(*lines));
    else
        print(linesText(*lines));
    return exitOk;
}

} // namespace

Command historyCommand()
{
    Command command{u"history"_s, u"who held a lock, and when, by a recording"_s, run,
        u"Tells of a recording who held the lock of that name, or waited for it, and when. The name is as "
        "\"lockctl list\" shows it. What came and went between two looks was not seen."_s};
    command.arguments = u"LOCK"_s;
    command.examples = QStringList{u"lockctl history public.orders --recording shop.lockscope --from 1h"_s};
    command.addValue(u"recording"_s, u"FILE"_s, u"The recording; see lockctl record."_s);
    command.addValue(
        u"from"_s, u"TIME"_s, u"Not what ended before: a time, or so long before the last moment."_s);
    command.addValue(u"to"_s, u"TIME"_s, u"Not what began later."_s);
    return command;
}

} // namespace lockscope::ctl
