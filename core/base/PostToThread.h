// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"

#include <QCoreApplication>
#include <QMetaObject>
#include <QObject>
#include <QPointer>

#include <memory>
#include <type_traits>
#include <utility>

namespace lockscope {

/// Runs `function` on the thread of `context`, later; dropped if `context` is gone by then. The value travels
/// under a mutex of ours, so that thread sanitizers see the hand-over although Qt itself is not instrumented.
template <class Function> void postTo(QObject* context, Function&& function)
{
    struct QueuedCall {
        explicit QueuedCall(Function&& f)
            : run(std::forward<Function>(f))
        {
        }
        Mutex mutex;
        std::decay_t<Function> run;
    };
    auto call = std::make_shared<QueuedCall>(std::forward<Function>(function));
    {
        const MutexLock sealed(call->mutex);
    }
    QMetaObject::invokeMethod(
        context,
        [call] {
            {
                const MutexLock opened(call->mutex);
            }
            call->run();
        },
        Qt::QueuedConnection);
}

/// Runs `function(object)` later on the main thread, if its object still lives by then: it may be gone at any
/// time. Any thread.
template <class T, class Function> void postTo(const QPointer<T>& object, Function&& function)
{
    QCoreApplication* const application = QCoreApplication::instance();
    if (!application)
        return;
    postTo(application, [object, call = std::forward<Function>(function)]() mutable {
        if (object)
            call(*object);
    });
}

} // namespace lockscope
