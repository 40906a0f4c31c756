// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Observation.h"
#include "core/deadlock/DeadlockIdentity.h"

#include <functional>
#include <vector>

namespace lockscope::watch {

/// Adds to `seen` those deadlocks of a report that `known` has not, and remembers them. `at`: when they
/// happened. `isNewFamily` is asked for each whether its family was never seen.
void addUnknown(const deadlock::ReportPtr& report, ServerTime at, deadlock::KnownDeadlocks& known,
    const std::function<bool(const QString& family)>& isNewFamily, std::vector<alert::SeenDeadlock>& seen);

} // namespace lockscope::watch
