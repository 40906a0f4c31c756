// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/OdbcCanceller.h"

#include <algorithm>
#include <sqlext.h>

namespace lockscope::db {

namespace {

constexpr milliseconds firstPause{5};
constexpr milliseconds longestPause{100};

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
    for (milliseconds pause = firstPause; m_wanted && !m_leave; pause = std::min(pause * 2, longestPause)) {
        m_calling = true;
        lock.unlock();
        SQLCancel(m_statement);
        lock.lock();
        m_calling = false;
        m_changed.notify_all();
        m_changed.wait_for(lock, pause, [this] { return !m_wanted || m_leave; });
    }
}

} // namespace lockscope::db
