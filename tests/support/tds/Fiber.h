// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <semaphore>
#include <thread>

namespace lockscope::test::tds {

/// Code that may wait in the middle while the server's thread goes on with other things: it has a thread of
/// its own, and only one of the two ever runs. All functions but `await()` are of the server's thread.
class Fiber : public std::enable_shared_from_this<Fiber> {
public:
    using Resume = std::function<void(int)>;
    /// Thrown by `await()` after cancel().
    struct Cancelled { };

    Fiber(std::function<void(Fiber&)> run, std::function<void()> atEnd);
    ~Fiber();

    /// Until it is over, or waits.
    void start() { proceed(); }
    void cancel();

    /// For the code itself: calls `begin` on the server's thread, and returns the value that it gives to
    /// Resume, then or later.
    int await(std::function<void(const Resume&)> begin);

private:
    void proceed();

    std::function<void()> m_atEnd;
    std::function<void(const Resume&)> m_begin;
    int m_result = 0;
    bool m_isReady = false;
    bool m_isBeginning = false;
    bool m_isCancelled = false;
    bool m_isDone = false;
    std::binary_semaphore m_toFiber{0};
    std::binary_semaphore m_toServer{0};
    std::thread m_thread;
};

} // namespace lockscope::test::tds
