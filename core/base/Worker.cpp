// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Worker.h"

#include "core/base/Mutex.h"

#include <deque>

namespace lockscope {

struct Worker::Queue {
    const std::function<void()> atEnd;
    Mutex mutex{};
    ConditionVariable wake{};
    std::deque<Job> jobs LOCKSCOPE_GUARDED_BY(mutex){};

    void run(const std::stop_token& stop)
    {
        while (const Job job = next(stop))
            job(stop);
        if (atEnd)
            atEnd();
    }
    Job next(const std::stop_token& stop)
    {
        const MutexLock lock(mutex);
        wake.wait(mutex, stop, [this]() LOCKSCOPE_REQUIRES(mutex) { return !jobs.empty(); });
        if (stop.stop_requested())
            return {};
        Job job = std::move(jobs.front());
        jobs.pop_front();
        return job;
    }
    void drop()
    {
        std::deque<Job> dropped; // ends after the lock
        const MutexLock lock(mutex);
        dropped.swap(jobs);
    }
};

Worker::Worker(std::function<void()> atEnd)
    : m_queue(new Queue{std::move(atEnd)})
{
}

Worker::~Worker()
{
    m_queue->drop();
}

void Worker::post(Job job)
{
    {
        const MutexLock lock(m_queue->mutex);
        m_queue->jobs.push_back(std::move(job));
        m_queue->wake.notifyOne();
    }
    if (!m_thread.isRunning())
        m_thread = BackgroundThread([queue = m_queue](const std::stop_token& stop) { queue->run(stop); });
}

void Worker::cancel()
{
    m_queue->drop();
    m_queue.reset(new Queue{m_queue->atEnd});
    m_thread = BackgroundThread();
}

} // namespace lockscope
