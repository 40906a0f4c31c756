// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QtGlobal>

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <thread>

namespace lockscope {

/// A thread whose owner never waits for it. The destructor returns at once: a stop is requested from another
/// thread (a native cancel may block for a network connect), and the last of the two cleans up. The end of
/// the program waits for such detached threads, but no longer than a second, so that QCoreApplication still
/// exists while they end.
///
/// `run` must share ownership of all that it uses, and check its stop token.
class BackgroundThread {
public:
    BackgroundThread() = default;
    explicit BackgroundThread(std::function<void(std::stop_token)> run);
    ~BackgroundThread();
    BackgroundThread(BackgroundThread&& other) noexcept = default;
    BackgroundThread& operator=(BackgroundThread&& other) noexcept;
    Q_DISABLE_COPY(BackgroundThread)

    bool isRunning() const { return m_thread.joinable(); }
    /// Returns false if a detached thread still runs after that time.
    static bool waitForDetached(std::chrono::milliseconds atMost);

private:
    void letGo();

    std::jthread m_thread;
};

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
