// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/domain/LockTable.h"
#include "core/domain/Resource.h"

#include <concepts>
#include <functional>

namespace lockscope::locks {

enum class LockKind {
    Table, ///< strategy 1: a row of the lock table; outlives the connection
    Application, ///< strategy 3: a name in the server's lock manager; ends with the session
    LockedTable, ///< strategy 2, surrogate table: a table that is there only to be locked
    LockedKey, ///< strategy 2, surrogate key: the locked row of a key
};

/// The reason why a grant is no longer ours.
enum class LossReason {
    LeaseExpired, ///< it was not renewed in time; reported before the lease ends (see LeaseTimes)
    RowGone, ///< somebody released or purged the entry, or has it by now
    ConnectionGone, ///< the session is gone, or does not answer
};

/// Functions that the keeper of leases calls to notify a holder. It calls them on a thread of its own, which
/// never talks to a server, so only a handler that does not return soon can delay them. A plain function
/// becomes `lost`.
struct LossHandler {
    LossHandler() = default;
    template <class Handler>
    requires std::invocable<Handler&, LossReason> LossHandler(
        Handler whenDone) // NOLINT(google-explicit-constructor): most holders want to know no more
        : lost(std::move(whenDone))
    {
    }

    std::function<void(LossReason)> lost; ///< called at most once
    /// No renewal was confirmed for two thirds of the lease: called with the time left until it is reported
    /// as lost.
    std::function<void(milliseconds left)> atRisk;
    std::function<void()> renewed; ///< after `atRisk`: a renewal was confirmed
    /// Called if the keeper has released the lock while the holder's own release() did not get an answer.
    std::function<void()> gone;
    /// LeaseExpired is reported this much earlier, because the protected work takes so long to stop.
    milliseconds stopTime{0};
};

enum class AcquireMode { Exclusive, Shared, Update, IntentShared, IntentExclusive };

enum class Outcome {
    Granted, ///< at once
    GrantedAfterWait, ///< somebody else held it meanwhile: the work may be done already
    Denied, ///< held by somebody else, and we were not to wait
    TimedOut, ///< not granted within AcquireRequest::wait
    Cancelled, ///< a stop was requested
    DeadlockVictim, ///< the server ended the wait to break a deadlock
};
bool isGranted(Outcome outcome);
QString outcomeName(Outcome outcome); ///< "granted", "granted after waiting", "denied" …

struct AcquireRequest {
    QString name;
    AcquireMode mode = AcquireMode::Exclusive;
    /// Application locks; Transaction needs an open one. Locked tables and keys always belong to the
    /// transaction.
    LockOwner owner = LockOwner::Session;
    milliseconds wait{0}; ///< 0 = don't wait, −1 = for ever
    milliseconds lease{600'000}; ///< lock table: the entry expires that long after its last renewal
    LockOwnerInfo party = LockOwnerInfo::ofThisProcess();
    /// Application locks of SQL Server: only its members may take the lock, and the same name of another
    /// principal is another lock.
    QString principal = QStringLiteral("public");
};

/// The places of locked tables and keys. The default is the product's own schema; a program may have its own.
struct Surrogates {
    QString schema = QStringLiteral("lockscope");
    QString tablePrefix = QStringLiteral("surrogate:"); ///< of the tables to lock: prefix and lock name
    QString keyTable = QStringLiteral("surrogate_key"); ///< with one row for each key
    QString keyColumn = QStringLiteral("key"); ///< unique

    /// True for the defaults, where missing tables and rows may be created.
    bool areOurs() const { return *this == Surrogates(); }
    bool operator==(const Surrogates&) const = default;
};

/// The properties of a lock.
struct LockOptions {
    QString name; ///< 1 to 255 characters; of locked tables fewer
    LockKind kind = LockKind::Table;
    AcquireMode mode = AcquireMode::Exclusive; ///< application locks; all others are exclusive
    LockOwner owner = LockOwner::Session; ///< application locks; the others have no choice
    milliseconds wait{0}; ///< 0 = don't wait, −1 = for ever
    milliseconds lease{600'000}; ///< lock table: the entry expires that long after its last renewal
    milliseconds stopTime{0}; ///< see LossHandler::stopTime
    LockOwnerInfo party = LockOwnerInfo::ofThisProcess(); ///< shown to others, lock table
    QString principal = QStringLiteral("public"); ///< application locks of SQL Server
    Surrogates surrogates{}; ///< locked tables and keys: where they are
    /// Called when a thread takes this lock, with the locks that the thread holds at the request; see
    /// OwnStep. The lock counts as held by that thread until it is released or lost, even if it is moved to
    /// another thread.
    OwnStepListener stepListener{};

    /// Locked tables and keys belong to their transaction.
    AcquireRequest request() const;
};

} // namespace lockscope::locks
