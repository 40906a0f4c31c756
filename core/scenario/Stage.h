// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/Scenario.h"

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
};

} // namespace lockscope::scenario
