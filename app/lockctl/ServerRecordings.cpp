// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/ServerRecordings.h"

#include "app/lockctl/Console.h"
#include "app/lockctl/Look.h"
#include "core/base/Backoff.h"
#include "core/base/OwnClock.h"
#include "core/base/SleepFor.h"
#include "core/deadlock/source/DeadlockLooks.h"
#include "core/domain/BlockingGraph.h"
#include "core/monitor/PollPace.h"
#include "core/record/Damage.h"
#include "core/record/Recorder.h"
#include "core/record/RecordingFile.h"
#include "core/record/RecordingWriter.h"
#include "core/record/ServerPlace.h"
#include "core/record/SetAside.h"

#include <QDateTime>
#include <QUuid>

#include <algorithm>
#include <chrono>
#include <utility>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes pruneEvery{1};
constexpr milliseconds longestSlice{50}; // of pruning
/// Looks at records of deadlocks that wait for a look at the locks, which tells the time.
constexpr size_t mostLooksKept = 100;
/// At the end nobody waits longer for the last look at a server's records.
constexpr milliseconds longestLastLook{4'000};

} // namespace

struct ServerRecordings::One {
    int number;
    db::Server server;
    QString name;
    QString path;
    std::unique_ptr<record::RecordingWriter> writer;
    std::unique_ptr<monitor::SnapshotSource> source;
    alert::Incidents incidents;
    Clock::time_point pruned{};
    bool prunes = false; // slice by slice
    bool dropsSetAside = false; // the same
    Result<void> read; // of the last look
    monitor::PollPace pace;
    QString complained;
    std::optional<Error> damage; // of the file: it is to be set aside
    /// What the server itself records of its deadlocks; null where it records none.
    std::unique_ptr<deadlock::DeadlockLooks> deadlocks;
    Mutex mutex;
    ConditionVariable finished;
    std::vector<deadlock::SourceLook> toldOfDeadlocks LOCKSCOPE_GUARDED_BY(mutex); // not written yet
    bool isFinished LOCKSCOPE_GUARDED_BY(mutex) = false; // no more looks at records of deadlocks
    ServerTime seen; // the last look at the locks
    ServerTime seenNoted; // by this machine's clock
    std::jthread deadlockThread;
    std::jthread thread;
};

ServerRecordings::ServerRecordings(const RecordOrder& order)
    : m_order(order)
{
}

ServerRecordings::~ServerRecordings()
{
    join();
}

void ServerRecordings::join()
{
    for (const auto& one : m_all) {
        for (std::jthread* thread : {&one->thread, &one->deadlockThread}) {
            if (thread->joinable())
                thread->join();
        }
    }
}

Result<void> ServerRecordings::add(const db::Server& server, const QString& path)
{
    for (const auto& other : m_all) {
        if (other->path == path)
            return failure(ErrorKind::BadInput, u"%1 is named twice."_s.arg(server.display()));
    }
    auto one = std::make_unique<One>();
    one->number = static_cast<int>(m_all.size());
    one->server = server;
    one->name = server.display();
    one->path = path;
    one->incidents.setSettings(m_order.alerts);
    const MutexLock lock(m_shared.mutex);
    m_shared.states.append({one->name, path});
    m_all.push_back(std::move(one));
    return {};
}

Result<void> ServerRecordings::openOne(One& one)
{
    const record::Identity identity{QUuid::createUuid().toString(QUuid::WithoutBraces), one.name,
        one.server.profile.url.engine, ownClock(), m_order.redact,
        u"lockctl "_s + QStringLiteral(LOCKSCOPE_VERSION), record::serverPlace(one.server.profile.url), {}};
    // In the account's folder files are found by the server's name; another server's that --out names is its
    // owner's.
    if (one.path != record::recordingPath(one.name) && !one.damage) {
        auto opened = record::RecordingWriter::open(one.path, identity);
        if (!opened && !record::isDamage(opened.error()))
            return Failure(opened.error());
        if (opened)
            one.writer = std::move(*opened);
        else
            one.damage = opened.error();
    }
    if (!one.writer) {
        auto begun = record::openOrSetAside(one.path, identity, one.damage);
        if (!begun)
            return Failure(begun.error());
        if (begun->wasDamaged)
            complain(u"%1: %2"_s.arg(one.name, record::setAsideText(begun->setAside)));
        else if (!begun->setAside.isEmpty())
            complain(
                u"%1 was another server before: its recording is %2 now."_s.arg(one.name, begun->setAside));
        one.writer = std::move(begun->writer);
    }
    one.damage.reset();
    if (const QString exposure = record::exposureOf(one.path); !exposure.isEmpty())
        complain(exposure);
    one.pruned = Clock::now();
    return {};
}

