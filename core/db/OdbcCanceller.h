// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/ServerTime.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <sql.h>
#include <thread>

namespace lockscope::db {

/// Cancels the running statement from a thread of its own, by request or when its time is over. SQLCancel is
/// repeated until the statement has ended, because drivers ignore one that comes before the statement is on
/// its way. The thread is started when it is first needed.
class OdbcCanceller {
public:
    explicit OdbcCanceller(SQLHSTMT statement)
        : m_statement(statement)
    {
    }
    ~OdbcCanceller();
    Q_DISABLE_COPY_MOVE(OdbcCanceller)

    /// A statement is about to run; 0 = it may run for ever.
    void begin(milliseconds limit);
    /// It has ended: no cancel is on its way any more when this returns. True if its time was over.
    bool end();
    /// Any thread; does not block for the network.
    void request();

private:
    using Clock = std::chrono::steady_clock;
    void start();
    void work();
    void cancelRepeatedly(std::unique_lock<std::mutex>& lock);

    const SQLHSTMT m_statement;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    // under m_mutex
    bool m_running = false; ///< a statement
    bool m_wanted = false; ///< its cancel
    bool m_timedOut = false;
    bool m_calling = false; ///< SQLCancel, right now
    bool m_leave = false;
    std::optional<Clock::time_point> m_deadline;
    std::thread m_thread;
};

} // namespace lockscope::db
