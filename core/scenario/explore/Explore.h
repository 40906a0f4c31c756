// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/order/PotentialDeadlock.h"
#include "core/scenario/run/StepRun.h"

namespace lockscope::scenario {

struct ExploreOrder {
    /// Its seed is the first one of what the sessions draw. Sessions and rounds of 0, and parameters that are
    /// not set, are as the scenario says that it takes to be explored.
    StepOrder steps;
    int maximum = 2'000; ///< interleavings to execute
    /// The number of random orders to try instead of all in their order, drawn by the seed; 0 = all.
    int sample = 0;
    /// Different draws to try, of scenarios whose sessions draw something; 0 = all there are, if these are
    /// known and not too many, else 16; one with `sample`.
    int draws = 0;
};

struct ExploreProgress {
    qint64 executed = 0;
    double atMost = 0; ///< there can't be more of them, as far as is known yet
    qint64 broken = 0;
};
/// Called after each interleaving, by one thread at a time.
using ExploreHandler = std::function<void(const ExploreProgress&)>;

struct ExploreReport {
    ScenarioPtr scenario;
    QString variant;
    Engine engine = {};
    int sessions = 0;
    int rounds = 1;
    qint64 executed = 0; ///< different ones
    double atMost = 0; ///< all that there can be; `executed` if it is complete
    bool isComplete = false; ///< every interleaving of so many sessions and rounds was executed, of all draws
    bool wasSampled = false;
    /// True if, of orders that differ only in steps which don't meet, one was executed.
    bool isReduced = false;
    bool wasStopped = false;
    int draws = 1; ///< different ones that were tried
    double allDraws = 1; ///< different ones that there are; 0 = nobody knows
    qint64 broken = 0; ///< that broke the invariant or a rule
    qint64 stuck = 0; ///< in which somebody waited for ever
    qint64 unrepeatable = 0; ///< the beginning went otherwise the second time: time plays a part
    milliseconds duration{0};
    std::optional<Interleaving> witness; ///< that breaks it: fewest switches, then fewest steps
    Violations violations; ///< of the witness
    QString verdict;
};

/// The order with what the scenario says about exploring where it says nothing itself.
ExploreOrder completed(ExploreOrder order);
/// The seeds of different draws, as the order asks for; one if nothing is drawn.
std::vector<quint32> seedsOf(const ExploreOrder& order, const DrawSpace& space);

/// Executes the interleavings of a small scenario for real, one after the other, each with the tables as at
/// the start: all of them, beginning with those that switch least between sessions, up to a limit; or a
/// sample. A session that is blocked is not a choice: it goes on when those let it that it waits for. Steps
/// that no other session can tell apart from their neighbours are not interleaved by themselves: a
/// transaction's begin, the marks of critical sections. Blocks; after `stop` it returns with what there was
/// so far.
/// If each step says what it can meet (SqlStep::touches), it executes one of the orders that differ only in
/// steps which don't meet: all that can come of the others comes of it, too. Such scenarios of three sessions
/// and more run several times at once.
Result<ExploreReport> explore(const db::Server& server, const ExploreOrder& order,
    const std::stop_token& stop = {}, const ExploreHandler& onProgress = {});

QJsonObject toJson(const ExploreReport& report);

/// Something that went otherwise than it was recorded.
struct Divergence {
    int line = 0; ///< of Interleaving::steps, from 1; 0 = the whole
    QString token{}; ///< "B2*", as recorded; empty for the whole
    QString expected; ///< "B2 waits for A"
    QString found; ///< "B2 went through"

    QString toString() const; ///< "step 4 (B2*): expected …; found …"
    bool operator==(const Divergence&) const = default;
};

struct ReplayReport {
    ScenarioPtr scenario;
    Interleaving recorded;
    Interleaving happened;
    std::vector<Divergence> divergences;
    Violations violations;
    QString verdict;
    std::vector<SessionReport> sessions;
};
/// Called after each step, on the thread that replays, with how many are done.
using ReplayHandler = std::function<void(int done, int all)>;

/// Returns the order of a replay; the scenario's id must be the recorded one.
StepOrder orderOf(const Interleaving& recorded, ScenarioPtr scenario);

/// Does the recorded steps again in a fresh run, one after the other, waiting for "blocked" where the record
/// says blocked. Goes on after a divergence as long as it can: a session that can't do its recorded step ends
/// it. Compared are labels, who waits for whom, outcomes and the violations in the end, as far as they were
/// recorded. Blocks.
Result<ReplayReport> replay(const db::Server& server, const Interleaving& recorded,
    const ScenarioPtr& scenario, const std::stop_token& stop = {}, const ReplayHandler& onStep = {});
/// The result of the replay.
struct Replayed {
    std::vector<Divergence> divergences;
    Violations violations;
};
/// Replays in a run that is at its start and stays open afterwards: for callers that go on from there.
Result<Replayed> replayIn(StepRun& run, const Interleaving& recorded, const std::stop_token& stop = {},
    const ReplayHandler& onStep = {});

QJsonObject toJson(const ReplayReport& report);

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