Result<void> ServerRecordings::open()
{
    Result<void> first;
    bool isAnyOpen = false;
    for (const auto& one : m_all) {
        const auto opened = openOne(*one);
        if (!opened && first)
            first = opened;
        if (!opened && m_all.size() > 1)
            tell(*one, opened, false);
        isAnyOpen = isAnyOpen || opened;
    }
    return isAnyOpen ? Result<void>() : first;
}

void ServerRecordings::start(const std::stop_token& stop)
{
    for (const auto& one : m_all) {
        if (deadlock::DeadlockLooks::isPossible(one->server.engine()))
            one->deadlocks = std::make_unique<deadlock::DeadlockLooks>(one->server);
        one->thread = std::jthread([this, &one = *one, stop] { work(one, stop); });
    }
}

/// Until the recording ends, on another connection: a look at a log may take longer than one at locks.
void ServerRecordings::lookForDeadlocks(One& one)
{
    one.deadlockThread = std::jthread([&one](const std::stop_token& stop) {
        one.deadlocks->run(stop, [&one](Result<deadlock::SourceLook> look) {
            const MutexLock lock(one.mutex);
            // What can't be read is told by `lockctl deadlocks`; here it would be said again and again.
            if (look && one.toldOfDeadlocks.size() < mostLooksKept)
                one.toldOfDeadlocks.push_back(std::move(*look));
        });
        const MutexLock lock(one.mutex);
        one.isFinished = true;
        one.finished.notifyAll();
    });
}

Result<void> ServerRecordings::addDeadlocks(One& one, const Snapshot& snapshot)
{
    if (!one.deadlocks)
        return {};
    if (!one.deadlockThread.joinable())
        lookForDeadlocks(one); // it answers, so nobody asks a server twice that is not there
    else if (snapshot.waits.size() > 1 && !snapshot.blocking().cycles().empty())
        one.deadlocks->lookSoon();
    one.seen = snapshot.takenAt;
    one.seenNoted = ownClock();
    return writeDeadlocks(one, one.seen);
}

/// What happened since the last look at the server's records.
Result<void> ServerRecordings::addLastDeadlocks(One& one)
{
    if (!one.deadlockThread.joinable() || !one.writer || !one.read)
        return {};
    one.deadlocks->finish();
    {
        const MutexLock lock(one.mutex);
        one.finished.waitFor(
            one.mutex, longestLastLook, [&one]() LOCKSCOPE_REQUIRES(one.mutex) { return one.isFinished; });
    }
    return writeDeadlocks(one, one.seen + (ownClock() - one.seenNoted));
}

Result<void> ServerRecordings::writeDeadlocks(One& one, ServerTime now)
{
    std::vector<deadlock::SourceLook> looks;
    {
        const MutexLock lock(one.mutex);
        looks.swap(one.toldOfDeadlocks);
    }
    for (const deadlock::SourceLook& look : looks) {
        if (auto added =
                one.writer->add(one.incidents.note(look, now, now - m_order.retention.age), ownClock());
            !added)
            return added;
    }
    return {};
}

/// What can't be read or written, once and not at each look.
void ServerRecordings::tell(One& one, const Result<void>& done, bool wrote)
{
    QString trouble;
    if (!one.read || !done) {
        Error error = one.read ? done.error() : one.read.error();
        if (error.server.isEmpty())
            error.server = one.name;
        trouble = errorText(error);
    }
    if (trouble != one.complained && !trouble.isEmpty())
        complain(trouble);
    const MutexLock lock(m_shared.mutex);
    RecordState& state = m_shared.states[one.number];
    m_shared.isNews = m_shared.isNews || state.trouble != trouble || (wrote && state.writes == 0);
    state.trouble = trouble;
    state.isOpen = one.writer != nullptr;
    state.moments = one.writer ? one.writer->framesWritten() : 0;
    state.writes += wrote ? 1 : 0;
    one.complained = trouble;
    if (m_shared.isNews)
        m_shared.changed.notifyAll();
}

void ServerRecordings::noteAsking(const One& one, std::optional<Clock::time_point> since)
{
    const MutexLock lock(m_shared.mutex);
    m_shared.states[one.number].asking = since;
}

