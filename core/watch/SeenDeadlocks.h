// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Observation.h"
#include "core/deadlock/DeadlockIdentity.h"

#include <functional>
#include <vector>

namespace lockscope::watch {

/// Adds to `seen` those deadlocks of a report that `known` has not, and remembers them. `at`: when they
/// happened. `whyNew` says of each family why it is new: neverSeen(), or something else; empty: it was known.
void addUnknown(const deadlock::ReportPtr& report, ServerTime at, deadlock::KnownDeadlocks& known,
    const std::function<QString(const QString& family)>& whyNew, std::vector<alert::SeenDeadlock>& seen);

QString neverSeen();

} // namespace lockscope::watch
