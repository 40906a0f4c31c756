// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/CommandLine.h"
#include "core/deadlock/DeadlockExport.h"

namespace lockscope::ctl {

/// Does what --scenario and --prove of `lockctl deadlock` ask for, with that deadlock: writes the scenario
/// that is made of it; executes all its orders on the server and says in how many it happens, as reported and
/// with each change; that is added to `proofs`, for the page. The exit code: 1 if it did not happen as
/// reported.
int proveDeadlock(
    const CommandLine& line, const deadlock::Deadlock& deadlock, QList<deadlock::ProofSection>& proofs);

} // namespace lockscope::ctl
