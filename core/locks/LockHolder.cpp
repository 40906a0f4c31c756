// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/LockHolder.h"

#include "core/base/Duration.h"
#include "core/base/Mutex.h"
#include "core/base/PostToThread.h"
#include "core/locks/LeaseKeeper.h"
#include "core/locks/LockStrategy.h"

namespace lockscope::locks {

using namespace Qt::StringLiterals;

namespace {

using Clock = std::chrono::steady_clock;

/// After a signal: what is left of the second that it may take is for the end of the process.
constexpr milliseconds hurriedWait{650};

Obtained withoutGrant(const AcquireResult& result)
{
    const Grant& grant = result.grant;
    return {.outcome = result.outcome,
        .waited = result.waited,
        .heldBy = result.heldBy,
        .token = grant.token(),
        .fencing = grant.fencing(),
        .acquiredAt = grant.acquiredAt(),
        .expiresAt = grant.expiresAt()};
}

} // namespace

/// The data of the thread; it may outlive the LockHolder.
struct LockHolder::Worker : std::enable_shared_from_this<Worker> {
    enum class Goal { Hold, Release, Abandon };

    Worker(db::Server theServer, LockOptions theOptions, LossHandler theHandler, LockEvents theEvents,
        std::shared_ptr<LeaseKeeper> theKeeper)
        : server(std::move(theServer))
        , options(std::move(theOptions))
        , handler(std::move(theHandler))
        , events(std::move(theEvents))
        , sharedKeeper(std::move(theKeeper))
    {
    }

    void run(const std::stop_token& stop);
    Result<void> work();
    Result<AcquireResult> ask(LockStrategy& strategy);
    void answerWith(const Result<Obtained>& obtained);
    void hold(Grant& grant, db::Connection& connection);
    void waitForNews(Grant& grant, db::Connection& connection);
    Result<void> end(Grant& grant);
    LossHandler ownHandler();
    void noteGone() LOCKSCOPE_EXCLUDES(mutex);
    Error aboutEntry(Error error) const;
    void setGoal(Goal newGoal) LOCKSCOPE_EXCLUDES(mutex)
    {
        const MutexLock lock(mutex);
        goal = newGoal;
        changed.notifyAll();
    }
    std::optional<Result<Obtained>> waitForAnswer();
    std::optional<Result<void>> waitForEnd(milliseconds limit);
    /// Waits until the condition, `limit`, or soon after it is hurried.
    template <class Condition, class Hurried>
    void wait(std::optional<milliseconds> limit, const Condition& condition, const Hurried& isHurried)
        LOCKSCOPE_REQUIRES(mutex);

    const db::Server server;
    const LockOptions options;
    const LossHandler handler;
    const LockEvents events;
    const std::shared_ptr<LeaseKeeper> sharedKeeper;
    std::stop_source cancelling;
    std::stop_source beating;

