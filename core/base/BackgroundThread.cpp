// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/BackgroundThread.h"

#include "core/base/Mutex.h"

#include <QCoreApplication>

#include <chrono>

namespace lockscope {

namespace {

/// Counts detached threads that still run.
class DetachedThreads {
public:
    void add()
    {
        const MutexLock lock(m_mutex);
        ++m_count;
    }
    void remove()
    {
        const MutexLock lock(m_mutex);
        --m_count;
        m_changed.notifyAll();
    }
    bool waitForThem(std::chrono::milliseconds atMost)
    {
        const MutexLock lock(m_mutex);
        return m_changed.waitFor(
            m_mutex, atMost, [this]() LOCKSCOPE_REQUIRES(m_mutex) { return m_count == 0; });
    }

private:
    Mutex m_mutex;
    ConditionVariable m_changed;
    int m_count LOCKSCOPE_GUARDED_BY(m_mutex) = 0;
};

/// Never destroyed: a detached thread may outlive every static object.
DetachedThreads& detachedThreads()
{
    static DetachedThreads& instance = *new DetachedThreads;
    static const bool registered = [] {
        qAddPostRoutine([] { detachedThreads().waitForThem(std::chrono::seconds(1)); });
        return true;
    }();
    Q_UNUSED(registered)
    return instance;
}

} // namespace

BackgroundThread::BackgroundThread(std::function<void(std::stop_token)> run)
    : m_thread(std::move(run))
{
    detachedThreads();
}

BackgroundThread::~BackgroundThread()
{
    letGo();
}

BackgroundThread& BackgroundThread::operator=(BackgroundThread&& other) noexcept
{
    if (this != &other) {
        letGo();
        m_thread = std::move(other.m_thread);
    }
    return *this;
}

bool BackgroundThread::waitForDetached(std::chrono::milliseconds atMost)
{
    return detachedThreads().waitForThem(atMost);
}

void BackgroundThread::letGo()
{
    if (!m_thread.joinable())
        return;
    detachedThreads().add();
    std::thread([thread = std::move(m_thread)]() mutable {
        thread.request_stop();
        thread.join();
        detachedThreads().remove();
    }).detach();
}

} // namespace lockscope
