// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Framework.h"
#include "core/domain/Snapshot.h"

#include <QHash>
#include <QString>

namespace lockscope {

// The texts about the locks of frameworks, in the window and by lockctl.

QString frameworkLockKindName(FrameworkLockKind kind); ///< "row", "advisory key" … as the files write them

/// "Prisma migrate", "Airflow? scheduler loop": the framework and what the lock is called, once.
QString frameworkLockTitle(const FrameworkMatch& match);
/// "ShedLock nightly report": the framework and the name of the row; of our own and attached tables the name.
QString frameworkLockTitle(const LockTableEntry& entry);
/// "public.orders"; "Prisma migrate (advisory lock 72707369)" where it is known whose it is.
QString resourceTitle(const Resource& resource);
/// Returns "ci@build-7", "ci", "build-7": the client that a session or a row of a lock table names; may be
/// empty.
QString whoIs(const QString& account, const QString& host);
QString whoHolds(const LockTableEntry& entry);

/// Returns why the entry can't be freed from here: its framework must not have the row touched, or we know
/// too little of it. Empty if it can; also for entries of our own tables.
QString reasonAgainstFreeing(const LockTableEntry& entry);
/// Returns the stored time of a framework's row that is some client's local time. Empty where `acquiredAt` or
/// `expiresAt` has it, and where there is none.
QString storedSince(const LockTableEntry& entry);
QString storedExpiry(const LockTableEntry& entry);

/// The framework that a session works for, by the lock to show: one of theirs that it holds and somebody
/// waits for, else one that it waits for, else one that it holds. Certain matches go before likely ones. Null
/// if there is none.
struct FrameworkRole {
    const LockRequest* request = nullptr;
    FrameworkMatchPtr match;
    bool isWaitedFor = false; ///< it holds it, and somebody waits for it
};
FrameworkRole frameworkRoleOf(const Snapshot& snapshot, SessionId session);
/// Finds the roles of all sessions at once. The requests are the snapshot's.
QHash<SessionId, FrameworkRole> frameworkRoles(const Snapshot& snapshot);

/// "Prisma migrate, run by ci@build-7 for 12 min": what a session does by a lock of a framework.
QString frameworkSummary(const Snapshot& snapshot, const FrameworkRole& role);

/// Returns the oldest entry of a framework whose holder is known to be gone: nobody releases it, and waiters
/// for it wait where the server does not see it. Null if there is none.
const LockTableEntry* leftBehind(const Snapshot& snapshot);

} // namespace lockscope
