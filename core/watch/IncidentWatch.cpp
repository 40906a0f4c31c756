// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/IncidentWatch.h"

#include "core/base/Backoff.h"
#include "core/base/Mutex.h"
#include "core/base/PostToThread.h"
#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/record/Recording.h"

#include <QCoreApplication>
#include <QSysInfo>

#include <algorithm>
#include <atomic>
#include <future>

namespace lockscope::watch {

using namespace Qt::StringLiterals;
using alert::Channel;
using alert::ChannelSettings;
using monitor::Health;

namespace {

/// While the disk is slow: what comes then is a gap.
constexpr int maxWaitingObservations = 60;
/// Work for all servers, of which each asks for it at each poll.
constexpr milliseconds togetherEvery{500};

} // namespace

/// One channel: its thread, with a connection to the store of its own.
class NoticeSender::Lane {
public:
    Lane(ChannelSettings settings, const NoticeSenderOptions& options, NoticeSender& sender)
        : m_settings(std::move(settings))
        , m_options(options)
        , m_sender(&sender)
        , m_backoff(options.firstPause, options.longestPause)
    {
    }
    void run(const std::stop_token& stop)
    {
        Backoff opening(milliseconds(1'000), milliseconds(60'000));
        while (!stop.stop_requested()) {
            if (m_store && !m_store->hasMoved()) {
                if (!sendNext(stop))
                    rest(stop, m_options.pollInterval);
            } else if (auto opened = IncidentStore::open(m_options.path)) {
                m_store = std::move(*opened);
                m_idleVersion.reset();
                opening.reset();
            } else {
                tell(Failure(opened.error()));
                rest(stop, opening.next());
            }
        }
        m_store.reset();
    }

    void wake()
    {
        const MutexLock lock(m_mutex);
        m_isWoken = true;
        m_rests = false;
        m_changed.notifyAll();
    }
    bool waitUntilItRests(milliseconds atMost)
    {
        const MutexLock lock(m_mutex);
        return m_changed.waitFor(m_mutex, atMost, [this]() LOCKSCOPE_REQUIRES(m_mutex) { return m_rests; });
    }

private:
    /// True: there may be more to send at once.
    bool sendNext(const std::stop_token& stop)
    {
        const Result<qint64> version = m_store->version();
        if (version && m_idleVersion == *version)
            return false;
        const Result<int> count = waiting();
        if (!version || !count) {
            tell(Failure(version ? count.error() : version.error()));
            return false;
        }
        if (*count == 0) {
            m_idleVersion = *version;
            return false;
        }
        // Made for each message: what its settings lack may be mended meanwhile.
        const auto channel = Channel::make(m_settings, m_options.channels);
        const ServerTime now = ownClock();
        const auto message = m_store->take(m_settings.name, m_name, now, now + m_options.claim,
            channel && m_singles == 0 ? static_cast<int>((*channel)->messageSize(*count)) : 1);
        if (!message)
            tell(Failure(message.error()));
        if (!message || message->isEmpty()) // it is not time yet, or another program sends
            return false;
        Result<void> sent =
            channel ? send(channel->get(), *message, stop) : Result<void>(Failure(channel.error()));
        if (!channel)
            sent.error().kind = ErrorKind::Login; // the channel is at fault, and not the notice
        else if (!sent && sent.error().kind == ErrorKind::Server && isGivenUp(message->first()))
            sent.error().kind = ErrorKind::BadInput; // others that its receiver would take wait behind it
        const milliseconds retryAfter = channel ? (*channel)->retryAfter() : milliseconds(0);
        Result<void> noted = note(*message, sent, retryAfter);
        while (!noted && sleepFor(m_options.pollInterval, stop)) {
            tell(noted);
            noted = note(*message, sent, retryAfter);
        }
        m_singles = std::max(0, m_singles - 1);
        if (!sent && sent.error().kind == ErrorKind::BadInput && message->size() > 1) {
            m_singles = static_cast<int>(message->size());
            return true;
        }
        const bool isOver = sent || sent.error().kind == ErrorKind::BadInput;
        if (isOver || sent.error().kind != ErrorKind::Cancelled)
            tell(sent);
        return isOver;
    }

    Result<void> send(Channel* channel, const QList<QueuedNotice>& message, const std::stop_token& stop) const
    {
        std::vector<alert::Notice> notices;
        for (const QueuedNotice& each : message)
            notices.push_back(each.notice);
        return channel->send(notices, stop);
    }

    Result<int> waiting()
    {
        LOCKSCOPE_TRY_GET(const auto states, m_store->queue());
        const auto own = std::find_if(states.begin(), states.end(),
            [this](const IncidentStore::QueueState& each) { return each.channel == m_settings.name; });
        return own == states.end() ? 0 : own->waiting;
    }

