// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/run/StepRun.h"

namespace lockscope::scenario {

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

} // namespace lockscope::scenario
