// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/BackgroundThread.h"

#include "core/base/Mutex.h"
#include "core/base/PlainFile.h"

#include <QCoreApplication>

#include <chrono>
#include <unistd.h>

namespace lockscope {

using namespace Qt::StringLiterals;

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

WatchedThread WatchedThread::current()
{
#ifdef Q_OS_LINUX
    return WatchedThread(gettid());
#else
    return WatchedThread(0);
#endif
}

/// proc(5), /proc/pid/status: "State:	S (sleeping)", "voluntary_ctxt_switches:	150".
std::optional<qint64> WatchedThread::nap() const
{
#ifdef Q_OS_LINUX
    bool asleep = false;
    for (const QByteArray& line : fileContent(u"/proc/self/task/%1/status"_s.arg(m_id)).split('\n')) {
        const qsizetype colon = line.indexOf(':');
        const auto value = [&] { return line.mid(colon + 1).trimmed(); };
        if (line.startsWith("State:"))
            asleep = value().startsWith('S');
        else if (line.startsWith("voluntary_ctxt_switches:"))
            return asleep ? std::optional<qint64>(value().toLongLong()) : std::nullopt;
    }
#endif
    return 0;
}

} // namespace lockscope
