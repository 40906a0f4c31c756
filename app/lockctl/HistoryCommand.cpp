// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Console.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/ReportOutput.h"
#include "core/record/LockBiography.h"
#include "core/record/StoredEvents.h"

#include <QSet>

#include <limits>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

/// Adds what else happened on the server in that time.
void addTally(report::Report& report, record::RecordingReader& reader, const record::Span& range)
{
    if (const auto events = reader.events(range.first, range.last))
        record::tallyOf(*events).addTo(report);
}

Result<void> tellLocks(record::RecordingReader& reader, const CommandLine& line, const record::Span& range)
{
    const auto names = record::lockNamesMeant(reader, line.positional(0));
    if (!names)
        return Failure(names.error());
    QSet<QString> locks;
    bool hasKinds = false;
    for (const QString& name : *names) {
        const auto named = reader.locksNamed(name);
        if (!named)
            return Failure(named.error());
        for (const record::RecordedLock& each : *named)
            locks.insert(each.key());
        hasKinds = hasKinds || locks.size() > names->size();
    }
    const auto coverage = record::coverageOf(reader, range.first, range.last);
    if (!coverage)
        return Failure(coverage.error());
    report::Report report{.title = u"History of "_s + line.positional(0),
        .sections = {record::historySection({.hasNames = names->size() > 1, .hasKinds = hasKinds})},
        .closing = {coverage->toString()}};
    addTally(report, reader, range);
    // Row by row: there may be millions.
    ReportPrinter printer(line);
    printer.begin(report);
    printer.begin(report.sections.front());
    const auto read = reader.history(*names, range.first, range.last, [&](const record::HistoryLine& each) {
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
    const auto id = line.number(u"session"_s, std::numeric_limits<int>::min());
    const auto session = id ? record::theSession(reader, SessionId{*id}, range.last) : Failure(id.error());
    const auto result =
        session ? record::biography(reader, *session, range.first, range.last) : Failure(session.error());
    if (!result)
        return Failure(result.error());
    if (result->isCut)
        complain(u"These are the first %1 lines, up to %2: name a shorter time with --from and --to."_s
                     .arg(result->lines.size())
                     .arg(result->to.toIsoString()));
    report::Report report = toReport(*result);
    addTally(report, reader, range);
    printReport(line, std::move(report));
    return {};
}

int runHistory(const CommandLine& line)
{
    const bool ofSession = line.has(u"session"_s);
    if (ofSession == !line.positional(0).isEmpty())
        return fail(ErrorKind::BadInput, u"A history is of a lock, or of a session."_s,
            u"Name either LOCK or --session."_s);
    const auto recorded = recordedRange(line);
    if (!recorded)
        return fail(recorded.error());
    const auto result = (ofSession ? runOnSession : tellLocks)(*recorded->reader, line, recorded->range);
    return result ? exitOk : fail(result.error());
}

} // namespace

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
