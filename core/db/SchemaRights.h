// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/CheckStep.h"
#include "core/db/Connection.h"

#include <vector>

namespace lockscope::db {

/// Checks whether the rights and roles of the objects that Lockscope has installed in a database of
/// PostgreSQL are those of the installation: a step for each difference, with the statement that mends it,
/// and one for logins that may do all the same. One step says so if there is no difference; none if there is
/// nothing of ours, or of another engine. Blocks for a few round trips.
std::vector<CheckStep> checkRights(Connection& connection);

} // namespace lockscope::db
