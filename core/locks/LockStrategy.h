// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/locks/Grant.h"

namespace lockscope::locks {

/// Returns the capability that an engine needs for such a lock.
db::Capability capabilityFor(LockKind kind);

struct AcquireResult {
    Outcome outcome = Outcome::Denied;
    Grant grant{}; ///< held if isGranted(outcome)
    milliseconds waited{0};
    std::optional<LockOwnerInfo> heldBy{}; ///< the holder, where known, if not granted
};

class LeaseKeeper;
class LockBackend;
class AppLockNames;

/// One kind of lock on one connection. Thread-bound like the connection.
///
/// - Table: a row is the lock. It outlives the connection; a lease tells when it is stale. Needs the
///   product's schema, and no open transaction: the row must be visible to the others at once.
/// - Application: the server's lock manager holds a lock on a name. Nothing to clean up: it ends with its
///   release, its transaction or its session. The same name may be taken several times; each needs its
///   release.
/// - LockedTable, LockedKey: the exclusive lock of a table that is there only for this, or of the row of a
///   key, serialises callers without serializable isolation on the real tables. It belongs to the open
///   transaction and ends with it. Different tables, and different keys, don't meet.
class LockStrategy {
public:
    /// Unsupported if the engine lacks it. `connection` must outlive the strategy.
    static Result<std::unique_ptr<LockStrategy>> create(LockKind kind, db::Connection& connection,
        std::shared_ptr<LeaseKeeper> keeper = {}, Surrogates surrogates = {});
    ~LockStrategy();
    Q_DISABLE_COPY_MOVE(LockStrategy)

    LockKind kind() const { return m_kind; }
    bool isSurrogate() const { return m_kind == LockKind::LockedTable || m_kind == LockKind::LockedKey; }
    /// Makes what a lock of this name needs, if it is not there: a surrogate table, the row of a surrogate
    /// key. Outside of a transaction, and once: what it makes stays. The other kinds need nothing.
    /// MissingObject if the program's own surrogates are not there: only the product's own are made.
    Result<void> prepare(const QString& name);
    /// One round trip if the lock is free. Errors are errors; "somebody else has it" is an outcome.
    Result<AcquireResult> acquire(
        const AcquireRequest& request, const std::stop_token& stop = {}, LossHandler lost = {});

private:
    struct TableWait;
    friend Result<AcquireResult> acquire(
        LockStrategy& strategy, const AcquireRequest& request, const std::stop_token& stop, LossHandler lost);

    LockStrategy(LockKind kind, db::Connection& connection, std::shared_ptr<LeaseKeeper> keeper,
        Surrogates surrogates);
    Result<void> check(const AcquireRequest& request) const;
    Result<void> checkEntry(const AcquireRequest& request) const;
    Result<void> checkApplication(const AcquireRequest& request) const;
    Result<void> checkSurrogate(const AcquireRequest& request) const;
    Result<void> trustSurrogates();
    Result<AcquireResult> takeEntry(
        const AcquireRequest& request, const std::stop_token& stop, LossHandler lost);
    Result<AcquireResult> giveUp(TableWait& wait, Outcome outcome);
    AcquireResult grantEntry(TableWait& wait, LossHandler lost);
    Result<AcquireResult> takeFromServer(
        const AcquireRequest& request, const std::stop_token& stop, LossHandler lost);

    const LockKind m_kind;
    db::Connection& m_connection;
    const std::shared_ptr<LeaseKeeper> m_keeper;
    const Surrogates m_surrogates;
    const std::shared_ptr<LockBackend> m_backend; ///< shared with the grants
    std::unique_ptr<AppLockNames> m_names; ///< of application locks only
    std::optional<quint64> m_ownTransaction; ///< the latest that locks::acquire began
};

/// Takes a lock of any kind on the caller's connection. If the lock belongs to a transaction and none is
/// open, makes what the lock needs and begins one: the grant's release() commits it, and without a grant it
/// is rolled back. Grants that are taken meanwhile belong to the same transaction: it ends with the first
/// release. Inside of a transaction of the caller's it does what LockStrategy::acquire does.
Result<AcquireResult> acquire(LockStrategy& strategy, const AcquireRequest& request,
    const std::stop_token& stop = {}, LossHandler lost = {});

} // namespace lockscope::locks
