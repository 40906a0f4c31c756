// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Framework.h"
#include "core/domain/LockTable.h"
#include "core/domain/Snapshot.h"

#include <QHash>
#include <QString>
#include <QStringList>

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

// The rules of a framework's file in words.

/// `text` of others as Markdown that shows exactly it: in one line, nothing of it is markup.
QString plainMarkdown(const QString& text);

QString kindText(FrameworkLockKind kind); ///< "A row of a table", "An advisory key" …
/// "By the table databasechangeloglock with the columns id, locked; held while locked is true."
QString recognitionText(const FrameworkLock& lock);
/// Names the columns with holder, start, end, sign of life.
QString rowText(const FrameworkRow& row);
/// Describes how the row is freed: "The row stays; in it is written: locked = false, lockedby = NULL."
QString changeText(const FrameworkRow& row);

enum class Engine : quint8;

/// Facts to know of a framework's lock before it is freed. Empty where nothing is known.
struct WhatHappens {
    QString purpose; ///< the work that it protects
    QString ends; ///< its end by the framework itself, and what waiters do
    QStringList now{}; ///< of this very lock: when it expires, whether its holder works. Sentences
    QString danger; ///< the risk
    QString vendorCommand; ///< the framework's own way to free it
    QString vendorNote; ///< the difference from ours

    bool operator==(const WhatHappens&) const = default;
};

/// Returns the facts for a lock that belongs to a session.
WhatHappens whatHappens(const FrameworkMatch& match);
/// Returns the facts for a row; `now` by the server's clock.
WhatHappens whatHappens(const LockTableEntry& entry, ServerTime now);

/// True if everybody who uses the entry's table agrees that it is stale: its lease has expired by a
/// comparable clock, and the end of the lease is among the columns that are compared, so that it stays
/// expired. Never true for a framework's entry that must not be freed, or by a client's local time.
bool isPurgeable(const LockTableEntry& entry, Engine engine, ServerTime now);

} // namespace lockscope
