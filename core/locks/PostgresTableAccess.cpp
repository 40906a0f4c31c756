// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/PostgresTableAccess.h"

#include <algorithm>

namespace lockscope::locks {

namespace {

/// For whoever decides about the name at the moment: then the attempt is made again.
constexpr milliseconds longestGuardWait{5'000};

} // namespace

RoutineTableAccess::Waiting PostgresTableAccess::waitingOf(const Attempt& attempt) const
{
    if (!attempt.waits)
        return {false, attempt.ticket, db::Param()}; // the function's own, short one
    const bool forEver = attempt.patience < milliseconds(0);
    const milliseconds patience = forEver ? longestGuardWait : std::min(attempt.patience, longestGuardWait);
    return {true, attempt.ticket, qint64(patience.count())};
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
