// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/BackgroundThread.h"
#include "core/db/Server.h"
#include "core/locks/AcquireRequest.h"

#include <QObject>

#include <memory>

namespace lockscope::locks {

class LeaseKeeper;

/// The result of a request, without the grant: that belongs to its thread.
struct Obtained {
    Outcome outcome = Outcome::Denied;
    milliseconds waited{0};
    std::optional<LockOwnerInfo> heldBy;
    QString token; ///< this and the rest: lock table only
    qint64 fencing = 0;
    ServerTime acquiredAt;
    std::optional<ServerTime> expiresAt;

    bool isGranted() const { return locks::isGranted(outcome); }
};

/// Called on the holder's thread. Empty ones are not called.
struct LockEvents {
    /// Somebody else has it; the request goes on waiting.
    std::function<void(const std::optional<LockOwnerInfo>&)> waiting;
    std::function<void(const Result<Obtained>&)> answered;
    std::function<void(const Result<void>&)> ended; ///< of a lock that was obtained
    /// A loss is the end: nothing works under the lock that would have to be stopped first.
    bool endsWithLoss = false;
};

/// A lock that is requested, held and released by a thread and a connection of its own, so that no caller
/// waits for the network longer than its limit: under Lock, HeldLock and the commands of lockctl.
class LockHolder {
public:
    /// Asks for the lock at once. An empty `keeper` = one of its own.
    LockHolder(db::Server server, LockOptions options, LossHandler lost, LockEvents events = {},
        std::shared_ptr<LeaseKeeper> keeper = {});
    /// Lets the thread go. It gives back what it still has, if there is time for it.
    ~LockHolder();
    Q_DISABLE_COPY_MOVE(LockHolder)

    const LockOptions& options() const;
    /// Returns the result of the request; nothing if the server did not answer soon after cancel().
    std::optional<Result<Obtained>> waitForAnswer();
    /// Ends the wait for the lock. Any thread.
    void cancel();

    /// Gives it back, and waits for that as long as Grant::release does, or for `limit` if that is less.
    Result<void> release(milliseconds limit = maxRelease());
    /// release() ends soon. Any thread.
    void hurryRelease();
    /// Leaves the entry there.
    void abandon();

    /// Returns the end by the server's clock, as far as it was confirmed.
    std::optional<ServerTime> expiresAt() const;

    static milliseconds maxRelease();

private:
    struct Worker;
    const std::shared_ptr<Worker> m_worker;
    BackgroundThread m_thread;
};

/// A lock for a window: requested and held on a thread and connection of its own, so that no call here waits
/// for the server. Signals, on the thread of this object, report each change; one object is one attempt.
/// Destroying it releases the lock in the background. LeaseTimes describes when losses are reported.
class HeldLock : public QObject {
    Q_OBJECT
public:
    struct Options {
        db::Server server;
        LockOptions lock;
        std::shared_ptr<LeaseKeeper> keeper = {}; ///< empty = one of its own
    };
    enum class State { NotStarted, Connecting, Waiting, Held, Ended };

    explicit HeldLock(Options options, QObject* parent = nullptr);
    ~HeldLock() override;

    void start(); ///< once
    /// Gives up waiting: ends with denied(Cancelled).
    void cancel() { m_holder.reset(); }
    /// Lets the lock go: ends with released().
    void release() { m_holder.reset(); }

    State state() const { return m_state; }
    qint64 fencing() const { return m_fencing; } ///< lock table only, once granted

Q_SIGNALS:
    /// Somebody else has it. Only if the request allows waiting.
    void waiting(const std::optional<lockscope::LockOwnerInfo>& heldBy);
    void granted(lockscope::locks::Outcome outcome);
    void denied(lockscope::locks::Outcome outcome, const std::optional<lockscope::LockOwnerInfo>& heldBy);
    /// The lease could not be renewed for two thirds of its length: lost in so long; or all is well again.
    void atRisk(std::chrono::milliseconds left);
    void renewed();
    void lost(lockscope::locks::LossReason reason);
    void released();
    /// After release(): the entry of a lock table that could not be given back stays, and the text says until
    /// when; else the attempt to take the lock failed.
    void failed(const lockscope::Error& error);

private:
    struct Link;
    void noteAnswer(const Result<Obtained>& answer);
    void noteEnd(const Result<void>& result);

    const std::shared_ptr<Link> m_link;
    Options m_options;
    /// Reset, its thread goes on alone: it ends the wait or the lock, signals that, and cleans up after
    /// itself.
    std::unique_ptr<LockHolder> m_holder;
    State m_state = State::NotStarted;
    qint64 m_fencing = 0;
};

} // namespace lockscope::locks
