// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/ServerWatch.h"

#include "core/base/ServerTime.h"
#include "core/domain/BlockingGraph.h"
#include "core/record/Recording.h"

#include <QUuid>

#include <chrono>
#include <utility>

namespace lockscope::watch {

using namespace Qt::StringLiterals;

using monitor::Health;

namespace {

using Clock = std::chrono::steady_clock;

/// At the end nobody waits longer for the last reading of the servers' records of deadlocks,
constexpr milliseconds maxLastPoll{4'000};
/// nor for a disk.
constexpr milliseconds maxWriting{5'000};

std::shared_ptr<record::Recorder> recorderOf(
    record::Identity identity, const std::optional<RecordOptions>& options)
{
    if (!options)
        return nullptr;
    const QString ownPath = record::recordingPath(identity.place);
    record::RecorderSettings settings = options->settings;
    settings.isOwnFile = options->path.isEmpty() || options->path == ownPath;
    identity.id = QUuid::createUuid().toString(QUuid::WithoutBraces);
    identity.began = ownClock();
    identity.redacted = options->redacts;
    identity.program = options->program + u' ' + QStringLiteral(LOCKSCOPE_VERSION);
    return std::make_shared<record::Recorder>(
        options->path.isEmpty() ? ownPath : options->path, identity, settings);
}

record::Identity identityAt(const QString& place, const db::ServerProfile& profile)
{
    return {.server = profile.display(), .engine = profile.url.engine, .place = place};
}

milliseconds until(Clock::time_point end)
{
    return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(end - Clock::now()));
}

} // namespace

record::Identity identityOf(const db::ServerProfile& profile)
{
    return identityAt(record::serverPlace(profile.url), profile);
}

ServerWatch::ServerWatch(const db::Server& server, const WatchOptions& options, QObject* parent)
    : ServerWatch(
        server.profile,
        [server, reading = options.lockReading](const monitor::ProbeSelection& probes) {
            auto source = monitor::makeSnapshotSource(server, probes);
            source->setLockReading(reading);
            return Result<std::unique_ptr<monitor::SnapshotSource>>(std::move(source));
        },
        options, parent)
{
    m_server = server;
}

ServerWatch::ServerWatch(const db::ServerProfile& profile, monitor::ServerMonitor::SourceFactory source,
    const WatchOptions& options, QObject* parent)
    : QObject(parent)
    , m_profile(profile)
    , m_options(options)
    , m_identity(options.place.isEmpty() ? identityOf(profile) : identityAt(options.place, profile))
    , m_recorder(recorderOf(m_identity, options.recording))
    , m_monitor(recorded(std::move(source)))
    , m_order(options.keepsOrder ? std::make_shared<order::OrderWatch>() : nullptr)
    , m_history(options.history)
{
    connect(&m_monitor, &monitor::ServerMonitor::snapshotChanged, this, &ServerWatch::takeSnapshot);
    connect(&m_monitor, &monitor::ServerMonitor::healthChanged, this, &ServerWatch::takeHealth);
    m_monitor.setPlaces(options.places);
    m_monitor.setInterval(options.interval);
    m_monitor.setBudget(options.budget);
    m_monitor.setProbes(options.probes);
    tellPace();
}

ServerWatch::~ServerWatch()
{
    if (m_recorder)
        m_recorder->end(); // not when a poll that hangs has released it
}

/// Records the snapshots that the source takes, and the errors that prevent one.
monitor::ServerMonitor::SourceFactory ServerWatch::recorded(
    monitor::ServerMonitor::SourceFactory source) const
{
    if (!m_recorder)
        return source;
    return [source = std::move(source), recorder = m_recorder](monitor::ProbeSelection probes) {
        probes.surroundings = true;
        auto made = source(probes);
        if (!made)
            recorder->note(Failure(made.error()));
        return made
            ? Result<std::unique_ptr<monitor::SnapshotSource>>(record::recorded(std::move(*made), recorder))
            : std::move(made);
    };
}

void ServerWatch::start()
{
    if (!m_pollsEndBy)
        m_monitor.start();
}

void ServerWatch::refreshNow()
{
    m_isAsked = true;
    m_monitor.refreshNow();
}

void ServerWatch::end()
{
    if (m_pollsEndBy)
        return;
    m_pollsEndBy = Clock::now() + maxLastPoll;
    // Nothing new can be read from a server that could not be polled.
    const bool isThere = !m_monitor.lastError() && m_monitor.health() != Health::Silent;
    m_monitor.stop();
    if (m_deadlocks && isThere)
        m_deadlocks->polls().finish();
    else
        m_deadlocks.reset();
}

bool ServerWatch::waitForEnd(milliseconds atMost)
{
    if (!m_writingEndsBy) {
        const bool isLate = Clock::now() >= *m_pollsEndBy;
        if (m_deadlocks && !m_deadlocks->waitForEnd(std::min(atMost, until(*m_pollsEndBy))) && !isLate)
            return false;
        m_writingEndsBy = Clock::now() + maxWriting;
        if (m_recorder)
            m_recorder->end();
    }
    return !m_recorder || m_recorder->waitForEnd(std::min(atMost, until(*m_writingEndsBy)))
        || Clock::now() >= *m_writingEndsBy;
}

void ServerWatch::finish(const std::vector<std::unique_ptr<ServerWatch>>& watches)
{
    for (const auto& watch : watches)
        watch->end();
    for (bool goesOn = true; goesOn;) {
        goesOn = false;
        for (const auto& watch : watches)
            goesOn = !watch->waitForEnd(milliseconds(10)) || goesOn;
    }
}

void ServerWatch::takeHealth()
{
    if (isOld())
        m_history.markGap();
    if (m_deadlocks)
        m_deadlocks->polls().setPaused(m_monitor.isPaused());
    // What comes after a poll that failed follows on nothing.
    if (const auto error = m_monitor.lastError())
        noteOrder(Failure(*error));
    tellPace();
    Q_EMIT healthChanged();
}

void ServerWatch::tellPace()
{
    if (m_recorder)
        m_recorder->setPace({m_monitor.interval(), m_monitor.isPaused()});
}

void ServerWatch::takeSnapshot()
{
    const SnapshotPtr snapshot = m_monitor.snapshot();
    if (!snapshot)
        return;
    m_figures = monitor::figuresOf(*snapshot);
    m_history.append(snapshot->takenAt, m_figures);
    for (const auto& [taken, measures, lockCounts] : m_monitor.measures()) {
        m_history.addMeasures(taken, measures);
        if (const auto counted = monitor::transactionsPerMinute(measures); counted && m_order)
            m_order->noteServerCount(*counted);
    }
    noteOrder(snapshot);
    Q_EMIT snapshotChanged();
    pollDeadlocks(*snapshot);
}

/// Snapshots that come while the thread is at others wait, and are worked out together.
void ServerWatch::noteOrder(const Result<SnapshotPtr>& taken)
{
    if (!m_order || !m_order->put(taken))
        return;
    m_orderWorker.ask(
        this,
        [order = m_order](const std::stop_token&) {
            order->work();
            return true;
        },
        [this](bool) { Q_EMIT orderChanged(); });
}

/// Polls once the server answers, and soon after a ring was seen there. A login that was refused is tried
/// again once, if a person asks and the monitor has read a snapshot since: failures lock an account.
void ServerWatch::pollDeadlocks(const Snapshot& snapshot)
{
    if (!m_server || !m_options.readsDeadlocks || !deadlock::DeadlockPoller::isPossible(m_profile.url.engine))
        return;
    const bool isAsked = std::exchange(m_isAsked, false);
    if (!m_deadlocks) {
        m_deadlocks = std::make_unique<deadlock::DeadlockWatch>(
            *m_server, m_options.deadlocksSince ? m_options.deadlocksSince(snapshot.takenAt) : std::nullopt);
        m_deadlocks->polls().setCadence(m_options.deadlockPause);
        m_deadlocksSince = snapshot.takenAt;
        connect(m_deadlocks.get(), &deadlock::DeadlockWatch::polled, this,
            [this](const Result<deadlock::SourcePoll>& poll) {
                if (poll && m_recorder)
                    m_recorder->noteDeadlocks(*poll);
                Q_EMIT deadlocksPolled();
            });
        m_deadlocks->start();
        return;
    }
    const auto& latest = m_deadlocks->latest();
    if (isAsked && latest && !*latest && latest->error().kind == ErrorKind::Login)
        m_deadlocks->polls().pollNow();
    if (snapshot.waits.size() > 1 && !snapshot.blocking().cycles().empty())
        m_deadlocks->polls().pollSoon();
}

std::function<void(const Error&)> ServerWatch::damageSink() const
{
    if (!m_recorder)
        return {};
    return [recorder = std::weak_ptr(m_recorder)](const Error& damage) {
        if (const auto writing = recorder.lock())
            writing->noteDamage(damage);
    };
}

milliseconds ServerWatch::dataAge() const
{
    if (!m_monitor.snapshot())
        return milliseconds(0);
    return std::chrono::duration_cast<milliseconds>(Clock::now() - m_monitor.lastGood());
}

bool ServerWatch::isOld() const
{
    const Health health = m_monitor.health();
    return health == Health::Failed || health == Health::Silent || health == Health::Paused;
}

} // namespace lockscope::watch
