// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/RoutineTableAccess.h"

namespace lockscope::locks {

namespace {

constexpr milliseconds whenBusy{50};

/// The first columns of locks/acquire.
enum Column {
    Fencing,
    AcquiredAt,
    ExpiresAt,
    Ticket,
    Obstacle ///< up to the engine's own columns
};

} // namespace

RoutineTableAccess::RoutineTableAccess(db::Connection& connection)
    : TableAccess(connection)
    , m_acquire(statement("locks/acquire"))
    , m_release(statement("locks/release"))
    , m_leave(statement("locks/leave_queue"))
{
}

TableAccess::Answer RoutineTableAccess::readAnswer(const db::Row& row) const
{
    Answer answer;
    if (!row.isNull(Fencing)) {
        answer.taken = Taken{row.int64(Fencing), row.time(AcquiredAt), row.time(ExpiresAt)};
        return answer;
    }
    if (!row.isNull(Ticket))
        answer.ticket = row.int64(Ticket);
    readObstacle(answer, row, Obstacle);
    return answer;
}

Result<TableAccess::Answer> RoutineTableAccess::attempt(const Attempt& attempt, const std::stop_token& stop)
{
    if (auto trusted = trustSchema(); !trusted)
        return Failure(trusted.error());
    const AcquireRequest& request = attempt.request;
    const Waiting waiting = waitingOf(attempt);
    std::vector<db::Param> params{request.name, attempt.token, qint64(microseconds(request.lease).count()),
        waiting.wait, waiting.ticket, request.party.owner, request.party.host, request.party.program,
        request.party.processId};
    if (waiting.patience)
        params.push_back(*waiting.patience);
    Answer answer;
    const auto result = m_connection.execute(
        m_acquire, params, [this, &answer](const db::Row& row) { answer = readAnswer(row); }, stop);
    if (result)
        return answer;
    if (!m_connection.dialect().isLockTimeout(result.error()))
        return Failure(result.error());
    // Somebody decides about the name just now, in a transaction that does not end.
    answer.ticket = attempt.ticket;
    answer.obstacleLasts = whenBusy;
    return answer;
}

Result<void> RoutineTableAccess::leave(const QString& name, const QString& token, qint64)
{
    if (auto trusted = trustSchema(); !trusted)
        return trusted;
    const auto result = m_connection.execute(m_leave, {name, token});
    if (!result)
        return Failure(result.error());
    return {};
}

Result<void> RoutineTableAccess::release(const QString& name, const QString& token)
{
    if (auto trusted = trustSchema(); !trusted)
        return trusted;
    bool wasOurs = false;
    const auto result = m_connection.execute(
        m_release, {name, token}, [&wasOurs](const db::Row& row) { wasOurs = row.boolean(0); });
    if (!result)
        return Failure(result.error());
    if (!wasOurs)
        return lockIsGone(name);
    return {};
}

} // namespace lockscope::locks