    bool isGivenUp(const QueuedNotice& first) const
    {
        return first.refusedSince.isValid() && first.attempts + 1 >= m_options.maxRefusals
            && ownClock() - first.refusedSince >= m_options.refusedFor;
    }

    Result<void> note(const QList<QueuedNotice>& message, const Result<void>& sent, milliseconds retryAfter)
    {
        if (sent) {
            m_backoff.reset();
            return m_store->sent(message);
        }
        const Error& error = sent.error();
        if (error.kind == ErrorKind::Cancelled)
            return m_store->release(message.first().number);
        const int attempts = message.first().attempts + 1;
        if (error.kind == ErrorKind::BadInput && message.size() > 1)
            return m_store->split(message.first().number); // the others are not at fault
        if (error.kind == ErrorKind::BadInput) {
            m_backoff.reset();
            const QString tries = attempts > 1 ? u" It was tried %1 times."_s.arg(attempts) : QString();
            return m_store->refused(message,
                sentences(
                    {u"%1 does not take this notice.%2"_s.arg(m_settings.name, tries), error.toString()}),
                error.toString());
        }
        return m_store->failed(message.first().number, ownClock() + std::max(retryAfter, m_backoff.next()),
            error.toString(), error.kind == ErrorKind::Server);
    }

    void rest(const std::stop_token& stop, milliseconds atMost)
    {
        const MutexLock lock(m_mutex);
        m_rests = !m_isWoken;
        m_changed.notifyAll();
        m_changed.waitFor(m_mutex, stop, atMost, [this]() LOCKSCOPE_REQUIRES(m_mutex) { return m_isWoken; });
        m_isWoken = false;
    }

    void tell(const Result<void>& result) const
    {
        postTo(m_sender, [name = m_settings.name, result](NoticeSender& sender) {
            if (result)
                Q_EMIT sender.delivered(name);
            else
                Q_EMIT sender.failed(name, result.error());
        });
    }

    const ChannelSettings m_settings;
    const NoticeSenderOptions m_options;
    const QPointer<NoticeSender> m_sender;
    const QString m_name =
        u"%1:%2"_s.arg(QSysInfo::machineHostName()).arg(QCoreApplication::applicationPid());
    // The lane's thread only.
    std::unique_ptr<IncidentStore> m_store;
    Backoff m_backoff;
    std::optional<qint64> m_idleVersion; ///< of the store when nothing waited
    int m_singles = 0; ///< so many are sent one by one: together they were refused

