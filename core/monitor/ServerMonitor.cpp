// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/ServerMonitor.h"

#include "core/base/Backoff.h"
#include "core/base/PostToThread.h"
#include "core/base/Sentences.h"
#include "core/monitor/PollPace.h"

#include <algorithm>

namespace lockscope::monitor {

using Clock = std::chrono::steady_clock;

namespace {

constexpr milliseconds minInterval{100};
constexpr milliseconds maxInterval = std::chrono::hours(24);
constexpr milliseconds minFailurePause{250};
constexpr milliseconds maxFailurePause{30'000};
constexpr milliseconds silenceCheckEvery{250};
constexpr size_t maxMeasures = 100; // for an owner who is busy: a quarter of an hour of them

} // namespace

PollPlaces::PollPlaces(int count, std::chrono::milliseconds heldAtMost)
    : m_heldAtMost(heldAtMost)
{
    setCount(count);
}

void PollPlaces::setCount(int count)
{
    const MutexLock lock(m_mutex);
    m_failed.count = size_t(std::max(1, count / 4));
    m_answering.count = size_t(std::max(1, count - std::max(1, count / 4)));
    admit(m_failed);
    admit(m_answering);
}

std::optional<PollPlaces::Place> PollPlaces::take(bool hasFailed, const std::stop_token& stop)
{
    const MutexLock lock(m_mutex);
    Lane& lane = hasFailed ? m_failed : m_answering;
    Waiter self;
    lane.waiting.push_back(&self);
    admit(lane);
    while (!self.number && !stop.stop_requested()) {
        // Nobody tells when the time of a place is over. Who waits finds some held.
        const Clock::time_point end = lane.held.begin()->second; // a copy: the place may go meanwhile
        self.admitted.waitUntil(m_mutex, stop, end, [&self] { return self.number.has_value(); });
        admit(lane);
    }
    if (self.number)
        return Place(this, hasFailed, *self.number);
    std::erase(lane.waiting, &self);
    return {};
}

void PollPlaces::admit(Lane& lane)
{
    const auto now = Clock::now();
    while (!lane.held.empty() && lane.held.begin()->second <= now)
        lane.held.erase(lane.held.begin());
    while (!lane.waiting.empty() && lane.held.size() < lane.count) {
        Waiter& next = *lane.waiting.front();
        lane.waiting.pop_front();
        next.number = ++lane.latest;
        lane.held.emplace(*next.number, now + m_heldAtMost);
        next.admitted.notifyAll();
    }
}

void PollPlaces::release(bool hasFailed, quint64 number)
{
    const MutexLock lock(m_mutex);
    Lane& lane = hasFailed ? m_failed : m_answering;
    lane.held.erase(number);
    admit(lane);
}

/// The data that the poll thread and the owner's thread exchange; what changes, under the mutex.
struct ServerMonitor::Shared {
    explicit Shared(ServerMonitor* theOwner)
        : owner(theOwner)
    {
    }

    std::shared_ptr<PollPlaces> places; ///< constant once the thread runs; null: there is no limit
    Mutex mutex;
    ConditionVariable wake;

