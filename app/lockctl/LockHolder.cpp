// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/LockHolder.h"

#include "core/base/Duration.h"
#include "core/locks/LeaseKeeper.h"

#include <condition_variable>
#include <mutex>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

using Clock = std::chrono::steady_clock;

/// After a signal: what is left of the second that it may take is for the end of the process.
constexpr milliseconds hurriedWait{650};

} // namespace

/// What the thread works with; it may outlive the LockHolder.
struct LockHolder::Worker {
    enum class Wish { Hold, Release, Abandon };

    Worker(const db::Server& theServer, LockOrder theOrder, locks::LossHandler theHandler)
        : server(theServer)
        , order(std::move(theOrder))
        , handler(std::move(theHandler))
    {
    }

    void run(const std::stop_token& stop);
    Result<void> work();
    void hold(locks::Grant& grant);
    Result<void> end(db::Connection& connection, locks::Grant& grant);
    locks::LossHandler ownHandler();
    Error aboutEntry(Error error) const;
    /// False if it was not before `limit`, or soon after `hurried`.
    template <class Condition>
    bool wait(std::optional<milliseconds> limit, const bool& hurried, const Condition& condition);

    const db::Server server;
    const LockOrder order;
    const locks::LossHandler handler;
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
    const locks::Grant* grant = nullptr; ///< held; its expiry may be read by any thread
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
    const std::lock_guard lock(mutex);
    if (!answer && !result)
        answer = Failure(result.error());
    ended = result;
    changed.notify_all();
}

Result<void> LockHolder::Worker::work()
{
    const auto connection = server.connect(db::Purpose::Lock);
    if (!connection)
        return Failure(connection.error());
    const auto keeper = locks::LeaseKeeper::create(server);
    const auto strategy = locks::LockStrategy::create(order.kind, **connection, keeper);
    if (!strategy)
        return Failure(strategy.error());
    auto result = order.acquire(**connection, **strategy, cancelling.get_token(), ownHandler());
    if (!result)
        return Failure(aboutEntry(result.error()));
    const bool isGranted = locks::isGranted(result->outcome);
    {
        const std::lock_guard lock(mutex);
        answer = Obtained::of(*result);
        grant = isGranted ? &result->grant : nullptr;
        changed.notify_all();
    }
    if (!isGranted)
        return {};
    hold(result->grant);
    auto done = end(**connection, result->grant);
    const std::lock_guard lock(mutex);
    grant = nullptr;
    return done;
}

/// An entry does not go with the session: what is said of other locks would be wrong.
Error LockHolder::Worker::aboutEntry(Error error) const
{
    if (order.kind == locks::LockKind::Table && error.kind == ErrorKind::Connection)
        error.hint =
            u"If the server has granted the lock meanwhile, its entry stays until the lease of %1 ends. Connect again."_s
                .arg(durationText(order.request.lease));
    return error;
}

locks::LossHandler LockHolder::Worker::ownHandler()
{
    locks::LossHandler own = handler;
    own.lost = [this](locks::LossReason reason) {
        beating.request_stop();
        handler.lost(reason);
    };
    return own;
}

void LockHolder::Worker::hold(locks::Grant& held)
{
    const auto isEnd = [this] { return wish != Wish::Hold; };
    for (std::unique_lock lock(mutex); !changed.wait_for(lock, locks::beatEvery, isEnd);) {
        lock.unlock();
        std::ignore = held.beat(beating.get_token()); // what it learns is told by the keeper
        lock.lock();
    }
}

Result<void> LockHolder::Worker::end(db::Connection& connection, locks::Grant& held)
{
    const bool isAbandoned = [this] {
        const std::lock_guard lock(mutex);
        return wish == Wish::Abandon;
    }();
    if (!isAbandoned)
        return order.release(connection, held, releasing.get_token());
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

LockHolder::LockHolder(const db::Server& server, const LockOrder& order, locks::LossHandler lost)
    : m_worker(std::make_shared<Worker>(server, order, std::move(lost)))
    , m_thread([worker = m_worker](const std::stop_token& stop) { worker->run(stop); })
{
}

LockHolder::~LockHolder() = default;

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
    {
        const std::lock_guard lock(worker.mutex);
        worker.wish = Worker::Wish::Release;
        worker.changed.notify_all();
    }
    if (worker.wait(limit, worker.isHurried, [&] { return worker.ended.has_value(); })) {
        const std::lock_guard lock(worker.mutex);
        return *worker.ended;
    }
    Error error = failure(ErrorKind::Timeout, u"The server does not answer."_s).value();
    const auto expires = expiresAt();
    if (!expires)
        return Failure(error);
    locks::WatchedGrant entry;
    entry.name = worker.order.request.name;
    entry.lease = worker.order.request.lease;
    entry.expiresAtUs = expires->us;
    error.detail = error.what;
    return Failure(locks::entryStays(error, entry));
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
    Worker& worker = *m_worker;
    {
        const std::lock_guard lock(worker.mutex);
        worker.wish = Worker::Wish::Abandon;
        worker.changed.notify_all();
    }
    worker.wait(hurriedWait, worker.isHurried, [&] { return worker.ended.has_value(); });
}

std::optional<ServerTime> LockHolder::expiresAt() const
{
    const std::lock_guard lock(m_worker->mutex);
    return m_worker->grant ? m_worker->grant->expiresAt() : std::nullopt;
}

milliseconds LockHolder::longestRelease()
{
    return locks::Grant::releasePatience + locks::Grant::releaseLimit;
}

} // namespace lockscope::ctl
