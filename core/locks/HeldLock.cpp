// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/HeldLock.h"

#include "core/db/HandOver.h"
#include "core/locks/GrantKeeper.h"

#include <condition_variable>
#include <mutex>

namespace lockscope::locks {

/// What the thread works with; it may outlive the HeldLock.
struct HeldLock::Worker {
    Worker(Options theOptions, HeldLock* theOwner)
        : options(std::move(theOptions))
        , owner(theOwner)
    {
    }

    /// Runs `act` on the owner's thread, if there is still an owner.
    template <class Act> void tell(Act act)
    {
        const std::lock_guard lock(mutex);
        if (owner)
            db::postTo(owner, [self = owner, act = std::move(act)] { act(*self); });
    }

    void run(const std::stop_token& stop);
    Result<AcquireResult> acquire(LockStrategy& strategy, const std::stop_token& stop);
    void hold(Grant grant, const std::stop_token& stop);
    void tellFailed(const Error& error);

    const Options options;
    std::mutex mutex;
    std::condition_variable_any changed;
    HeldLock* owner; ///< guarded by mutex
    std::optional<LossReason> loss; ///< guarded by mutex
};

void HeldLock::Worker::tellFailed(const Error& error)
{
    tell([error](HeldLock& self) {
        self.m_state = State::Ended;
        Q_EMIT self.failed(error);
    });
}

void HeldLock::Worker::run(const std::stop_token& stop)
{
    auto connection = db::Connection::open(options.url, options.passwords);
    if (!connection)
        return tellFailed(connection.error());
    auto keeper = options.keeper ? options.keeper : GrantKeeper::create(options.url, options.passwords);
    auto strategy = LockStrategy::create(options.kind, **connection, std::move(keeper));
    if (!strategy)
        return tellFailed(strategy.error());
    auto acquired = acquire(**strategy, stop);
    if (!acquired)
        return tellFailed(acquired.error());
    if (!isGranted(acquired->outcome)) {
        tell([outcome = acquired->outcome, heldBy = acquired->heldBy](HeldLock& self) {
            self.m_state = State::Ended;
            Q_EMIT self.denied(outcome, heldBy);
        });
        return;
    }
    tell([outcome = acquired->outcome, fencing = acquired->grant.fencing()](HeldLock& self) {
        self.m_state = State::Held;
        self.m_fencing = fencing;
        Q_EMIT self.granted(outcome);
    });
    hold(std::move(acquired->grant), stop);
}

Result<AcquireResult> HeldLock::Worker::acquire(LockStrategy& strategy, const std::stop_token& stop)
{
    const auto onLoss = [this](LossReason reason) {
        const std::lock_guard lock(mutex);
        loss = reason;
        changed.notify_all();
    };
    AcquireRequest request = options.request;
    request.wait = milliseconds(0);
    auto first = strategy.acquire(request, stop, onLoss);
    if (!first || first->outcome != Outcome::Denied || options.request.wait == milliseconds(0))
        return first;
    tell([heldBy = first->heldBy](HeldLock& self) {
        self.m_state = State::Waiting;
        Q_EMIT self.waiting(heldBy);
    });
    return strategy.acquire(options.request, stop, onLoss);
}

void HeldLock::Worker::hold(Grant grant, const std::stop_token& stop)
{
    std::optional<LossReason> lossReason;
    {
        std::unique_lock lock(mutex);
        changed.wait(lock, stop, [this] { return loss.has_value(); });
        lossReason = loss;
    }
    const Result<void> released = lossReason ? Result<void>() : grant.release();
    if (!released)
        return tellFailed(released.error());
    tell([lossReason](HeldLock& self) {
        self.m_state = State::Ended;
        if (lossReason)
            Q_EMIT self.lost(*lossReason);
        else
            Q_EMIT self.released();
    });
}

HeldLock::HeldLock(Options options, QObject* parent)
    : QObject(parent)
    , m_worker(std::make_shared<Worker>(std::move(options), this))
{
}

HeldLock::~HeldLock()
{
    const std::lock_guard lock(m_worker->mutex);
    m_worker->owner = nullptr;
}

const AcquireRequest& HeldLock::request() const
{
    return m_worker->options.request;
}

void HeldLock::start()
{
    if (m_state != State::NotStarted)
        return;
    m_state = State::Connecting;
    m_thread = db::BackgroundThread([worker = m_worker](std::stop_token stop) { worker->run(stop); });
}

void HeldLock::cancel()
{
    end();
}

void HeldLock::release()
{
    end();
}

void HeldLock::end()
{
    // The thread is let go: it ends the wait or the lock, tells so, and cleans up after itself.
    m_thread = db::BackgroundThread();
}

} // namespace lockscope::locks
