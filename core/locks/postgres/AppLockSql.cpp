// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/postgres/AppLockSql.h"

namespace lockscope::locks {

namespace {

AppLockSql makeSql(LockOwner owner, AcquireMode mode)
{
    const QString suffix = mode == AcquireMode::Shared ? QStringLiteral("_shared") : QString();
    const QString level = owner == LockOwner::Transaction ? QStringLiteral("advisory_xact_lock")
                                                          : QStringLiteral("advisory_lock");
    const QString tryLock = QStringLiteral("pg_try_") + level + suffix;
    const QString lock = QStringLiteral("pg_") + level + suffix;
    const QString unlock = QStringLiteral("pg_advisory_unlock") + suffix;
    using L = QLatin1StringView;
    return {db::Statement::filled("postgres/app_locks/try", {{L("try"), tryLock}}),
        db::Statement::filled("postgres/app_locks/wait", {{L("try"), tryLock}, {L("lock"), lock}}),
        db::Statement::filled("postgres/app_locks/release", {{L("unlock"), unlock}}),
        db::Statement::filled("postgres/app_locks/undo", {{L("unlock"), unlock}}),
        mode == AcquireMode::Shared ? QStringLiteral("ShareLock") : QStringLiteral("ExclusiveLock")};
}

} // namespace

const AppLockSql& AppLockSql::get(LockOwner owner, AcquireMode mode)
{
    static const AppLockSql sessionExclusive = makeSql(LockOwner::Session, AcquireMode::Exclusive);
    static const AppLockSql sessionShared = makeSql(LockOwner::Session, AcquireMode::Shared);
    static const AppLockSql transactionExclusive = makeSql(LockOwner::Transaction, AcquireMode::Exclusive);
    static const AppLockSql transactionShared = makeSql(LockOwner::Transaction, AcquireMode::Shared);
    if (owner == LockOwner::Transaction)
        return mode == AcquireMode::Shared ? transactionShared : transactionExclusive;
    return mode == AcquireMode::Shared ? sessionShared : sessionExclusive;
}

} // namespace lockscope::locks
