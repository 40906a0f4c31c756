// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/Lock.h"

#include "core/base/Mutex.h"
#include "core/base/Sentences.h"
#include "core/db/LockTableRows.h"
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

// --- The locks of a thread, for listeners ------------------------------------------------------------------

/// A lock that a thread of this program took and whose steps have a listener. Kept by the lock; once
/// destroyed, it counts no more.
struct OwnHolding {
    OwnLock lock;
    std::shared_ptr<Loss> loss;
    std::atomic<bool> isOver = false; ///< any thread

    bool isHeld() const { return !isOver && !loss->isReported(); }
};

/// The locks that this thread took and may still have, the earliest first. A lock that another thread
/// releases ends here by its holding.
std::vector<std::weak_ptr<OwnHolding>>& holdingsOfThread()
{
    thread_local std::vector<std::weak_ptr<OwnHolding>> holdings;
    return holdings;
}

int numberOfThread()
{
    static std::atomic<int> latest = 0;
    thread_local const int number = ++latest;
    return number;
}

LockMode modeOf(Engine engine, AcquireMode mode)
{
    switch (mode) {
    case AcquireMode::Exclusive:
        break;
    case AcquireMode::Shared:
        return LockMode::shared(engine);
    case AcquireMode::Update:
        return LockMode::fromText(engine, u"U");
    case AcquireMode::IntentShared:
        return LockMode::fromText(engine, u"IS");
    case AcquireMode::IntentExclusive:
        return LockMode::fromText(engine, u"IX");
    }
    return LockMode::exclusive(engine);
}

QString placeOf(const db::ServerUrl& url)
{
    if (url.sandbox)
        return u"sandbox"_s;
    if (url.isFile())
        return url.database;
    const QStringList hosts = textOfEach(url.hosts(), [](const auto& host) {
        const QString name = host.name.isEmpty() ? u"localhost"_s : host.name;
        return host.port == 0 ? name : u"%1:%2"_s.arg(name).arg(host.port);
    });
    return u"%1/%2"_s.arg(hosts.join(u','), url.database);
}

QString formOf(Engine engine, const LockOptions& options)
{
    const Surrogates& surrogates = options.surrogates;
    switch (options.kind) {
    case LockKind::Table:
        return u"'%1' in "_s + db::lockTableName(engine);
    case LockKind::Application:
        // Another principal's lock of that name is another one.
        return engine == Engine::SqlServer && options.principal != LockOptions().principal
            ? u"app lock '%1' of "_s + options.principal
            : u"app lock '%1'"_s;
    case LockKind::LockedTable:
        return surrogates.schema + u'.' + surrogates.tablePrefix + u"%1"_s;
    case LockKind::LockedKey:
        break;
    }
    return u"key '%1' of "_s + surrogates.schema + u'.' + surrogates.keyTable;
}

/// One acquire, for listeners: made before it, so that it knows what the thread has by then. Of one thread.
class OwnAttempt {
public:
    OwnAttempt(const db::ServerUrl& url, const LockOptions& options)
    {
        m_step.thread = numberOfThread();
        m_step.taken = {.engine = url.engine,
            .place = placeOf(url),
            .form = formOf(url.engine, options),
            .name = options.name,
            .mode = modeOf(url.engine, options.mode)};
        std::erase_if(holdingsOfThread(), [this](const std::weak_ptr<OwnHolding>& each) {
            const std::shared_ptr<OwnHolding> holding = each.lock();
            const bool counts = holding && holding->isHeld();
            if (counts)
                m_step.held.push_back(holding->lock);
            return !counts;
        });
    }

    /// To be kept as long as the lock is held; null if it was not granted. The listener is not called for a
    /// lock that was requested only if it is free: nobody waits for such a one. It counts as held, though.
    std::shared_ptr<OwnHolding> end(
        const LockOptions& options, const Obtained& obtained, const std::shared_ptr<Loss>& loss)
    {
        const Outcome outcome = obtained.outcome;
        m_step.hadToWait = outcome == Outcome::GrantedAfterWait || outcome == Outcome::TimedOut
            || outcome == Outcome::DeadlockVictim;
        if (options.wait != milliseconds(0) && (m_step.hadToWait || isGranted(outcome))) {
            m_step.party = options.party;
            m_step.at = obtained.acquiredAt;
            m_step.here = QDateTime::currentDateTimeUtc();
            options.stepListener(m_step);
        }
        if (!isGranted(outcome))
            return nullptr;
        auto holding = std::make_shared<OwnHolding>();
        holding->lock = std::move(m_step.taken);
        holding->loss = loss;
        holdingsOfThread().push_back(holding);
        return holding;
    }

private:
    OwnStep m_step;
};

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
    std::shared_ptr<OwnHolding> holding; ///< null: nobody listens
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
        attempt.emplace(server.profile.url, options);
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
        state->holding = attempt->end(holder.options(), state->obtained, state->loss);
    if (!state->obtained.isGranted())
        return tl::unexpected(asError(holder.options(), state->obtained));
    return Lock(std::move(state));
}

} // namespace lockscope::locks
