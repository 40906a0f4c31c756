// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/CheckStep.h"
#include "core/db/Connection.h"

namespace lockscope::db {

/// Reports the findings of a session, whose engine() is SqlServer, about its server: version and edition,
/// itself, its database and the settings for locks there, its rights, its views, Lockscope's schema. What
/// can't be read is a note. Blocks for a few round trips, ends soon after `stop`; false if it ended, or if
/// not even the schema could be asked for.
bool reportFindings(Connection& connection, const CheckSink& tell, const std::stop_token& stop);

} // namespace lockscope::db
