// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/FrameworkLocks.h"
#include "app/lockctl/NamedSnapshot.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/ReportOutput.h"
#include "app/lockctl/SnapshotText.h"
#include "core/report/SnapshotTables.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

/// Lists the known frameworks of the locks, and nothing else.
int listFrameworks(const Snapshot& snapshot, const CommandLine& line)
{
    const QString framework = line.value(u"framework"_s);
    if (!framework.isEmpty() && !isFramework(snapshot, framework)) {
        complain(u"No framework is called \"%1\". `lockctl frameworks` lists those that are known."_s.arg(
            framework));
        return exitUsage;
    }
    const auto locks = frameworkLocks(snapshot, framework);
    if (line.json()) {
        printJson(frameworkLocksJson(snapshot, locks));
        return exitCodeOf(snapshot);
    }
    report::Section section = frameworkLocksSection(snapshot, locks);
    if (snapshot.isIncomplete() || !unreadTables(snapshot, framework).isEmpty())
        section.whenEmpty = u"No lock of a framework was seen, but not everything could be read:"_s;
    printReport(line, {.sections = {std::move(section)}, .closing = limitationTexts(snapshot)});
    return exitCodeOf(snapshot);
}

/// Lock by lock, however many there are.
void printLocks(const Snapshot& snapshot, const CommandLine& line)
{
    const report::Report report{
        .sections = {report::locksSection(snapshot), report::entriesSection(snapshot)},
        .closing = limitationTexts(snapshot)};
    ReportPrinter printer(line);
    printer.begin(report);
    printer.begin(report.sections.front());
    for (const LockRequest* request : report::lockRequests(snapshot, line.has(u"all"_s)))
        printer.add(report::lockRow(snapshot, *request));
    printer.endSection();
    printer.write(report.sections.back());
    printer.end();
}

/// Also the sessions, which are a table of their own only on request.
void printTable(const Snapshot& snapshot, const CommandLine& line)
{
    report::Report report{.sections = {report::locksSection(snapshot), report::entriesSection(snapshot),
                              report::sessionsSection()},
        .closing = limitationTexts(snapshot)};
    const bool all = line.has(u"all"_s);
    for (const LockRequest* request : report::lockRequests(snapshot, all))
        report.sections.front().rows.push_back(report::lockRow(snapshot, *request));
    for (const report::SessionRow& row : report::sessionRows(snapshot))
        if (all || !row.session.own)
            report.sections.back().rows.push_back(report::sessionRow(row, snapshot.takenAt));
    printReport(line, std::move(report));
}

int runList(const CommandLine& line)
{
    auto probes = probesFrom(line);
    if (!probes)
        return fail(probes.error());
    probes->internalLocks = line.has(u"all"_s);
    const auto snapshot = snapshotOfNamed(line, *probes);
    if (!snapshot)
        return fail(snapshot.error());
    if (line.has(u"framework"_s))
        return listFrameworks(**snapshot, line);
    if (line.has(u"table"_s))
        printTable(**snapshot, line);
    else if (line.json()) // the whole snapshot, as scripts and recordings have it: no table has all of it
        printJson(**snapshot);
    else
        printLocks(**snapshot, line);
    // The tables have no place for them.
    if (line.value(u"format"_s) == u"csv" || (line.has(u"table"_s) && line.json()))
        for (const QString& text : limitationTexts(**snapshot))
            complain(text);
    return exitCodeOf(**snapshot);
}

} // namespace

Command listCommand()
{
    Command command(u"list"_s, u"every lock held or waited for, and the lock table"_s, runList,
        u"Lists every lock that is held or waited for, contended ones first, and the lock table with its waiters."_s);
    command.examples = {u"lockctl list"_s, u"lockctl list --framework liquibase"_s,
        u"lockctl list --table sessions"_s,
        u"lockctl list --json | jq '.locks[] | select(.state != \"granted\")'"_s};
    command.addFlag(u"all"_s,
        u"Also this program's own sessions, and locks that nobody can wait for in practice: transactions on their own ids, the catalogue."_s);
    command.addValue(u"framework"_s, u"[NAME]"_s,
        u"Only locks of frameworks (Liquibase, Flyway …), or of this one: whose they are, who holds them and whether the holder works. `lockctl frameworks` lists those that are known."_s);
    addApproval(command);
    addLimit(command);
    addRecording(command);
    addForms(command, {u"locks"_s, u"entries"_s, u"sessions"_s});
    command.apart = {{{u"framework"_s}, {u"table"_s}}};
    return command;
}

} // namespace lockscope::ctl
