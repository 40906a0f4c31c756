// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/ConnectionCheck.h"
#include "core/db/Server.h"

#include <stop_token>

namespace lockscope::monitor {

/// Everything that can be found out about a server and the way to it, step by step: what the connection
/// dialog's "Test" shows and `lockctl check` prints. Ends with one reading of the monitor and with what that
/// could not show. Ends with the first step without which there is no next one, or soon after `stop`; true if
/// none failed. A `sandbox:` is started first. The password is in no text, not even in one that repeats it.
/// Blocks for as long as the connect time-out and a few round trips.
bool checkServer(const db::Server& server, const db::CheckSink& tell, const std::stop_token& stop = {});

} // namespace lockscope::monitor