    ServerMonitor* owner LOCKSCOPE_GUARDED_BY(mutex); ///< null once it is gone
    milliseconds interval LOCKSCOPE_GUARDED_BY(mutex){2'000};
    bool paused LOCKSCOPE_GUARDED_BY(mutex) = false;
    bool pollAtOnce LOCKSCOPE_GUARDED_BY(mutex) = true;
    bool nudged LOCKSCOPE_GUARDED_BY(mutex) = false; ///< the poll thread must check what changed
    bool remakeSource LOCKSCOPE_GUARDED_BY(mutex) = true;
    bool needsPerson LOCKSCOPE_GUARDED_BY(mutex) = false; ///< a login was refused
    ProbeSelection probes LOCKSCOPE_GUARDED_BY(mutex);

    std::optional<Clock::time_point> pollBegan LOCKSCOPE_GUARDED_BY(mutex); ///< while a poll is under way
    std::optional<milliseconds> pauseAfterFailure LOCKSCOPE_GUARDED_BY(mutex);
    PollPace pace LOCKSCOPE_GUARDED_BY(mutex);
    Clock::time_point lastEnd LOCKSCOPE_GUARDED_BY(mutex);
    SnapshotPtr snapshot LOCKSCOPE_GUARDED_BY(mutex);
    std::vector<Measures> measures LOCKSCOPE_GUARDED_BY(mutex); ///< that the owner has not taken over
    std::optional<Error> error LOCKSCOPE_GUARDED_BY(mutex);
    Failures failures LOCKSCOPE_GUARDED_BY(mutex);
    Clock::time_point lastGood LOCKSCOPE_GUARDED_BY(mutex);
    bool isReported LOCKSCOPE_GUARDED_BY(mutex) = false; ///< a wake-up is on its way to the owner

    milliseconds pause() const LOCKSCOPE_REQUIRES(mutex)
    {
        return pauseAfterFailure ? std::max(interval, *pauseAfterFailure) : pace.pause(interval);
    }
    void nudge() LOCKSCOPE_REQUIRES(mutex)
    {
        nudged = true;
        wake.notifyAll();
    }
    bool isDue() const LOCKSCOPE_REQUIRES(mutex)
    {
        return pollAtOnce || (!paused && !needsPerson && Clock::now() >= lastEnd + pause());
    }

    /// Blocks until the next poll is due; false if the thread is to end.
    bool waitUntilDue(const std::stop_token& stop) LOCKSCOPE_REQUIRES(mutex)
    {
        while (!stop.stop_requested() && !isDue()) {
            // Woken when any of the settings changes; then the due time is computed again.
            const auto until =
                paused || needsPerson ? Clock::now() + std::chrono::hours(1) : lastEnd + pause();
            wake.waitUntil(mutex, stop, until,
                [this]() LOCKSCOPE_REQUIRES(mutex) { return std::exchange(nudged, false); });
        }
        return !stop.stop_requested();
    }

    /// Blocks until the next poll is due and has a place; nothing if the thread is to end.
    std::optional<PollPlaces::Place> waitForPlace(const std::stop_token& stop) LOCKSCOPE_REQUIRES(mutex)
    {
        while (waitUntilDue(stop)) {
            if (!places)
                return PollPlaces::Place();
            const bool hasFailed = pauseAfterFailure.has_value();
            mutex.unlock();
            auto place = places->take(hasFailed, stop);
            mutex.lock();
            if (!stop.stop_requested() && isDue())
                return place;
        }
        return {};
    }

    void notifyOwner() LOCKSCOPE_REQUIRES(mutex)
    {
        if (owner && !std::exchange(isReported, true))
            postTo(owner, [to = owner] { to->takeOver(); });
    }

    /// The poll thread: poll, publish, then wait, so that polls never pile up.
    void run(const SourceFactory& factory, const std::stop_token& stop)
    {
        std::unique_ptr<SnapshotSource> source; // made, used and ended on this thread
        // Freeing a large snapshot takes milliseconds: each is kept here until all others have released it,
        // so that the owner's thread is never the last.
        std::vector<SnapshotPtr> aging;
        Backoff backoff(minFailurePause, maxFailurePause);
        const MutexLock lock(mutex);
        while (auto place = waitForPlace(stop)) {
            const bool remake = std::exchange(remakeSource, false);
            const ProbeSelection selection = probes;
            pollAtOnce = false;
            const auto began = Clock::now();
            pollBegan = began;
            mutex.unlock();

            std::erase_if(aging, [](const SnapshotPtr& old) { return old.use_count() == 1; });
            if (remake)
                source.reset();
            auto asked = began;
            const auto poll = [&]() -> Result<SnapshotPtr> {
                if (!source) {
                    LOCKSCOPE_TRY_GET(source, factory(selection));
                    asked = Clock::now();
                }
                source->setReadsFrameworkRows(selection.frameworkRows);
                return source->take(stop);
            };
            Result<SnapshotPtr> taken = poll();
            place.reset();
            if (taken)
                aging.push_back(*taken);

            // Starting the sandbox and connecting are no measure of what a poll costs the server.
            const auto duration =
                Clock::now() - asked - (source ? source->connectingTook() : Clock::duration::zero());
            Surroundings around;
            if (taken)
                around = source->surroundings();
            mutex.lock();
            if (!around.measures.empty() && measures.size() < maxMeasures)
                measures.push_back(
                    {(*taken)->takenAt, std::move(around.measures), std::move(around.lockCounts)});
            if (!stop.stop_requested())
                keep(std::move(taken), duration, backoff);
        }
    }

    void keep(Result<SnapshotPtr> taken, Clock::duration duration, Backoff& backoff) LOCKSCOPE_REQUIRES(mutex)
    {
        lastEnd = Clock::now();
        pollBegan.reset();
        if (taken) {
            pace.note(duration, isSomebodyWaiting(**taken));
            backoff.reset();
            pauseAfterFailure.reset();
            needsPerson = false;
            snapshot = std::move(*taken);
            error.reset();
            failures = {};
            lastGood = lastEnd;
        } else {
            pauseAfterFailure = std::min(backoff.next(), maxFailurePause);
            if (taken.error().kind == ErrorKind::Timeout)
                pauseAfterFailure = pace.bounded(*pauseAfterFailure); // it is there, and slow
            error = taken.error();
            failures = {failures.count + 1, QDateTime::currentDateTime()};
            needsPerson = error->kind == ErrorKind::Login;
            if (error->kind == ErrorKind::Connection && !paused) {
                const auto seconds = std::chrono::ceil<std::chrono::seconds>(pause()).count();
                error->hint =
                    sentences({error->hint, QStringLiteral("Next attempt within %1 s.").arg(seconds)});
            }
        }
        notifyOwner();
    }
};

ServerMonitor::ServerMonitor(SourceFactory factory, QObject* parent)
    : QObject(parent)
    , m_shared(std::make_shared<Shared>(this))
    , m_factory(std::move(factory))
    , m_lastGood(Clock::now())
{
    m_silenceWatch.setInterval(silenceCheckEvery);
    connect(&m_silenceWatch, &QTimer::timeout, this, [this] { judgeHealth(false); });
}

ServerMonitor::~ServerMonitor()
{
    const MutexLock lock(m_shared->mutex);
    m_shared->owner = nullptr;
}

void ServerMonitor::setPlaces(std::shared_ptr<PollPlaces> places)
{
    m_shared->places = std::move(places);
}

void ServerMonitor::start()
{
    if (m_thread.isRunning())
        return;
    m_lastGood = Clock::now();
    m_silenceWatch.start();
    m_thread = BackgroundThread([shared = m_shared, factory = m_factory](
                                    const std::stop_token& stop) { shared->run(factory, stop); });
}

void ServerMonitor::stop()
{
    m_silenceWatch.stop();
    m_thread = BackgroundThread();
}

void ServerMonitor::setInterval(milliseconds interval)
{
    m_interval = std::clamp(interval, minInterval, maxInterval);
    {
        const MutexLock lock(m_shared->mutex);
        m_shared->interval = m_interval;
        m_shared->nudge();
    }
    judgeHealth(false);
}

void ServerMonitor::setBudget(double share)
{
    const MutexLock lock(m_shared->mutex);
    m_shared->pace.setShare(share);
    m_shared->nudge();
}

void ServerMonitor::setPaused(bool paused)
{
    if (m_paused == paused)
        return;
    m_paused = paused;
    {
        const MutexLock lock(m_shared->mutex);
        m_shared->paused = paused;
        m_shared->pollAtOnce |= !paused && !m_shared->needsPerson;
        m_shared->nudge();
    }
    judgeHealth(false);
}

void ServerMonitor::refreshNow()
{
    const MutexLock lock(m_shared->mutex);
    m_shared->pollAtOnce = true;
    m_shared->remakeSource |= m_shared->needsPerson;
    m_shared->nudge();
}

void ServerMonitor::setProbes(const ProbeSelection& probes)
{
    const MutexLock lock(m_shared->mutex);
    const ProbeSelection old = std::exchange(m_shared->probes, probes);
    ProbeSelection alike = old;
    alike.frameworkRows = probes.frameworkRows;
    // A source can change what it reads of frameworks; for the rest another one is made.
    const bool remake = alike != probes;
    const bool more = probes.frameworkRows && !old.frameworkRows && !m_shared->paused;
    m_shared->remakeSource |= remake;
    m_shared->pollAtOnce |= (remake || more) && !m_shared->needsPerson;
    m_shared->nudge();
}

void ServerMonitor::setSilenceLimit(milliseconds limit)
{
    m_silenceLimit = limit;
    judgeHealth(false);
}

std::optional<Clock::time_point> ServerMonitor::pollBegan() const
{
    const MutexLock lock(m_shared->mutex);
    return m_shared->pollBegan;
}

Clock::time_point ServerMonitor::pollEnded() const
{
    const MutexLock lock(m_shared->mutex);
    return m_shared->lastEnd;
}

/// The newest result becomes this thread's; older ones that it overtook were never announced.
void ServerMonitor::takeOver()
{
    bool fresh = false;
    bool failureChanged = false;
    {
        const MutexLock lock(m_shared->mutex);
        m_shared->isReported = false;
        fresh = m_shared->snapshot != m_snapshot;
        m_snapshot = m_shared->snapshot;
        if (fresh)
            m_measures = std::exchange(m_shared->measures, {});
        failureChanged = m_error != m_shared->error || m_failures != m_shared->failures;
        m_error = m_shared->error;
        m_failures = m_shared->failures;
        if (fresh)
            m_lastGood = m_shared->lastGood;
    }
    // Health first, so that receivers of the snapshot's signal see the health that belongs to it.
    judgeHealth(failureChanged);
    if (fresh)
        Q_EMIT snapshotChanged();
}

void ServerMonitor::judgeHealth(bool changed)
{
    std::optional<Clock::time_point> pollBegan;
    milliseconds effective;
    bool isSlow = false;
    {
        const MutexLock lock(m_shared->mutex);
        pollBegan = m_shared->pollBegan;
        isSlow = m_shared->pace.isSlow(m_interval);
        effective = m_shared->pause();
    }
    Health health = Health::Live;
    if (pollBegan && Clock::now() - *pollBegan > m_silenceLimit)
        health = Health::Silent;
    else if (m_paused)
        health = Health::Paused;
    else if (m_error)
        health = Health::Failed;
    else if (!m_snapshot)
        health = Health::Connecting;
    else if (isSlow)
        health = Health::Slow;
    changed = changed || health != m_health || effective != m_effective;
    m_health = health;
    m_effective = effective;
    if (changed)
        Q_EMIT healthChanged();
}

} // namespace lockscope::monitor
