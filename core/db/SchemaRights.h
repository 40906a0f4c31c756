// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/CheckStep.h"
#include "core/db/Connection.h"

#include <vector>

namespace lockscope::db {

/// Whether rights and roles of what Lockscope has installed in a database of PostgreSQL are those that the
/// installation gives: a step for each difference, with the statement that mends it, and one for logins that
/// may do all the same. One step says so if there is no difference; none if there is nothing of ours, or of
/// another engine. Blocks for a few round trips.
std::vector<CheckStep> checkRights(Connection& connection);

} // namespace lockscope::db
