// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/LockHolder.h"

#include <QObject>

#include <memory>

namespace lockscope::locks {

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
