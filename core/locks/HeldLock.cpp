// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/HeldLock.h"

#include "core/base/PostToThread.h"
#include "core/locks/LeaseKeeper.h"

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
            postTo(owner, [self = owner, act = std::move(act)] { act(*self); });
    }

    void run(const std::stop_token& stop);
    Result<AcquireResult> acquire(LockStrategy& strategy, const std::stop_token& stop);
    void hold(Grant grant, const std::stop_token& stop);
    void tellFailed(const Error& error);

    LossHandler handler();
    std::optional<LossReason> waitForEnd(Grant& grant, const std::stop_token& stop);

    const Options options;
    std::mutex mutex;
    std::condition_variable_any changed;
    HeldLock* owner; ///< guarded by mutex
    std::optional<LossReason> loss; ///< guarded by mutex
    std::stop_source beating; ///< ends a question to the server that is under way
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
    auto connection = options.server.connect();
    if (!connection)
        return tellFailed(connection.error());
    auto keeper = options.keeper ? options.keeper : LeaseKeeper::create(options.server);
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

LossHandler HeldLock::Worker::handler()
{
    LossHandler handler([this](LossReason reason) {
        beating.request_stop();
        const std::lock_guard lock(mutex);
        loss = reason;
        changed.notify_all();
    });
    handler.atRisk = [this](
                         milliseconds left) { tell([left](HeldLock& self) { Q_EMIT self.atRisk(left); }); };
    handler.renewed = [this] { tell([](HeldLock& self) { Q_EMIT self.renewed(); }); };
    return handler;
}

Result<AcquireResult> HeldLock::Worker::acquire(LockStrategy& strategy, const std::stop_token& stop)
{
    AcquireRequest request = options.request;
    request.wait = milliseconds(0);
    auto first = strategy.acquire(request, stop, handler());
    if (!first || first->outcome != Outcome::Denied || options.request.wait == milliseconds(0))
        return first;
    tell([heldBy = first->heldBy](HeldLock& self) {
        self.m_state = State::Waiting;
        Q_EMIT self.waiting(heldBy);
    });
    return strategy.acquire(options.request, stop, handler());
}

/// Why it was lost, or nothing once it is to be released.
std::optional<LossReason> HeldLock::Worker::waitForEnd(Grant& grant, const std::stop_token& stop)
{
    const std::stop_callback endBeat(stop, [this] { beating.request_stop(); });
    for (;;) {
        {
            std::unique_lock lock(mutex);
            const auto isEnd = [this] { return loss.has_value(); };
            if (changed.wait_for(lock, stop, beatEvery, isEnd) || stop.stop_requested())
                return loss;
        }
        std::ignore = grant.beat(beating.get_token()); // what it learns is told by the keeper
    }
}

void HeldLock::Worker::hold(Grant grant, const std::stop_token& stop)
{
    const std::optional<LossReason> lossReason = waitForEnd(grant, stop);
    if (lossReason) {
        tell([lossReason](HeldLock& self) {
            self.m_state = State::Ended;
            Q_EMIT self.lost(*lossReason);
        });
        if (lossReason == LossReason::LeaseExpired) // the entry may still be there, and in the others' way
            std::ignore = grant.release();
        return;
    }
    if (const auto released = grant.release(); !released)
        return tellFailed(released.error());
    tell([](HeldLock& self) {
        self.m_state = State::Ended;
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
    m_thread = BackgroundThread([worker = m_worker](const std::stop_token& stop) { worker->run(stop); });
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
    m_thread = BackgroundThread();
}

} // namespace lockscope::locks
