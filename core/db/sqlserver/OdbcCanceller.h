// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/BackgroundThread.h"
#include "core/base/Mutex.h"
#include "core/base/ServerTime.h"
#include "core/db/sqlserver/OdbcLink.h"

#include <optional>
#include <sql.h>
#include <thread>

namespace lockscope::db {

/// Cancels the running statement from a thread of its own, by request or at its time limit. SQLCancel is
/// repeated until the statement has ended, because drivers ignore one that comes before the statement is on
/// its way. The thread is started when it is first needed.
///
/// SQLCancel is called only when the statement's thread has slept for a while without a break, that is,
/// surely waits for the server. FreeTDS 1.3 to 1.5 (tds_send_cancel in its src/tds/query.c) must not be asked
/// to cancel while that thread is on its way to or from the network: it then sends the cancel by itself, from
/// buffers in which the other thread may be building its request, and doesn't wake that thread if it came to
/// read meanwhile: it waits for ever. A statement that is busy checks isRequested() itself.
class OdbcCanceller {
public:
    /// A statement past its time limit that does not even end `patience` after its cancel loses its
    /// connection, as does one with a limit whose answer is too long.
    OdbcCanceller(const OdbcSocket& socket, milliseconds patience)
        : m_socket(socket)
        , m_patience(patience)
    {
    }
    ~OdbcCanceller();
    Q_DISABLE_COPY_MOVE(OdbcCanceller)

    /// The handle of the statements from here on; null: they can't be cancelled. When this returns, the
    /// former one isn't used any more.
    void setStatement(SQLHSTMT statement);
    /// A statement is about to run; 0 = it may run for ever.
    void begin(milliseconds limit);
    /// It has ended: no cancel is on its way any more when this returns. True if its time was over.
    bool end();
    /// Any thread; does not block for the network.
    void request();
    /// Returns whether the statement that runs is to be cancelled. Any thread.
    bool isRequested() const;

private:
    using Clock = std::chrono::steady_clock;
    void start() LOCKSCOPE_REQUIRES(m_mutex);
    void work();
    void cancelRepeatedly() LOCKSCOPE_REQUIRES(m_mutex);
    void cutIfEndless() LOCKSCOPE_REQUIRES(m_mutex);

    const OdbcSocket& m_socket;
    const milliseconds m_patience;
    mutable Mutex m_mutex;
    ConditionVariable m_changed;
    SQLHSTMT m_statement LOCKSCOPE_GUARDED_BY(m_mutex) = SQL_NULL_HSTMT;
    bool m_running LOCKSCOPE_GUARDED_BY(m_mutex) = false; ///< a statement
    bool m_isRequested LOCKSCOPE_GUARDED_BY(m_mutex) = false; ///< its cancel
    bool m_timedOut LOCKSCOPE_GUARDED_BY(m_mutex) = false;
    bool m_calling LOCKSCOPE_GUARDED_BY(m_mutex) = false; ///< SQLCancel, right now
    std::optional<WatchedThread> m_owner LOCKSCOPE_GUARDED_BY(m_mutex); ///< runs the statement
    bool m_leave LOCKSCOPE_GUARDED_BY(m_mutex) = false;
    std::optional<Clock::time_point> m_deadline LOCKSCOPE_GUARDED_BY(m_mutex);
    qint64 m_receivedBefore LOCKSCOPE_GUARDED_BY(m_mutex) = 0;
    std::thread m_thread LOCKSCOPE_GUARDED_BY(m_mutex); ///< joined when nobody else is there any more
};

} // namespace lockscope::db
