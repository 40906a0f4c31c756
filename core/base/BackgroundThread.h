// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QtGlobal>

#include <chrono>
#include <functional>
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

} // namespace lockscope
