// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/bench/Report.h"
#include "tests/support/TestServer.h"

namespace lockscope::bench {

/// Input of every benchmark: the server, the report, and how thorough it has to be.
struct Bench {
    test::TestServer& server;
    Report& report;
    bool quick = false; ///< a tenth of the work, to see whether it runs

    int rounds(int full) const { return quick ? std::max(1, full / 10) : full; }
};

void lockRoundTrips(Bench& bench);
void handOver(Bench& bench);
void snapshotFetch(Bench& bench);
void odbcFetch(Bench& bench);
void pollCost(Bench& bench);
void tableRefresh(Bench& bench);
void recogniseKeys(Bench& bench);
void frameworkTables(Bench& bench);
void readDeadlocks(Bench& bench);
void startUp(Bench& bench);
void watchCost(Bench& bench);
void foreignLoad(Bench& bench);
void recordedDay(Bench& bench);
void recordedWeek(Bench& bench);
void teamWeek(Bench& bench);
void alertRules(Bench& bench);
void agentCost(Bench& bench);

} // namespace lockscope::bench
