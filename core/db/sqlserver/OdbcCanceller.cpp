// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/OdbcCanceller.h"

#include "core/db/AnswerLimits.h"

#include <algorithm>
#include <sqlext.h>

namespace lockscope::db {

namespace {

/// The time that the statement's thread must have slept. Long enough that an answer which races with the
/// request to cancel has come; short enough for nobody to notice.
constexpr milliseconds firstNap{10};
constexpr milliseconds maxNap{100};
constexpr milliseconds betweenCounts{100};

} // namespace

OdbcCanceller::~OdbcCanceller()
{
    {
        const MutexLock guard(m_mutex);
        m_leave = true;
        m_changed.notifyAll();
    }
    if (m_thread.joinable())
        m_thread.join();
}

void OdbcCanceller::setStatement(SQLHSTMT statement)
{
    const MutexLock lock(m_mutex);
    m_statement = statement;
    m_changed.wait(m_mutex, [this]() LOCKSCOPE_REQUIRES(m_mutex) { return !m_calling; });
}

void OdbcCanceller::begin(milliseconds limit)
{
    const MutexLock guard(m_mutex);
    m_owner = WatchedThread::current();
    m_running = true;
    m_isRequested = false;
    m_timedOut = false;
    m_deadline.reset();
    if (limit.count() <= 0)
        return;
    m_deadline = Clock::now() + limit;
    m_receivedBefore = m_socket.received();
    start();
    m_changed.notifyAll();
}

bool OdbcCanceller::end()
{
    const MutexLock lock(m_mutex);
    m_running = false;
    m_isRequested = false;
    m_deadline.reset();
    m_changed.wait(m_mutex, [this]() LOCKSCOPE_REQUIRES(m_mutex) { return !m_calling; });
    return m_timedOut;
}

void OdbcCanceller::request()
{
    const MutexLock guard(m_mutex);
    if (!m_running)
        return;
    m_isRequested = true;
    start();
    m_changed.notifyAll();
}

bool OdbcCanceller::isRequested() const
{
    const MutexLock guard(m_mutex);
    return m_isRequested;
}

void OdbcCanceller::start()
{
    if (!m_thread.joinable())
        m_thread = std::thread([this] { work(); });
}

void OdbcCanceller::work()
{
    const MutexLock lock(m_mutex);
    while (!m_leave) {
        if (m_isRequested)
            cancelRepeatedly();
        else if (m_deadline)
            m_changed.waitUntil(m_mutex, std::min(*m_deadline, Clock::now() + betweenCounts));
        else
            m_changed.wait(m_mutex);
        if (m_deadline && !m_isRequested && Clock::now() >= *m_deadline) {
            m_timedOut = true;
            m_isRequested = true;
        }
        cutIfEndless();
    }
}

void OdbcCanceller::cutIfEndless()
{
    if (!m_running || !m_deadline)
        return;
    if (Clock::now() > *m_deadline + m_patience || m_socket.received() - m_receivedBefore > maxBytesOfAnswer)
        m_socket.cut();
}

void OdbcCanceller::cancelRepeatedly()
{
    const auto over = [this]() LOCKSCOPE_REQUIRES(m_mutex) { return !m_isRequested || m_leave; };
    for (milliseconds length = firstNap; !over();) {
        const std::optional<qint64> nap = m_owner->nap();
        if (m_changed.waitFor(m_mutex, length, over))
            return;
        cutIfEndless();
        if (!nap || m_owner->nap() != nap || m_statement == SQL_NULL_HSTMT)
            continue;
        m_calling = true;
        const SQLHSTMT statement = m_statement;
        m_mutex.unlock();
        SQLCancel(statement);
        m_mutex.lock();
        m_calling = false;
        m_changed.notifyAll();
        length = std::min(length * 2, maxNap);
    }
}

} // namespace lockscope::db
