// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Preloaded into programs, lets their time run faster: LOCKSCOPE_FAST_TIME=FACTOR,REALTIME_NS,MONOTONIC_NS
// says by how much, and since when by the two clocks, so that all programs show the same time. All clocks run
// faster, and whatever waits for a time waits shorter. Times of files stay those of the machine.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

using Ns = long long;
constexpr Ns second = 1'000'000'000;

struct Speed {
    double factor = 1;
    Ns realtime = 0;
    Ns monotonic = 0;
};

const Speed& speed()
{
    static const Speed read = [] {
        Speed speed;
        const char* const text = std::getenv("LOCKSCOPE_FAST_TIME");
        if (!text
            || std::sscanf(text, "%lf,%lld,%lld", &speed.factor, &speed.realtime, &speed.monotonic) != 3)
            speed = {};
        return speed;
    }();
    return read;
}

/// The system's function of that name.
template <class Function> Function* own(const char* name, const char* version = nullptr)
{
    void* found = version ? dlvsym(RTLD_NEXT, name, version) : nullptr;
    return reinterpret_cast<Function*>(found ? found : dlsym(RTLD_NEXT, name));
}

Ns nsOf(const timespec& time)
{
    return Ns(time.tv_sec) * second + time.tv_nsec;
}

timespec timeOf(Ns ns)
{
    ns = ns < 0 ? 0 : ns;
    return {time_t(ns / second), long(ns % second)};
}

bool isFast(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC
        || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_BOOTTIME;
}

Ns begin(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ? speed().realtime : speed().monotonic;
}

Ns fastOf(clockid_t clock, Ns real)
{
    return begin(clock) + Ns(double(real - begin(clock)) * speed().factor);
}

Ns realOf(clockid_t clock, Ns fast)
{
    return begin(clock) + Ns(double(fast - begin(clock)) / speed().factor);
}

/// Shortens a length of time. One that is not zero stays so.
Ns shorter(Ns ns)
{
    return ns > 0 ? Ns(std::ceil(double(ns) / speed().factor)) : ns;
}

int shorterMs(int ms)
{
    return ms > 0 ? int(std::ceil(ms / speed().factor)) : ms;
}

