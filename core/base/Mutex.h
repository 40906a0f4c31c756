// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

// Marks which mutex guards which data, for clang's check (-Wthread-safety; `packaging/dev lint`); other
// compilers skip it. The marks follow a member, the parameters of a function, or those of
// a lambda.
#ifdef __clang__
#define LOCKSCOPE_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define LOCKSCOPE_THREAD_ATTRIBUTE(attribute)
#endif

/// A member or a static variable that is read and written only while the mutex is held.
#define LOCKSCOPE_GUARDED_BY(mutex) LOCKSCOPE_THREAD_ATTRIBUTE(guarded_by(mutex))
/// The caller holds the mutex; the function may release it only for a short time while it runs.
#define LOCKSCOPE_REQUIRES(mutex) LOCKSCOPE_THREAD_ATTRIBUTE(requires_capability(mutex))
/// The function takes the mutex by itself, so its holder must not call it.
#define LOCKSCOPE_EXCLUDES(mutex) LOCKSCOPE_THREAD_ATTRIBUTE(locks_excluded(mutex))
// Marks of the classes below.
#define LOCKSCOPE_CAPABILITY LOCKSCOPE_THREAD_ATTRIBUTE(capability("mutex"))
#define LOCKSCOPE_SCOPED_CAPABILITY LOCKSCOPE_THREAD_ATTRIBUTE(scoped_lockable)
#define LOCKSCOPE_ACQUIRE(...) LOCKSCOPE_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define LOCKSCOPE_RELEASE() LOCKSCOPE_THREAD_ATTRIBUTE(release_capability())

namespace lockscope {

/// A std::mutex that clang's check knows.
class LOCKSCOPE_CAPABILITY Mutex {
public:
    void lock() LOCKSCOPE_ACQUIRE() { m_mutex.lock(); }
    void unlock() LOCKSCOPE_RELEASE() { m_mutex.unlock(); }

private:
    std::mutex m_mutex;
};

/// Holds the mutex to the end of the scope. To release it for a short time, call unlock() and lock() of the
/// mutex itself.
class LOCKSCOPE_SCOPED_CAPABILITY MutexLock {
public:
    explicit MutexLock(Mutex& mutex) LOCKSCOPE_ACQUIRE(mutex)
        : m_mutex(mutex)
    {
        mutex.lock();
    }
    ~MutexLock() LOCKSCOPE_RELEASE() { m_mutex.unlock(); }
    MutexLock(const MutexLock&) = delete;
    MutexLock& operator=(const MutexLock&) = delete;

private:
    Mutex& m_mutex;
};

/// std::condition_variable_any on a Mutex that the caller holds: what follows the mutex are the arguments of
/// the function there (a stop token, a time, a condition).
class ConditionVariable {
public:
    void notifyOne() { m_changed.notify_one(); }
    void notifyAll() { m_changed.notify_all(); }

    template <class... Arguments> auto wait(Mutex& mutex, Arguments&&... arguments) LOCKSCOPE_REQUIRES(mutex)
    {
        return m_changed.wait(mutex, std::forward<Arguments>(arguments)...);
    }
    template <class... Arguments>
    auto waitFor(Mutex& mutex, Arguments&&... arguments) LOCKSCOPE_REQUIRES(mutex)
    {
        return m_changed.wait_for(mutex, std::forward<Arguments>(arguments)...);
    }
    template <class... Arguments>
    auto waitUntil(Mutex& mutex, Arguments&&... arguments) LOCKSCOPE_REQUIRES(mutex)
    {
        return m_changed.wait_until(mutex, std::forward<Arguments>(arguments)...);
    }

private:
    std::condition_variable_any m_changed;
};

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
