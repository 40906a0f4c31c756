// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Console.h"
#include "app/lockctl/FrameworkLocks.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/ServerOption.h"
#include "app/lockctl/SnapshotText.h"
#include "core/base/EnumTable.h"
#include "core/base/ShownText.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/Diagnosis.h"
#include "core/domain/SnapshotJson.h"
#include "core/domain/SnapshotNames.h"
#include "core/report/SnapshotTables.h"
#include "core/watch/AlertTables.h"
#include "core/watch/IncidentStore.h"
#include "core/watch/ObservationParts.h"
#include "core/watch/ServerStanding.h"

#include <algorithm>
#include <numeric>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

/// Names the server and the time for a page or a ticket; text has them of a recording, in its first line.
QString pageTitle(const Snapshot& snapshot, const CommandLine& line)
{
    return line.value(u"format"_s) == u"text"
        ? QString()
        : u"%1 at %2"_s.arg(snapshot.server, report::timeText(snapshot.takenAt));
}

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
    printReport(line,
        {.title = pageTitle(snapshot, line),
            .sections = {std::move(section)},
            .closing = limitationTexts(snapshot)});
    return exitCodeOf(snapshot);
}

/// Lock by lock, however many there are.
void printLocks(const Snapshot& snapshot, const CommandLine& line)
{
    const report::Report report{.title = pageTitle(snapshot, line),
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
    report::Report report{.title = pageTitle(snapshot, line),
        .sections = {report::locksSection(snapshot), report::entriesSection(snapshot),
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

Result<ExitStatus> runList(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(auto probes, probesFrom(line));
    probes.internalLocks = line.has(u"all"_s);
    LOCKSCOPE_TRY_GET(const auto snapshot, snapshotOfNamed(line, probes));
    if (line.has(u"framework"_s))
        return listFrameworks(*snapshot, line);
    if (line.has(u"table"_s))
        printTable(*snapshot, line);
    else if (line.json()) // the whole snapshot, as scripts and recordings have it: no table has all of it
        printJson(*snapshot);
    else
        printLocks(*snapshot, line);
    // The tables have no place for them.
    if (line.value(u"format"_s) == u"csv" || (line.has(u"table"_s) && line.json()))
        for (const QString& text : limitationTexts(*snapshot))
            complain(text);
    return exitCodeOf(*snapshot);
}

QJsonObject blockingJson(const Snapshot& snapshot)
{
    const BlockingGraph& graph = snapshot.blocking();
    const Diagnoser diagnoser(snapshot);
    const QJsonArray heads = jsonOfEach(graph.heads(), [&](const auto& head) {
        return QJsonObject{{u"session"_s, head.session.value},
            {u"name"_s, sessionName(snapshot, head.session)}, {u"victims"_s, head.victims},
            {u"depth"_s, head.depth}, {u"longest_wait_ms"_s, qint64(head.longestWait.count())},
            {u"longest_wait_exact"_s, head.longestExact}, {u"joined_last_minute"_s, head.joined},
            {u"harm_ms"_s, qint64(weightOf(head).count())},
            {u"advice"_s, diagnoser.of(head.session, longRunning()).remedy}};
    });
    const QJsonArray rings =
        jsonOfEach(graph.cycles(), [](const auto& ring) { return jsonOfEach(ring, &SessionId::value); });
    const QJsonObject whole = toJson(snapshot);
    return {{u"format"_s, whole[u"format"]}, {u"server"_s, whole[u"server"]},
        {u"taken_at"_s, whole[u"taken_at"]}, {u"heads"_s, heads}, {u"deadlocks"_s, rings},
        {u"waits"_s, whole[u"waits"]}, {u"limitations"_s, whole[u"limitations"]}};
}

QStringList textOf(const Snapshot& snapshot, const CommandLine& line)
{
    SnapshotText text(snapshot, screenSize().columns, useColours());
    text.choose({.folds = !line.has(u"all"_s)});
    QStringList lines = text.heads();
    if (lines.isEmpty())
        lines = text.blocking();
    else if (!line.has(u"heads"_s))
        lines << QString() << text.blocking();
    return lines + text.limitations();
}

/// Text without --table is a tree, and JSON an object of its own.
bool asksForTable(const CommandLine& line)
{
    return line.has(u"table"_s) || !(line.json() || line.value(u"format"_s) == u"text");
}

bool isOfServers(const CommandLine& line)
{
    return line.value(u"table"_s) == u"servers";
}

report::Report tableOf(const Snapshot& snapshot, const CommandLine& line)
{
    std::vector<BlockingNode> forest = blockingForest(snapshot, longRunning());
    if (line.has(u"heads"_s))
        for (BlockingNode& head : forest)
            head.children.clear();
    report::Report report = report::toReport(snapshot, forest);
    report.closing = limitationTexts(snapshot);
    if (line.json() || line.value(u"format"_s) == u"csv") // they have no place for it
        for (const QString& text : report.closing)
            complain(text);
    return report;
}

/// Adds the table of one server of several.
void addTable(report::Report& all, const QString& server, report::Report table)
{
    report::Section section = std::move(table.sections.front());
    section.title = server;
    section.whenEmpty = u"%1: %2"_s.arg(server, section.whenEmpty);
    for (const QString& note : table.notes)
        all.notes << u"%1: %2"_s.arg(server, note);
    section.columns.insert(section.columns.begin(), report::Column(u"server"_s));
    for (report::ReportRow& row : section.rows)
        row.cells.insert(row.cells.begin(), server);
    all.sections.push_back(std::move(section));
    all.closing += table.closing;
}

/// Says how each of the servers is, the worst first, as the page Fleet does.
report::Report standingsOf(
    const std::vector<const watch::ServerWatch*>& watches, const std::vector<SeenServer>& seen)
{
    const auto store = watch::IncidentStore::openToRead();
    const auto firing = store ? (*store)->firing() : Failure(store.error());
    const auto mutes = store ? (*store)->mutes(ownClock()) : Failure(store.error());
    const bool areCurrent = firing && mutes;
    if (!areCurrent)
        complain(errorText(firing ? mutes.error() : firing.error()));
    const watch::FiringIncidents incidents(
        firing.value_or(QList<alert::Incident>()), mutes.value_or(QList<alert::Mute>()));
    const LockThresholds thresholds = loadThresholds();
    std::vector<watch::ServerStanding> standings;
    for (const watch::ServerWatch* const each : watches) {
        standings.push_back(watch::standingOf(each, incidents.of(each->place()), areCurrent, thresholds));
        standings.back().interval = {}; // there is no next poll
    }
    watch::addCrossServer(standings, seen);
    std::vector<size_t> order(watches.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::ranges::stable_sort(order, [&](size_t a, size_t b) { return isWorse(standings[a], standings[b]); });
    report::Report report{.title = u"Servers"_s, .sections = {watch::standingsSection()}};
    for (const size_t i : order) {
        watch::BlockedHour hour;
        const auto recorded = watch::recordedHour(watches[i]->identity());
        for (const watch::BlockedRange& range : recorded ? recorded->ranges : QList<watch::BlockedRange>())
            hour.add(range);
        report.sections.front().rows.push_back(watch::standingRow(watches[i]->profile(), standings[i],
            hour.until(ownClock() + (recorded ? recorded->ahead : microseconds(0)))));
    }
    return report;
}

QJsonObject acrossJson(const CrossServer& cross, const std::vector<SeenServer>& servers)
{
    static constexpr EnumTable<CrossWait::Certainty> certainties({u"process", u"program", u"several"});
    QJsonArray waits;
    for (const CrossWait& wait : cross.waits)
        waits.append(QJsonObject{{u"server"_s, servers[wait.head.server].name},
            {u"session"_s, wait.head.session.value}, {u"victims"_s, wait.behind},
            {u"idle_ms"_s, qint64(wait.idle.value.count())},
            {u"waits_on"_s, servers[wait.waiter.server].name},
            {u"waiting_session"_s, wait.waiter.session.value}, {u"waits_for"_s, wait.resource},
            {u"wait_ms"_s, qint64(wait.waits.value.count())}, {u"wait_exact"_s, wait.waits.exact},
            {u"behind_session"_s, wait.blocker.session.value},
            {u"agrees"_s, certainties[wait.certainty].toString()}, {u"candidates"_s, wait.candidates},
            {u"client"_s, wait.client}, {u"text"_s, textOf(wait, servers)}});
    const auto rings = jsonOfEach(
        cross.rings, [&](const std::vector<size_t>& ring) { return textOfRing(ring, cross, servers); });
    return {{u"waits"_s, waits}, {u"deadlocks"_s, rings}};
}

/// Says what connects the chains, in paragraphs.
QStringList acrossText(const CrossServer& cross, const std::vector<SeenServer>& servers)
{
    QStringList lines;
    for (const std::vector<size_t>& ring : cross.rings)
        lines << inOneLine(textOfRing(ring, cross, servers));
    for (const CrossWait& wait : cross.waits)
        lines << inOneLine(textOf(wait, servers));
    if (lines.isEmpty())
        lines << u"No head blocker is seen to wait on another server."_s;
    return lines;
}

/// Several servers, polled at one time, so that what connects them is seen.
Result<ExitStatus> runTreeOfServers(const CommandLine& line, const monitor::ProbeSelection& probes)
{
    constexpr milliseconds atMost{10'000};
    LOCKSCOPE_TRY_GET(const auto servers, serversToRead(line));
    speakOf({}); // each error names its own
    const auto watches = watchesToPollOnce(servers, probes);
    pollOnce(watches, atMost);
    std::vector<const watch::ServerWatch*> polled;
    for (const auto& watch : watches)
        polled.push_back(watch.get());
    const std::vector<SeenServer> seen = watch::seenServers(polled);
    int code = exitOk;
    QStringList lines;
    QJsonArray trees;
    report::Report tables{.title = u"Who blocks whom"_s};
    for (const watch::ServerWatch* const each : polled) {
        if (const auto error = errorOf(*each)) {
            code = fail(*error);
            continue;
        }
        const Snapshot& snapshot = *each->monitor().snapshot();
        code = std::max(code, exitCodeOf(snapshot));
        if (isOfServers(line))
            continue;
        if (asksForTable(line))
            addTable(tables, each->profile().display(), tableOf(snapshot, line));
        else if (line.json())
            trees.append(blockingJson(snapshot));
        else
            lines << inOneLine(each->profile().display()) + u':' << textOf(snapshot, line) << QString();
    }
    if (isOfServers(line)) {
        printReport(line, standingsOf(polled, seen));
        return code;
    }
    const CrossServer cross = crossServer(seen);
    if (asksForTable(line)) {
        tables.notes = acrossText(cross, seen) + tables.notes;
        printReport(line, std::move(tables));
    } else if (line.json())
        printJson({{u"servers"_s, trees}, {u"across"_s, acrossJson(cross, seen)}});
    else
        print((lines + acrossText(cross, seen)).join(u'\n') + u'\n');
    return code;
}

Result<ExitStatus> runTree(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(auto probes, probesFrom(line));
    probes.surroundings = isOfServers(line); // they say which one is a replica
    if (!line.positionals().isEmpty() || isOfServers(line)) {
        if (line.has(u"recording"_s) || line.has(u"at"_s))
            return failure(ErrorKind::BadInput, u"A recording is of one server."_s,
                u"Leave the servers out, or --recording and --at."_s);
        return runTreeOfServers(line, probes);
    }
    LOCKSCOPE_TRY_GET(const auto snapshot, snapshotOfNamed(line, probes));
    if (asksForTable(line))
        printReport(line, tableOf(*snapshot, line));
    else if (line.json())
        printJson(blockingJson(*snapshot));
    else
        print(textOf(*snapshot, line).join(u'\n') + u'\n');
    return exitCodeOf(*snapshot);
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

Command treeCommand()
{
    Command command(u"tree"_s, u"who blocks whom, worst first"_s, runTree,
        u"Shows who blocks whom: sessions that block and don't wait themselves first, the one that hurts most on top: by its victims, how long they wait, and how many came within the last minute. Begins with a line for each of these, and which command frees those behind it; then the tree. A "
        "session that waits for several stands below one and names the others; of waiters that are alike the first three are shown. Of several servers it also says which head blockers are idle because their clients wait on another one, and what that is concluded from. A server is a URL or the name of one "
        "that is saved in the window. CSV, Markdown, HTML and --table have a row for each session instead of the tree, with the columns of the page Blocking. --table servers says how each server is, the worst first, as the page Fleet."_s);
    command.arguments = u"[SERVER…]"_s;
    command.examples = {u"lockctl --server sqlserver://ann@db1/shop tree"_s, u"lockctl tree shop stock"_s,
        u"lockctl tree --format markdown"_s};
    command.addFlag(u"heads"_s, u"Only the lines of the heads, without the tree."_s);
    command.addFlag(u"all"_s, u"Show each waiter, also those that are like others."_s);
    command.apart = {{{u"heads"_s}, {u"all"_s}}};
    addLimit(command);
    addRecording(command);
    addForms(command, {u"blocking"_s, u"servers"_s});
    return command;
}

} // namespace lockscope::ctl
