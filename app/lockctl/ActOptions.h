// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/Command.h"
#include "core/admin/ServerAdmin.h"

namespace lockscope::ctl {

/// What each command that acts on what others hold takes: --reason (`byDefault` may be empty), --local-audit.
void addActOptions(Command& command, const QString& reasonByDefault = {});
/// Lets acts be recorded in a local file if the user has said so.
void applyActOptions(admin::ServerAdmin& admin, const CommandLine& line);

} // namespace lockscope::ctl