    Mutex mutex;
    ConditionVariable changed;
    bool isCancelled LOCKSCOPE_GUARDED_BY(mutex) = false;
    bool isReleaseHurried LOCKSCOPE_GUARDED_BY(mutex) = false;
    Goal goal LOCKSCOPE_GUARDED_BY(mutex) = Goal::Hold;
    std::optional<Result<Obtained>> answer LOCKSCOPE_GUARDED_BY(mutex);
    const Grant* grant LOCKSCOPE_GUARDED_BY(mutex) = nullptr; ///< held; any thread may read its expiry
    std::optional<Result<void>> ended LOCKSCOPE_GUARDED_BY(mutex);
};

void LockHolder::Worker::run(const std::stop_token& stop)
{
    const std::stop_callback letGo(stop, [this] {
        cancelling.request_stop();
        beating.request_stop();
        const MutexLock lock(mutex);
        if (goal == Goal::Hold)
            goal = Goal::Release;
        changed.notifyAll();
    });
    const auto result = work();
    const bool isAnswered = [this] {
        const MutexLock lock(mutex);
        return answer.has_value();
    }();
    if (!result && !isAnswered)
        answerWith(Failure(result.error()));
    const MutexLock lock(mutex);
    if (!ended)
        ended = result;
    changed.notifyAll();
}

Result<void> LockHolder::Worker::work()
{
    LOCKSCOPE_TRY_GET(const auto connection, server.connect(db::Purpose::Lock));
    const auto keeper = sharedKeeper ? sharedKeeper : LeaseKeeper::create(server);
    LOCKSCOPE_TRY_GET(
        const auto strategy, LockStrategy::create(options.kind, *connection, keeper, options.surrogates));
    auto result = ask(*strategy);
    if (!result)
        return Failure(aboutEntry(result.error()));
    const bool isGranted = locks::isGranted(result->outcome);
    {
        const MutexLock lock(mutex);
        grant = isGranted ? &result->grant : nullptr;
    }
    answerWith(withoutGrant(*result));
    if (!isGranted)
        return {};
    hold(result->grant, *connection);
    auto done = end(result->grant);
    {
        const MutexLock lock(mutex);
        grant = nullptr;
        // An entry does not end with the connection: nobody has to wait for that.
        if (options.kind == LockKind::Table && !ended)
            ended = done;
        changed.notifyAll();
    }
    if (events.ended)
        events.ended(done);
    return done;
}

/// Asks without waiting first, if the caller is to hear that somebody else has it.
Result<AcquireResult> LockHolder::Worker::ask(LockStrategy& strategy)
{
    AcquireRequest request = options.request();
    const milliseconds wait = std::exchange(request.wait, events.waiting ? milliseconds(0) : request.wait);
    auto result = acquire(strategy, request, cancelling.get_token(), ownHandler());
    if (!result || result->outcome != Outcome::Denied || request.wait == wait)
        return result;
    events.waiting(result->heldBy);
    request.wait = wait;
    return acquire(strategy, request, cancelling.get_token(), ownHandler());
}

void LockHolder::Worker::answerWith(const Result<Obtained>& obtained)
{
    {
        const MutexLock lock(mutex);
        answer.emplace(obtained);
        changed.notifyAll();
    }
    if (events.answered)
        events.answered(obtained);
}

/// An entry does not go with the session: what is said of other locks would be wrong.
Error LockHolder::Worker::aboutEntry(Error error) const
{
    if (options.kind == LockKind::Table && error.kind == ErrorKind::Connection)
        error.hint =
            u"If the server has granted the lock meanwhile, its entry stays until the lease of %1 ends. Connect again."_s
                .arg(durationText(options.lease));
    return error;
}

LossHandler LockHolder::Worker::ownHandler()
{
    LossHandler own = handler;
    own.stopTime = options.stopTime;
    // Called by the keeper's thread, which may be later than the end of all this.
    own.gone = [self = weak_from_this()] {
        if (const auto worker = self.lock())
            worker->noteGone();
    };
    own.lost = [this](LossReason reason) {
        beating.request_stop();
        if (handler.lost)
            handler.lost(reason);
        // After the lease an entry may still be there, and in the others' way.
        if (events.endsWithLoss)
            setGoal(reason == LossReason::LeaseExpired ? Goal::Release : Goal::Abandon);
    };
    return own;
}

/// Nobody has to wait for the connection that was to give it back.
void LockHolder::Worker::noteGone()
{
    const MutexLock lock(mutex);
    if (ended)
        return;
    ended = Result<void>();
    changed.notifyAll();
}

void LockHolder::Worker::hold(Grant& held, db::Connection& connection)
{
    const auto isEnd = [this]() LOCKSCOPE_REQUIRES(mutex) { return goal != Goal::Hold; };
    waitForNews(held, connection);
    const MutexLock lock(mutex);
    while (!changed.waitFor(mutex, beatEvery, isEnd)) {
        mutex.unlock();
        std::ignore = held.beat(beating.get_token()); // the keeper reports its findings
        mutex.lock();
    }
}

/// A server that ends the session says so right before it frees the session's locks: a listener on the
/// connection hears it then, and not only when it is closed. Up to a request, a loss, or that end.
void LockHolder::Worker::waitForNews(Grant& held, db::Connection& connection)
{
    const std::stop_token stop = beating.get_token();
    if (options.kind == LockKind::Table || !connection.dialect().can(db::Capability::Notifications))
        return;
    while (!stop.stop_requested() && connection.isOpen()) {
        const bool isHeard = connection.waitForNotification(beatEvery, stop).has_value();
        if (!stop.stop_requested())
            std::ignore = held.beat(stop);
        if (!isHeard)
            return;
    }
}

Result<void> LockHolder::Worker::end(Grant& held)
{
    const bool isAbandoned = [this] {
        const MutexLock lock(mutex);
        return goal == Goal::Abandon;
    }();
    if (!isAbandoned)
        return held.release(); // in a hurry it waits for less of it
    held.abandon();
    return {};
}

template <class Condition, class Hurried>
void LockHolder::Worker::wait(
    std::optional<milliseconds> limit, const Condition& condition, const Hurried& isHurried)
{
    std::optional<Clock::time_point> until;
    if (limit)
        until = Clock::now() + *limit;
    for (bool isShortened = false; !condition();) {
        if (isHurried() && !isShortened) {
            isShortened = true;
            const auto soon = Clock::now() + hurriedWait;
            until = until ? std::min(*until, soon) : soon;
        }
        const auto isNews = [&]() LOCKSCOPE_REQUIRES(mutex) {
            const bool isShorter = isHurried() && !isShortened;
            return isShorter || condition();
        };
        if (!until)
            changed.wait(mutex, isNews);
        else if (!changed.waitUntil(mutex, *until, isNews))
            return;
    }
}

std::optional<Result<Obtained>> LockHolder::Worker::waitForAnswer()
{
    const MutexLock lock(mutex);
    wait(
        {}, [this]() LOCKSCOPE_REQUIRES(mutex) { return answer.has_value(); },
        [this]() LOCKSCOPE_REQUIRES(mutex) { return isCancelled; });
    return answer;
}

std::optional<Result<void>> LockHolder::Worker::waitForEnd(milliseconds limit)
{
    const MutexLock lock(mutex);
    wait(
        limit, [this]() LOCKSCOPE_REQUIRES(mutex) { return ended.has_value(); },
        [this]() LOCKSCOPE_REQUIRES(mutex) { return isReleaseHurried; });
    return ended;
}

LockHolder::LockHolder(db::Server server, LockOptions options, LossHandler lost, LockEvents events,
    std::shared_ptr<LeaseKeeper> keeper)
    : m_worker(std::make_shared<Worker>(
        std::move(server), std::move(options), std::move(lost), std::move(events), std::move(keeper)))
    , m_thread([worker = m_worker](const std::stop_token& stop) { worker->run(stop); })
{
}

LockHolder::~LockHolder() = default;

const LockOptions& LockHolder::options() const
{
    return m_worker->options;
}

std::optional<Result<Obtained>> LockHolder::waitForAnswer()
{
    return m_worker->waitForAnswer();
}

void LockHolder::cancel()
{
    m_worker->cancelling.request_stop();
    const MutexLock lock(m_worker->mutex);
    m_worker->isCancelled = true;
    m_worker->changed.notifyAll();
}

Result<void> LockHolder::release(milliseconds limit)
{
    Worker& worker = *m_worker;
    worker.beating.request_stop();
    worker.setGoal(Worker::Goal::Release);
    if (auto ended = worker.waitForEnd(limit))
        return std::move(*ended);
    Error error{.kind = ErrorKind::Timeout, .what = u"The server does not answer."_s};
    const auto expires = expiresAt();
    if (!expires)
        return Failure(error);
    WatchedGrant entry;
    entry.name = worker.options.name;
    entry.lease = worker.options.lease;
    entry.expiresAtUs = expires->us;
    error.detail = error.what;
    return Failure(entryStays(error, entry));
}

void LockHolder::hurryRelease()
{
    const MutexLock lock(m_worker->mutex);
    m_worker->isReleaseHurried = true;
    m_worker->changed.notifyAll();
}

void LockHolder::abandon()
{
    m_worker->beating.request_stop();
    m_worker->setGoal(Worker::Goal::Abandon);
    m_worker->waitForEnd(hurriedWait);
}

std::optional<ServerTime> LockHolder::expiresAt() const
{
    const MutexLock lock(m_worker->mutex);
    return m_worker->grant ? m_worker->grant->expiresAt() : std::nullopt;
}

milliseconds LockHolder::maxRelease()
{
    return Grant::releaseLimit + milliseconds(500); // what became of it says more than silence
}

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
