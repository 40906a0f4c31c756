// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/postgres/HistoryUpload.h"

#include "core/base/Backoff.h"
#include "core/base/Mutex.h"
#include "core/base/OwnClock.h"
#include "core/record/postgres/HistorySender.h"

namespace lockscope::record {

namespace {

constexpr milliseconds pause{1'000};
constexpr milliseconds afterRefusedLogIn = std::chrono::minutes(5); // some servers lock accounts

} // namespace

struct HistoryUpload::Shared {
    Shared(QString path, db::Server server)
        : sender(std::move(path), std::move(server))
    {
    }
    void run(const std::stop_token& stop);

    HistorySender sender; // the thread's own
    Mutex mutex;
    ConditionVariable changed;
    UploadState state LOCKSCOPE_GUARDED_BY(mutex);
    int wanted LOCKSCOPE_GUARDED_BY(mutex) = 0; // grows with each finish()
    int done LOCKSCOPE_GUARDED_BY(mutex) = 0; // of those, when a check that began later has ended
};

void HistoryUpload::Shared::run(const std::stop_token& stop)
{
    Backoff backoff(pause);
    const MutexLock lock(mutex);
    while (!stop.stop_requested()) {
        const int seen = wanted;
        mutex.unlock();
        const auto step = sender.sendNext(stop);
        const bool isFileThere = sender.hasFile();
        mutex.lock();
        state.isFileThere = isFileThere;
        state.error = step ? std::nullopt : std::optional(step.error());
        if (step) {
            backoff.reset();
            state.frames += step->frames;
            state.skipped += step->skipped;
            state.isUpToDate = !step->hasMore;
            state.reached = step->reached;
            if (step->frames > 0)
                state.lastSent = ownClock();
            if (step->hasMore)
                continue;
        } else
            state.isUpToDate = false;
        done = seen;
        changed.notifyAll();
        const bool isRefused = !step && step.error().kind == ErrorKind::Login;
        changed.waitFor(mutex, stop,
            step            ? pause
                : isRefused ? afterRefusedLogIn
                            : backoff.next(),
            [this, seen]() LOCKSCOPE_REQUIRES(mutex) { return wanted != seen; });
    }
}

bool UploadState::isRefused() const
{
    if (!error)
        return false;
    switch (error->kind) {
    case ErrorKind::Login:
    case ErrorKind::Permission:
    case ErrorKind::MissingObject:
    case ErrorKind::Unsupported:
    case ErrorKind::BadInput:
    case ErrorKind::Changed:
    case ErrorKind::ReadOnly:
        return true;
    default:
        return false;
    }
}

HistoryUpload::HistoryUpload(QString path, db::Server server)
    : m_shared(std::make_shared<Shared>(std::move(path), std::move(server)))
    , m_thread([shared = m_shared](const std::stop_token& stop) { shared->run(stop); })
{
}

UploadState HistoryUpload::state() const
{
    const MutexLock lock(m_shared->mutex);
    return m_shared->state;
}

bool HistoryUpload::finish(milliseconds atMost)
{
    Shared& shared = *m_shared;
    const MutexLock lock(shared.mutex);
    const int mine = ++shared.wanted;
    shared.changed.notifyAll();
    shared.changed.waitFor(shared.mutex, atMost,
        [&shared, mine]() LOCKSCOPE_REQUIRES(shared.mutex) { return shared.done >= mine; });
    return shared.done >= mine && shared.state.isUpToDate;
}

} // namespace lockscope::record
