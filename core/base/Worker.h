// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/BackgroundThread.h"
#include "core/base/PostToThread.h"

namespace lockscope {

/// Does jobs one after the other, in their order, on a thread of its own, which starts with the first.
/// Nothing here waits: the owner goes on, and gets the answers as calls in its event loop. Of the thread that
/// made it, which is the application's main thread where ask() is used.
///
/// Jobs must own (shared) what they touch, because the thread may outlive the worker.
class Worker {
public:
    using Job = std::function<void(const std::stop_token&)>;

    /// `atEnd` is run last on a thread that was started: for what must end there, such as a connection.
    explicit Worker(std::function<void()> atEnd = {});
    /// Returns at once. The job that runs is asked to stop (from another thread, because a native cancel may
    /// have to connect first), those that wait are dropped.
    ~Worker();
    Q_DISABLE_COPY_MOVE(Worker)

    void post(Job job);
    /// Runs `job(stop)`, then `reply(answer)` on the main thread, unless `context` is gone by then. What was
    /// dropped is never answered.
    template <class Question, class Reply> void ask(QObject* context, Question job, Reply reply)
    {
        post([to = QPointer(context), job = std::move(job), reply = std::move(reply)](
                 const std::stop_token& stop) {
            postTo(to, [answer = job(stop), reply](QObject&) mutable { reply(std::move(answer)); });
        });
    }
    /// Does the same as the destructor, but is ready for more: on another thread, so that nothing waits for a
    /// job that hangs. The job that was asked to stop still answers.
    void cancel();

private:
    struct Queue;
    std::shared_ptr<Queue> m_queue;
    BackgroundThread m_thread;
};

} // namespace lockscope
