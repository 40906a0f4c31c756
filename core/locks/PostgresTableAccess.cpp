// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/PostgresTableAccess.h"

#include "core/domain/SleepFor.h"

#include <algorithm>

namespace lockscope::locks {

namespace {

/// Behind a pooler nobody can be woken.
constexpr milliseconds askAgainEvery{250};

} // namespace

bool PostgresTableAccess::canListen() const
{
    return m_connection.dialect().can(db::Capability::Notifications);
}

RoutineTableAccess::Waiting PostgresTableAccess::waitingOf(const Attempt& attempt) const
{
    // Whoever queues listens for its turn, and in a pooler's session somebody else would listen.
    if (!canListen())
        return {false, newcomer};
    return {attempt.waits, attempt.ticket};
}

Result<void> PostgresTableAccess::waitForTurn(
    const QString&, qint64, milliseconds longest, const std::stop_token& stop)
{
    if (!canListen()) {
        sleepFor(std::min(longest, askAgainEvery), stop);
        return {};
    }
    const auto told = m_connection.waitForNotification(longest, stop);
    if (!told && told.error().kind != ErrorKind::Cancelled)
        return Failure(told.error());
    return {};
}

} // namespace lockscope::locks
