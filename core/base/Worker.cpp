// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Worker.h"

#include <condition_variable>
#include <deque>

namespace lockscope {

struct Worker::Queue {
    const std::function<void()> atEnd;
    std::mutex mutex;
    std::condition_variable_any wake;
    std::deque<Job> jobs; ///< under mutex

    void run(const std::stop_token& stop)
    {
        while (const Job job = next(stop))
            job(stop);
        if (atEnd)
            atEnd();
    }
    Job next(const std::stop_token& stop)
    {
        std::unique_lock lock(mutex);
        wake.wait(lock, stop, [this] { return !jobs.empty(); });
        if (stop.stop_requested())
            return {};
        Job job = std::move(jobs.front());
        jobs.pop_front();
        return job;
    }
    void drop()
    {
        std::deque<Job> dropped; // ends after the lock
        const std::lock_guard lock(mutex);
        dropped.swap(jobs);
    }
};

Worker::Worker(std::function<void()> atEnd)
    : m_queue(new Queue{std::move(atEnd), {}, {}, {}})
{
}

Worker::~Worker()
{
    m_queue->drop();
}

void Worker::post(Job job)
{
    {
        const std::lock_guard lock(m_queue->mutex);
        m_queue->jobs.push_back(std::move(job));
        m_queue->wake.notify_one();
    }
    if (!m_thread.isRunning())
        m_thread = BackgroundThread([queue = m_queue](const std::stop_token& stop) { queue->run(stop); });
}

void Worker::cancel()
{
    m_queue->drop();
    m_queue.reset(new Queue{m_queue->atEnd, {}, {}, {}});
    m_thread = BackgroundThread();
}

} // namespace lockscope
