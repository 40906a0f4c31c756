// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"

namespace lockscope::db {

/// Sets what in a file keeps Lockscope's tables from working as they were made (SchemaFaults::calling):
/// tables, indexes and triggers of their names that are defined otherwise. A table without its key would give
/// one lock to two. What is missing is told by whoever needs it; triggers besides are the business of whoever
/// owns the file.
Result<void> findSqliteFaults(Connection& connection);

} // namespace lockscope::db
