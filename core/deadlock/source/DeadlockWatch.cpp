// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/source/DeadlockWatch.h"

#include "core/base/Mutex.h"
#include "core/base/PostToThread.h"
#include "core/deadlock/source/DeadlockLooks.h"

#include <QPointer>

#include <utility>
#include <vector>

namespace lockscope::deadlock {

/// The data that the thread and the owner exchange; what changes, under the mutex.
struct DeadlockWatch::Shared {
    Shared(DeadlockWatch* theOwner, db::Server server, std::optional<ServerTime> since)
        : looks(std::move(server), since)
        , owner(theOwner)
    {
    }
    DeadlockLooks looks;

    Mutex mutex;
    DeadlockWatch* owner LOCKSCOPE_GUARDED_BY(mutex); ///< null once it is gone
    std::vector<Result<SourceLook>> answers LOCKSCOPE_GUARDED_BY(mutex); ///< not taken over yet

    ConditionVariable ended;
    bool hasEnded LOCKSCOPE_GUARDED_BY(mutex) = false;

    void keep(Result<SourceLook> look);
};

void DeadlockWatch::Shared::keep(Result<SourceLook> look)
{
    const MutexLock lock(mutex);
    answers.push_back(std::move(look));
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

bool DeadlockWatch::isPossible(Engine engine)
{
    return DeadlockLooks::isPossible(engine);
}

void DeadlockWatch::start()
{
    if (m_thread.isRunning() || !isPossible(m_shared->looks.engine()))
        return;
    m_thread = BackgroundThread([shared = m_shared](const std::stop_token& stop) {
        shared->looks.run(stop, [&shared](Result<SourceLook> look) { shared->keep(std::move(look)); });
        const MutexLock lock(shared->mutex);
        shared->hasEnded = true;
        shared->ended.notifyAll();
    });
}

void DeadlockWatch::setCadence(milliseconds cadence)
{
    m_shared->looks.setCadence(cadence);
}

void DeadlockWatch::setPaused(bool paused)
{
    m_shared->looks.setPaused(paused);
}

void DeadlockWatch::lookSoon()
{
    m_shared->looks.lookSoon();
}

void DeadlockWatch::lookNow()
{
    m_shared->looks.lookNow();
}

void DeadlockWatch::finish()
{
    m_shared->looks.finish();
}

void DeadlockWatch::waitForEnd(milliseconds atMost)
{
    {
        const MutexLock lock(m_shared->mutex);
        m_shared->ended.waitFor(m_shared->mutex, atMost,
            [this]() LOCKSCOPE_REQUIRES(m_shared->mutex) { return m_shared->hasEnded; });
    }
    takeOver();
}

void DeadlockWatch::takeOver()
{
    std::vector<Result<SourceLook>> answers;
    {
        const MutexLock lock(m_shared->mutex);
        answers.swap(m_shared->answers);
    }
    const QPointer<DeadlockWatch> self(this);
    for (const Result<SourceLook>& answer : answers) {
        if (answer) {
            ++m_cost.looks;
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
        Q_EMIT looked(answer);
        if (!self)
            return;
    }
}

} // namespace lockscope::deadlock
