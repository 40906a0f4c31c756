// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/TextTable.h"
#include "core/base/ClockText.h"
#include "core/domain/SnapshotJson.h"
#include "core/record/LockBiography.h"
#include "core/record/ReadLimits.h"

#include <algorithm>
#include <limits>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

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
            {u"seen_polls"_s, each.sightings.seen}, {u"polls"_s, each.sightings.polls},
            {u"at_least_ms"_s,
                each.sightings.proven ? QJsonValue(qint64(lengthOf(each).value.count())) : QJsonValue()}});
    return array;
}

QString linesText(const QList<record::HistoryLine>& lines, bool ofSession)
{
    if (lines.isEmpty())
        return ofSession ? u"In that time it was not seen to hold a lock or to wait for one.\n"_s
                         : u"In that time nobody was seen to hold it or to wait for it.\n"_s;
    std::vector<TextTable::Column> columns{{u"FROM"_s}, {u"FOR"_s, TextTable::Fit::Right},
        {u"SEEN"_s, TextTable::Fit::Right}, {u"WHAT"_s}, {u"MODE"_s}};
    const bool several = !ofSession && std::ranges::any_of(lines, [&lines](const record::HistoryLine& each) {
        return each.recordedLock().key() != lines.front().recordedLock().key();
    });
    if (several) // of the same name
        columns.insert(columns.end(), {{u"KIND"_s}, {u"DATABASE"_s, TextTable::Fit::Flexible}});
    const bool isNamed = ofSession || std::ranges::any_of(lines, [&lines](const record::HistoryLine& each) {
        return each.lock != lines.front().lock;
    });
    if (isNamed)
        columns.insert(columns.end(), {{u"LOCK"_s, TextTable::Fit::Flexible}});
    if (!ofSession)
        columns.insert(columns.end(),
            {{u"SESSION"_s, TextTable::Fit::Right}, {u"USER"_s, TextTable::Fit::Flexible},
                {u"PROGRAM"_s, TextTable::Fit::Flexible}, {u"HOST"_s, TextTable::Fit::Flexible}});
    columns.push_back({u"UNTIL"_s});
    TextTable table(std::move(columns));
    for (const record::HistoryLine& each : lines) {
        QStringList cells{(each.fromExact ? QString() : u"≤ "_s) + each.from.toIsoString().left(19) + u'Z',
            each.sightings.proven ? lengthOf(each).toString() : u"–"_s, each.sightings.toString(),
            each.waited ? u"waited"_s : u"held"_s, printable(each.mode)};
        if (several)
            cells << printable(each.kind) << printable(each.database);
        if (isNamed)
            cells << printable(each.lock);
        if (!ofSession)
            cells << (each.party.session.isValid() ? QString::number(each.party.session.value) : QString())
                  << printable(each.party.owner) << printable(each.party.program)
                  << printable(each.party.host);
        cells << (each.gone ? u"gone by "_s + clockText(*each.gone) : u"seen until "_s + clockText(each.to));
        table.add(cells, each.waited ? Tone::Warning : Tone::Plain);
    }
    return table.lines(screenSize().columns, useColours()).join(u'\n') + u'\n';
}

Result<QList<record::HistoryLine>> linesOfLocks(
    record::RecordingReader& reader, const QString& written, const record::Span& range)
{
    const auto names = record::lockNamesMeant(reader, written);
    if (!names)
        return Failure(names.error());
    QList<record::HistoryLine> all;
    for (const QString& name : *names) {
        const auto lines = reader.history(name, range.first, range.last);
        if (!lines)
            return lines;
        all += *lines;
        if (all.size() > record::mostLines)
            return record::tooMuch(u"lines of these locks"_s);
    }
    std::ranges::stable_sort(all, {}, &record::HistoryLine::from);
    return all;
}

Result<QList<record::HistoryLine>> linesOf(
    record::RecordingReader& reader, const CommandLine& line, const record::Span& range)
{
    if (!line.has(u"session"_s))
        return linesOfLocks(reader, line.positional(0), range);
    const auto id = line.number(u"session"_s, std::numeric_limits<int>::min());
    if (!id)
        return Failure(id.error());
    const auto session = record::theSession(reader, SessionId{*id}, range.last);
    if (!session)
        return Failure(session.error());
    auto told = record::biography(reader, *session, range.first, range.last);
    if (!told)
        return Failure(told.error());
    if (told->isCut)
        complain(u"These are the first %1 lines, up to %2: name a shorter time with --from and --to."_s
                     .arg(told->lines.size())
                     .arg(told->to.toIsoString()));
    return told->lines;
}

int runHistory(const CommandLine& line)
{
    const bool ofSession = line.has(u"session"_s);
    if (ofSession == !line.positional(0).isEmpty())
        return fail({ErrorKind::BadInput, u"A history is of a lock, or of a session."_s, {}, {},
            u"Name either LOCK or --session."_s, {}});
    const auto recorded = recordedRange(line);
    if (!recorded)
        return fail(recorded.error());
    const auto lines = linesOf(*recorded->reader, line, recorded->range);
    if (!lines)
        return fail(lines.error());
    if (line.json())
        printJson(linesJson(*lines));
    else
        print(linesText(*lines, ofSession) + coverageText(*recorded->reader, recorded->range)
            + tallyText(*recorded->reader, recorded->range));
    return exitOk;
}

} // namespace

Command historyCommand()
{
    Command command{u"history"_s, u"who held a lock, and when, by a recording"_s, runHistory,
        u"Tells of a recording who held the lock of that name, or waited for it, and when; with --session "
        "what that session held and awaited. Names are as \"lockctl list\" shows them; '%orders%' names all "
        "that have that in them. What came and went between two polls, or in a gap, was not seen."_s};
    command.arguments = u"[LOCK]"_s;
    command.examples = QStringList{u"lockctl history public.orders --recording shop.lockscope --from 1h"_s,
        u"lockctl history '%orders%' --from 03:10 --to 03:20"_s,
        u"lockctl history --session 4711 --server postgresql://ops@db/shop"_s};
    addRange(command);
    command.addValue(u"session"_s, u"ID"_s,
        u"What this session held and awaited. If several had the number, the last one that began before --to."_s);
    return command;
}

} // namespace lockscope::ctl
