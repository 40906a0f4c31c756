// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/source/DeadlockPoller.h"

#include "core/base/Mutex.h"
#include "core/base/PostToThread.h"
#include "core/db/LiveConnection.h"
#include "core/deadlock/source/DeadlockSource.h"
#include "core/deadlock/source/PostgresDeadlockSource.h"
#include "core/deadlock/source/SqlServerDeadlockSource.h"

#include <QPointer>

#include <algorithm>
#include <array>
#include <utility>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

constexpr milliseconds minCadence{1'000};
constexpr milliseconds maxCadence{3'600'000};
constexpr milliseconds firstFailurePause{1'000};
constexpr milliseconds maxFailurePause{300'000};
/// A server checks for a deadlock when somebody has waited for a while (PostgreSQL: a second; SQL Server: up
/// to five), then writes it down.
constexpr std::array afterSeen{milliseconds(1'500), milliseconds(6'000)};
constexpr milliseconds rereadPause{1'000}; ///< when something was left to read
constexpr int shareOfTime = 20; ///< a poll fills no more than this part
constexpr int shareWhenEarly = 4; ///< one that comes before its time, no more than this
/// The number of early polls for deadlocks that were counted and are not yet recorded; then at the usual
/// pace.
constexpr int maxEarlyPolls = 3;

template <class Source>
std::unique_ptr<DeadlockSource> newSource(db::Connection& connection, std::optional<ServerTime> since)
{
    return std::make_unique<Source>(connection, since);
}

constexpr PerEngine<decltype(&newSource<PostgresDeadlockSource>)> deadlockSources{
    .postgres = newSource<PostgresDeadlockSource>,
    .sqlServer = newSource<SqlServerDeadlockSource>,
    .sqlite = nullptr};

/// A poll that read so much did not come to the end.
constexpr qint64 muchRead = 1 << 20;

/// The newest reports, as far as there is space for them.
class Kept {
public:
    explicit Kept(const AllBounds& bounds)
        : m_bounds(bounds)
    {
    }
    void add(const QList<ReportPtr>& reports)
    {
        for (const ReportPtr& report : reports) {
            m_reports << report;
            m_text += report->raw.size();
        }
        qsizetype drop = 0;
        while (m_reports.size() - drop > m_bounds.reports
            || (m_text > m_bounds.text && m_reports.size() - drop > 1))
            m_text -= m_reports[drop++]->raw.size();
        m_reports.remove(0, drop);
        m_dropped += drop;
    }
    const QList<ReportPtr>& reports() const { return m_reports; }
    qsizetype dropped() const { return m_dropped; }

private:
    const AllBounds& m_bounds;
    QList<ReportPtr> m_reports;
    qint64 m_text = 0;
    qsizetype m_dropped = 0;
};

QString endText(const SourcePoll& poll, const AllBounds& bounds)
{
    return poll.bytesRead >= bounds.bytes
        ? u"Reading ended after %1 MB: what the records hold after that was not read. A later beginning (--since) makes it less."_s
              .arg(poll.bytesRead >> 20)
        : u"A report at the end of the records was still being written, and was not read."_s;
}

} // namespace

bool DeadlockPoller::isPossible(Engine engine)
{
    return deadlockSources[engine] != nullptr;
}

std::unique_ptr<DeadlockSource> DeadlockPoller::makeSource(
    db::Connection& connection, std::optional<ServerTime> since)
{
    return isPossible(connection.engine()) ? deadlockSources[connection.engine()](connection, since)
                                           : nullptr;
}

DeadlockPoller::DeadlockPoller(db::Server server, std::optional<ServerTime> since)
    : m_server(std::move(server))
    , m_since(since)
{
}

DeadlockPoller::Clock::time_point DeadlockPoller::due() const
{
    if (m_isAsked)
        return Clock::time_point::min();
    if (m_isPaused || m_needsPerson)
        return Clock::time_point::max();
    if (m_isFirst)
        return Clock::time_point::min();
    const Clock::duration pause = m_failurePause
        ? Clock::duration(*m_failurePause)
        : std::max<Clock::duration>(m_cadence, shareOfTime * m_lastDuration);
    Clock::time_point next = m_lastEnd + pause;
    // While it fails, nothing is gained by asking sooner.
    if (!m_failurePause)
        for (const Clock::time_point each : m_early)
            next = std::min(next, std::max(each, m_lastEnd + (shareWhenEarly - 1) * m_lastDuration));
    return next;
}

void DeadlockPoller::nudge()
{
    m_isNudged = true;
    m_wake.notifyAll();
}

bool DeadlockPoller::waitUntilDue(const std::stop_token& stop)
{
    while (!stop.stop_requested() && due() > Clock::now()) {
        const auto until = std::min(due(), Clock::now() + std::chrono::hours(1));
        m_wake.waitUntil(m_mutex, stop, until,
            [this]() LOCKSCOPE_REQUIRES(m_mutex) { return std::exchange(m_isNudged, false); });
    }
    return !stop.stop_requested();
}

/// Poll, report, then wait, so that polls never pile up.
void DeadlockPoller::run(const std::stop_token& stop, const ResultHandler& tell)
{
    // Made, used and ended on this thread.
    db::ConnectOptions options;
    options.purpose = db::Purpose::Monitor;
    options.programSuffix = u"deadlocks"_s;
    db::LiveConnection connection(m_server, options);
    std::unique_ptr<DeadlockSource> source;
    Backoff backoff(firstFailurePause, maxFailurePause);
    const auto poll = [&](bool byPerson) -> Result<SourcePoll> {
        LOCKSCOPE_TRY_GET(const auto opened, byPerson ? connection.tryNow() : connection.ensureOpen());
        if (opened && source)
            source->replaceConnection(*connection);
        if (!source)
            source = makeSource(*connection, m_since);
        if (!source)
            return failure(ErrorKind::Unsupported, u"This server keeps no records of deadlocks."_s);
        auto brought = source->poll(stop);
        if (!brought)
            connection.noteFailure(brought.error());
        return brought;
    };
    const MutexLock lock(m_mutex);
    while (waitUntilDue(stop)) {
        const bool isLast = m_isFinishing;
        if (isLast && m_failurePause)
            break;
        const bool byPerson = std::exchange(m_isAsked, false);
        m_isFirst = false;
        std::erase_if(m_early, [](Clock::time_point each) { return each <= Clock::now(); });
        m_mutex.unlock();
        const auto began = Clock::now();
        const bool wasOpen = connection.isOpen();
        Result<SourcePoll> brought = poll(byPerson);
        const auto duration = wasOpen ? Clock::now() - began : Clock::duration::zero();
        m_mutex.lock();
        m_lastDuration = duration;
        m_lastEnd = Clock::now();
        if (stop.stop_requested())
            break;
        note(brought, backoff);
        m_mutex.unlock();
        tell(std::move(brought));
        m_mutex.lock();
        if (isLast && m_earlyPolls == 0)
            break; // else something is there that is not whole yet
    }
}

void DeadlockPoller::note(const Result<SourcePoll>& poll, Backoff& backoff)
{
    if (poll) {
        backoff.reset();
        m_failurePause.reset();
        m_needsPerson = false;
        const qint64 counted = poll->counted.value_or(0);
        // A counter may come some seconds behind the records, and records behind it.
        const bool isMissing = counted > m_countedBefore && counted > poll->captured;
        m_countedBefore = counted;
        m_earlyPolls = isMissing || poll->isMoreToRead ? m_earlyPolls + 1 : 0;
        if (poll->isMoreToRead || (isMissing && m_earlyPolls <= maxEarlyPolls))
            pollAgainAfter(rereadPause);
        return;
    }
    m_failurePause = std::max(std::min(m_cadence, maxFailurePause), backoff.next());
    // An unsupported server will not change by itself.
    m_needsPerson = poll.error().kind == ErrorKind::Login || poll.error().kind == ErrorKind::Unsupported;
}

void DeadlockPoller::setCadence(milliseconds cadence)
{
    const MutexLock lock(m_mutex);
    m_cadence = std::clamp(cadence, minCadence, maxCadence);
    nudge();
}

void DeadlockPoller::setPaused(bool paused)
{
    const MutexLock lock(m_mutex);
    m_isPaused = paused;
    nudge();
}

void DeadlockPoller::pollSoon()
{
    const MutexLock lock(m_mutex);
    // A monitor may see the same one in each poll.
    if (m_isPaused || m_early.size() >= afterSeen.size())
        return;
    for (const milliseconds after : afterSeen)
        pollAgainAfter(after);
    nudge();
}

void DeadlockPoller::pollNow()
{
    const MutexLock lock(m_mutex);
    m_isAsked = true;
    nudge();
}

void DeadlockPoller::finish()
{
    const MutexLock lock(m_mutex);
    m_isFinishing = true;
    m_isAsked = true;
    nudge();
}

Result<AllPolled> pollAll(const std::function<Result<SourcePoll>(const std::stop_token&)>& poll,
    const std::stop_token& stop, const AllBounds& bounds)
{
    AllPolled all;
    Kept kept(bounds);
    for (int pauses = 0;;) {
        LOCKSCOPE_TRY_GET(auto brought, poll(stop));
        const bool isBehind = brought.bytesRead >= muchRead;
        kept.add(brought.reports);
        brought.reports.clear();
        brought.bytesRead += all.poll.bytesRead;
        brought.serverTime += all.poll.serverTime;
        brought.clientTime += all.poll.clientTime;
        brought.roundTrips += all.poll.roundTrips;
        all.poll = std::move(brought);
        all.isComplete = !all.poll.isMoreToRead;
        // While the records grow, their end moves.
        if (all.isComplete || all.poll.bytesRead >= bounds.bytes || (!isBehind && ++pauses > bounds.pauses))
            break;
        if (!isBehind && !sleepFor(bounds.pause, stop))
            return failure(ErrorKind::Cancelled, u"The reading was ended."_s);
    }
    all.poll.reports = kept.reports();
    all.dropped = kept.dropped();
    if (!all.isComplete)
        all.poll.limits << endText(all.poll, bounds);
    if (all.dropped > 0)
        all.poll.limits << u"%1 older reports were left out: no more than the newest %2 are kept."_s.arg(
            QString::number(all.dropped), QString::number(all.poll.reports.size()));
    return all;
}

/// The data that the thread and the owner exchange; what changes, under the mutex.
struct DeadlockWatch::Shared {
    Shared(DeadlockWatch* theOwner, db::Server server, std::optional<ServerTime> since)
        : polls(std::move(server), since)
        , owner(theOwner)
    {
    }
    DeadlockPoller polls;

    Mutex mutex;
    DeadlockWatch* owner LOCKSCOPE_GUARDED_BY(mutex); ///< null once it is gone
    std::vector<Result<SourcePoll>> answers LOCKSCOPE_GUARDED_BY(mutex); ///< not taken over yet

    ConditionVariable ended;
    bool hasEnded LOCKSCOPE_GUARDED_BY(mutex) = false;

    void keep(Result<SourcePoll> poll)
    {
        const MutexLock lock(mutex);
        answers.push_back(std::move(poll));
        if (owner && answers.size() == 1)
            postTo(owner, [to = owner] { to->takeOver(); });
    }
};

DeadlockWatch::DeadlockWatch(db::Server server, std::optional<ServerTime> since, QObject* parent)
    : QObject(parent)
    , m_shared(std::make_shared<Shared>(this, std::move(server), since))
{
}

DeadlockWatch::~DeadlockWatch()
{
    const MutexLock lock(m_shared->mutex);
    m_shared->owner = nullptr;
}

void DeadlockWatch::start()
{
    if (m_thread.isRunning() || !DeadlockPoller::isPossible(m_shared->polls.engine()))
        return;
    m_thread = BackgroundThread([shared = m_shared](const std::stop_token& stop) {
        shared->polls.run(stop, [&shared](Result<SourcePoll> poll) { shared->keep(std::move(poll)); });
        const MutexLock lock(shared->mutex);
        shared->hasEnded = true;
        shared->ended.notifyAll();
    });
}

DeadlockPoller& DeadlockWatch::polls()
{
    return m_shared->polls;
}

bool DeadlockWatch::waitForEnd(milliseconds atMost)
{
    bool hasEnded = false;
    {
        const MutexLock lock(m_shared->mutex);
        hasEnded = m_shared->ended.waitFor(m_shared->mutex, atMost,
            [this]() LOCKSCOPE_REQUIRES(m_shared->mutex) { return m_shared->hasEnded; });
    }
    takeOver();
    return hasEnded;
}

void DeadlockWatch::takeOver()
{
    std::vector<Result<SourcePoll>> answers;
    {
        const MutexLock lock(m_shared->mutex);
        answers.swap(m_shared->answers);
    }
    const QPointer<DeadlockWatch> self(this);
    for (const Result<SourcePoll>& answer : answers) {
        if (answer) {
            ++m_cost.polls;
            m_cost.bytes += answer->bytesRead;
            m_cost.roundTrips += answer->roundTrips;
            m_cost.lastServer = answer->serverTime;
            m_cost.lastClient = answer->clientTime;
            m_cost.server += answer->serverTime;
            m_cost.client += answer->clientTime;
        } else {
            ++m_cost.failures;
        }
        m_latest = answer;
        Q_EMIT polled(answer);
        if (!self)
            return;
    }
}

void DeadlockCounter::take(const QList<Value>& values)
{
    for (const Value& value : values) {
        const auto last = m_last.constFind(value.key);
        if (last == m_last.cend()) {
            if (m_isKnown)
                m_counted += value.total;
        } else if (value.total < last->total || value.resetAt != last->resetAt) {
            m_counted += value.total;
            m_resets[value.key] = value.resetAt && value.resetAt != last->resetAt
                ? u"The counter of %1 was reset at %2: there may have been more than were counted."_s.arg(
                    value.name, value.resetAt->toIsoString())
                : u"The counter of %1 fell back, by a reset or a recovery: there may have been more than were counted."_s
                      .arg(value.name);
        } else {
            m_counted += value.total - last->total;
        }
        m_last[value.key] = value;
    }
    m_isKnown = true;
}

QStringList DeadlockCounter::resets() const
{
    QStringList all = m_resets.values();
    all.sort();
    return all;
}

} // namespace lockscope::deadlock
