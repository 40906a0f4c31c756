// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/SqlServerTableAccess.h"

namespace lockscope::locks {

namespace {

constexpr milliseconds lookEvery{100}; ///< where nothing wakes a waiter

/// The columns of lockscope.AcquireLock.
enum Column {
    Fencing,
    AcquiredAt,
    ExpiresAt,
    Ticket,
    ObstacleLasts,
    HolderOwner,
    HolderHost,
    HolderProgram,
    HolderProcess,
    HolderSession,
    Code
};
enum Codes { GrantedAtOnce = 0, GrantedAfterWaiting = 1, DeadlockVictim = -3 };

TableAccess::Answer readAnswer(const db::Row& row)
{
    TableAccess::Answer answer;
    answer.hadToWait = row.int64(Code) == GrantedAfterWaiting;
    answer.isVictim = row.int64(Code) == DeadlockVictim;
    if (!row.isNull(Fencing)) {
        answer.taken = TableAccess::Taken{row.int64(Fencing), row.time(AcquiredAt), row.time(ExpiresAt)};
        return answer;
    }
    if (!row.isNull(Ticket))
        answer.ticket = row.int64(Ticket);
    answer.obstacleLasts = microseconds(row.int64(ObstacleLasts));
    if (!row.isNull(HolderSession))
        answer.heldBy = LockParty{row.text(HolderOwner), row.text(HolderHost), row.text(HolderProgram),
            row.int64(HolderProcess), SessionId{row.int64(HolderSession)}};
    return answer;
}

} // namespace

SqlServerTableAccess::SqlServerTableAccess(db::Connection& connection)
    : m_connection(connection)
    , m_acquire(db::Statement::get("sqlserver/locks/acquire.sql"))
    , m_release(db::Statement::get("sqlserver/locks/release.sql"))
    , m_renew(db::Statement::get("sqlserver/locks/renew.sql"))
    , m_leave(db::Statement::get("sqlserver/locks/leave_queue.sql"))
{
}

Result<TableAccess::Answer> SqlServerTableAccess::attempt(const Attempt& attempt, const std::stop_token& stop)
{
    const AcquireRequest& request = attempt.request;
    const db::Param ticket =
        attempt.ticket == newcomer ? db::Param(std::monostate()) : db::Param(attempt.ticket);
    Answer answer;
    const auto result = m_connection.execute(
        m_acquire,
        {request.name, attempt.token, qint64(microseconds(request.lease).count()),
            qint64(attempt.patience.count()), ticket, request.party.owner, request.party.host,
            request.party.program, request.party.processId},
        [&answer](const db::Row& row) { answer = readAnswer(row); }, stop);
    if (!result)
        return Failure(result.error());
    return answer;
}

Result<void> SqlServerTableAccess::leave(const QString& name, const QString& token, qint64)
{
    const auto result = m_connection.execute(m_leave, {name, token});
    if (!result)
        return Failure(result.error());
    return {};
}

Result<void> SqlServerTableAccess::waitForTurn(
    const QString&, qint64, milliseconds longest, const std::stop_token& stop)
{
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait_for(lock, stop, std::min(longest, lookEvery), [] { return false; });
    return {};
}

Result<void> SqlServerTableAccess::release(const QString& name, const QString& token)
{
    bool wasOurs = false;
    const auto result = m_connection.execute(
        m_release, {name, token}, [&wasOurs](const db::Row& row) { wasOurs = row.boolean(0); });
    if (!result)
        return Failure(result.error());
    if (!wasOurs)
        return lockIsGone(name);
    return {};
}

Result<ServerTime> SqlServerTableAccess::renew(const QString& name, const QString& token, milliseconds lease)
{
    std::optional<ServerTime> end;
    const auto result = m_connection.execute(m_renew, {name, token, qint64(microseconds(lease).count())},
        [&end](const db::Row& row) { end = row.optionalTime(0); });
    if (!result)
        return Failure(result.error());
    if (!end)
        return lockIsGone(name);
    return *end;
}

} // namespace lockscope::locks
