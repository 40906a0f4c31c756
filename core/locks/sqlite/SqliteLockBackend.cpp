// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/EngineLockBackends.h"

#include "core/base/Mutex.h"
#include "core/db/sqlite/SqliteConnection.h"

#include <algorithm>

namespace lockscope::locks {

using namespace Qt::StringLiterals;

namespace {

/// Others' grants and releases take the file for milliseconds: a caller that doesn't wait for the lock waits
/// for these.
constexpr milliseconds graceWithoutWait{200};
/// The interval at which a stop is checked while another program writes.
constexpr milliseconds maxSlice{500};
/// A third of what a registration lasts (see the schema).
constexpr milliseconds renewEvery{650};
/// The time that a sign of life may keep its waiter from checking the lock.
constexpr milliseconds renewLimit{50};
/// Remains that can't be removed in this time go by themselves when the registration ends.
constexpr milliseconds tidyingLimit{100};
/// Checks a file that somebody writes to again that soon.
constexpr milliseconds busyNap{20};

bool isBusy(const Error& error)
{
    return error.kind == ErrorKind::Timeout;
}

milliseconds limitFor(bool waits, milliseconds patience)
{
    if (!waits)
        return graceWithoutWait;
    return patience < milliseconds(0) ? maxSlice : std::clamp(patience, milliseconds(1), maxSlice);
}

/// Adds about a hundredth to a wait, whether it lasts 20 ms or an hour.
std::chrono::steady_clock::duration napAfter(std::chrono::steady_clock::duration waited)
{
    return std::clamp<std::chrono::steady_clock::duration>(waited / 100, microseconds(200), milliseconds(5));
}

} // namespace

/// Sets, for as long as it lives, the longest wait of a statement for another program's writing.
class SqliteLockBackend::Patience {
public:
    Patience(db::SqliteConnection& file, milliseconds limit)
        : m_file(file)
        , m_before(file.busyLimit())
    {
        m_file.setBusyLimit(std::min(limit, m_before));
    }
    ~Patience() { m_file.setBusyLimit(m_before); }
    Q_DISABLE_COPY_MOVE(Patience)

private:
    db::SqliteConnection& m_file;
    const milliseconds m_before;
};

SqliteLockBackend::SqliteLockBackend(db::Connection& connection, Surrogates surrogates)
    : LockBackend(connection, std::move(surrogates))
{
}

db::SqliteConnection& SqliteLockBackend::file() const
{
    return static_cast<db::SqliteConnection&>(m_connection);
}

Result<LockBackend::Answer> SqliteLockBackend::attempt(const Attempt& attempt, const std::stop_token& stop)
{
    const Patience patience(file(), limitFor(attempt.waits, attempt.patience));
    m_token = attempt.token;
    m_mayBeTaken = false;
    auto answer = attemptAtFile(attempt, stop);
    if (answer || !isBusy(answer.error()))
        return answer;
    Answer refused;
    refused.ticket = attempt.ticket;
    refused.obstacleLasts = busyNap;
    return refused;
}

Result<LockBackend::Answer> SqliteLockBackend::attemptAtFile(
    const Attempt& attempt, const std::stop_token& stop)
{
    LOCKSCOPE_TRY(usableSchema());
    if (attempt.ticket != newcomer) {
        // A queued waiter checks first: that costs no write.
        Answer answer;
        LOCKSCOPE_TRY(findObstacle(answer, attempt.request.name, attempt.ticket, stop));
        LOCKSCOPE_TRY_GET(
            const auto alive, answer.heldBy ? giveSignOfLife(attempt.ticket, stop) : Result<bool>(false));
        if (alive) {
            answer.ticket = attempt.ticket;
            return answer;
        }
    }
    LOCKSCOPE_TRY(m_connection.begin());
    auto answer = attemptInTransaction(attempt, stop);
    const bool changedSomething = answer && (answer->taken || attempt.waits);
    if (!changedSomething || stop.stop_requested()) {
        // The other waiters see no new data version, so a refused attempt does not wake them.
        if (auto undone = m_connection.rollback(); !undone && answer)
            return Failure(undone.error());
        if (answer && stop.stop_requested())
            return failure(ErrorKind::Cancelled, u"The attempt was cancelled."_s);
        return answer;
    }
    m_mayBeTaken = answer->taken.has_value();
    if (auto committed = m_connection.commit(); !committed) {
        m_mayBeTaken = m_mayBeTaken && !m_connection.rollback();
        return Failure(committed.error());
    }
    m_renewed = std::chrono::steady_clock::now();
    return answer;
}

Result<LockBackend::Answer> SqliteLockBackend::attemptInTransaction(
    const Attempt& attempt, const std::stop_token& stop)
{
    Answer answer;
    LOCKSCOPE_TRY(take(answer, attempt, stop));
    if (answer.taken)
        return answer;
    LOCKSCOPE_TRY(findObstacle(answer, attempt.request.name, attempt.ticket, stop));
    if (!attempt.waits)
        return answer;
    LOCKSCOPE_TRY_GET(answer.ticket, keepPlace(attempt, stop));
    return answer;
}

Result<void> SqliteLockBackend::take(Answer& answer, const Attempt& attempt, const std::stop_token& stop)
{
    const AcquireRequest& request = attempt.request;
    bool inserted = false;
    auto result = m_connection.execute(
        statement("locks/acquire"),
        {request.name, attempt.token, qint64(microseconds(request.lease).count()), attempt.ticket,
            request.party.owner, request.party.host, request.party.program, request.party.processId},
        [&inserted](const db::Row&) { inserted = true; }, stop);
    if (result && inserted)
        result = m_connection.execute(
            statement("locks/granted"), {request.name, attempt.token},
            [&answer](const db::Row& row) {
                answer.taken = Taken{row.int64(0), row.time(1), row.time(2)};
            },
            stop);
    if (result && answer.taken && attempt.ticket != newcomer)
        result =
            m_connection.execute(statement("locks/remove_waiter"), {attempt.ticket, attempt.token}, {}, stop);
    return ifDone(result);
}

Result<qint64> SqliteLockBackend::keepPlace(const Attempt& attempt, const std::stop_token& stop)
{
    const AcquireRequest& request = attempt.request;
    qint64 ticket = 0;
    const auto readTicket = [&ticket](const db::Row& row) { ticket = row.int64(0); };
    auto result = m_connection.execute(
        statement("locks/renew_waiter"), {attempt.ticket, attempt.token}, readTicket, stop);
    if (result && ticket == 0) {
        result = m_connection.execute(statement("locks/drop_expired_waiters"), {request.name}, {}, stop);
        if (result)
            result = m_connection.execute(statement("locks/register_waiter"),
                {request.name, attempt.token, request.party.owner, request.party.host, request.party.program,
                    request.party.processId},
                readTicket, stop);
    }
    return ifDone(result, ticket);
}

Result<bool> SqliteLockBackend::giveSignOfLife(qint64 ticket, const std::stop_token& stop)
{
    if (std::chrono::steady_clock::now() - m_renewed < renewEvery)
        return true;
    bool there = false;
    LOCKSCOPE_TRY(file().setDurable(false));
    const auto renewed = m_connection.execute(
        statement("locks/renew_waiter"), {ticket, m_token}, [&there](const db::Row&) { there = true; }, stop);
    LOCKSCOPE_TRY(file().setDurable(true));
    LOCKSCOPE_TRY(renewed);
    m_renewed = std::chrono::steady_clock::now();
    return there;
}

Result<void> SqliteLockBackend::findObstacle(
    Answer& answer, const QString& name, qint64 ticket, const std::stop_token& stop)
{
    const auto result = m_connection.execute(
        statement("locks/obstacle"), {name, ticket, m_token},
        [&answer](const db::Row& row) { readObstacle(answer, row, 0); }, stop);
    return ifDone(result);
}

Result<void> SqliteLockBackend::leave(const QString& name, const QString& token, qint64 ticket)
{
    // A registration ends by itself, soon; a lock that was granted meanwhile would stay for its whole lease.
    const Patience patience(file(), m_mayBeTaken ? file().busyLimit() : tidyingLimit);
    if (auto begun = m_connection.begin(); !begun)
        return isBusy(begun.error()) && !m_mayBeTaken ? Result<void>() : begun;
    auto result = m_connection.execute(statement("locks/release"), {name, token});
    if (result && ticket != newcomer)
        result = m_connection.execute(statement("locks/remove_waiter"), {ticket, token});
    Result<void> left = result ? m_connection.commit() : Result<void>(Failure(result.error()));
    if (left)
        return left;
    (void)m_connection.rollback();
    return isBusy(left.error()) && !m_mayBeTaken ? Result<void>() : left;
}

Result<qint64> SqliteLockBackend::dataVersion(const std::stop_token& stop)
{
    qint64 version = 0;
    const auto result = m_connection.execute(
        statement("locks/data_version"), {}, [&version](const db::Row& row) { version = row.int64(0); },
        stop);
    return ifDone(result, version);
}

Result<SqliteLockBackend::Sight> SqliteLockBackend::checkTurn(
    const QString& name, qint64 ticket, std::optional<qint64>& seen, const std::stop_token& stop)
{
    Sight sight;
    if (ticket != newcomer) {
        LOCKSCOPE_TRY_GET(const auto alive, giveSignOfLife(ticket, stop));
        sight.mayBeOurTurn = !alive; // its place is lost: it has to join again
    }
    LOCKSCOPE_TRY_GET(const auto version, dataVersion(stop));
    if (seen == version)
        return sight;
    Answer answer;
    LOCKSCOPE_TRY(findObstacle(answer, name, ticket, stop));
    seen = version;
    sight.mayBeOurTurn = sight.mayBeOurTurn || !answer.heldBy;
    sight.obstacleLasts = answer.obstacleLasts;
    return sight;
}

Result<void> SqliteLockBackend::waitForTurn(
    const QString& name, qint64 ticket, milliseconds longest, const std::stop_token& stop)
{
    const auto start = std::chrono::steady_clock::now();
    auto end = start + longest;
    const Patience patience(file(), renewLimit);
    std::optional<qint64> seen;
    while (!stop.stop_requested() && std::chrono::steady_clock::now() < end) {
        const auto sight = checkTurn(name, ticket, seen, stop);
        if (!sight && !isBusy(sight.error()))
            return stop.stop_requested() ? Result<void>() : Failure(sight.error());
        if (sight && sight->mayBeOurTurn)
            return {};
        // Somebody else holds it by now, perhaps for a shorter time.
        if (sight && sight->obstacleLasts)
            end = std::min<std::chrono::steady_clock::time_point>(
                end, std::chrono::steady_clock::now() + *sight->obstacleLasts + milliseconds(1));
        const auto now = std::chrono::steady_clock::now();
        if (!sleepFor(std::min<std::chrono::steady_clock::duration>(napAfter(now - start), end - now), stop))
            return {};
    }
    return {};
}

} // namespace lockscope::locks
