// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/domain/LockRequest.h"
#include "core/domain/LockTable.h"

#include <functional>
#include <memory>

namespace lockscope::locks {

enum class LockKind {
    Table, ///< strategy 1: a row of the lock table; outlives the connection
    Application, ///< strategy 3: a name in the server's lock manager
    LockedTable, ///< strategy 2, surrogate table: a table that is there only to be locked
    LockedKey, ///< strategy 2, surrogate key: the locked row of a key
};
enum class AcquireMode { Exclusive, Shared, Update, IntentShared, IntentExclusive };

enum class Outcome {
    Granted, ///< at once
    GrantedAfterWait, ///< somebody else held it meanwhile: the work may be done already
    Denied, ///< held by somebody else, and we were not to wait
    TimedOut,
    Cancelled,
    DeadlockVictim,
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
    milliseconds lease{600'000}; ///< lock table: stale after that without renewal
    LockParty party = LockParty::ofThisProcess();
};

/// Told once, from the keeper's thread, when a grant is no longer ours.
enum class LossReason { LeaseExpired, RowGone, ConnectionGone };
using LossHandler = std::function<void(LossReason)>;

/// A held lock. Releases itself when destroyed. Belongs to the thread of its connection, as acquire did;
/// the connection must outlive it.
class Grant {
public:
    Grant();
    ~Grant();
    Grant(Grant&&) noexcept;
    Grant& operator=(Grant&&) noexcept;

    bool isHeld() const; ///< false after release, loss, or of a default-constructed one
    const QString& name() const;
    const QString& token() const; ///< lock table only
    qint64 fencing() const; ///< lock table only
    ServerTime acquiredAt() const; ///< lock table only
    std::optional<ServerTime> expiresAt() const;

    /// One round trip. Changed if the row is not ours any more: nobody else's lock is touched.
    Result<void> release();
    /// Prolongs the lease from now; Changed if it is lost. Lock table only.
    Result<ServerTime> renew();
    /// Lets go without releasing (the row stays until it is stale): for locks that outlive the program.
    void abandon();

    struct State;
    explicit Grant(std::unique_ptr<State> state);

private:
    std::unique_ptr<State> m_state;
};

struct AcquireResult {
    Outcome outcome = Outcome::Denied;
    Grant grant; ///< held if isGranted(outcome)
    milliseconds waited{0};
    std::optional<LockParty> heldBy; ///< who holds it, where known, if not granted
};

/// Watches the grants of this process from a thread and connection of its own: renews leases (at a third of
/// their length), notices vanished rows and sessions within a few seconds, tells the loss handlers. One per
/// server; thread-safe.
class GrantKeeper;

/// One locking technique on one connection. Thread-bound like the connection.
class LockStrategy {
public:
    /// Unsupported if the engine lacks it. `connection` must outlive the strategy.
    static Result<std::unique_ptr<LockStrategy>> create(
        LockKind kind, db::Connection& connection, std::shared_ptr<GrantKeeper> keeper = {});
    virtual ~LockStrategy() = default;

    virtual LockKind kind() const = 0;
    /// Makes what a lock of this name needs, if it is not there: a surrogate table, the row of a surrogate
    /// key. Outside of a transaction, and once: what it makes stays. The other strategies need nothing.
    virtual Result<void> prepare(const QString& name);
    /// One round trip if the lock is free. Errors are errors; "somebody else has it" is an outcome.
    Result<AcquireResult> acquire(
        const AcquireRequest& request, std::stop_token stop = {}, LossHandler lost = {});

private:
    /// What is refused before anything is sent.
    virtual Result<void> check(const AcquireRequest& request) const = 0;
    /// A request that was checked, and not cancelled before it began.
    virtual Result<AcquireResult> take(
        const AcquireRequest& request, std::stop_token stop, LossHandler lost) = 0;
};

} // namespace lockscope::locks
