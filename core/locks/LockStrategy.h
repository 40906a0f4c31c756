// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Server.h"
#include "core/domain/LockRequest.h"
#include "core/domain/LockTable.h"

#include <concepts>
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
    LockOwnerInfo party = LockOwnerInfo::ofThisProcess();
};

/// Why a grant is no longer ours.
enum class LossReason {
    LeaseExpired, ///< it was not renewed in time; told before the lease is over (see LeaseTimes)
    RowGone, ///< somebody released or purged the entry, or has it by now
    ConnectionGone, ///< the session is gone, or does not answer
};

/// What a holder is told of its grant by the keeper: from a thread of its own, which never talks to a server,
/// so that nothing delays it but a handler that does not return soon. A plain function is `lost` alone.
struct LossHandler {
    LossHandler() = default;
    template <class Told>
    requires std::invocable<Told&, LossReason> LossHandler(
        Told told) // NOLINT(google-explicit-constructor): most holders want to know no more
        : lost(std::move(told))
    {
    }

    std::function<void(LossReason)> lost; ///< once
    /// No renewal was confirmed for two thirds of the lease: so long until it is told as lost.
    std::function<void(milliseconds left)> atRisk;
    std::function<void()> renewed; ///< after `atRisk`: all is well again
    /// Tell LeaseExpired so much earlier, because stopping what the lock protects takes so long.
    milliseconds stopTime{0};
};

/// A held lock. Releases itself when destroyed, without waiting for a server that can't be reached. Belongs
/// to the thread of its connection, as acquire did; the connection must outlive it.
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
    ///
    /// Lock table: if the connection is gone, the keeper connects anew and deletes the entry by its token, as
    /// it renews, again and again until the lease ends. This waits for it for `releaseLimit`, or until
    /// `stop`; the error then says until when the entry stays. A connection that does not answer within
    /// `releasePatience` isn't waited for by the keeper, though this returns only when it is given up.
    Result<void> release(const std::stop_token& stop = {});
    static constexpr milliseconds releaseLimit{30'000};
    static constexpr milliseconds releasePatience{3'000};
    /// Asks the server whether the session is still there, for a lock that ends with it; else does nothing.
    /// To be called each `beatEvery` by a holder that does nothing else on the connection: from the first
    /// time on, ConnectionGone is told as soon as no answer came for `beatLimit` (see LeaseTimes.h), even
    /// while this waits for one.
    Result<void> beat(const std::stop_token& stop = {});
    /// Prolongs the lease from now; Changed if it is lost. Lock table only.
    Result<ServerTime> renew();
    /// Lets go without releasing (the row stays until it is stale): for locks that outlive the program.
    void abandon();

    struct State;
    explicit Grant(std::unique_ptr<State> state);

private:
    Result<void> letGo(milliseconds limit, const std::stop_token& stop);

    std::unique_ptr<State> m_state;
};

struct AcquireResult {
    Outcome outcome = Outcome::Denied;
    Grant grant; ///< held if isGranted(outcome)
    milliseconds waited{0};
    std::optional<LockOwnerInfo> heldBy; ///< who holds it, where known, if not granted
};

/// Watches the grants of this process. One thread, with a connection of its own, renews leases at a third of
/// their length and looks each second whether rows and sessions are still there; if its own connection
/// breaks, that is no loss: it connects anew, with back-off. Another thread, which talks to nobody, warns and
/// tells losses by the holder's own clock, always before the lease ends on the server (see LeaseTimes). One
/// per server; thread-safe.
///
/// What nobody can promise: a process that is stopped or swapped out is told nothing before it runs again. A
/// resource that must not be written by a late holder checks the fencing number.
class LeaseKeeper;

/// One locking technique on one connection. Thread-bound like the connection.
class LockStrategy {
public:
    /// Unsupported if the engine lacks it. `connection` must outlive the strategy.
    static Result<std::unique_ptr<LockStrategy>> create(
        LockKind kind, db::Connection& connection, std::shared_ptr<LeaseKeeper> keeper = {});
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
