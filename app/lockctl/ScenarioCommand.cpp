// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/CommandLine.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/ServerOption.h"
#include "app/lockctl/SignalWatch.h"
#include "core/base/Duration.h"
#include "core/base/PlainFile.h"
#include "core/base/Sentences.h"
#include "core/domain/Engine.h"
#include "core/order/OrderTable.h"
#include "core/report/Writer.h"
#include "core/scenario/explore/Explore.h"
#include "core/scenario/explore/StepTable.h"
#include "core/scenario/format/ScenarioFile.h"
#include "core/scenario/run/FreeRun.h"
#include "core/scenario/run/RunSchema.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>

#include <limits>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

/// A scenario of the library by its id, or a file by its path. Null if there is none: that was said then.
scenario::ScenarioPtr findScenario(const QString& name)
{
    if (name.endsWith(u".json") || name.contains(u'/')) {
        auto read = scenario::readScenarioFile(name);
        if (read)
            return *read;
        complain(read.error());
        return nullptr;
    }
    const scenario::Library library = scenario::loadLibrary();
    auto found = library.find(name);
    if (found)
        return found;
    // It may be one of those that could not be read.
    complain(library.faults);
    complain(u"There is no scenario \"%1\". `lockctl scenario list` lists them."_s.arg(name));
    return nullptr;
}

/// The options of `run` and `explore` that are the same but for what --sessions means.
void addRunOptions(Command& command, const QString& sessions)
{
    command.addValue(u"sessions"_s, u"N"_s, sessions);
    command.addValue(u"seed"_s, u"N"_s, u"The seed of random numbers and thinking times."_s);
    command.addValue(u"set"_s, u"NAME=VALUE"_s, u"A parameter of the scenario; may come several times."_s);
}

/// The number of an option if it was given.
template <class Number>
Result<void> setNumber(
    const CommandLine& line, const QString& name, qint64 least, qint64 maximum, Number& into)
{
    if (!line.has(name))
        return {};
    LOCKSCOPE_TRY_GET(const auto number, line.number(name, least));
    if (number > maximum)
        return failure(ErrorKind::BadInput, QStringLiteral("--%1: at most %2.").arg(name).arg(maximum));
    into = static_cast<Number>(number);
    return {};
}

