// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/SqliteTableAccess.h"

#include "core/domain/SleepFor.h"

#include <algorithm>

namespace lockscope::locks {

using Steady = std::chrono::steady_clock;

namespace {

/// Adds about a hundredth to a wait, whether it lasts 20 ms or an hour.
Steady::duration napAfter(Steady::duration waited)
{
    return std::clamp<Steady::duration>(waited / 100, microseconds(200), milliseconds(5));
}

} // namespace

SqliteTableAccess::SqliteTableAccess(db::Connection& connection)
    : TableAccess(connection)
{
}

Result<TableAccess::Answer> SqliteTableAccess::attempt(const Attempt& attempt, const std::stop_token& stop)
{
    if (auto begun = m_connection.begin(); !begun)
        return Failure(begun.error());
    auto answer = attemptInTransaction(attempt, stop);
    const bool changedSomething = answer && (answer->taken || attempt.waits);
    if (!changedSomething || stop.stop_requested()) {
        // The other waiters see no new data version, so a refused attempt does not wake them.
        if (auto undone = m_connection.rollback(); !undone && answer)
            return Failure(undone.error());
        if (answer && stop.stop_requested())
            return failure(ErrorKind::Cancelled, QStringLiteral("The attempt was cancelled."));
        return answer;
    }
    if (auto committed = m_connection.commit(); !committed) {
        (void)m_connection.rollback();
        return Failure(committed.error());
    }
    return answer;
}

Result<TableAccess::Answer> SqliteTableAccess::attemptInTransaction(
    const Attempt& attempt, const std::stop_token& stop)
{
    Answer answer;
    if (auto taken = take(answer, attempt, stop); !taken)
        return Failure(taken.error());
    if (answer.taken)
        return answer;
    if (auto found = findObstacle(answer, attempt.request.name, attempt.ticket, stop); !found)
        return Failure(found.error());
    if (!attempt.waits)
        return answer;
    const auto ticket = keepPlace(attempt, stop);
    if (!ticket)
        return Failure(ticket.error());
    answer.ticket = *ticket;
    return answer;
}

Result<void> SqliteTableAccess::take(Answer& answer, const Attempt& attempt, const std::stop_token& stop)
{
    const AcquireRequest& request = attempt.request;
    auto result = m_connection.execute(
        statement("locks/acquire.sql"),
        {request.name, attempt.token, qint64(microseconds(request.lease).count()), attempt.ticket,
            request.party.owner, request.party.host, request.party.program, request.party.processId},
        [&answer](const db::Row& row) {
            answer.taken = Taken{row.int64(0), row.time(1), row.time(2)};
        },
        stop);
    if (result && answer.taken)
        result = m_connection.execute(statement("locks/count_grant.sql"), {}, {}, stop);
    if (result && answer.taken && attempt.ticket != newcomer)
        result = m_connection.execute(statement("locks/remove_waiter.sql"), {attempt.ticket}, {}, stop);
    if (!result)
        return Failure(result.error());
    return {};
}

Result<qint64> SqliteTableAccess::keepPlace(const Attempt& attempt, const std::stop_token& stop)
{
    const AcquireRequest& request = attempt.request;
    qint64 ticket = 0;
    const auto readTicket = [&ticket](const db::Row& row) { ticket = row.int64(0); };
    auto result =
        m_connection.execute(statement("locks/renew_waiter.sql"), {attempt.ticket}, readTicket, stop);
    if (result && ticket == 0) {
        result = m_connection.execute(statement("locks/drop_expired_waiters.sql"), {request.name}, {}, stop);
        if (result)
            result = m_connection.execute(statement("locks/register_waiter.sql"),
                {request.name, request.party.owner, request.party.host, request.party.program,
                    request.party.processId},
                readTicket, stop);
    }
    if (!result)
        return Failure(result.error());
    return ticket;
}

Result<void> SqliteTableAccess::findObstacle(
    Answer& answer, const QString& name, qint64 ticket, const std::stop_token& stop)
{
    const auto result = m_connection.execute(
        statement("locks/obstacle.sql"), {name, ticket},
        [&answer](const db::Row& row) { readObstacle(answer, row, 0); }, stop);
    if (!result)
        return Failure(result.error());
    return {};
}

Result<void> SqliteTableAccess::leave(const QString& name, const QString& token, qint64 ticket)
{
    if (auto begun = m_connection.begin(); !begun)
        return begun;
    auto result = m_connection.execute(statement("locks/release.sql"), {name, token});
    if (result && ticket != newcomer)
        result = m_connection.execute(statement("locks/remove_waiter.sql"), {ticket});
    if (!result) {
        (void)m_connection.rollback();
        return Failure(result.error());
    }
    return m_connection.commit();
}

Result<qint64> SqliteTableAccess::dataVersion(const std::stop_token& stop)
{
    qint64 version = 0;
    const auto result = m_connection.execute(
        statement("locks/data_version.sql"), {}, [&version](const db::Row& row) { version = row.int64(0); },
        stop);
    if (!result)
        return Failure(result.error());
    return version;
}

Result<void> SqliteTableAccess::waitForTurn(
    const QString& name, qint64 ticket, milliseconds longest, const std::stop_token& stop)
{
    const auto start = Steady::now();
    auto end = start + longest;
    std::optional<qint64> seen;
    while (!stop.stop_requested() && Steady::now() < end) {
        const auto version = dataVersion(stop);
        if (!version)
            return stop.stop_requested() ? Result<void>() : Failure(version.error());
        if (seen != *version) {
            seen = *version;
            Answer answer;
            if (auto found = findObstacle(answer, name, ticket, stop); !found)
                return stop.stop_requested() ? Result<void>() : found;
            if (!answer.heldBy)
                return {};
            // Somebody else holds it by now, perhaps for a shorter time.
            end = std::min<Steady::time_point>(end, Steady::now() + answer.obstacleLasts + milliseconds(1));
        }
        const auto now = Steady::now();
        if (!sleepFor(std::min<Steady::duration>(napAfter(now - start), end - now), stop))
            return {};
    }
    return {};
}

Result<void> SqliteTableAccess::release(const QString& name, const QString& token)
{
    const auto removed = m_connection.execute(statement("locks/release.sql"), {name, token});
    if (!removed)
        return Failure(removed.error());
    if (*removed == 0)
        return lockIsGone(name);
    return {};
}

} // namespace lockscope::locks
