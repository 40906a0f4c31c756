// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/LockTableStrategy.h"

#include "core/base/Backoff.h"
#include "core/base/SleepFor.h"
#include "core/locks/GrantState.h"
#include "core/locks/RequestCheck.h"
#include "core/locks/TableAccess.h"

#include <QRandomGenerator>

#include <algorithm>

namespace lockscope::locks {

using Steady = LeaseClock;

namespace {

/// A registration lasts 10 s (see the schema); this leaves time for a slow server.
constexpr milliseconds renewRegistrationEvery{3'000};
/// A server that restarts is asked again after so long.
constexpr milliseconds firstReopening{100};
constexpr milliseconds lastReopening{2'000};
constexpr milliseconds longestLease = std::chrono::hours(24 * 3650);

QString newToken()
{
    std::array<quint32, 4> random{};
    QRandomGenerator::system()->fillRange(random.data(), random.size());
    return QString::fromLatin1(
        QByteArray::fromRawData(reinterpret_cast<const char*>(random.data()), sizeof(random)).toHex());
}

struct TableGrant : Grant::State {
    TableGrant(std::shared_ptr<TableAccess> access, std::shared_ptr<LeaseKeeper> leaseKeeper)
        : State(std::move(leaseKeeper))
        , table(std::move(access))
    {
    }

    Result<void> release() override { return table->release(watched->name, watched->token); }

    Result<ServerTime> renew() override
    {
        const auto sent = Steady::now();
        const auto end = table->renew(watched->name, watched->token, watched->lease);
        if (end)
            watched->noteRenewal(sent, *end);
        else if (end.error().kind == ErrorKind::Changed)
            gone = true;
        return end;
    }

    bool isAlive() const override { return !gone && !watched->isLeaseOver(); }

    const std::shared_ptr<TableAccess> table;
    bool gone = false;
};

} // namespace

/// One acquire while it runs.
struct LockTableStrategy::Run {
    const AcquireRequest& request;
    const std::stop_token& stop;
    const QString token = newToken();
    const Steady::time_point start = Steady::now();
    Steady::time_point attemptSent = start;
    TableAccess::Answer answer{};
    Backoff backoff{firstReopening, lastReopening};

    milliseconds waited() const { return std::chrono::duration_cast<milliseconds>(Steady::now() - start); }
    milliseconds patience() const
    {
        return request.wait < milliseconds(0) ? request.wait
                                              : std::max(request.wait - waited(), milliseconds(0));
    }
    bool isOverdue() const { return request.wait >= milliseconds(0) && waited() >= request.wait; }

    Result<void> attempt(TableAccess& table)
    {
        attemptSent = Steady::now();
        const qint64 ticket = answer.ticket;
        auto result =
            table.attempt({request, token, request.wait != milliseconds(0), ticket, patience()}, stop);
        if (!result)
            return Failure(result.error());
        answer = std::move(*result);
        return {};
    }

    /// The obstacle may end by itself: its holder or first waiter crashed. One millisecond past that moment.
    milliseconds nap() const
    {
        milliseconds nap = std::chrono::duration_cast<milliseconds>(answer.obstacleLasts) + milliseconds(1);
        nap = std::min(nap, renewRegistrationEvery);
        if (request.wait >= milliseconds(0))
            nap = std::min(nap, request.wait - waited());
        return std::max(nap, milliseconds(1));
    }
};

LockTableStrategy::LockTableStrategy(db::Connection& connection, std::shared_ptr<LeaseKeeper> keeper)
    : m_connection(connection)
    , m_table(TableAccess::create(connection))
    , m_keeper(std::move(keeper))
{
}

LockTableStrategy::~LockTableStrategy() = default;

Result<void> LockTableStrategy::check(const AcquireRequest& request) const
{
    if (auto checked = checkRequest(request, m_connection.dialect()); !checked)
        return checked;
    if (request.mode != AcquireMode::Exclusive)
        return failure(ErrorKind::Unsupported, QStringLiteral("A lock table knows exclusive locks only."),
            QStringLiteral("Use an application lock for other modes."));
    if (request.lease <= milliseconds(0) || request.lease > longestLease)
        return failure(ErrorKind::BadInput,
            QStringLiteral("A lease must be longer than nothing and shorter than ten years."));
    if (m_connection.inTransaction())
        return failure(ErrorKind::BadInput,
            QStringLiteral("A lock-table lock can't be taken inside a transaction: others would not see it."),
            QStringLiteral("Take it before the transaction begins, or use an application lock."));
    return {};
}

Result<AcquireResult> LockTableStrategy::take(
    const AcquireRequest& request, std::stop_token stop, LossHandler lost)
{
    Run run{request, stop};

    Result<void> result = run.attempt(*m_table);
    const bool atOnce = result && run.answer.taken && !run.answer.hadToWait;
    while (!run.answer.taken && !stop.stop_requested()) {
        if (!result) {
            result = takeUpAgain(run, result.error());
            if (!result)
                break;
            continue;
        }
        if (request.wait == milliseconds(0))
            return AcquireResult{Outcome::Denied, {}, run.waited(), std::move(run.answer.heldBy)};
        if (run.answer.isVictim)
            return giveUp(run, Outcome::DeadlockVictim);
        if (run.isOverdue())
            return giveUp(run, Outcome::TimedOut);
        result = m_table->waitForTurn(request.name, run.answer.ticket, run.nap(), stop);
        if (result && !stop.stop_requested())
            result = run.attempt(*m_table);
    }
    if (stop.stop_requested())
        return giveUp(run, Outcome::Cancelled);
    if (!result)
        return Failure(result.error());

    AcquireResult granted = grant(run, std::move(lost));
    granted.outcome = atOnce ? Outcome::Granted : Outcome::GrantedAfterWait;
    return granted;
}

/// Who waits goes on waiting when the server is restarted meanwhile, or another one takes over: in a new
/// session, with the same token, and in his place if the queue is still there.
Result<void> LockTableStrategy::takeUpAgain(Run& run, const Error& error)
{
    Result<void> result = Failure(error);
    while (!result && result.error().kind == ErrorKind::Connection && run.request.wait != milliseconds(0)
        && !run.isOverdue() && sleepFor(run.backoff.next(), run.stop)) {
        result = m_connection.reopen();
        if (result)
            result = run.attempt(*m_table);
    }
    return result;
}

Result<AcquireResult> LockTableStrategy::giveUp(Run& run, Outcome outcome)
{
    // Whatever the last attempt obtained goes back with the registration.
    if (auto left = m_table->leave(run.request.name, run.token, run.answer.ticket); !left)
        return Failure(left.error());
    return AcquireResult{outcome, {}, run.waited(), std::move(run.answer.heldBy)};
}

AcquireResult LockTableStrategy::grant(Run& run, LossHandler lost)
{
    const TableAccess::Taken& taken = *run.answer.taken;
    auto state = std::make_unique<TableGrant>(m_table, m_keeper);
    WatchedGrant& watched = *state->watched;
    watched.name = run.request.name; // renewing asks for it
    watched.token = run.token;
    watched.lease = run.request.lease;
    watched.noteRenewal(run.attemptSent, taken.expiresAt);
    state->fencing = taken.fencing;
    state->acquiredAt = taken.acquiredAt;
    // Of a server that waited before it granted, only a renewal tells how long the lease lasts by our clock.
    if (Steady::now() >= run.attemptSent + LeaseTimes::of(run.request.lease).renewal)
        (void)state->renew();
    state->watch(LockKind::Table, run.request.name, std::move(lost));
    return AcquireResult{Outcome::Granted, Grant(std::move(state)), run.waited(), {}};
}

} // namespace lockscope::locks
