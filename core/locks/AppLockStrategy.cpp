// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/AppLockStrategy.h"

#include "core/locks/AppLockSql.h"
#include "core/locks/ConnectionGrant.h"
#include "core/locks/RequestCheck.h"

#include <algorithm>
#include <array>
#include <limits>

namespace lockscope::locks {

using Steady = std::chrono::steady_clock;

namespace {

struct AppGrant : SessionGrant {
    AppGrant(db::Connection& theConnection, std::shared_ptr<GrantKeeper> grantKeeper,
        std::shared_ptr<AppLockStrategy::Counts> theCounts, AcquireMode theMode)
        : SessionGrant(theConnection, std::move(grantKeeper))
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

    const std::shared_ptr<AppLockStrategy::Counts> counts;
    const AcquireMode mode;
};

QString lockTimeout(milliseconds wait)
{
    if (wait < milliseconds(0))
        return QStringLiteral("0");
    constexpr qint64 longest = std::numeric_limits<qint32>::max();
    return QString::number(std::min<qint64>(wait.count(), longest));
}

const db::Statement& statement(const char* path)
{
    return db::Statement::get(path);
}

} // namespace

/// One acquire while it runs.
struct AppLockStrategy::Run {
    const AcquireRequest& request;
    const std::stop_token& stop;
    const AppLockSql& sql = AppLockSql::get(request.owner, request.mode);
    const Steady::time_point start = Steady::now();
    bool isTaken = false; ///< the server said so
    bool hadToWait = false;
    bool isInSavepoint = false;

    milliseconds waited() const { return std::chrono::duration_cast<milliseconds>(Steady::now() - start); }
};

AppLockStrategy::AppLockStrategy(db::Connection& connection, std::shared_ptr<GrantKeeper> keeper)
    : m_connection(connection)
    , m_keeper(std::move(keeper))
    , m_names(connection)
{
}

Result<void> AppLockStrategy::check(const AcquireRequest& request) const
{
    if (auto checked = checkRequest(request, m_connection.dialect()); !checked)
        return checked;
    if (request.mode != AcquireMode::Exclusive && request.mode != AcquireMode::Shared)
        return failure(ErrorKind::Unsupported,
            QStringLiteral("The server has no application locks of this mode."),
            m_connection.dialect().reasonAgainst(db::Capability::UpdateAndIntentModes));
    return checkOwner(request, m_connection);
}

Result<AcquireResult> AppLockStrategy::acquire(
    const AcquireRequest& request, std::stop_token stop, LossHandler lost)
{
    if (auto checked = check(request); !checked)
        return Failure(checked.error());
    if (stop.stop_requested())
        return AcquireResult{Outcome::Cancelled, {}, {}, {}};
    m_names.remember(request.name);

    Run run{request, stop};
    if (request.wait == milliseconds(0))
        return conclude(run, tryOnce(run), std::move(lost));
    if (m_connection.inTransaction())
        return conclude(run, waitInTransaction(run), std::move(lost));
    return conclude(run, wait(run), std::move(lost));
}

Result<void> AppLockStrategy::tryOnce(Run& run)
{
    // Too short for a cancel: an answer is better than an aborted transaction.
    const auto result = m_connection.execute(
        run.sql.tryOnce, {run.request.name}, [&run](const db::Row& row) { run.isTaken = row.boolean(0); });
    if (!result)
        return Failure(result.error());
    return {};
}

Result<void> AppLockStrategy::wait(Run& run)
{
    const auto result = m_connection.execute(
        run.sql.wait, {run.request.name, lockTimeout(run.request.wait)},
        [&run](const db::Row& row) {
            run.isTaken = true;
            run.hadToWait = row.int64(0) != 0;
        },
        run.stop);
    if (!result)
        return Failure(result.error());
    return {};
}

Result<void> AppLockStrategy::waitInTransaction(Run& run)
{
    const std::array items{
        db::BatchItem{&statement("postgres/locks/savepoint.sql"), {}, {}},
        db::BatchItem{&run.sql.wait, {run.request.name, lockTimeout(run.request.wait)},
            [&run](const db::Row& row) {
                run.isTaken = true;
                run.hadToWait = row.int64(0) != 0;
            }},
        db::BatchItem{&statement("postgres/locks/savepoint_release.sql"), {}, {}},
    };
    // Who may cancel keeps the savepoint until it is known whether the grant stays.
    const bool mayBeCancelled = run.stop.stop_possible();
    const auto results = m_connection.executeBatch(std::span(items).first(mayBeCancelled ? 2 : 3), run.stop);
    if (!results[0])
        return Failure(results[0].error());
    run.isInSavepoint = mayBeCancelled || !results[1];
    if (!results[1])
        return Failure(results[1].error());
    return {};
}

Result<AcquireResult> AppLockStrategy::conclude(Run& run, const Result<void>& result, LossHandler lost)
{
    const bool isCancelled = run.stop.stop_requested() && run.request.wait != milliseconds(0);
    if (result && run.isTaken && !isCancelled) {
        if (run.isInSavepoint)
            if (auto kept = m_connection.execute(statement("postgres/locks/savepoint_release.sql")); !kept)
                return Failure(kept.error());
        return AcquireResult{run.hadToWait ? Outcome::GrantedAfterWait : Outcome::Granted,
            grant(run, std::move(lost)), run.waited(), {}};
    }
    if (result && !run.isTaken)
        return refused(run, Outcome::Denied);

    if (!m_connection.isOpen())
        return Failure(result ? failure(ErrorKind::Connection, QStringLiteral("The connection is gone."))
                              : Failure(result.error()));
    if (auto undone = giveBack(run); !undone)
        return Failure(undone.error());
    if (isCancelled)
        return refused(run, Outcome::Cancelled);
    if (result.error().kind == ErrorKind::Deadlock)
        return refused(run, Outcome::DeadlockVictim);
    if (result.error().nativeCode == QLatin1String("55P03"))
        return refused(run, Outcome::TimedOut);
    return Failure(result.error());
}

Result<void> AppLockStrategy::giveBack(Run& run)
{
    Result<qint64> undone = 0;
    if (run.isInSavepoint) {
        undone = m_connection.execute(statement("postgres/locks/savepoint_rollback.sql"));
        if (undone)
            undone = m_connection.execute(statement("postgres/locks/savepoint_release.sql"));
    }
    if (undone && run.request.owner == LockOwner::Session) {
        if (run.isTaken)
            undone = m_connection.execute(run.sql.release, {run.request.name});
        else if (run.request.wait != milliseconds(0)
            && !m_counts->contains({run.request.name, run.request.mode}))
            undone = m_connection.execute(run.sql.undo, {run.request.name, run.sql.nativeMode});
    }
    if (!undone)
        return Failure(undone.error());
    return {};
}

AcquireResult AppLockStrategy::refused(const Run& run, Outcome outcome)
{
    const milliseconds waited = run.waited();
    return AcquireResult{outcome, {}, waited, holderOf(run.request.name)};
}

std::optional<LockParty> AppLockStrategy::holderOf(const QString& name)
{
    std::optional<LockParty> holder;
    // Only a help for the reader: without it the refusal still stands.
    (void)m_connection.execute(
        statement("postgres/locks/app_holder.sql"), {name}, [&holder](const db::Row& row) {
            holder = LockParty{row.text(0), row.text(1), row.text(2), 0, SessionId{row.int64(3)}};
        });
    return holder;
}

Grant AppLockStrategy::grant(const Run& run, LossHandler lost)
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
