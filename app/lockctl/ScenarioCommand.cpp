// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Console.h"
#include "app/lockctl/ReportOutput.h"
#include "app/lockctl/ScenarioOrder.h"
#include "app/lockctl/ServerOption.h"
#include "app/lockctl/SignalWatch.h"
#include "core/base/Duration.h"
#include "core/base/PlainFile.h"
#include "core/base/Sentences.h"
#include "core/domain/Engine.h"
#include "core/scenario/format/ScenarioFile.h"
#include "core/scenario/run/FreeRun.h"
#include "core/scenario/run/RunSchema.h"

#include <QFileInfo>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

QJsonObject toJson(const scenario::Scenario& scenario)
{
    QJsonArray engines;
    for (const Engine engine : scenario.engines)
        engines.append(engineKey(engine));
    QJsonArray variants;
    for (const scenario::Variant& variant : scenario.variants)
        variants.append(QJsonObject{{u"id"_s, variant.id}, {u"title"_s, variant.title},
            {u"strategy"_s, variant.strategy}, {u"unsafe"_s, variant.isUnsafe}});
    QJsonArray parameters;
    for (const scenario::Parameter& parameter : scenario.parameters) {
        QJsonObject json{{u"name"_s, parameter.name}, {u"meaning"_s, parameter.meaning}};
        if (parameter.type == scenario::Parameter::Type::Number) {
            json[u"default"_s] = parameter.byDefault;
            json[u"least"_s] = parameter.least;
            json[u"most"_s] = parameter.maximum;
        } else {
            json[u"identifier"_s] = parameter.identifier;
        }
        parameters.append(json);
    }
    return {{u"id"_s, scenario.id}, {u"title"_s, scenario.title}, {u"story"_s, scenario.story},
        {u"engines"_s, engines}, {u"sessions"_s, scenario.sessions},
        {u"duration_ms"_s, qint64(scenario.duration.count())}, {u"parameters"_s, parameters},
        {u"variants"_s, variants}, {u"file"_s, scenario.file}};
}

/// Removes the remains of runs that were killed; reported if there were some. A server is only asked if the
/// user has named one.
void removeRemains(const CommandLine& line)
{
    const QString named =
        line.has(u"server"_s) ? line.value(u"server"_s) : qEnvironmentVariable("LOCKSCOPE_SERVER");
    const auto url = db::ServerUrl::parse(named);
    int removed = 0;
    if (url && !url->sandbox) {
        if (const auto server = serverToChange(line, u"remove what killed runs left"_s))
            removed = scenario::RunSchema::removeRemains(*server).value_or(0);
    } else {
        removed = scenario::RunSchema::removeRemainingFiles();
    }
    if (removed > 0)
        complain(u"Removed what %1 killed runs had left behind."_s.arg(removed));
}

int listScenarios(const CommandLine& line)
{
    removeRemains(line);
    const scenario::Library library = scenario::loadLibrary();
    complain(library.faults);
    if (line.json()) {
        QJsonArray all;
        for (const auto& each : library.scenarios)
            all.append(toJson(*each));
        printJson(all);
        return exitOk;
    }
    TextTable table({{u"ID"_s}, {u"TITLE"_s, TextTable::Fit::Flexible},
        {u"ENGINES"_s, TextTable::Fit::Flexible}, {u"VARIANTS"_s, TextTable::Fit::Flexible}});
    for (const auto& each : library.scenarios) {
        QStringList variants;
        for (const scenario::Variant& variant : each->variants)
            variants << variant.id;
        table.add({each->id, each->title, enginesText(each->engines), variants.join(u", "_s)});
    }
    print(table.lines(screenSize().columns, useColours()).join(u'\n') + u'\n');
    return exitOk;
}

bool isOneFile(const QString& a, const QString& b)
{
    // A scenario that comes with the program has an equal file in the sources.
    const bool isShipped = a.startsWith(u':');
    return isShipped ? fileContent(a) == fileContent(b) : QFileInfo(a) == QFileInfo(b);
}

