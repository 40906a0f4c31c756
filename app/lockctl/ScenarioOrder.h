// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/CommandLine.h"
#include "core/scenario/order/LockOrders.h"
#include "core/scenario/run/FreeRun.h"

#include <QJsonObject>

#include <functional>

namespace lockscope::ctl {

/// A scenario of the library by its id, or a file by its path. Null if there is none: that was said then.
scenario::ScenarioPtr findScenario(const QString& name);
/// The options of `run` and `explore` that are the same but for what --sessions means.
void addRunOptions(Command& command, const QString& sessions);
/// Returns the run that the options ask for.
Result<scenario::RunOrder> orderFrom(const CommandLine& line, scenario::ScenarioPtr scenario);
/// The number of an option if it was given.
template <class Number>
Result<void> setNumber(
    const CommandLine& line, const QString& name, qint64 least, qint64 maximum, Number& into)
{
    if (!line.has(name))
        return {};
    const auto number = line.number(name, least);
    if (!number)
        return Failure(number.error());
    if (*number > maximum)
        return failure(ErrorKind::BadInput, QStringLiteral("--%1: at most %2.").arg(name).arg(maximum));
    into = static_cast<Number>(*number);
    return {};
}

/// Returns locks in opposite orders, whether a deadlock came of it or not. Nothing where the order can't be
/// found out, which means nothing for the run; the reason is reported.
std::optional<scenario::OrderReport> lockOrdersOf(
    const db::Server& server, const scenario::StepOrder& order, const std::stop_token& stop);
/// Prints a report with such locks: as `json` with the key "lock_order", or by `printText` for people.
void printWithOrders(const CommandLine& line, QJsonObject json,
    const std::optional<scenario::OrderReport>& orders, const std::function<void()>& printText);

// Commands of `lockctl scenario` that execute step by step.
Command exploreCommand();
Command replayCommand();

} // namespace lockscope::ctl