/// What could not be written; one.read: what could not be read.
Result<void> ServerRecordings::look(One& one, const std::stop_token& stop)
{
    const auto began = Clock::now();
    noteAsking(one, began);
    const auto snapshot = one.source->take(stop);
    noteAsking(one, std::nullopt);
    const record::PollTiming timing = record::timingOf(m_order.interval, began);
    if (stop.stop_requested())
        return {};
    if (snapshot)
        one.pace.note(
            Clock::now() - began - one.source->connectingTook(), monitor::isSomebodyWaiting(**snapshot));
    one.read = snapshot ? Result<void>() : Failure(snapshot.error());
    if (auto written = snapshot
            ? one.writer->append(*snapshot, ownClock(), timing, one.source->surroundings())
            : one.writer->appendFailure(snapshot.error(), ownClock());
        !written)
        return written;
    const alert::Incidents::News news =
        snapshot ? one.incidents.advance(**snapshot) : alert::Incidents::News();
    if (auto added = one.writer->add(news, ownClock()); !added)
        return added;
    if (auto added = snapshot ? addDeadlocks(one, **snapshot) : Result<void>(); !added)
        return added;
    if (Clock::now() - one.pruned < pruneEvery)
        return {};
    one.pruned = Clock::now();
    one.prunes = true;
    // What --out names is its owner's, and nothing was set aside there.
    one.dropsSetAside = one.path == record::recordingPath(one.name);
    return {};
}

/// In slices, between two polls; the rest after the next one.
Result<void> ServerRecordings::pruneUntil(
    One& one, Clock::time_point until, const std::stop_token& stop) const
{
    const auto isTime = [&] { return Clock::now() + longestSlice < until && !stop.stop_requested(); };
    while (one.dropsSetAside && isTime())
        one.dropsSetAside =
            record::dropSetAside(one.path, m_order.retention, QDateTime::currentDateTimeUtc());
    while (one.prunes && one.writer && isTime()) {
        const auto hasMore = one.writer->pruneSome(m_order.retention);
        one.prunes = hasMore.value_or(false);
        if (!hasMore)
            return Failure(hasMore.error());
    }
    return {};
}

/// Another file is begun at once if that is why nothing could be written, and told of; what was to be written
/// is in neither. Else what it is given.
Result<void> ServerRecordings::noteDamage(One& one, const Result<void>& failed)
{
    const bool isForeign =
        record::isOfAnotherServer(failed.error()) && one.path == record::recordingPath(one.name);
    if (!one.writer || !(isForeign || record::isDamage(failed.error())))
        return failed;
    one.damage = failed.error();
    one.writer.reset();
    return openOne(one);
}

void ServerRecordings::work(One& one, const std::stop_token& stop)
{
    Backoff backoff(m_order.interval, longestFailurePause);
    one.source = monitor::makeSnapshotSource(one.server, m_order.probes);
    const auto began = Clock::now();
    // Not all at the same moment.
    sleepFor(m_order.interval * one.number / static_cast<int>(m_all.size()), stop);
    while (!stop.stop_requested()) {
        const auto looked = Clock::now();
        Result<void> done = one.writer ? Result<void>() : openOne(one);
        if (done)
            done = look(one, stop);
        if (stop.stop_requested())
            break;
        if (!done)
            done = noteDamage(one, done);
        if (one.writer) {
            if (const QString news = one.writer->takeNews(); !news.isEmpty())
                complain(news);
        }
        tell(one, done, done.has_value());
        const bool isFine = one.writer && one.read;
        if (isFine)
            backoff.reset();
        const bool isSlow = !one.read && one.read.error().kind == ErrorKind::Timeout;
        const milliseconds later = isFine ? milliseconds(0) : backoff.next();
        const milliseconds pause = isFine
            ? one.pace.pause(m_order.interval)
            : std::max(m_order.interval, isSlow ? one.pace.bounded(later) : later);
        const auto end = m_order.length ? began + *m_order.length : Clock::time_point::max();
        const auto next = std::min(looked + pause, end);
        if (const auto pruned = pruneUntil(one, next, stop); !pruned)
            tell(one, noteDamage(one, pruned), false);
        sleepFor(next - Clock::now(), stop);
        if (Clock::now() >= end)
            break;
    }
    const Result<void> added = addLastDeadlocks(one);
    one.deadlockThread.request_stop();
    if (one.writer) {
        auto ended = one.writer->end(u"stopped"_s);
        if (!added && ended)
            ended = added;
        if (!ended) {
            one.read = {};
            tell(one, ended, false);
        }
    }
    const MutexLock lock(m_shared.mutex);
    m_shared.states[one.number].hasEnded = true;
    m_shared.isNews = true;
    m_shared.changed.notifyAll();
}

QList<RecordState> ServerRecordings::states(milliseconds atMost)
{
    const MutexLock lock(m_shared.mutex);
    m_shared.changed.waitFor(
        m_shared.mutex, atMost, [this]() LOCKSCOPE_REQUIRES(m_shared.mutex) { return m_shared.isNews; });
    m_shared.isNews = false;
    return m_shared.states;
}

QList<RecordState> ServerRecordings::states() const
{
    const MutexLock lock(m_shared.mutex);
    return m_shared.states;
}

} // namespace lockscope::ctl
