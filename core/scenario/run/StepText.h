// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/format/Scenario.h"

namespace lockscope::scenario {

/// Returns a step's action for people, with the values that are known by now: "UPDATE account SET balance = 5
/// + 1 WHERE id = 2", "acquire application lock 'account/2'". `identifiers` as in RunContext. Pure.
QString stepText(const Step& step, Engine engine, const Values& values = {},
    const QHash<QString, QString>& identifiers = {});

/// Returns the lock of an acquire step: "application lock 'account/2'".
QString lockText(const AcquireStep& step, const Values& values);

} // namespace lockscope::scenario
