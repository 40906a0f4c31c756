// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/CommandLine.h"
#include "core/db/Server.h"

namespace lockscope::ctl {

/// The server that --server or $LOCKSCOPE_SERVER names, ready to connect to. Starts the sandbox if that is
/// it: may take seconds.
Result<db::Server> serverToRead(const CommandLine& line);
/// The same, for what changes something, as in "Can't `act`." Refused, before anything is asked or started,
/// if the user wants to look only.
Result<db::Server> serverToChange(const CommandLine& line, const QString& act);

} // namespace lockscope::ctl
