// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/ScenarioOrder.h"

#include "app/lockctl/Console.h"
#include "core/order/OrderTable.h"
#include "core/report/Writer.h"
#include "core/scenario/format/ScenarioFile.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

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

void addRunOptions(Command& command, const QString& sessions)
{
    command.addValue(u"sessions"_s, u"N"_s, sessions);
    command.addValue(u"seed"_s, u"N"_s, u"The seed of random numbers and thinking times."_s);
    command.addValue(u"set"_s, u"NAME=VALUE"_s, u"A parameter of the scenario; may come several times."_s);
}

Result<scenario::RunOrder> orderFrom(const CommandLine& line, scenario::ScenarioPtr scenario)
{
    scenario::RunOrder order;
    order.scenario = std::move(scenario);
    order.variant = line.value(u"variant"_s);
    for (const auto& set : {setNumber(line, u"sessions"_s, 1, 200, order.sessions),
             setNumber(line, u"seed"_s, 0, std::numeric_limits<quint32>::max(), order.seed),
             setNumber(line, u"rate"_s, 1, 100'000, order.rate)})
        if (!set)
            return Failure(set.error());
    for (const auto& [name, into] : {std::pair(u"duration"_s, &order.duration), {u"think"_s, &order.think}}) {
        if (!line.has(name))
            continue;
        const auto duration = line.duration(name);
        if (!duration)
            return Failure(duration.error());
        *into = *duration;
    }
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

std::optional<scenario::OrderReport> lockOrdersOf(
    const db::Server& server, const scenario::StepOrder& order, const std::stop_token& stop)
{
    auto report = scenario::lockOrders(server, order, stop);
    if (!report)
        complain(u"The order of locks could not be read: %1"_s.arg(report.error().toString()));
    return report ? std::optional(std::move(*report)) : std::nullopt;
}

void printWithOrders(const CommandLine& line, QJsonObject json,
    const std::optional<scenario::OrderReport>& orders, const std::function<void()>& printText)
{
    if (line.json()) {
        json[u"lock_order"_s] = orders ? QJsonValue(scenario::toJson(*orders)) : QJsonValue();
        printJson(json);
        return;
    }
    printText();
    if (!orders || orders->verdict().isEmpty())
        return;
    print(u'\n' + toned(orders->verdict(), TextTone::Warning, useColours()) + u'\n');
    report::Report output{};
    order::addTo(output, orders->found.all);
    print(rendered(output, report::Form::Text, {.width = screenSize().columns, .colours = useColours()}));
}

} // namespace lockscope::ctl