int checkFiles(const CommandLine& line)
{
    int code = exitOk;
    scenario::FileFaults all;
    std::vector<scenario::ScenarioPtr> known = scenario::loadLibrary().scenarios;
    for (const QString& path : line.positionals()) {
        const auto scenario = scenario::readScenarioFile(path);
        scenario::FileFaults faults = scenario ? scenario::FileFaults() : scenario.error();
        if (scenario) {
            for (const scenario::ScenarioPtr& other : known)
                if (other->id == (*scenario)->id && !isOneFile(other->file, path))
                    faults.push_back(scenario::idIsTaken(**scenario, *other));
            known.push_back(*scenario);
        }
        if (faults.empty()) {
            if (!line.json())
                print(u"%1: %2 is well-formed.\n"_s.arg(path, (*scenario)->id));
            continue;
        }
        code = exitFailed;
        all.insert(all.end(), faults.begin(), faults.end());
        if (!line.json())
            complain(faults);
    }
    if (line.json())
        printJson(faultsJson(all));
    return code;
}

void printReport(const scenario::RunReport& report)
{
    const scenario::Variant& variant = *report.scenario->find(report.variant);
    const bool colours = useColours();
    print(toned(report.scenario->title, TextTone::Bold, colours) + u'\n');
    const bool areProcesses = report.sessionsAre == scenario::SessionsAre::Processes;
    print(u"%1 (%2), %3%4, %5, seed %6\n\n"_s.arg(variant.title, variant.strategy)
              .arg(counted(qint64(report.sessions.size()), u"session"))
              .arg(areProcesses ? u" (processes)"_s : QString())
              .arg(durationText(report.duration))
              .arg(report.seed));
    print(toned(report.verdict, report.violations.isBroken() ? TextTone::Alarm : TextTone::Plain, colours)
        + u"\n\n"_s);
    print(scenario::figuresInWords(report).join(u'\n') + u'\n');
    if (!report.violations.sawAll)
        print(u"The event log was full: the last events were counted, but not checked.\n"_s);
}

/// One after the other, without the many sessions and parameters of a run that goes freely.
scenario::StepOrder stepsOf(const scenario::RunOrder& run)
{
    scenario::StepOrder order;
    order.run.scenario = run.scenario;
    order.run.variant = run.variant;
    return order;
}

QString progressText(const scenario::Progress& progress)
{
    if (progress.phase == scenario::Progress::Phase::Preparing)
        return u"%1 of %2 sessions are connected"_s.arg(progress.sessions).arg(progress.plannedSessions);
    return u"%1 of %2, %3 rounds, %4 of %5 sessions wait"_s
        .arg(formatDuration(progress.elapsed), formatDuration(progress.duration))
        .arg(progress.counts.rounds)
        .arg(progress.waiting)
        .arg(progress.sessions);
}

/// Shows how it goes on meanwhile.
Result<scenario::RunReport> runOne(
    const db::Server& server, const scenario::RunOrder& order, const StopOnSignal& stop)
{
    ProgressLine status;
    auto run = scenario::runFreely(server, order, stop.token(),
        [&status](const scenario::Progress& progress) { status.show(progressText(progress)); });
    if (run && run->leftBehind)
        complain(u"The schema of the run is still there: %1"_s.arg(run->leftBehind->toString()));
    return run;
}

int compareVariants(const CommandLine& line)
{
    const auto scenario = findScenario(line.positional(0));
    if (!scenario)
        return exitUsage;
    auto order = orderFrom(line, scenario);
    const auto server = order ? serverToChange(line, u"run a scenario"_s) : Failure(order.error());
    if (!server)
        return failWithoutVerdict(server.error());
    const StopOnSignal stop(inOrder);
    std::vector<std::shared_ptr<const scenario::RunReport>> runs;
    int code = exitNoVerdict;
    for (const scenario::Variant& variant : scenario->variants) {
        if (!variant.engines.contains(server->engine()))
            continue;
        order->variant = variant.id;
        auto run = runOne(*server, *order, stop);
        if (!run)
            return codeWithoutVerdict(stop.fail(run.error()));
        const bool isBadNews = run->violations.isBroken() && !variant.isUnsafe;
        code = isBadNews || code == exitFailed ? exitFailed : run->violations.tries > 0 ? int(exitOk) : code;
        runs.push_back(std::make_shared<const scenario::RunReport>(std::move(*run)));
        if (stop.signal() != 0)
            break;
    }
    printReport(line, scenario::toReport(runs));
    return code;
}

