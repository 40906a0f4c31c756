// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/Database.h"

#include <functional>

namespace lockscope::record {

/// Goes through the rows of a table by their numbers, past those that SQLite can't read, and tells `each` of
/// them and whether some before it could not be read. `statement`: of schema/recording/salvage.sql. A row
/// with NULL in the first `needed` columns counts as one that can't be read. Gives whether rows behind the
/// last one that was told could not be read. An error of `each` ends it, and so does an error that is no
/// damage. `each` must not ask that database anything.
Result<bool> eachWholeRow(Database& database, const char* statement, int needed,
    const std::function<Result<void>(const Store::Row&, bool isBehindDamage)>& each);

} // namespace lockscope::record
