// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/Lock.h"

#include "core/base/Mutex.h"
#include "core/locks/GrantState.h"
#include "core/locks/LockHolder.h"

#include <atomic>
#include <mutex>

namespace lockscope::locks {

using namespace Qt::StringLiterals;

namespace {

/// Long enough for the keeper to help.
constexpr milliseconds releaseOfDropped{3'000};

/// The receiver of a loss; shared with the threads that report it.
struct Loss {
    /// Held while the handler runs, so that removing it ensures that it runs no more. A handler may release
    /// the lock itself.
    std::recursive_mutex running;
    Mutex mutex;
    LossHandler handler LOCKSCOPE_GUARDED_BY(mutex);
    std::optional<LossReason> reason LOCKSCOPE_GUARDED_BY(mutex);

    /// Calls that handler of now, without the mutex.
    template <class Call, class... Values> void tell(Call LossHandler::*call, Values... values)
    {
        const std::lock_guard runs(running);
        const LossHandler now = current();
        if (now.*call)
            (now.*call)(values...);
    }
    void tellLost(LossReason why)
    {
        const std::lock_guard runs(running);
        {
            const MutexLock lock(mutex);
            reason = why;
        }
        tell(&LossHandler::lost, why);
    }
    LossHandler current()
    {
        const MutexLock lock(mutex);
        return handler;
    }
    bool isReported()
    {
        const MutexLock lock(mutex);
        return reason.has_value();
    }
    /// Afterwards no handler is called any more.
    void silence()
    {
        const std::lock_guard runs(running);
        const MutexLock lock(mutex);
        handler = {};
    }
};

LossHandler handlerFor(const std::shared_ptr<Loss>& loss)
{
    LossHandler handler([loss](LossReason reason) { loss->tellLost(reason); });
    handler.atRisk = [loss](milliseconds left) { loss->tell(&LossHandler::atRisk, left); };
    handler.renewed = [loss] { loss->tell(&LossHandler::renewed); };
    return handler;
}

AcquireError asError(const LockOptions& options, const Obtained& obtained)
{
    AcquireError error;
    error.kind = obtained.outcome == Outcome::DeadlockVictim ? ErrorKind::Deadlock
        : obtained.outcome == Outcome::Cancelled             ? ErrorKind::Cancelled
                                                             : ErrorKind::Timeout;
    error.what = u"The lock \"%1\" was not obtained: %2."_s.arg(options.name, outcomeName(obtained.outcome));
    if (obtained.heldBy)
        error.detail = u"It is held by %1 on %2."_s.arg(obtained.heldBy->owner, obtained.heldBy->host);
    error.hint = u"Try again later, or let it wait longer."_s;
    error.outcome = obtained.outcome;
    error.heldBy = obtained.heldBy;
    error.waited = obtained.waited;
    return error;
}

} // namespace

struct Lock::State {
    State(const db::Server& server, LockOptions options)
        : holder(server, std::move(options), handlerFor(loss))
    {
    }
    void noteReleased()
    {
        isReleased = true;
        if (holding)
            holding->isOver = true;
    }

    const std::shared_ptr<Loss> loss = std::make_shared<Loss>();
    LockHolder holder;
    Obtained obtained;
    OwnHoldingPtr holding; ///< null: nobody listens
    std::atomic<bool> isReleased = false;
};

Lock::Lock(std::unique_ptr<State> state)
    : m_state(std::move(state))
{
}

Lock::~Lock()
{
    if (!m_state)
        return;
    if (!m_state->isReleased)
        std::ignore = m_state->holder.release(releaseOfDropped);
    // A release that the network holds up goes on without us, and could still find the lock lost.
    m_state->loss->silence();
}

Lock::Lock(Lock&&) noexcept = default;

Lock& Lock::operator=(Lock&& other) noexcept
{
    const Lock previous(std::move(m_state)); // released at the end of this scope
    m_state = std::move(other.m_state);
    return *this;
}

const QString& Lock::name() const
{
    return m_state->holder.options().name;
}

Outcome Lock::outcome() const
{
    return m_state->obtained.outcome;
}

milliseconds Lock::waited() const
{
    return m_state->obtained.waited;
}

const QString& Lock::token() const
{
    return m_state->obtained.token;
}

qint64 Lock::fencing() const
{
    return m_state->obtained.fencing;
}

std::optional<ServerTime> Lock::expiresAt() const
{
    return m_state->holder.expiresAt();
}

bool Lock::isHeld() const
{
    if (!m_state || m_state->isReleased)
        return false;
    return !m_state->loss->isReported();
}

void Lock::onLost(const LossHandler& handler)
{
    const std::shared_ptr<Loss> loss = m_state->loss;
    std::optional<LossReason> reason;
    {
        const MutexLock lock(loss->mutex);
        loss->handler = handler;
        reason = loss->reason;
    }
    if (reason && handler.lost)
        handler.lost(*reason);
}

Result<void> Lock::release()
{
    m_state->noteReleased();
    return m_state->holder.release();
}

void Lock::abandon()
{
    m_state->noteReleased();
    m_state->holder.abandon();
}

tl::expected<Lock, AcquireError> acquire(
    const db::Server& server, LockOptions options, const std::stop_token& stop)
{
    std::optional<OwnAttempt> attempt;
    if (options.stepListener)
        attempt.emplace(ownLock(server.profile.url, options.kind, options.request(), options.surrogates));
    auto state = std::make_unique<Lock::State>(server, std::move(options));
    LockHolder& holder = state->holder;
    const std::stop_callback cancel(stop, [&holder] { holder.cancel(); });
    const auto answer = holder.waitForAnswer();
    if (!answer)
        return tl::unexpected(
            AcquireError{Error{.kind = ErrorKind::Cancelled, .what = u"The server does not answer."_s}});
    if (!*answer)
        return tl::unexpected(AcquireError{answer->error()});
    state->obtained = **answer;
    if (attempt)
        state->holding =
            attempt->end(holder.options().stepListener, holder.options().request(), state->obtained.outcome,
                {{}, state->obtained.acquiredAt, [loss = state->loss] { return !loss->isReported(); }});
    if (!state->obtained.isGranted())
        return tl::unexpected(asError(holder.options(), state->obtained));
    return Lock(std::move(state));
}

} // namespace lockscope::locks
