// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/order/PotentialDeadlock.h"
#include "core/scenario/explore/Explore.h"

namespace lockscope::scenario {

/// The report on the order in which the sessions of a scenario take their locks.
struct OrderReport {
    ScenarioPtr scenario;
    QString variant;
    Engine engine = {};
    int schedules = 0; ///< that were executed, each of another draw
    int steps = 0;
    int deadlocks = 0; ///< that happened: none, unless a session waited for the ones after it
    bool isCut = false; ///< there are more draws
    bool wasStopped = false;
    QString reasonAgainst; ///< why nothing can be said there; empty: it can
    order::Findings found;

    QString verdict() const; ///< "Potential deadlock: …", empty if there is nothing to say
};

/// Executes the scenario one session after the other, so that nobody blocks anybody, and polls the held locks
/// after each step: locks that were taken in opposite orders are a deadlock that has not happened yet. Once
/// for each different draw, as far as there is time. Blocks; after `stop` it returns what it saw so far.
Result<OrderReport> lockOrders(const db::Server& server, const StepOrder& order,
    const std::stop_token& stop = {}, milliseconds longest = milliseconds(5'000));

QJsonObject toJson(const OrderReport& report);

} // namespace lockscope::scenario
