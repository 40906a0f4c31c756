// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/postgres/PostgresAppLockStrategy.h"

#include "core/locks/ConnectionGrant.h"
#include "core/locks/LockTimeout.h"
#include "core/locks/RequestCheck.h"
#include "core/locks/postgres/AppLockSql.h"
#include "core/locks/postgres/PostgresHolder.h"
#include "core/locks/postgres/PostgresSavepoint.h"

namespace lockscope::locks {

using Steady = std::chrono::steady_clock;

namespace {

struct AppGrant : SessionGrant {
    AppGrant(db::Connection& theConnection, std::shared_ptr<LeaseKeeper> leaseKeeper,
        std::shared_ptr<PostgresAppLockStrategy::Counts> theCounts, AcquireMode theMode)
        : SessionGrant(theConnection, std::move(leaseKeeper))
        , counts(std::move(theCounts))
        , mode(theMode)
    {
    }

    Result<bool> releaseOnce() override
    {
        bool wasHeld = false;
        const auto result = connection.execute(AppLockSql::get(LockOwner::Session, mode).release,
            {watched->name}, [&wasHeld](const db::Row& row) { wasHeld = row.boolean(0); });
        if (!result)
            return Failure(result.error());
        const auto count = counts->find({watched->name, mode});
        if (count != counts->end() && --count->second == 0)
            counts->erase(count);
        return wasHeld;
    }

    const std::shared_ptr<PostgresAppLockStrategy::Counts> counts;
    const AcquireMode mode;
};

} // namespace

/// One acquire while it runs.
struct PostgresAppLockStrategy::Run {
    const AcquireRequest& request;
    const std::stop_token& stop;
    const AppLockSql& sql = AppLockSql::get(request.owner, request.mode);
    const Steady::time_point start = Steady::now();
    bool isTaken = false; ///< the server said so
    bool hadToWait = false;

    milliseconds waited() const { return std::chrono::duration_cast<milliseconds>(Steady::now() - start); }
};

PostgresAppLockStrategy::PostgresAppLockStrategy(
    db::Connection& connection, std::shared_ptr<LeaseKeeper> keeper)
    : m_connection(connection)
    , m_keeper(std::move(keeper))
    , m_names(connection)
{
}

Result<void> PostgresAppLockStrategy::check(const AcquireRequest& request) const
{
    if (auto checked = checkRequest(request, m_connection.dialect()); !checked)
        return checked;
    if (request.mode != AcquireMode::Exclusive && request.mode != AcquireMode::Shared)
        return failure(ErrorKind::Unsupported,
            QStringLiteral("The server has no application locks of this mode."),
            m_connection.dialect().reasonAgainst(db::Capability::UpdateAndIntentModes));
    if (auto checked = checkOwner(request, m_connection); !checked)
        return checked;
    return checkIsPrimary();
}

/// A standby has advisory locks of its own, which nobody on the primary or on another standby respects.
Result<void> PostgresAppLockStrategy::checkIsPrimary() const
{
    if (m_isPrimary)
        return {};
    const auto asked = m_connection.execute(db::Statement::get("postgres/app_locks/on_standby"), {},
        [this](const db::Row& row) { m_isPrimary = !row.boolean(0); });
    if (!asked)
        return Failure(asked.error());
    if (m_isPrimary)
        return {};
    Failure refused = failure(ErrorKind::Unsupported,
        QStringLiteral(
            "This server is a standby: its application locks exclude nobody who works on the primary."),
        QStringLiteral("Connect to the primary, for example with target_session_attrs=read-write and both "
                       "hosts in the URL."));
    refused.value().server = m_connection.url().display();
    return refused;
}

Result<AcquireResult> PostgresAppLockStrategy::take(
    const AcquireRequest& request, std::stop_token stop, LossHandler lost)
{
    m_names.remember(request.name);

    Run run{request, stop};
    if (request.wait == milliseconds(0))
        return conclude(run, tryOnce(run), std::move(lost));
    return conclude(run, wait(run), std::move(lost));
}

Result<void> PostgresAppLockStrategy::tryOnce(Run& run)
{
    // Too short for a cancel: an answer is better than an aborted transaction.
    const auto result = m_connection.execute(
        run.sql.tryOnce, {run.request.name}, [&run](const db::Row& row) { run.isTaken = row.boolean(0); });
    if (!result)
        return Failure(result.error());
    return {};
}

Result<void> PostgresAppLockStrategy::wait(Run& run)
{
    const std::array items{db::BatchItem{
        &run.sql.wait, {run.request.name, postgresLockTimeout(run.request.wait)}, [&run](const db::Row& row) {
            run.isTaken = true;
            run.hadToWait = row.int64(0) != 0;
        }}};
    if (m_connection.inTransaction()) {
        if (auto waited = runInSavepoint(m_connection, items, {}, run.stop); !waited)
            return Failure(waited.error());
        return {};
    }
    const db::BatchItem& item = items.front();
    if (auto waited = m_connection.execute(*item.statement, item.params, item.sink, run.stop); !waited)
        return Failure(waited.error());
    return {};
}

Result<AcquireResult> PostgresAppLockStrategy::conclude(
    Run& run, const Result<void>& result, LossHandler lost)
{
    if (result && run.isTaken)
        return AcquireResult{run.hadToWait ? Outcome::GrantedAfterWait : Outcome::Granted,
            grant(run, std::move(lost)), run.waited(), {}};
    if (result)
        return refused(run, Outcome::Denied);

    if (!m_connection.isOpen())
        return Failure(result.error());
    if (auto undone = giveBack(run); !undone)
        return Failure(undone.error());
    if (result.error().kind == ErrorKind::Cancelled && run.stop.stop_requested())
        return refused(run, Outcome::Cancelled);
    if (result.error().kind == ErrorKind::Deadlock)
        return refused(run, Outcome::DeadlockVictim);
    if (result.error().nativeCode == QLatin1String("55P03"))
        return refused(run, Outcome::TimedOut);
    return Failure(result.error());
}

/// A wait that was interrupted in the very moment of its grant may have left the session's lock behind: no
/// savepoint takes that back.
Result<void> PostgresAppLockStrategy::giveBack(Run& run)
{
    const AcquireRequest& request = run.request;
    if (request.owner != LockOwner::Session)
        return {};
    Result<qint64> undone = 0;
    if (run.isTaken)
        undone = m_connection.execute(run.sql.release, {request.name});
    else if (request.wait != milliseconds(0) && !m_counts->contains({request.name, request.mode}))
        undone = m_connection.execute(run.sql.undo, {request.name, run.sql.nativeMode});
    if (!undone)
        return Failure(undone.error());
    return {};
}

AcquireResult PostgresAppLockStrategy::refused(const Run& run, Outcome outcome)
{
    const milliseconds waited = run.waited();
    return AcquireResult{outcome, {}, waited,
        readHolder(m_connection, db::Statement::get("postgres/app_locks/holder"), run.request.name)};
}

Grant PostgresAppLockStrategy::grant(const Run& run, LossHandler lost)
{
    const AcquireRequest& request = run.request;
    std::unique_ptr<Grant::State> state;
    if (request.owner == LockOwner::Session) {
        state = std::make_unique<AppGrant>(m_connection, m_keeper, m_counts, request.mode);
        ++(*m_counts)[{request.name, request.mode}];
    } else {
        state = std::make_unique<TransactionGrant>(m_connection, m_keeper);
    }
    state->watch(LockKind::Application, request.name, std::move(lost));
    return Grant(std::move(state));
}

} // namespace lockscope::locks
