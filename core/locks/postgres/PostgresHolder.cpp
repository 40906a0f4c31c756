// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/postgres/PostgresHolder.h"

namespace lockscope::locks {

std::optional<LockOwnerInfo> readHolder(
    db::Connection& connection, const db::Statement& statement, const QString& parameter)
{
    std::optional<LockOwnerInfo> holder;
    (void)connection.execute(statement, {parameter}, [&holder](const db::Row& row) {
        holder = LockOwnerInfo{row.text(0), row.text(1), row.text(2), 0, SessionId{row.int64(3)}};
    });
    return holder;
}

} // namespace lockscope::locks
