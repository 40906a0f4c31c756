// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/LockHolder.h"

#include "core/base/Duration.h"
#include "core/locks/LeaseKeeper.h"

#include <condition_variable>
#include <mutex>

namespace lockscope::locks {

namespace {

using Clock = std::chrono::steady_clock;

/// After a signal: what is left of the second that it may take is for the end of the process.
constexpr milliseconds hurriedWait{650};

Obtained withoutGrant(const AcquireResult& result)
{
    const Grant& grant = result.grant;
    return {result.outcome, result.waited, result.heldBy, grant.token(), grant.fencing(), grant.acquiredAt(),
        grant.expiresAt()};
}

} // namespace

/// What the thread works with; it may outlive the LockHolder.
struct LockHolder::Worker {
    enum class Wish { Hold, Release, Abandon };

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
    void hold(Grant& grant);
    Result<void> end(Grant& grant);
    LossHandler ownHandler();
    Error aboutEntry(Error error) const;
    void wishFor(Wish wanted)
    {
        const std::lock_guard lock(mutex);
        wish = wanted;
        changed.notify_all();
    }
    /// False if it was not before `limit`, or soon after `hurried`.
    template <class Condition>
    bool wait(std::optional<milliseconds> limit, const bool& hurried, const Condition& condition);

    const db::Server server;
    const LockOptions options;
    const LossHandler handler;
    const LockEvents events;
    const std::shared_ptr<LeaseKeeper> sharedKeeper;
    std::stop_source cancelling;
    std::stop_source beating;
    std::stop_source releasing;

    mutable std::mutex mutex;
    std::condition_variable_any changed;
    // guarded by mutex
    bool isCancelled = false;
    bool isHurried = false;
    Wish wish = Wish::Hold;
    std::optional<Result<Obtained>> answer;
    const Grant* grant = nullptr; ///< held; its expiry may be read by any thread
    std::optional<Result<void>> ended;
};

void LockHolder::Worker::run(const std::stop_token& stop)
{
    const std::stop_callback letGo(stop, [this] {
        cancelling.request_stop();
        beating.request_stop();
        const std::lock_guard lock(mutex);
        if (wish == Wish::Hold)
            wish = Wish::Release;
        changed.notify_all();
    });
    const auto result = work();
    if (!result && !answer) // which only this thread sets
        answerWith(Failure(result.error()));
    const std::lock_guard lock(mutex);
    ended = result;
    changed.notify_all();
}

Result<void> LockHolder::Worker::work()
{
    const auto connection = server.connect(db::Purpose::Lock);
    if (!connection)
        return Failure(connection.error());
    const auto keeper = sharedKeeper ? sharedKeeper : LeaseKeeper::create(server);
    const auto strategy = LockStrategy::create(options.kind, **connection, keeper, options.surrogates);
    if (!strategy)
        return Failure(strategy.error());
    auto result = ask(**strategy);
    if (!result)
        return Failure(aboutEntry(result.error()));
    const bool isGranted = locks::isGranted(result->outcome);
    {
        const std::lock_guard lock(mutex);
        grant = isGranted ? &result->grant : nullptr;
    }
    answerWith(withoutGrant(*result));
    if (!isGranted)
        return {};
    hold(result->grant);
    auto done = end(result->grant);
    {
        const std::lock_guard lock(mutex);
        grant = nullptr;
    }
    if (events.ended)
        events.ended(done);
    return done;
}

/// Asks without waiting first, if it is to be told that somebody else has it.
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
        const std::lock_guard lock(mutex);
        answer.emplace(obtained);
        changed.notify_all();
    }
    if (events.answered)
        events.answered(obtained);
}

/// An entry does not go with the session: what is said of other locks would be wrong.
Error LockHolder::Worker::aboutEntry(Error error) const
{
    if (options.kind == LockKind::Table && error.kind == ErrorKind::Connection)
        error.hint = QStringLiteral("If the server has granted the lock meanwhile, its entry stays until the "
                                    "lease of %1 ends. Connect again.")
                         .arg(durationText(options.lease));
    return error;
}

LossHandler LockHolder::Worker::ownHandler()
{
    LossHandler own = handler;
    own.stopTime = options.stopTime;
    own.lost = [this](LossReason reason) {
        beating.request_stop();
        if (handler.lost)
            handler.lost(reason);
        // After the lease an entry may still be there, and in the others' way.
        if (events.endsWithLoss)
            wishFor(reason == LossReason::LeaseExpired ? Wish::Release : Wish::Abandon);
    };
    return own;
}

void LockHolder::Worker::hold(Grant& held)
{
    const auto isEnd = [this] { return wish != Wish::Hold; };
    for (std::unique_lock lock(mutex); !changed.wait_for(lock, beatEvery, isEnd);) {
        lock.unlock();
        std::ignore = held.beat(beating.get_token()); // what it learns is told by the keeper
        lock.lock();
    }
}

Result<void> LockHolder::Worker::end(Grant& held)
{
    const bool isAbandoned = [this] {
        const std::lock_guard lock(mutex);
        return wish == Wish::Abandon;
    }();
    if (!isAbandoned)
        return held.release(releasing.get_token());
    held.abandon();
    return {};
}

template <class Condition>
bool LockHolder::Worker::wait(
    std::optional<milliseconds> limit, const bool& hurried, const Condition& condition)
{
    std::unique_lock lock(mutex);
    std::optional<Clock::time_point> until;
    if (limit)
        until = Clock::now() + *limit;
    for (bool isShortened = false; !condition();) {
        if (hurried && !isShortened) {
            isShortened = true;
            const auto soon = Clock::now() + hurriedWait;
            until = until ? std::min(*until, soon) : soon;
        }
        const auto isNews = [&] { return condition() || (hurried && !isShortened); };
        if (!until)
            changed.wait(lock, isNews);
        else if (!changed.wait_until(lock, *until, isNews))
            return false;
    }
    return true;
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
    Worker& worker = *m_worker;
    if (!worker.wait({}, worker.isCancelled, [&] { return worker.answer.has_value(); }))
        return std::nullopt;
    const std::lock_guard lock(worker.mutex);
    return worker.answer;
}

void LockHolder::cancel()
{
    m_worker->cancelling.request_stop();
    const std::lock_guard lock(m_worker->mutex);
    m_worker->isCancelled = true;
    m_worker->changed.notify_all();
}

Result<void> LockHolder::release(milliseconds limit)
{
    Worker& worker = *m_worker;
    worker.beating.request_stop();
    worker.wishFor(Worker::Wish::Release);
    if (worker.wait(limit, worker.isHurried, [&] { return worker.ended.has_value(); })) {
        const std::lock_guard lock(worker.mutex);
        return *worker.ended;
    }
    Error error = failure(ErrorKind::Timeout, QStringLiteral("The server does not answer.")).value();
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
    m_worker->releasing.request_stop();
    const std::lock_guard lock(m_worker->mutex);
    m_worker->isHurried = true;
    m_worker->changed.notify_all();
}

void LockHolder::abandon()
{
    m_worker->wishFor(Worker::Wish::Abandon);
    m_worker->wait(hurriedWait, m_worker->isHurried, [this] { return m_worker->ended.has_value(); });
}

std::optional<ServerTime> LockHolder::expiresAt() const
{
    const std::lock_guard lock(m_worker->mutex);
    return m_worker->grant ? m_worker->grant->expiresAt() : std::nullopt;
}

milliseconds LockHolder::longestRelease()
{
    return Grant::releasePatience + Grant::releaseLimit;
}

} // namespace lockscope::locks
