// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/TextTable.h"
#include "core/base/ClockText.h"
#include "core/domain/SnapshotJson.h"
#include "core/record/LockBiography.h"

#include <QSet>

#include <limits>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

constexpr int linesOfTable = 1'000;

QJsonObject toJson(const record::HistoryLine& line)
{
    return {{u"kind"_s, line.kind}, {u"database"_s, line.database}, {u"lock"_s, line.lock},
        {u"what"_s, line.waited ? u"waited"_s : u"held"_s}, {u"mode"_s, line.mode},
        {u"session"_s, line.party.session.value}, {u"user"_s, line.party.owner},
        {u"program"_s, line.party.program}, {u"host"_s, line.party.host},
        {u"from"_s, lockscope::toJson(std::optional(line.from))}, {u"from_exact"_s, line.fromExact},
        {u"seen_until"_s, lockscope::toJson(std::optional(line.to))},
        {u"gone"_s, lockscope::toJson(line.gone)}, {u"seen_polls"_s, line.sightings.seen},
        {u"polls"_s, line.sightings.polls},
        {u"at_least_ms"_s,
            line.sightings.proven ? QJsonValue(qint64(lengthOf(line).value.count())) : QJsonValue()}};
}

/// Prints lines as they come; those of text in tables of so many lines, each with its titles.
class HistoryPrinter {
public:
    struct Columns {
        bool several = false; ///< locks of one name
        bool isNamed = false; ///< locks of several names
        bool isOfSession = false;
    };
    HistoryPrinter(bool isJson, const Columns& columns)
        : m_isJson(isJson)
        , m_columns(columns)
    {
    }

    void add(const record::HistoryLine& line)
    {
        m_isEmpty = false;
        if (m_isJson) {
            m_json.add(toJson(line));
            return;
        }
        if (!m_table)
            m_table.emplace(columns());
        m_table->add(cells(line), line.waited ? Tone::Warning : Tone::Plain);
        if (++m_lines == linesOfTable)
            printTable();
    }
    void finish()
    {
        if (m_isJson)
            m_json.finish();
        else if (m_isEmpty)
            print(m_columns.isOfSession
                    ? u"In that time it was not seen to hold a lock or to wait for one.\n"_s
                    : u"In that time nobody was seen to hold it or to wait for it.\n"_s);
        else if (m_table)
            printTable();
    }

private:
    std::vector<TextTable::Column> columns() const;
    QStringList cells(const record::HistoryLine& line) const;
    void printTable()
    {
        print(m_table->lines(screenSize().columns, useColours()).join(u'\n') + u'\n');
        m_table.reset();
        m_lines = 0;
    }

    const bool m_isJson;
    const Columns m_columns;
    JsonArrayPrinter m_json;
    std::optional<TextTable> m_table;
    int m_lines = 0;
    bool m_isEmpty = true;
};

std::vector<TextTable::Column> HistoryPrinter::columns() const
{
    using Fit = TextTable::Fit;
    std::vector<TextTable::Column> columns{
        {u"FROM"_s}, {u"FOR"_s, Fit::Right}, {u"SEEN"_s, Fit::Right}, {u"WHAT"_s}, {u"MODE"_s}};
    if (m_columns.several)
        columns.insert(columns.end(), {{u"KIND"_s}, {u"DATABASE"_s, Fit::Flexible}});
    if (m_columns.isNamed)
        columns.insert(columns.end(), {{u"LOCK"_s, Fit::Flexible}});
    if (!m_columns.isOfSession)
        columns.insert(columns.end(),
            {{u"SESSION"_s, Fit::Right}, {u"USER"_s, Fit::Flexible}, {u"PROGRAM"_s, Fit::Flexible},
                {u"HOST"_s, Fit::Flexible}});
    columns.push_back({u"UNTIL"_s});
    return columns;
}

QStringList HistoryPrinter::cells(const record::HistoryLine& line) const
{
    QStringList cells{(line.fromExact ? QString() : u"≤ "_s) + line.from.toIsoString().left(19) + u'Z',
        line.sightings.proven ? lengthOf(line).toString() : u"–"_s, line.sightings.toString(),
        line.waited ? u"waited"_s : u"held"_s, printable(line.mode)};
    if (m_columns.several)
        cells << printable(line.kind) << printable(line.database);
    if (m_columns.isNamed)
        cells << printable(line.lock);
    if (!m_columns.isOfSession)
        cells << (line.party.session.isValid() ? QString::number(line.party.session.value) : QString())
              << printable(line.party.owner) << printable(line.party.program) << printable(line.party.host);
    return cells << (line.gone ? u"gone by "_s + clockText(*line.gone)
                               : u"seen until "_s + clockText(line.to));
}

Result<void> tellLocks(record::RecordingReader& reader, const CommandLine& line, const record::Span& range)
{
    const auto names = record::lockNamesMeant(reader, line.positional(0));
    if (!names)
        return Failure(names.error());
    HistoryPrinter::Columns columns;
    columns.isNamed = names->size() > 1;
    QSet<QString> locks;
    for (const QString& name : *names) {
        const auto named = reader.locksNamed(name);
        if (!named)
            return Failure(named.error());
        for (const record::RecordedLock& each : *named)
            locks.insert(each.key());
        columns.several = columns.several || locks.size() > names->size();
    }
    HistoryPrinter printer(line.json(), columns);
    const auto read = reader.history(*names, range.first, range.last, [&](const record::HistoryLine& each) {
        printer.add(each);
        return true;
    });
    if (read)
        printer.finish();
    return read;
}

Result<void> tellSession(record::RecordingReader& reader, const CommandLine& line, const record::Span& range)
{
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
    HistoryPrinter printer(line.json(), {.isNamed = true, .isOfSession = true});
    for (const record::HistoryLine& each : told->lines)
        printer.add(each);
    printer.finish();
    return {};
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
    const auto told = (ofSession ? tellSession : tellLocks)(*recorded->reader, line, recorded->range);
    if (!told)
        return fail(told.error());
    if (!line.json())
        print(
            coverageText(*recorded->reader, recorded->range) + tallyText(*recorded->reader, recorded->range));
    return exitOk;
}

} // namespace

Command historyCommand()
{
    Command command{u"history"_s, u"who held a lock, and when, by a recording"_s, runHistory,
        u"Tells of a recording who held the lock of that name, or waited for it, and when; with --session "
        "what that session held and waited for. Names are as \"lockctl list\" shows them; '%orders%' names "
        "all "
        "that have that in them. It misses what came and went between two polls, or in a gap."_s};
    command.arguments = u"[LOCK]"_s;
    command.examples = QStringList{u"lockctl history public.orders --recording shop.lockscope --from 1h"_s,
        u"lockctl history '%orders%' --from 03:10 --to 03:20"_s,
        u"lockctl history --session 4711 --server postgresql://ops@db/shop"_s};
    addRange(command);
    command.addValue(u"session"_s, u"ID"_s,
        u"Show what this session held and waited for. If several had the number, the last one that began before --to."_s);
    return command;
}

} // namespace lockscope::ctl