int runScenario(const CommandLine& line)
{
    const auto scenario = findScenario(line.positional(0));
    if (!scenario)
        return exitUsage;
    auto order = orderFrom(line, scenario);
    if (!order)
        return failWithoutVerdict(order.error());
    if (line.has(u"processes"_s))
        order->sessionsAre = scenario::SessionsAre::Processes;
    const auto server = serverToChange(line, u"run a scenario"_s);
    if (!server)
        return failWithoutVerdict(server.error());
    const StopOnSignal stop(inOrder);
    const auto report = runOne(*server, *order, stop);
    if (!report)
        return codeWithoutVerdict(stop.fail(report.error()));
    std::optional<scenario::OrderReport> orders;
    if (!stop.token().stop_requested())
        orders = lockOrdersOf(*server, stepsOf(*order), stop.token());
    printWithOrders(line, scenario::toJson(*report), orders, [&report] { printReport(*report); });
    if (report->violations.isBroken())
        return exitFailed;
    return report->violations.tries > 0 ? exitOk : exitNoVerdict;
}

Command listOfScenarios()
{
    return {u"scenario list"_s, u"the scenarios that come with the program, and your own"_s, listScenarios,
        u"Lists the scenarios that come with the program and those of LOCKSCOPE_SCENARIO_DIR."_s};
}

void addFreeRunOptions(Command& command)
{
    addRunOptions(command, u"How many sessions, 1 to 200."_s);
    command.addValue(u"duration"_s, u"TIME"_s, u"How long, e.g. 10s."_s);
    command.addValue(u"rate"_s, u"N"_s, u"At most so many rounds a second of each session."_s);
    command.addValue(u"think"_s, u"TIME"_s, u"Pause of each session between its rounds."_s);
}

Command compare()
{
    Command command(u"scenario compare"_s, u"run all variants, and show them side by side"_s, compareVariants,
        u"Runs each variant, one after the other, with the same seed, and shows rounds, waits and violations side by side. Exits with 0 if only unsafe ones broke, with 1 if another one did, and with 3 if nothing can be said."_s);
    command.arguments = u"ID|FILE"_s;
    command.examples = {u"lockctl scenario compare lost-update --duration 10s --format markdown"_s};
    addFreeRunOptions(command);
    addForms(command);
    return command;
}

Command run()
{
    Command command(u"scenario run"_s, u"run a variant and count how often it goes wrong"_s, runScenario,
        u"Runs a variant, the unsafe one by default, in a schema of its own that is dropped afterwards. Exits with 0 if the invariant held, with 1 if it broke, and with 3 if nothing can be said about it: no connection, a mistake in the SQL."_s);
    command.arguments = u"ID|FILE"_s;
    command.examples = {u"lockctl scenario run lost-update"_s,
        u"lockctl scenario run lost-update --variant row-lock --duration 10s"_s};
    command.addValue(u"variant"_s, u"ID"_s, u"Which variant; else the unsafe one."_s);
    addFreeRunOptions(command);
    command.addFlag(u"processes"_s, u"Each session is a process of its own, not a thread."_s);
    return command;
}

Command check()
{
    Command command(u"scenario check"_s, u"what is wrong in scenario files, and where"_s, checkFiles,
        u"Says what is wrong in scenario files: file, line, column. Exits with 1 if something is."_s);
    command.arguments = u"FILE…"_s;
    command.examples = {u"lockctl scenario check mine.json"_s};
    return command;
}

} // namespace

Command scenarioCommand()
{
    Command command(u"scenario"_s, u"make a race happen, and see what keeps it from happening"_s, nullptr,
        u"Makes a race between sessions happen on purpose. `run`, `explore` and `replay` exit with 0 if the invariant held, with 1 if it broke, and with 3 if nothing can be said about it."_s);
    command.examples = {u"lockctl scenario run lost-update"_s,
        u"lockctl scenario explore lost-update --set accounts=1 --save witness.json"_s,
        u"lockctl scenario replay witness.json"_s};
    command.commands = {listOfScenarios(), run(), compare(), exploreCommand(), replayCommand(), check()};
    return command;
}

} // namespace lockscope::ctl