/// Returns the run that the options ask for.
Result<scenario::RunOrder> orderFrom(const CommandLine& line, scenario::ScenarioPtr scenario)
{
    scenario::RunOrder order;
    order.scenario = std::move(scenario);
    order.variant = line.value(u"variant"_s);
    LOCKSCOPE_TRY(setNumber(line, u"sessions"_s, 1, 200, order.sessions));
    LOCKSCOPE_TRY(setNumber(line, u"seed"_s, 0, std::numeric_limits<quint32>::max(), order.seed));
    LOCKSCOPE_TRY(setNumber(line, u"rate"_s, 1, 100'000, order.rate));
    LOCKSCOPE_TRY(line.setDuration(u"duration"_s, order.duration));
    LOCKSCOPE_TRY(line.setDuration(u"think"_s, order.think));
    if (line.has(u"duration"_s) && order.duration.count() == 0)
        return failure(ErrorKind::BadInput, u"--duration: longer than nothing."_s);
    for (const QString& set : line.values(u"set"_s)) {
        const qsizetype equals = set.indexOf(u'=');
        if (equals < 1)
            return failure(ErrorKind::BadInput, u"--set is NAME=VALUE, not \"%1\"."_s.arg(set));
        order.parameters.insert(set.left(equals), set.mid(equals + 1));
    }
    return order;
}

/// Returns locks in opposite orders, whether a deadlock came of it or not. Nothing where the order can't be
/// found out, which means nothing for the run; the reason is reported.
std::optional<scenario::OrderReport> lockOrdersOf(
    const db::Server& server, const scenario::StepOrder& order, const std::stop_token& stop)
{
    auto report = scenario::lockOrders(server, order, stop);
    if (!report)
        complain(u"The order of locks could not be read: %1"_s.arg(report.error().toString()));
    return report ? std::optional(std::move(*report)) : std::nullopt;
}

/// Prints a report with such locks, in JSON without --table as `json` with the key "lock_order".
void printWithOrders(const CommandLine& line, QJsonObject json,
    const std::optional<scenario::OrderReport>& orders, report::Report report)
{
    if (line.json() && !line.has(u"table"_s)) {
        json[u"lock_order"_s] = orders ? QJsonValue(scenario::toJson(*orders)) : QJsonValue();
        printJson(json);
        return;
    }
    order::addTo(report, orders ? orders->found.all : QList<order::PotentialDeadlock>());
    for (report::Section& each : report.sections)
        if (each.key == u"potential_deadlocks" && orders)
            each.notes << orders->verdict();
    printReport(line, std::move(report));
}

/// Does what --save asks for; false if that failed, which is reported.
bool save(const CommandLine& line, const scenario::Interleaving& interleaving)
{
    const auto written = !line.has(u"save"_s)
        ? Result<void>()
        : writeFile(line.value(u"save"_s), QJsonDocument(scenario::toJson(interleaving)).toJson());
    if (!written)
        complain(errorText(written.error()));
    return written.has_value();
}

Result<scenario::ExploreOrder> exploreOrderFrom(const CommandLine& line, scenario::ScenarioPtr scenario)
{
    scenario::ExploreOrder order;
    LOCKSCOPE_TRY_GET(order.steps.run, orderFrom(line, std::move(scenario)));
    LOCKSCOPE_TRY(setNumber(line, u"rounds"_s, 1, 100, order.steps.rounds));
    LOCKSCOPE_TRY(setNumber(line, u"limit"_s, 1, 1'000'000, order.maximum));
    LOCKSCOPE_TRY(setNumber(line, u"sample"_s, 1, 1'000'000, order.sample));
    LOCKSCOPE_TRY(setNumber(line, u"draws"_s, 1, 10'000, order.draws));
    return order;
}

/// The argument is a file if there is one of that name, "-" is standard input.
Result<scenario::Interleaving> interleavingFrom(const QStringList& arguments)
{
    const QString path = arguments.size() == 1 ? arguments[0] : QString();
    QFile file(path);
    const bool isInput = path == u"-";
    if (!isInput && !(path.endsWith(u".json") || QFileInfo(path).isFile()))
        return scenario::interleavingFromText(arguments.join(u' '));
    const bool isOpen = isInput ? file.open(stdin, QIODevice::ReadOnly) : file.open(QIODevice::ReadOnly);
    if (!isOpen)
        return failure(ErrorKind::BadInput, u"Can't read %1: %2."_s.arg(path, file.errorString()));
    return scenario::readInterleaving(file.readAll(), isInput ? u"standard input"_s : path);
}

Result<ExitStatus> exploreScenario(const CommandLine& line)
{
    const auto scenario = findScenario(line.positional(0));
    if (!scenario)
        return exitUsage;
    LOCKSCOPE_TRY_GET(const auto order, exploreOrderFrom(line, scenario));
    LOCKSCOPE_TRY_GET(const auto server, serverToChange(line, u"run a scenario"_s));
    const StopOnSignal stop(inOrder);
    Result<scenario::ExploreReport> report;
    std::optional<scenario::OrderReport> orders;
    {
        ProgressLine status;
        status.show(u"preparing"_s);
        report =
            scenario::explore(server, order, stop.token(), [&](const scenario::ExploreProgress& progress) {
                status.show(u"%1 interleavings of at most %2, %3 went wrong"_s.arg(progress.executed)
                                .arg(order.sample > 0 ? double(order.sample) : progress.atMost, 0, 'g', 6)
                                .arg(progress.broken));
            });
        if (report && !stop.token().stop_requested()) {
            status.show(u"looking at the order of locks"_s);
            orders = lockOrdersOf(server, order.steps, stop.token());
        }
    }
    if (!report)
        return stop.endBy(report.error());
    printWithOrders(line, scenario::toJson(*report), orders, scenario::reportOf(*report));
    if ((report->witness && !save(line, *report->witness)) || report->executed == 0)
        return exitNoVerdict;
    return report->broken > 0 ? exitFailed : exitOk;
}

Result<ExitStatus> replayInterleaving(const CommandLine& line)
{
    const auto recorded = interleavingFrom(line.positionals());
    if (!recorded)
        return fail(recorded.error(), exitUsage);
    const auto scenario = findScenario(recorded->scenario);
    if (!scenario)
        return exitUsage;
    LOCKSCOPE_TRY_GET(const auto server, serverToChange(line, u"run a scenario"_s));
    const StopOnSignal stop(inOrder);
    Result<scenario::ReplayReport> report;
    {
        ProgressLine status;
        report = scenario::replay(server, *recorded, scenario, stop.token(),
            [&](int done, int all) { status.show(u"step %1 of %2"_s.arg(done).arg(all)); });
    }
    if (!report)
        return stop.endBy(report.error());
    if (line.json() && !line.has(u"table"_s))
        printJson(scenario::toJson(*report));
    else
        printReport(line, scenario::reportOf(*report));
    for (const scenario::Divergence& each : report->divergences)
        complain(each.toString());
    if (!save(line, report->happened))
        return exitNoVerdict;
    return report->violations.isBroken() || !report->divergences.empty() ? exitFailed : exitOk;
}

Command exploreCommand()
{
    Command command(u"scenario explore"_s, u"execute its interleavings, and show one that goes wrong"_s,
        exploreScenario,
        u"Executes the interleavings of a scenario's steps one by one and shows the simplest one that breaks the invariant. Exits with 0 if the invariant held, with 1 if it broke, and with 3 if nothing can be said about it."_s);
    command.failed = exitNoVerdict;
    command.arguments = u"ID|FILE"_s;
    command.examples = {u"lockctl scenario explore lost-update --set accounts=1 --save witness.json"_s};
    command.addValue(u"variant"_s, u"ID"_s, u"Which variant; else the unsafe one."_s);
    addRunOptions(command, u"How many sessions, 1 to 200; as the scenario says, else 2."_s);
    command.addValue(u"rounds"_s, u"N"_s,
        u"How often each session goes through its program; as the scenario says, else once."_s);
    command.addValue(u"limit"_s, u"N"_s, u"At most so many interleavings; else 2000."_s);
    command.addValue(u"sample"_s, u"N"_s, u"So many at random instead, drawn by --seed."_s);
    command.addValue(u"draws"_s, u"N"_s,
        u"So many different draws, if the sessions of the scenario draw something; else all, or 16 if there are too many."_s);
    command.addValue(u"save"_s, u"FILE"_s, u"Write the interleaving there, for `replay`."_s);
    addForms(command, {u"steps"_s, u"potential_deadlocks"_s, u"witnesses"_s});
    return command;
}

Command replayCommand()
{
    Command command(u"scenario replay"_s, u"do a recorded interleaving again"_s, replayInterleaving,
        u"Does an interleaving again that `explore` has found: from a file, from standard input (-), or from text. Says what went otherwise than recorded; exits as `explore`, with 1 for that, too."_s);
    command.failed = exitNoVerdict;
    command.arguments = u"FILE|TEXT…"_s;
    command.examples = {u"lockctl scenario replay witness.json"_s,
        u"lockctl scenario replay lost-update/unsafe accounts=1: A1 B1 A2 B2"_s};
    command.addValue(u"save"_s, u"FILE"_s, u"Write there what happened this time."_s);
    addForms(command, {u"steps"_s, u"divergences"_s});
    return command;
}

QJsonObject toJson(const scenario::Scenario& scenario)
{
    const QJsonArray variants = jsonOfEach(scenario.variants, [](const scenario::Variant& variant) {
        return QJsonObject{{u"id"_s, variant.id}, {u"title"_s, variant.title},
            {u"strategy"_s, variant.strategy}, {u"unsafe"_s, variant.isUnsafe}};
    });
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
        {u"engines"_s, jsonOfEach(scenario.engines, engineKey)}, {u"sessions"_s, scenario.sessions},
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

Result<ExitStatus> listScenarios(const CommandLine& line)
{
    removeRemains(line);
    const scenario::Library library = scenario::loadLibrary();
    complain(library.faults);
    if (line.json()) {
        printJson(jsonOfEach(library.scenarios, [](const auto& each) { return toJson(*each); }));
        return exitOk;
    }
    using report::Column;
    report::Section all{.key = u"scenarios"_s,
        .columns = {{u"id"_s, u"Id"_s}, Column(u"title"_s, u"Title"_s).wide(1),
            Column(u"engines"_s, u"Engines"_s).wide(1),
            Column(report::Type::Texts, u"variants"_s, u"Variants"_s).wide(1), {u"story"_s}, {u"file"_s}}};
    for (const auto& each : library.scenarios) {
        all.rows.push_back(
            {.cells = {each->id, each->title, enginesText(each->engines),
                 textOfEach(each->variants, &scenario::Variant::id), each->story, each->file}});
    }
    return printReport(line, {.sections = {std::move(all)}});
}

bool isOneFile(const QString& a, const QString& b)
{
    // A scenario that comes with the program has an equal file in the sources.
    const bool isShipped = a.startsWith(u':');
    return isShipped ? fileContent(a) == fileContent(b) : QFileInfo(a) == QFileInfo(b);
}

Result<ExitStatus> checkFiles(const CommandLine& line)
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

Result<ExitStatus> compareVariants(const CommandLine& line)
{
    const auto scenario = findScenario(line.positional(0));
    if (!scenario)
        return exitUsage;
    LOCKSCOPE_TRY_GET(auto order, orderFrom(line, scenario));
    LOCKSCOPE_TRY_GET(const auto server, serverToChange(line, u"run a scenario"_s));
    const StopOnSignal stop(inOrder);
    std::vector<std::shared_ptr<const scenario::RunReport>> runs;
    int code = exitNoVerdict;
    for (const scenario::Variant& variant : scenario->variants) {
        if (!variant.engines.contains(server.engine()))
            continue;
        order.variant = variant.id;
        auto run = runOne(server, order, stop);
        if (!run)
            return stop.endBy(run.error());
        const bool isBadNews = run->violations.isBroken() && !variant.isUnsafe;
        code = isBadNews || code == exitFailed ? exitFailed : run->violations.tries > 0 ? int(exitOk) : code;
        runs.push_back(std::make_shared<const scenario::RunReport>(std::move(*run)));
        if (stop.signal() != 0)
            break;
    }
    printReport(line, scenario::toReport(runs));
    return code;
}

Result<ExitStatus> runScenario(const CommandLine& line)
{
    const auto scenario = findScenario(line.positional(0));
    if (!scenario)
        return exitUsage;
    LOCKSCOPE_TRY_GET(auto order, orderFrom(line, scenario));
    if (line.has(u"processes"_s))
        order.sessionsAre = scenario::SessionsAre::Processes;
    LOCKSCOPE_TRY_GET(const auto server, serverToChange(line, u"run a scenario"_s));
    const StopOnSignal stop(inOrder);
    const auto report = runOne(server, order, stop);
    if (!report)
        return stop.endBy(report.error());
    std::optional<scenario::OrderReport> orders;
    if (!stop.token().stop_requested())
        orders = lockOrdersOf(server, stepsOf(order), stop.token());
    printWithOrders(line, scenario::toJson(*report), orders, scenario::reportOf(*report));
    if (report->violations.isBroken())
        return exitFailed;
    return report->violations.tries > 0 ? exitOk : exitNoVerdict;
}

Command listOfScenarios()
{
    Command command(u"scenario list"_s, u"the scenarios that come with the program, and your own"_s,
        listScenarios,
        u"Lists the scenarios that come with the program and those of LOCKSCOPE_SCENARIO_DIR."_s);
    addForms(command);
    return command;
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
    command.failed = exitNoVerdict;
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
    command.failed = exitNoVerdict;
    command.arguments = u"ID|FILE"_s;
    command.examples = {u"lockctl scenario run lost-update"_s,
        u"lockctl scenario run lost-update --variant row-lock --duration 10s"_s};
    command.addValue(u"variant"_s, u"ID"_s, u"Which variant; else the unsafe one."_s);
    addFreeRunOptions(command);
    command.addFlag(u"processes"_s, u"Each session is a process of its own, not a thread."_s);
    addForms(command, {u"sessions"_s, u"potential_deadlocks"_s, u"witnesses"_s});
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
