// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/HeldLock.h"

#include "core/base/Mutex.h"
#include "core/base/PostToThread.h"

namespace lockscope::locks {

/// Leads from the threads of the lock to its HeldLock, which they may outlive.
struct HeldLock::Link {
    explicit Link(HeldLock* theOwner)
        : owner(theOwner)
    {
    }
    /// Runs `act` on the owner's thread, if there is still an owner.
    template <class Act> void tell(Act act)
    {
        const MutexLock lock(mutex);
        if (owner)
            postTo(owner, [self = owner, act = std::move(act)] { act(*self); });
    }

    Mutex mutex;
    HeldLock* owner LOCKSCOPE_GUARDED_BY(mutex);
};

HeldLock::HeldLock(Options options, QObject* parent)
    : QObject(parent)
    , m_link(std::make_shared<Link>(this))
    , m_options(std::move(options))
{
}

HeldLock::~HeldLock()
{
    const MutexLock lock(m_link->mutex);
    m_link->owner = nullptr;
}

void HeldLock::start()
{
    if (m_state != State::NotStarted)
        return;
    m_state = State::Connecting;
    const auto link = m_link;
    LossHandler handler([link](LossReason reason) {
        link->tell([reason](HeldLock& self) {
            self.m_state = State::Ended;
            Q_EMIT self.lost(reason);
        });
    });
    handler.atRisk = [link](milliseconds left) {
        link->tell([left](HeldLock& self) { Q_EMIT self.atRisk(left); });
    };
    handler.renewed = [link] { link->tell([](HeldLock& self) { Q_EMIT self.renewed(); }); };
    LockEvents events;
    if (m_options.lock.wait != milliseconds(0))
        events.waiting = [link](const std::optional<LockOwnerInfo>& heldBy) {
            link->tell([heldBy](HeldLock& self) {
                self.m_state = State::Waiting;
                Q_EMIT self.waiting(heldBy);
            });
        };
    events.answered = [link](const Result<Obtained>& answer) {
        link->tell([answer](HeldLock& self) { self.noteAnswer(answer); });
    };
    events.ended = [link](const Result<void>& result) {
        link->tell([result](HeldLock& self) { self.noteEnd(result); });
    };
    events.endsWithLoss = true;
    m_holder = std::make_unique<LockHolder>(std::move(m_options.server), std::move(m_options.lock),
        std::move(handler), std::move(events), std::move(m_options.keeper));
}

void HeldLock::noteAnswer(const Result<Obtained>& answer)
{
    if (m_state == State::Ended) // lost before the answer came; that was reported
        return;
    if (answer && answer->isGranted()) {
        m_state = State::Held;
        m_fencing = answer->fencing;
        Q_EMIT granted(answer->outcome);
        return;
    }
    m_state = State::Ended;
    if (answer)
        Q_EMIT denied(answer->outcome, answer->heldBy);
    else
        Q_EMIT failed(answer.error());
}

void HeldLock::noteEnd(const Result<void>& result)
{
    if (m_state == State::Ended) // by a loss, which was reported
        return;
    m_state = State::Ended;
    if (result)
        Q_EMIT released();
    else
        Q_EMIT failed(result.error());
}

} // namespace lockscope::locks
