// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/format/Scenario.h"
#include "core/scenario/run/FreeRun.h"
#include "core/scenario/run/RunSchema.h"

#include <QRandomGenerator>

#include <functional>
#include <stop_token>

namespace lockscope::scenario {

/// The progress of a session when its program crashed, for its next program. The same draws follow as if it
/// had lived on.
struct ResumePoint {
    qint64 rounds = 0; ///< begun; the last one ended by the crash
    qint64 draws = 0; ///< of random numbers
    bool wasComplete = false; ///< only the last steps of that round were missing
};

/// The speed of the sessions of a free run.
struct Pace {
    milliseconds think{0}; ///< between rounds
    double rate = 0; ///< rounds a second; 0 = as fast as it can
};

/// The common data of all sessions of one run. Constant while they run.
struct RunContext {
    ScenarioPtr scenario;
    const Variant* variant = nullptr; ///< of the scenario
    Values values; ///< parameters, and how many sessions there are
    QHash<QString, QString> identifiers; ///< the values of parameters, and "schema", quoted
    db::Server server; ///< of the run's area; not `sandbox:`
    QString schema; ///< of the surrogates; empty for SQLite
    QString lockPrefix; ///< of the names of locks that all runs share
    quint32 seed = 1;
    Pace pace;
    std::stop_token ending; ///< sessions that are cancelled from then on are so because the run ends
    /// Somebody else decides when each step is done. Pauses too short for anybody to notice are left out
    /// then, and what goes wrong in one of so many rounds goes wrong in the first round of the first session.
    bool isStepped = false;
    /// Ends a session that is a process on the spot, so that the server finds its client gone, and does not
    /// return; another one goes on after that time. Empty: the session only loses its connection.
    std::function<void(const ResumePoint& resume, milliseconds restart)> crash;
};

/// Returns whether a pause may be so long that it is a step of its own: shorter ones don't matter to the
/// order.
bool isSteppedPause(const ThinkStep& think, const Values& values);

/// The state before the first session comes.
struct PreparedRun {
    std::unique_ptr<RunSchema> area;
    RunContext context;
    std::vector<const Role*> roles; ///< of each session, the first one's first
};

/// Returns null if the scenario has no such variant.
const Variant* variantOf(const RunOrder& order);
int sessionsOf(const RunOrder& order);
/// Checks the order, removes the remains of runs that crashed, makes an area of the run's own. Blocks.
Result<PreparedRun> prepareRun(const db::Server& server, const RunOrder& order, const std::stop_token& stop);
/// Returns how often the rules and the scenario's invariant have been broken, `length` after the start.
Result<Violations> judge(const PreparedRun& run, const Rules& rules,
    const std::vector<SessionReport>& sessions, microseconds length);

struct DrawRange {
    qint64 from = 0;
    qint64 to = 0; ///< not below `from`
};
/// Returns the source of a session's numbers.
QRandomGenerator randomOf(quint32 seed, int session);
/// `share`: what it gave, 0 … below 1.
qint64 drawnBy(double share, DrawRange range);

/// The possible draws of a run's sessions, as far as they are known before it: all that they draw before they
/// do anything else in a round.
class DrawSpace {
public:
    /// `roles`: the role of each session. `values`: of the run.
    DrawSpace(const std::vector<const Role*>& roles, int rounds, const Values& values);

    bool isEmpty() const { return m_isEmpty; } ///< nobody draws anything
    /// True if no other draw comes later or depends on what happens.
    bool isKnown() const { return m_isKnown; }
    double size() const; ///< the number of different draws; if they are known
    /// Returns each session's draws by this seed, one after the other.
    std::vector<std::vector<qint64>> drawn(quint32 seed) const;

    /// Returns seeds whose draws all differ, at most `maximum`; those first in which the sessions have most
    /// in common, because these block each other. `from`: the first one to try.
    std::vector<quint32> seeds(quint32 from, int maximum) const;

private:
    std::vector<std::vector<DrawRange>> m_ranges; ///< by session
    bool m_isEmpty = true;
    bool m_isKnown = true;
};

} // namespace lockscope::scenario
