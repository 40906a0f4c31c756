// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/ScenarioOrder.h"

#include "app/lockctl/Console.h"
#include "app/lockctl/ServerOption.h"
#include "app/lockctl/SignalWatch.h"
#include "core/base/Duration.h"
#include "core/base/WriteFile.h"
#include "core/scenario/explore/Explore.h"
#include "core/scenario/explore/Replay.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

QString wait(const scenario::StepRecord& step)
{
    const QString letters = scenario::sessionLetters(step.blockers);
    const QString by = letters.isEmpty() ? u"waits"_s : u"waits for "_s + letters;
    return step.on.isEmpty() ? by : by + u": "_s + step.on;
}

void printSteps(const scenario::Interleaving& interleaving)
{
    TextTable table({{u"STEP"_s}, {u"WHAT"_s, TextTable::Fit::Flexible},
        {u"STATEMENT"_s, TextTable::Fit::Flexible}, {u"RESULT"_s, TextTable::Fit::Flexible}});
    for (const scenario::StepRecord& step : interleaving.steps) {
        QStringList result;
        if (step.isBlocked)
            result << wait(step);
        if (!step.isEnded)
            result << u"still waits in the end"_s;
        else if (step.outcome != scenario::StepOutcome::Done)
            result << scenario::outcomeText(step.outcome);
        table.add(
            {step.token(), step.label == step.text ? QString() : step.label, step.text, result.join(u"; "_s)},
            step.isEnded && step.outcome == scenario::StepOutcome::Done ? TextTone::Plain
                                                                        : TextTone::Warning);
    }
    print(table.lines(screenSize().columns, useColours()).join(u'\n') + u'\n');
}

int save(const scenario::Interleaving& interleaving, const QString& path)
{
    const auto written = writeFile(path, QJsonDocument(scenario::toJson(interleaving)).toJson());
    if (written)
        return exitOk;
    complain(errorText(written.error()));
    return exitFailed;
}

void printReport(const scenario::ExploreReport& report)
{
    const scenario::Variant& variant = *report.scenario->find(report.variant);
    const bool colours = useColours();
    print(toned(report.scenario->title, TextTone::Bold, colours) + u'\n');
    print(
        u"%1 (%2), explored in %3\n\n"_s.arg(variant.title, variant.strategy, durationText(report.duration)));
    print(toned(report.verdict, report.broken > 0 ? TextTone::Alarm : TextTone::Plain, colours) + u'\n');
    if (report.stuck > 0)
        print(u"In %1 of them a session waited that nothing could free any more.\n"_s.arg(report.stuck));
    if (report.unrepeatable > 0)
        print(
            u"%1 could not be executed: their beginning went otherwise the second time, because time plays a part in it.\n"_s
                .arg(report.unrepeatable));
    if (!report.witness)
        return;
    print(u"\n%1\n\n"_s.arg(scenario::toText(*report.witness)));
    printSteps(*report.witness);
}

