// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/source/DeadlockWatch.h"

#include "core/base/Mutex.h"
#include "core/base/PostToThread.h"
#include "core/deadlock/source/DeadlockPoller.h"

#include <QPointer>

#include <utility>
#include <vector>

namespace lockscope::deadlock {

/// The data that the thread and the owner exchange; what changes, under the mutex.
struct DeadlockWatch::Shared {
    Shared(DeadlockWatch* theOwner, db::Server server, std::optional<ServerTime> since)
        : polls(std::move(server), since)
        , owner(theOwner)
    {
    }
    DeadlockPoller polls;

    Mutex mutex;
    DeadlockWatch* owner LOCKSCOPE_GUARDED_BY(mutex); ///< null once it is gone
    std::vector<Result<SourcePoll>> answers LOCKSCOPE_GUARDED_BY(mutex); ///< not taken over yet

    ConditionVariable ended;
    bool hasEnded LOCKSCOPE_GUARDED_BY(mutex) = false;

    void keep(Result<SourcePoll> poll);
};

void DeadlockWatch::Shared::keep(Result<SourcePoll> poll)
{
    const MutexLock lock(mutex);
    answers.push_back(std::move(poll));
    if (owner && answers.size() == 1)
        postTo(owner, [to = owner] { to->takeOver(); });
}

DeadlockWatch::DeadlockWatch(db::Server server, std::optional<ServerTime> since, QObject* parent)
    : QObject(parent)
    , m_shared(std::make_shared<Shared>(this, std::move(server), since))
{
}

DeadlockWatch::~DeadlockWatch()
{
    const MutexLock lock(m_shared->mutex);
    m_shared->owner = nullptr;
}

void DeadlockWatch::start()
{
    if (m_thread.isRunning() || !DeadlockPoller::isPossible(m_shared->polls.engine()))
        return;
    m_thread = BackgroundThread([shared = m_shared](const std::stop_token& stop) {
        shared->polls.run(stop, [&shared](Result<SourcePoll> poll) { shared->keep(std::move(poll)); });
        const MutexLock lock(shared->mutex);
        shared->hasEnded = true;
        shared->ended.notifyAll();
    });
}

void DeadlockWatch::setCadence(milliseconds cadence)
{
    m_shared->polls.setCadence(cadence);
}

void DeadlockWatch::setPaused(bool paused)
{
    m_shared->polls.setPaused(paused);
}

void DeadlockWatch::pollSoon()
{
    m_shared->polls.pollSoon();
}

void DeadlockWatch::pollNow()
{
    m_shared->polls.pollNow();
}

void DeadlockWatch::finish()
{
    m_shared->polls.finish();
}

bool DeadlockWatch::waitForEnd(milliseconds atMost)
{
    bool hasEnded = false;
    {
        const MutexLock lock(m_shared->mutex);
        hasEnded = m_shared->ended.waitFor(m_shared->mutex, atMost,
            [this]() LOCKSCOPE_REQUIRES(m_shared->mutex) { return m_shared->hasEnded; });
    }
    takeOver();
    return hasEnded;
}

void DeadlockWatch::takeOver()
{
    std::vector<Result<SourcePoll>> answers;
    {
        const MutexLock lock(m_shared->mutex);
        answers.swap(m_shared->answers);
    }
    const QPointer<DeadlockWatch> self(this);
    for (const Result<SourcePoll>& answer : answers) {
        if (answer) {
            ++m_cost.polls;
            m_cost.bytes += answer->bytesRead;
            m_cost.roundTrips += answer->roundTrips;
            m_cost.lastServer = answer->serverTime;
            m_cost.lastClient = answer->clientTime;
            m_cost.server += answer->serverTime;
            m_cost.client += answer->clientTime;
        } else {
            ++m_cost.failures;
        }
        m_latest = answer;
        Q_EMIT polled(answer);
        if (!self)
            return;
    }
}

} // namespace lockscope::deadlock
