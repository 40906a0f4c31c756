// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"

#include <chrono>
#include <stop_token>

namespace lockscope {

/// Sleeps; false if it was woken by `stop`. Any thread.
inline bool sleepFor(std::chrono::steady_clock::duration duration, const std::stop_token& stop)
{
    Mutex mutex;
    ConditionVariable never;
    const MutexLock lock(mutex);
    never.waitFor(mutex, stop, duration, [] { return false; });
    return !stop.stop_requested();
}

} // namespace lockscope
