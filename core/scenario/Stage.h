// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/Scenario.h"

#include <stop_token>

namespace lockscope::scenario {

/// What all sessions of one run have in common. Constant while they run.
struct Stage {
    ScenarioPtr scenario;
    const Variant* variant = nullptr; ///< of the scenario
    Values values; ///< parameters, and how many sessions there are
    QHash<QString, QString> identifiers; ///< the values of parameters, and "schema", quoted
    db::ServerUrl url; ///< of the run's area
    db::PasswordProvider passwords;
    QString schema; ///< where surrogates are; empty for SQLite
    QString lockPrefix; ///< of the names of locks that all runs share
    quint32 seed = 1;
    std::stop_token ending; ///< who is cancelled from then on is so because the run ends
    /// Somebody else decides when each step is done. Pauses too short for anybody to notice are left out
    /// then, and what goes wrong in one of so many rounds goes wrong in the first round of the first session.
    bool isStepped = false;
};

/// Pauses that are shorter don't matter to who decides on the steps.
inline constexpr milliseconds shortestSteppedPause{50};

} // namespace lockscope::scenario