Result<scenario::ExploreOrder> exploreOrderFrom(const CommandLine& line, scenario::ScenarioPtr scenario)
{
    auto run = orderFrom(line, std::move(scenario));
    if (!run)
        return Failure(run.error());
    scenario::ExploreOrder order;
    order.steps.run = std::move(*run);
    struct Option {
        QString name;
        qint64 maximum;
        int* into;
    };
    for (const Option& option :
        {Option{u"rounds"_s, 100, &order.steps.rounds}, Option{u"limit"_s, 1'000'000, &order.maximum},
            Option{u"sample"_s, 1'000'000, &order.sample}, Option{u"draws"_s, 10'000, &order.draws}})
        if (auto set = setNumber(line, option.name, 1, option.maximum, *option.into); !set)
            return Failure(set.error());
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

int exploreScenario(const CommandLine& line)
{
    const auto scenario = findScenario(line.positional(0));
    if (!scenario)
        return exitUsage;
    const auto order = exploreOrderFrom(line, scenario);
    if (!order)
        return failWithoutVerdict(order.error());
    const auto server = serverToChange(line, u"run a scenario"_s);
    if (!server)
        return failWithoutVerdict(server.error());
    const StopOnSignal stop(inOrder);
    Result<scenario::ExploreReport> report;
    std::optional<scenario::OrderReport> orders;
    {
        ProgressLine status;
        status.show(u"preparing"_s);
        report =
            scenario::explore(*server, *order, stop.token(), [&](const scenario::ExploreProgress& progress) {
                status.show(u"%1 interleavings of at most %2, %3 went wrong"_s.arg(progress.executed)
                                .arg(order->sample > 0 ? double(order->sample) : progress.atMost, 0, 'g', 6)
                                .arg(progress.broken));
            });
        if (report && !stop.token().stop_requested()) {
            status.show(u"looking at the order of locks"_s);
            orders = lockOrdersOf(*server, order->steps, stop.token());
        }
    }
    if (!report)
        return codeWithoutVerdict(stop.fail(report.error()));
    printWithOrders(line, scenario::toJson(*report), orders, [&report] { printReport(*report); });
    if (line.has(u"save"_s) && report->witness)
        if (const int code = save(*report->witness, line.value(u"save"_s)); code != exitOk)
            return codeWithoutVerdict(code);
    if (report->executed == 0)
        return exitNoVerdict;
    return report->broken > 0 ? exitFailed : exitOk;
}

int replayInterleaving(const CommandLine& line)
{
    const auto recorded = interleavingFrom(line.positionals());
    if (!recorded) {
        fail(recorded.error());
        return exitUsage;
    }
    const auto scenario = findScenario(recorded->scenario);
    if (!scenario)
        return exitUsage;
    const auto server = serverToChange(line, u"run a scenario"_s);
    if (!server)
        return failWithoutVerdict(server.error());
    const StopOnSignal stop(inOrder);
    Result<scenario::ReplayReport> report;
    {
        ProgressLine status;
        report = scenario::replay(*server, *recorded, scenario, stop.token(),
            [&](int done, int all) { status.show(u"step %1 of %2"_s.arg(done).arg(all)); });
    }
    if (!report)
        return codeWithoutVerdict(stop.fail(report.error()));
    if (line.json()) {
        printJson(scenario::toJson(*report));
    } else {
        printSteps(report->happened);
        print(u'\n'
            + toned(report->verdict, report->violations.isBroken() ? TextTone::Alarm : TextTone::Plain,
                useColours())
            + u'\n');
    }
    for (const scenario::Divergence& each : report->divergences)
        complain(each.toString());
    if (line.has(u"save"_s))
        if (const int code = save(report->happened, line.value(u"save"_s)); code != exitOk)
            return codeWithoutVerdict(code);
    return report->violations.isBroken() || !report->divergences.empty() ? exitFailed : exitOk;
}

} // namespace

Command exploreCommand()
{
    Command command(u"scenario explore"_s, u"execute its interleavings, and show one that goes wrong"_s,
        exploreScenario,
        u"Executes the interleavings of a scenario's steps one by one and shows the simplest one that breaks the invariant. Exits with 0 if the invariant held, with 1 if it broke, and with 3 if nothing can be said about it."_s);
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
    return command;
}

Command replayCommand()
{
    Command command(u"scenario replay"_s, u"do a recorded interleaving again"_s, replayInterleaving,
        u"Does an interleaving again that `explore` has found: from a file, from standard input (-), or from text. Says what went otherwise than recorded; exits as `explore`, with 1 for that, too."_s);
    command.arguments = u"FILE|TEXT…"_s;
    command.examples = {u"lockctl scenario replay witness.json"_s,
        u"lockctl scenario replay lost-update/unsafe accounts=1: A1 B1 A2 B2"_s};
    command.addValue(u"save"_s, u"FILE"_s, u"Write there what happened this time."_s);
    return command;
}

} // namespace lockscope::ctl
