// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/OdbcCanceller.h"

#include <algorithm>
#include <sqlext.h>

namespace lockscope::db {

namespace {

/// So long must the statement's thread have slept. Long enough that an answer which races with the wish to
/// cancel has come; short enough for nobody to notice.
constexpr milliseconds firstNap{10};
constexpr milliseconds longestNap{100};

} // namespace

OdbcCanceller::~OdbcCanceller()
{
    {
        const std::lock_guard guard(m_mutex);
        m_leave = true;
        m_changed.notify_all();
    }
    if (m_thread.joinable())
        m_thread.join();
}

void OdbcCanceller::begin(milliseconds limit)
{
    const std::lock_guard guard(m_mutex);
    m_owner = WatchedThread::current();
    m_running = true;
    m_wanted = false;
    m_timedOut = false;
    m_deadline.reset();
    if (limit.count() <= 0)
        return;
    m_deadline = Clock::now() + limit;
    start();
    m_changed.notify_all();
}

bool OdbcCanceller::end()
{
    std::unique_lock lock(m_mutex);
    m_running = false;
    m_wanted = false;
    m_deadline.reset();
    m_changed.wait(lock, [this] { return !m_calling; });
    return m_timedOut;
}

void OdbcCanceller::request()
{
    const std::lock_guard guard(m_mutex);
    if (!m_running)
        return;
    m_wanted = true;
    start();
    m_changed.notify_all();
}

bool OdbcCanceller::isWanted() const
{
    const std::lock_guard guard(m_mutex);
    return m_wanted;
}

/// Under m_mutex.
void OdbcCanceller::start()
{
    if (!m_thread.joinable())
        m_thread = std::thread([this] { work(); });
}

void OdbcCanceller::work()
{
    std::unique_lock lock(m_mutex);
    while (!m_leave) {
        if (m_wanted)
            cancelRepeatedly(lock);
        else if (m_deadline)
            m_changed.wait_until(lock, *m_deadline);
        else
            m_changed.wait(lock);
        if (m_deadline && !m_wanted && Clock::now() >= *m_deadline) {
            m_timedOut = true;
            m_wanted = true;
        }
    }
}

void OdbcCanceller::cancelRepeatedly(std::unique_lock<std::mutex>& lock)
{
    const auto over = [this] { return !m_wanted || m_leave; };
    for (milliseconds length = firstNap; !over();) {
        const std::optional<qint64> nap = m_owner->nap();
        if (m_changed.wait_for(lock, length, over))
            return;
        if (!nap || m_owner->nap() != nap)
            continue;
        m_calling = true;
        lock.unlock();
        SQLCancel(m_statement);
        lock.lock();
        m_calling = false;
        m_changed.notify_all();
        length = std::min(length * 2, longestNap);
    }
}

} // namespace lockscope::db
