// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/format/Scenario.h"

#include <QSet>

namespace lockscope::scenario {

/// The steps that can follow or precede a step without a noticeable chance for others to come between them.
enum class Tie { None, WithNext, WithPrevious };
Tie tieOf(const Step& step, Engine engine);

/// The names of all that steps lock, read or change; nothing: they may meet any other step.
struct StepReach {
    std::optional<QSet<QString>> names = QSet<QString>();

    bool meets(const StepReach& other) const
    {
        return !names || !other.names || names->intersects(*other.names);
    }
    void add(const StepReach& other)
    {
        if (names && other.names)
            names->unite(*other.names);
        else
            names.reset();
    }
};

/// `held`: what the session has reached in its transaction.
StepReach reachOf(const Step& step, Engine engine, const StepReach& held);

/// True if each step says what it can meet, so that orders which differ only in steps that don't meet need
/// not all be executed. A file is locked as a whole.
bool isReducible(const Variant& variant, Engine engine);

} // namespace lockscope::scenario
