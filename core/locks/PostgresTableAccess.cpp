// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/PostgresTableAccess.h"

namespace lockscope::locks {

namespace {

/// The columns of lockscope.acquire_lock.
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
    HolderSession
};

TableAccess::Answer readAnswer(const db::Row& row)
{
    TableAccess::Answer answer;
    if (!row.isNull(Fencing)) {
        answer.taken = TableAccess::Taken{row.int64(Fencing), row.time(AcquiredAt), row.time(ExpiresAt)};
        return answer;
    }
    if (!row.isNull(Ticket))
        answer.ticket = row.int64(Ticket);
    answer.obstacleLasts = microseconds(row.int64(ObstacleLasts));
    if (!row.isNull(HolderOwner))
        answer.heldBy = LockParty{row.text(HolderOwner), row.text(HolderHost), row.text(HolderProgram),
            row.int64(HolderProcess), SessionId{row.int64(HolderSession)}};
    return answer;
}

} // namespace

PostgresTableAccess::PostgresTableAccess(db::Connection& connection)
    : m_connection(connection)
    , m_acquire(db::Statement::get("postgres/locks/acquire.sql"))
    , m_release(db::Statement::get("postgres/locks/release.sql"))
    , m_renew(db::Statement::get("postgres/locks/renew.sql"))
    , m_leave(db::Statement::get("postgres/locks/leave_queue.sql"))
{
}

Result<TableAccess::Answer> PostgresTableAccess::attempt(const Attempt& attempt, const std::stop_token& stop)
{
    const AcquireRequest& request = attempt.request;
    Answer answer;
    const auto result = m_connection.execute(
        m_acquire,
        {request.name, attempt.token, qint64(microseconds(request.lease).count()), attempt.waits,
            attempt.ticket, request.party.owner, request.party.host, request.party.program,
            request.party.processId},
        [&answer](const db::Row& row) { answer = readAnswer(row); }, stop);
    if (!result)
        return Failure(result.error());
    return answer;
}

Result<void> PostgresTableAccess::leave(const QString& name, const QString& token, qint64)
{
    const auto result = m_connection.execute(m_leave, {name, token});
    if (!result)
        return Failure(result.error());
    return {};
}

Result<void> PostgresTableAccess::waitForTurn(
    const QString&, qint64, milliseconds longest, const std::stop_token& stop)
{
    const auto told = m_connection.waitForNotification(longest, stop);
    if (!told && told.error().kind != ErrorKind::Cancelled)
        return Failure(told.error());
    return {};
}

Result<void> PostgresTableAccess::release(const QString& name, const QString& token)
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

Result<ServerTime> PostgresTableAccess::renew(const QString& name, const QString& token, milliseconds lease)
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
