// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/Command.h"

namespace lockscope::ctl {

Command exploreCommand();
Command replayCommand();

} // namespace lockscope::ctl
