// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/sqlserver/SqlServerTableAccess.h"

#include "core/base/SleepFor.h"

#include <algorithm>

namespace lockscope::locks {

namespace {

constexpr milliseconds lookEvery{100}; ///< where nothing wakes a waiter

/// The last column of locks/acquire.
enum Code { GrantedAtOnce = 0, GrantedAfterWaiting = 1, DeadlockVictim = -3 };

} // namespace

RoutineTableAccess::Waiting SqlServerTableAccess::waitingOf(const Attempt& attempt) const
{
    return {qint64(attempt.patience.count()),
        attempt.ticket == newcomer ? db::Param(std::monostate()) : db::Param(attempt.ticket)};
}

TableAccess::Answer SqlServerTableAccess::readAnswer(const db::Row& row) const
{
    Answer answer = RoutineTableAccess::readAnswer(row);
    const qint64 code = row.int64(ownColumns);
    answer.hadToWait = code == GrantedAfterWaiting;
    answer.isVictim = code == DeadlockVictim;
    return answer;
}

Result<void> SqlServerTableAccess::waitForTurn(
    const QString&, qint64, milliseconds longest, const std::stop_token& stop)
{
    sleepFor(std::min(longest, lookEvery), stop);
    return {};
}

} // namespace lockscope::locks
