// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/LockTableStrategy.h"
#include "core/locks/SurrogateStrategy.h"
#include "core/locks/postgres/PostgresAppLockStrategy.h"
#include "core/locks/sqlserver/LockHintTest.h"
#include "core/locks/sqlserver/SqlServerAppLockStrategy.h"

namespace lockscope::locks {

namespace {

db::Capability neededFor(LockKind kind)
{
    switch (kind) {
    case LockKind::Table:
        return db::Capability::LockTables;
    case LockKind::Application:
        return db::Capability::ApplicationLocks;
    case LockKind::LockedTable:
    case LockKind::LockedKey:
        break;
    }
    return db::Capability::SurrogateLocks;
}

} // namespace

Result<std::unique_ptr<LockStrategy>> LockStrategy::create(
    LockKind kind, db::Connection& connection, std::shared_ptr<LeaseKeeper> keeper)
{
    const db::Capability needed = neededFor(kind);
    if (!connection.dialect().can(needed))
        return failure(ErrorKind::Unsupported,
            QStringLiteral("%1 has no such locks.").arg(engineName(connection.engine())),
            connection.dialect().reasonAgainst(needed));
    if (kind == LockKind::Table)
        return std::make_unique<LockTableStrategy>(connection, std::move(keeper));
    const bool isSqlServer = connection.engine() == Engine::SqlServer;
    if (kind == LockKind::Application && isSqlServer)
        return std::make_unique<SqlServerAppLockStrategy>(connection, std::move(keeper));
    if (kind == LockKind::Application)
        return std::make_unique<PostgresAppLockStrategy>(connection, std::move(keeper));
    if (auto proven =
            testLockHint(connection, kind == LockKind::LockedTable ? Hint::TabLockX : Hint::UpdLock);
        !proven)
        return Failure(proven.error());
    return std::make_unique<SurrogateStrategy>(kind, connection, std::move(keeper));
}

Result<void> LockStrategy::prepare(const QString&)
{
    return {};
}

Result<AcquireResult> LockStrategy::acquire(
    const AcquireRequest& request, std::stop_token stop, LossHandler lost)
{
    if (auto checked = check(request); !checked)
        return Failure(checked.error());
    if (stop.stop_requested())
        return AcquireResult{Outcome::Cancelled, {}, {}, {}};
    return take(request, std::move(stop), std::move(lost));
}

Result<void> checkRequest(const AcquireRequest& request, const db::Dialect& dialect)
{
    if (auto refused = dialect.refuseLockName(request.name))
        return Failure(std::move(*refused));
    // What is put for bytes that are no text: different names would become one.
    if (request.name.contains(QChar::ReplacementCharacter))
        return failure(ErrorKind::BadInput, QStringLiteral("The lock's name is not valid UTF-8."),
            QStringLiteral("Choose a name that is text."));
    if (request.wait < milliseconds(-1))
        return failure(ErrorKind::BadInput, QStringLiteral("A waiting time can't be negative."),
            QStringLiteral("Pass 0 for no wait, or -1 for no limit."));
    return {};
}

Result<void> checkOwner(const AcquireRequest& request, const db::Connection& connection)
{
    if (request.owner == LockOwner::Other)
        return failure(ErrorKind::BadInput,
            QStringLiteral("An application lock belongs to the session or to the transaction."));
    if (request.owner == LockOwner::Session && !connection.dialect().can(db::Capability::SessionLocks))
        return failure(ErrorKind::Unsupported,
            QStringLiteral("A lock of the session can't be taken over this connection."),
            connection.dialect().reasonAgainst(db::Capability::SessionLocks));
    if (request.owner == LockOwner::Transaction && !connection.inTransaction())
        return failure(ErrorKind::BadInput,
            QStringLiteral("A lock for the transaction was asked for, but no transaction is open."),
            QStringLiteral("Begin a transaction first, or take the lock for the session."));
    return {};
}

} // namespace lockscope::locks