    Mutex m_mutex;
    ConditionVariable m_changed;
    bool m_isWoken LOCKSCOPE_GUARDED_BY(m_mutex) = false;
    bool m_rests LOCKSCOPE_GUARDED_BY(m_mutex) = false;
};

NoticeSender::NoticeSender(
    const std::vector<ChannelSettings>& channels, NoticeSenderOptions options, QObject* parent)
    : QObject(parent)
    , m_options(std::move(options))
{
    setChannels(channels);
}

NoticeSender::~NoticeSender() = default;

void NoticeSender::setChannels(const std::vector<ChannelSettings>& channels)
{
    std::erase_if(m_lanes,
        [&](const Running& each) { return std::ranges::find(channels, each.settings) == channels.end(); });
    for (const ChannelSettings& settings : channels) {
        if (std::ranges::any_of(m_lanes, [&](const Running& each) { return each.settings == settings; }))
            continue;
        auto lane = std::make_shared<Lane>(settings, m_options, *this);
        m_lanes.push_back(
            {settings, lane, BackgroundThread([lane](const std::stop_token& stop) { lane->run(stop); })});
    }
}

void NoticeSender::wake()
{
    for (const Running& each : m_lanes)
        each.lane->wake();
}

bool NoticeSender::waitUntilSent(milliseconds atMost)
{
    wake();
    const QDeadlineTimer deadline(atMost);
    return std::ranges::all_of(m_lanes, [&](const Running& each) {
        return each.lane->waitUntilItRests(milliseconds(deadline.remainingTime()));
    });
}

/// Turns what one server's watch tells into observations.
class IncidentWatch::Observer : public QObject {
public:
    Observer(IncidentWatch& owner, ServerWatch* watch)
        : QObject(watch)
        , m_owner(owner)
        , m_watch(watch)
        , m_keeper(std::make_shared<IncidentKeeper>(causeServer(watch->place()),
              causeDatabase(watch->place()), watch->profile().url.toString(), optionsOf(owner, *watch)))
    {
        connect(watch, &ServerWatch::snapshotChanged, this, [this] { observe(); });
        connect(watch, &ServerWatch::deadlocksPolled, this, [this] { noteDeadlocks(); });
        connect(watch, &ServerWatch::orderChanged, this, [this] { m_hasNewOrders = true; });
        connect(&m_timer, &QTimer::timeout, this, [this] { noteSilence(); });
        m_timer.start(1'000);
    }
    ~Observer() override
    {
        m_owner.m_observers.removeOne(this);
        m_owner.m_togetherIsFresh = {}; // the numbers have changed
        if (!m_pending.isEmpty())
            Q_EMIT m_owner.pendingChanged();
    }
    const QList<alert::PendingAlert>& pending() const { return m_pending; }

    const ServerWatch* watch() const { return m_watch; } ///< null: it has ended
    /// It destroys itself once that is kept.
    void end(const QString& why, bool isWatched)
    {
        disconnect(m_watch, nullptr, this, nullptr);
        m_timer.stop();
        setParent(&m_owner); // the watch may go before
        m_watch = nullptr;
        m_worker.ask(
            this,
            [keeper = m_keeper, why, isWatched](
                const std::stop_token&) { return keeper->end(why, isWatched); },
            [this](const IncidentKeeper::Outcome& outcome) {
                m_owner.take(outcome);
                deleteLater();
            });
    }

    void takeOver()
    {
        m_worker.post([keeper = m_keeper](const std::stop_token&) { keeper->takeOver(); });
    }

    /// Waits for what is under way.
    void drain(milliseconds atMost)
    {
        auto done = std::make_shared<std::promise<void>>();
        const auto future = done->get_future();
        m_worker.post([done](const std::stop_token&) { done->set_value(); });
        future.wait_for(atMost);
    }

private:
    static IncidentOptions optionsOf(const IncidentWatch& owner, const ServerWatch& watch)
    {
        IncidentOptions options = owner.m_options;
        const record::Recorder* const recorder = watch.recorder();
        options.recording = recorder ? recorder->state().path : record::recordingPath(watch.place());
        return options;
    }

    void observe()
    {
        const SnapshotPtr snapshot = m_watch->monitor().snapshot();
        alert::Observation seen = observation(snapshot->takenAt);
        seen.snapshot = snapshot;
        for (const auto& measures : m_watch->monitor().measures())
            seen.measures.insert(seen.measures.end(), measures.measures.begin(), measures.measures.end());
        if (!m_since.isValid())
            m_since = snapshot->takenAt;
        m_lastTaken = snapshot->takenAt;
        m_lastSteady = std::chrono::steady_clock::now();
        m_isGapNoted = false;
        post(std::move(seen));
    }

    alert::Observation observation(ServerTime at)
    {
        alert::Observation seen;
        seen.at = at;
        seen.interval = m_watch->monitor().effectiveInterval();
        seen.elsewhere = recording();
        const SeenTogether& together = m_owner.together();
        const SeenTogether::OfServer& here = together.servers[size_t(m_owner.m_observers.indexOf(this))];
        seen.elsewhere->insert(seen.elsewhere->end(), here.rings.begin(), here.rings.end());
        seen.clientWaits = here.clientWaits;
        seen.hiddenServers = together.hidden;
        return seen;
    }

    std::optional<std::vector<alert::MeasuredElsewhere>> recording()
    {
        std::vector<alert::MeasuredElsewhere> elsewhere;
        const record::Recorder* const recorder = m_watch->recorder();
        const auto state = recorder ? recorder->state() : record::RecorderState();
        const ServerTime now = ownClock();
        // Another program that records this server does the same.
        if (!recorder || !state.settings.on || !state.error || state.writtenByAnother) {
            m_notRecordedSince = {};
            return elsewhere;
        }
        if (!m_notRecordedSince.isValid())
            m_notRecordedSince = now;
        elsewhere.push_back({.condition = alert::Condition::NotRecorded,
            .value = double(std::chrono::floor<milliseconds>(now - m_notRecordedSince).count()),
            .text = state.error->what});
        return elsewhere;
    }

    /// The server's clock when nobody can ask it.
    ServerTime serverTime() const
    {
        return m_lastTaken.isValid() ? m_lastTaken
                + std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - m_lastSteady)
                                     : ownClock();
    }

    /// A poll that fails or hangs tells nothing by itself while it goes on.
    void noteSilence()
    {
        const monitor::ServerMonitor& monitor = m_watch->monitor();
        const Health health = monitor.health();
        if (health == Health::Failed || health == Health::Silent) {
            alert::Observation seen = observation(serverTime());
            seen.error = monitor.lastError().value_or(
                Error{.kind = ErrorKind::Timeout, .what = u"The server does not answer."_s});
            post(std::move(seen));
        } else if (health == Health::Paused && !m_isGapNoted) {
            m_isGapNoted = true;
            post(observation(serverTime()));
        }
    }

