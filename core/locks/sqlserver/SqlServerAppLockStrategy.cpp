// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/sqlserver/SqlServerAppLockStrategy.h"

#include "core/base/SleepFor.h"
#include "core/db/sqlserver/SqlServerConnection.h"
#include "core/locks/ConnectionGrant.h"
#include "core/locks/LockTimeout.h"
#include "core/locks/RequestCheck.h"

namespace lockscope::locks {

using Steady = std::chrono::steady_clock;

namespace {

constexpr milliseconds askAgainAfter{50};

/// What sp_getapplock returns.
enum Code {
    GrantedAtOnce = 0,
    GrantedAfterWaiting = 1,
    TimedOut = -1,
    Cancelled = -2,
    DeadlockVictim = -3,
    Refused = -999
};

QString modeName(AcquireMode mode)
{
    switch (mode) {
    case AcquireMode::Exclusive:
        return QStringLiteral("Exclusive");
    case AcquireMode::Shared:
        return QStringLiteral("Shared");
    case AcquireMode::Update:
        return QStringLiteral("Update");
    case AcquireMode::IntentShared:
        return QStringLiteral("IntentShared");
    case AcquireMode::IntentExclusive:
        break;
    }
    return QStringLiteral("IntentExclusive");
}

QString ownerName(LockOwner owner)
{
    return owner == LockOwner::Transaction ? QStringLiteral("Transaction") : QStringLiteral("Session");
}

struct AppGrant : SessionGrant {
    AppGrant(db::Connection& theConnection, std::shared_ptr<LeaseKeeper> leaseKeeper, QString thePrincipal)
        : SessionGrant(theConnection, std::move(leaseKeeper))
        , principal(std::move(thePrincipal))
    {
    }

    Result<bool> releaseOnce() override
    {
        bool wasHeld = false;
        const auto result = connection.execute(db::Statement::get("sqlserver/app_locks/release"),
            {watched->name, ownerName(LockOwner::Session), principal},
            [&wasHeld](const db::Row& row) { wasHeld = row.boolean(0); });
        if (!result)
            return Failure(result.error());
        return wasHeld;
    }

    const QString principal;
};

} // namespace

SqlServerAppLockStrategy::SqlServerAppLockStrategy(
    db::Connection& connection, std::shared_ptr<LeaseKeeper> keeper, QString principal)
    : m_connection(connection)
    , m_keeper(std::move(keeper))
    , m_principal(std::move(principal))
    , m_names(connection)
    , m_mark(connection)
{
}

Result<void> SqlServerAppLockStrategy::check(const AcquireRequest& request) const
{
    if (auto checked = checkRequest(request, m_connection.dialect()); !checked)
        return checked;
    return checkOwner(request, m_connection);
}

Result<AcquireResult> SqlServerAppLockStrategy::take(
    const AcquireRequest& request, std::stop_token stop, LossHandler lost)
{
    m_names.remember(request.name);

    const auto start = Steady::now();
    const qint64 timeout = lockTimeout(request.wait);
    const bool waitsByItself = !db::SqlServerConnection::factsOf(m_connection).isOtherEngine();
    qint64 code = Refused; // may have come before an error
    const auto result =
        waitsByItself ? ask(request, timeout, stop, code) : askAgainAndAgain(request, stop, code);
    const auto waited = std::chrono::duration_cast<milliseconds>(Steady::now() - start);
    const auto refused = [waited](Outcome outcome) { return AcquireResult{outcome, {}, waited, {}}; };

    // Babelfish keeps a lock of a transaction until its end: who was faster than the cancel has it.
    const bool isForGood = !waitsByItself && request.owner == LockOwner::Transaction && code >= 0;
    if (timeout != 0 && stop.stop_requested() && !isForGood) {
        if (!m_connection.isOpen())
            return Failure(result ? failure(ErrorKind::Connection, QStringLiteral("The connection is gone."))
                                  : Failure(result.error()));
        if (auto undone = giveBack(request, code >= 0); !undone)
            return Failure(undone.error());
        return refused(Outcome::Cancelled);
    }
    if (!result && result.error().kind == ErrorKind::Deadlock)
        return refused(Outcome::DeadlockVictim);
    if (!result)
        return Failure(result.error());
    switch (code) {
    case GrantedAtOnce:
    case GrantedAfterWaiting: {
        auto granted = grant(request, std::move(lost));
        if (!granted)
            return Failure(granted.error());
        return AcquireResult{code == GrantedAtOnce ? Outcome::Granted : Outcome::GrantedAfterWait,
            std::move(*granted), waited, {}};
    }
    case TimedOut:
        return refused(timeout == 0 ? Outcome::Denied : Outcome::TimedOut);
    case Cancelled:
        return refused(Outcome::Cancelled);
    case DeadlockVictim:
        return refused(Outcome::DeadlockVictim);
    default:
        break;
    }
    return failure(ErrorKind::Server,
        QStringLiteral("sp_getapplock refused the lock \"%1\" (code %2).").arg(request.name).arg(code),
        QStringLiteral("Check that the principal \"%1\" exists and that this login is a member of it.")
            .arg(m_principal));
}

/// What the server answers becomes the code.
Result<qint64> SqlServerAppLockStrategy::ask(
    const AcquireRequest& request, qint64 timeout, const std::stop_token& stop, qint64& code)
{
    // One that must not wait is too short for a cancel: an answer is better.
    return m_connection.execute(
        db::Statement::get("sqlserver/app_locks/acquire"),
        {request.name, modeName(request.mode), ownerName(request.owner), timeout, m_principal},
        [&code](const db::Row& row) { code = row.int64(0); }, timeout == 0 ? std::stop_token() : stop);
}

/// Babelfish: a wait of the server's own could not be cancelled, and would not tell that it was one.
Result<qint64> SqlServerAppLockStrategy::askAgainAndAgain(
    const AcquireRequest& request, const std::stop_token& stop, qint64& code)
{
    const auto start = Steady::now();
    for (bool isFirst = true;; isFirst = false) {
        auto asked = ask(request, 0, {}, code);
        if (code == GrantedAtOnce && !isFirst)
            code = GrantedAfterWaiting;
        const bool isOver = request.wait.count() >= 0 && Steady::now() - start >= request.wait;
        if (!asked || code != TimedOut || isOver || !sleepFor(askAgainAfter, stop))
            return asked;
    }
}

/// A wait that was interrupted in the very moment of its grant may have left the lock behind. What was held
/// before stays.
Result<void> SqlServerAppLockStrategy::giveBack(const AcquireRequest& request, bool isTaken)
{
    // The server may have ended the transaction with the cancel, and the lock with it.
    const bool isTransaction = request.owner == LockOwner::Transaction;
    const auto undone = m_connection.execute(
        db::Statement::get(isTaken ? "sqlserver/app_locks/release" : "sqlserver/app_locks/undo"),
        {request.name, ownerName(request.owner), m_principal});
    if (!undone && !(isTransaction && m_connection.isOpen()))
        return Failure(undone.error());
    return {};
}

Result<Grant> SqlServerAppLockStrategy::grant(const AcquireRequest& request, LossHandler lost)
{
    std::unique_ptr<Grant::State> state;
    if (request.owner == LockOwner::Session) {
        state = std::make_unique<AppGrant>(m_connection, m_keeper, m_principal);
    } else {
        state = std::make_unique<TransactionGrant>(m_connection, m_keeper);
    }
    if (m_keeper)
        state->watched->mark = m_mark.name();
    state->watch(LockKind::Application, request.name, std::move(lost));
    return Grant(std::move(state));
}

} // namespace lockscope::locks
