// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/CommandLine.h"

namespace lockscope::ctl {

/// `frameworks set|show|unset`: the user's entries for the settings of programs on a server. No server is
/// asked.
int changeFrameworkSettings(const CommandLine& line);

} // namespace lockscope::ctl
