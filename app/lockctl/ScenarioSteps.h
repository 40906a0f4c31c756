// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/CommandLine.h"

namespace lockscope::ctl {

/// `scenario explore ID` and `scenario replay FILE|TEXT`; the exit code.
int exploreScenario(const CommandLine& line);
int replayInterleaving(const CommandLine& line);

} // namespace lockscope::ctl
