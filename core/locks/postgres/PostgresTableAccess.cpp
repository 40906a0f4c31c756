// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/postgres/PostgresTableAccess.h"

#include "core/base/SleepFor.h"

#include <algorithm>

namespace lockscope::locks {

namespace {

/// For whoever decides about the name at the moment: then the attempt is made again.
constexpr milliseconds longestGuardWait{5'000};
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
    const bool queues = attempt.waits && canListen();
    if (!attempt.waits)
        return {false, newcomer, db::Param()}; // the function's own, short patience
    const bool forEver = attempt.patience < milliseconds(0);
    const milliseconds patience = forEver ? longestGuardWait : std::min(attempt.patience, longestGuardWait);
    return {queues, queues ? attempt.ticket : newcomer, qint64(patience.count())};
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