/// Guesses the clock of a time: the call does not say it, and the two clocks are decades apart.
clockid_t likelyClock(const timespec& until)
{
    return nsOf(until) > speed().realtime / 2 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

timespec realUntil(clockid_t clock, const timespec& until)
{
    return timeOf(realOf(clock, nsOf(until)));
}

timespec shorterTime(const timespec& length)
{
    return timeOf(shorter(nsOf(length)));
}

timeval shorterTime(const timeval& length)
{
    const Ns ns = shorter(Ns(length.tv_sec) * second + Ns(length.tv_usec) * 1'000);
    const Ns us = (ns + 999) / 1'000;
    return {time_t(us / 1'000'000), suseconds_t(us % 1'000'000)};
}

timeval longerTime(const timeval& length)
{
    const Ns us = Ns((double(length.tv_sec) * 1e6 + double(length.tv_usec)) * speed().factor);
    return {time_t(us / 1'000'000), suseconds_t(us % 1'000'000)};
}

#if defined(__x86_64__)
constexpr auto condVersion = "GLIBC_2.3.2"; // there is an older one
#else
constexpr const char* condVersion = nullptr;
#endif

} // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept
{
    static const auto system = own<int(clockid_t, timespec*)>("clock_gettime");
    const int code = system(clock, time);
    if (code == 0 && isFast(clock))
        *time = timeOf(fastOf(clock, nsOf(*time)));
    return code;
}

int gettimeofday(timeval* time, void*) noexcept
{
    timespec now{};
    const int code = clock_gettime(CLOCK_REALTIME, &now);
    *time = {now.tv_sec, now.tv_nsec / 1'000};
    return code;
}

time_t time(time_t* kept) noexcept
{
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    if (kept)
        *kept = now.tv_sec;
    return now.tv_sec;
}

int nanosleep(const timespec* length, timespec* left)
{
    static const auto system = own<int(const timespec*, timespec*)>("nanosleep");
    const timespec brief = shorterTime(*length);
    return system(&brief, left);
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* length, timespec* left)
{
    static const auto system = own<int(clockid_t, int, const timespec*, timespec*)>("clock_nanosleep");
    if (!isFast(clock))
        return system(clock, flags, length, left);
    const timespec brief = flags & TIMER_ABSTIME ? realUntil(clock, *length) : shorterTime(*length);
    return system(clock, flags, &brief, left);
}

int usleep(useconds_t us)
{
    const timespec length = timeOf(Ns(us) * 1'000);
    return nanosleep(&length, nullptr);
}

unsigned sleep(unsigned seconds)
{
    const timespec length = timeOf(Ns(seconds) * second);
    return nanosleep(&length, nullptr) == 0 ? 0 : 1;
}

int poll(pollfd* files, nfds_t count, int ms)
{
    static const auto system = own<int(pollfd*, nfds_t, int)>("poll");
    return system(files, count, shorterMs(ms));
}

int ppoll(pollfd* files, nfds_t count, const timespec* length, const sigset_t* mask)
{
    static const auto system = own<int(pollfd*, nfds_t, const timespec*, const sigset_t*)>("ppoll");
    const timespec brief = length ? shorterTime(*length) : timespec{};
    return system(files, count, length ? &brief : nullptr, mask);
}

int select(int count, fd_set* read, fd_set* write, fd_set* except, timeval* length)
{
    static const auto system = own<int(int, fd_set*, fd_set*, fd_set*, timeval*)>("select");
    timeval brief = length ? shorterTime(*length) : timeval{};
    const int code = system(count, read, write, except, length ? &brief : nullptr);
    if (length)
        *length = longerTime(brief); // what is left of it
    return code;
}

int pselect(
    int count, fd_set* read, fd_set* write, fd_set* except, const timespec* length, const sigset_t* mask)
{
    static const auto system =
        own<int(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*)>("pselect");
    const timespec brief = length ? shorterTime(*length) : timespec{};
    return system(count, read, write, except, length ? &brief : nullptr, mask);
}

int epoll_wait(int epoll, epoll_event* events, int count, int ms)
{
    static const auto system = own<int(int, epoll_event*, int, int)>("epoll_wait");
    return system(epoll, events, count, shorterMs(ms));
}

int epoll_pwait(int epoll, epoll_event* events, int count, int ms, const sigset_t* mask)
{
    static const auto system = own<int(int, epoll_event*, int, int, const sigset_t*)>("epoll_pwait");
    return system(epoll, events, count, shorterMs(ms), mask);
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until)
{
    static const auto system =
        own<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)>("pthread_cond_timedwait", condVersion);
    const timespec real = realUntil(likelyClock(*until), *until);
    return system(condition, mutex, &real);
}

int pthread_cond_clockwait(
    pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until)
{
    static const auto system =
        own<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>("pthread_cond_clockwait");
    const timespec real = realUntil(clock, *until);
    return system(condition, mutex, clock, &real);
}

int sem_timedwait(sem_t* semaphore, const timespec* until)
{
    static const auto system = own<int(sem_t*, const timespec*)>("sem_timedwait");
    const timespec real = realUntil(CLOCK_REALTIME, *until);
    return system(semaphore, &real);
}

int setitimer(__itimer_which_t which, const itimerval* requested, itimerval* before) noexcept
{
    static const auto system = own<int(__itimer_which_t, const itimerval*, itimerval*)>("setitimer");
    if (which != ITIMER_REAL || !requested)
        return system(which, requested, before);
    const itimerval brief{shorterTime(requested->it_interval), shorterTime(requested->it_value)};
    return system(which, &brief, before);
}

} // extern "C"
