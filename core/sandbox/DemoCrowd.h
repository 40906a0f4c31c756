// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/LockStrategy.h"
#include "core/sandbox/DemoActor.h"

namespace lockscope::sandbox {

/// Someone who takes the same lock by name over and over.
struct DemoRegular {
    QString program;
    QString person;
    locks::LockKind kind;
    QString lockName;
    locks::AcquireMode mode;
    milliseconds wait; ///< as AcquireRequest::wait
    milliseconds holds; ///< at most; at least half of it
    milliseconds rests;
};

/// Those of the demo who take named locks: importers of a farm, devices that synchronise, a rebuild.
const std::vector<DemoRegular>& demoRegulars();

/// Bodies of threads; they return after `stop`.
void playRegular(DemoActor actor, const DemoRegular& regular, quint32 seed);
/// Leaves a lock-table row behind as a crashed program does, and another one some time after it was purged.
void playCrashing(DemoActor actor);
/// Short transactions that meet nobody.
void playShopper(DemoActor actor, quint32 seed);

} // namespace lockscope::sandbox
