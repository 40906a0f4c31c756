// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/CommandLine.h"

namespace lockscope::ctl {

/// `frameworks set|show|unset`: what the user tells of the settings that programs on a server have. No server
/// is asked.
int changeFrameworkSettings(const CommandLine& line);

} // namespace lockscope::ctl
