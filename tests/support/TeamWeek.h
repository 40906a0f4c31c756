// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/TestServer.h"

#include <chrono>
#include <vector>

namespace lockscope::test {

/// Fills an installed team's history with a week of 100 servers: one that was polled every `dense`, the
/// others every `sparse`, a multiple of that. Nothing in it has statistics.
void makeTeamWeek(const TestServer& server, const db::ServerUrl& history, std::chrono::seconds dense,
    std::chrono::seconds sparse);

/// Writes what so many servers, polled each second, bring into the history in a second; a batch for each.
void writeTeamSecond(const TestServer& server, const db::ServerUrl& history, int servers);

/// A statement that readers of a history run, with the values for the server that was polled most.
struct TeamQuery {
    QString name;
    QString sql;
};
/// Returns those for whole weeks and for an hour, each statement at least once.
std::vector<TeamQuery> teamQueries(db::Connection& history);

} // namespace lockscope::test
