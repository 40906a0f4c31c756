// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QtGlobal>

#include <optional>

namespace lockscope {

/// A thread as another one sees it from outside.
class WatchedThread {
public:
    /// The one that calls this.
    static WatchedThread current();

    /// Returns the number of the thread's present nap, empty if it is awake: the same number twice means that
    /// it slept all the time in between. A thread is asleep that waits for a socket, a lock or a timer, not
    /// who is merely not given the processor. Any thread; costs some microseconds. Where the system doesn't
    /// tell (Linux does), always the same nap.
    std::optional<qint64> nap() const;

private:
    explicit WatchedThread(qint64 id)
        : m_id(id)
    {
    }
    qint64 m_id;
};

} // namespace lockscope
