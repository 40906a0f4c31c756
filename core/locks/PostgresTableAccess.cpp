// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/PostgresTableAccess.h"

namespace lockscope::locks {

RoutineTableAccess::Waiting PostgresTableAccess::waitingOf(const Attempt& attempt) const
{
    return {attempt.waits, attempt.ticket};
}

Result<void> PostgresTableAccess::waitForTurn(
    const QString&, qint64, milliseconds longest, const std::stop_token& stop)
{
    const auto told = m_connection.waitForNotification(longest, stop);
    if (!told && told.error().kind != ErrorKind::Cancelled)
        return Failure(told.error());
    return {};
}

} // namespace lockscope::locks
