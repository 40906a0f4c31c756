// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/domain/LockTable.h"

namespace lockscope::locks {

/// Who holds a lock, by one of the statements *_holder.sql. Only a help for the reader of a refusal: nothing
/// if it can't be found out.
std::optional<LockOwnerInfo> readHolder(
    db::Connection& connection, const db::Statement& statement, const QString& parameter);

} // namespace lockscope::locks
