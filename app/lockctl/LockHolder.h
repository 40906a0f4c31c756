// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/Locking.h"
#include "app/lockctl/ServerOption.h"
#include "core/base/BackgroundThread.h"

namespace lockscope::ctl {

/// The lock of `run` and `acquire`: asked for, held and given back by a thread and a connection of its own,
/// so that the main thread never waits for the network longer than somebody wants it to.
class LockHolder {
public:
    /// Asks for the lock at once.
    LockHolder(const db::Server& server, const LockOrder& order, locks::LossHandler lost);
    /// Lets the thread go. It gives back what it still has, if there is time for it.
    ~LockHolder();
    Q_DISABLE_COPY_MOVE(LockHolder)

    /// What became of the question; nothing if the server did not answer soon after cancel().
    std::optional<Result<Obtained>> waitForAnswer();
    /// No more waiting for the lock. Any thread.
    void cancel();

    /// Gives it back, and waits for that as long as Grant::release does, or for `limit` if that is less.
    Result<void> release(milliseconds limit = longestRelease());
    /// release() ends soon. Any thread.
    void hurryRelease();
    /// Leaves the entry there.
    void abandon();

    /// By the server's clock, as far as it was confirmed.
    std::optional<ServerTime> expiresAt() const;

    static milliseconds longestRelease();

private:
    struct Worker;
    const std::shared_ptr<Worker> m_worker;
    BackgroundThread m_thread;
};

} // namespace lockscope::ctl