    void noteDeadlocks()
    {
        const deadlock::DeadlockWatch* const deadlocks = m_watch->deadlocks();
        if (!deadlocks || !deadlocks->latest() || !*deadlocks->latest())
            return;
        const deadlock::SourcePoll& poll = **deadlocks->latest();
        // Without a source nothing is known of deadlocks, whatever the counter shows.
        if (poll.origin.isEmpty())
            return;
        m_reports = m_reports.value_or(QList<deadlock::ReportPtr>()) + poll.reports;
    }

    void post(alert::Observation seen)
    {
        if (*m_waiting >= maxWaitingObservations)
            return;
        ++*m_waiting;
        const order::OrderStatePtr orders = std::exchange(m_hasNewOrders, false) ? m_watch->order() : nullptr;
        m_worker.ask(
            this,
            [keeper = m_keeper, waiting = m_waiting, orders, seen = std::move(seen),
                reports = std::exchange(m_reports, std::nullopt), since = m_since](const std::stop_token&) {
                --*waiting;
                alert::Observation observation = seen;
                observation.orders = ordersOf(orders);
                return keeper->take(std::move(observation), reports, since);
            },
            [this](const IncidentKeeper::Outcome& outcome) {
                const bool isNews = !outcome.pending.isEmpty() || !m_pending.isEmpty();
                m_pending = outcome.pending;
                if (isNews)
                    Q_EMIT m_owner.pendingChanged();
                m_owner.take(outcome);
            });
    }

    IncidentWatch& m_owner;
    ServerWatch* m_watch; ///< null: it ends
    std::shared_ptr<IncidentKeeper> m_keeper; ///< of the worker's thread
    std::shared_ptr<std::atomic<int>> m_waiting = std::make_shared<std::atomic<int>>(0);
    std::optional<QList<deadlock::ReportPtr>> m_reports; ///< since the last observation
    QList<alert::PendingAlert> m_pending; ///< at the last observation
    bool m_hasNewOrders = false;
    ServerTime m_since; ///< the first snapshot
    ServerTime m_lastTaken;
    std::chrono::steady_clock::time_point m_lastSteady;
    ServerTime m_notRecordedSince;
    bool m_isGapNoted = false;
    QTimer m_timer;
    Worker m_worker;
};

IncidentWatch::IncidentWatch(IncidentOptions options, QObject* parent)
    : QObject(parent)
    , m_options(std::move(options))
    , m_sender(std::make_unique<NoticeSender>(
          std::vector<alert::ChannelSettings>(), NoticeSenderOptions{.path = m_options.store}))
{
    connect(m_sender.get(), &NoticeSender::failed, this, &IncidentWatch::failed);
}

IncidentWatch::~IncidentWatch()
{
    qDeleteAll(std::exchange(m_observers, {}));
}

void IncidentWatch::add(ServerWatch* watch)
{
    m_observers << new Observer(*this, watch);
    m_togetherIsFresh = {};
}

void IncidentWatch::end(const ServerWatch* watch, const QString& why)
{
    const QString server = causeServer(watch->place());
    const auto other = std::ranges::find_if(m_observers, [&](const Observer* each) {
        return each->watch() && each->watch() != watch && causeServer(each->watch()->place()) == server;
    });
    const bool isWatched = other != m_observers.end();
    for (Observer* const observer : m_observers)
        if (observer->watch() == watch)
            observer->end(why, isWatched);
    if (isWatched)
        (*other)->takeOver();
}

const SeenTogether& IncidentWatch::together()
{
    if (!m_togetherIsFresh.hasExpired())
        return m_together;
    std::vector<const ServerWatch*> watches;
    for (const Observer* const observer : std::as_const(m_observers))
        watches.push_back(observer->watch());
    m_together = seenTogether(seenServers(watches));
    m_togetherIsFresh.setRemainingTime(togetherEvery);
    return m_together;
}

QList<alert::PendingAlert> IncidentWatch::pending() const
{
    QList<alert::PendingAlert> all;
    for (const Observer* const observer : m_observers)
        all << observer->pending();
    std::ranges::sort(all, {}, &alert::PendingAlert::left);
    return all;
}

bool IncidentWatch::waitUntilSent(milliseconds atMost)
{
    const QDeadlineTimer deadline(atMost);
    for (Observer* const observer : m_observers)
        observer->drain(milliseconds(deadline.remainingTime()));
    return m_sender->waitUntilSent(milliseconds(deadline.remainingTime()));
}

void IncidentWatch::take(const IncidentKeeper::Outcome& outcome)
{
    if (outcome.channels != m_channels) {
        m_channels = outcome.channels;
        m_sender->setChannels(m_channels);
    }
    if (outcome.isQueued)
        m_sender->wake();
    const auto before = error();
    m_storeError = outcome.storeError;
    m_rulesError = outcome.rulesError;
    if (error() != before)
        Q_EMIT errorChanged();
    if (!outcome.notices.isEmpty())
        Q_EMIT notified(outcome.notices);
}

} // namespace lockscope::watch
