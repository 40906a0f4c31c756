// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/SleepFor.h"

#include "core/base/Mutex.h"

namespace lockscope {

bool sleepFor(std::chrono::steady_clock::duration duration, const std::stop_token& stop)
{
    Mutex mutex;
    ConditionVariable never;
    const MutexLock lock(mutex);
    never.waitFor(mutex, stop, duration, [] { return false; });
    return !stop.stop_requested();
}

} // namespace lockscope
