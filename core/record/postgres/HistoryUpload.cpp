// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/postgres/HistoryUpload.h"

#include "core/base/Backoff.h"
#include "core/base/Mutex.h"
#include "core/record/postgres/HistorySender.h"

#include <algorithm>
#include <utility>

namespace lockscope::record {

namespace {

using Clock = std::chrono::steady_clock;

constexpr milliseconds pause{1'000};
constexpr size_t filesPerConnection = 25;
constexpr size_t maxConnections = 4;

} // namespace

/// All but the sender is guarded by the mutex of the connections.
struct HistoryUpload::File {
    explicit File(QString path)
        : sender(std::move(path))
    {
    }
    /// A person asks for it, which goes before the pauses.
    bool isPending() const { return requestedRounds != done; }

    HistorySender sender; // of the thread that has set isBusy
    bool isBusy = false;
    bool wasUnreadable = false; // at the last step
    Clock::time_point due{};
    Backoff backoff{pause};
    UploadState state;
    int requestedRounds = 0; // grows with each check()
    int done = 0; // of those, when a check that began later has ended
};

/// Belongs to one thread. All but the link is guarded by the mutex of the connections.
struct HistoryConnections::Connection {
    HistoryLink link;
    bool works = false; // the last step by it reached the history
    Clock::time_point due{}; // then it is opened again, if others work
    Backoff backoff{pause};
};

struct HistoryConnections::Shared {
    using File = HistoryUpload::File;

    explicit Shared(db::Server history)
        : server(std::move(history))
    {
    }
    void serve(const std::stop_token& stop);
    void serveOnce(Connection& mine, const std::stop_token& stop) LOCKSCOPE_REQUIRES(mutex);
    bool isAnyWorking() const LOCKSCOPE_REQUIRES(mutex);
    void wait(Clock::time_point until, const std::stop_token& stop) LOCKSCOPE_REQUIRES(mutex);
    std::shared_ptr<File> next() const LOCKSCOPE_REQUIRES(mutex);
    void openBesideOthers(Connection& mine) LOCKSCOPE_REQUIRES(mutex);
    void step(File& file, Connection& mine, const std::stop_token& stop) LOCKSCOPE_REQUIRES(mutex);
    void noteLink(Connection& mine) LOCKSCOPE_REQUIRES(mutex);
    void note(File& file, const Result<HistorySender::Step>& step) LOCKSCOPE_REQUIRES(mutex);
    void noteAway(File& file) const LOCKSCOPE_REQUIRES(mutex);
    void noteAwayToAll() const LOCKSCOPE_REQUIRES(mutex);
    void wake() LOCKSCOPE_REQUIRES(mutex)
    {
        ++changes;
        changed.notifyAll();
    }

    const db::Server server;
    const std::shared_ptr<HistoryAccess> access = std::make_shared<HistoryAccess>();
    Mutex mutex;
    ConditionVariable changed;
    quint64 changes LOCKSCOPE_GUARDED_BY(mutex) = 0;
    std::vector<std::shared_ptr<File>> files LOCKSCOPE_GUARDED_BY(mutex);
    std::vector<Connection*> connections LOCKSCOPE_GUARDED_BY(mutex);
    std::optional<Error> away LOCKSCOPE_GUARDED_BY(mutex); ///< why no connection works at present
    Clock::time_point awayUntil LOCKSCOPE_GUARDED_BY(mutex){}; ///< while none works: then one of them tries
    Backoff backoff LOCKSCOPE_GUARDED_BY(mutex){pause};
};

void HistoryConnections::Shared::serve(const std::stop_token& stop)
{
    Connection mine{.link = HistoryLink(server, access)};
    const MutexLock lock(mutex);
    connections.push_back(&mine);
    while (!stop.stop_requested())
        serveOnce(mine, stop);
    std::erase(connections, &mine);
}

void HistoryConnections::Shared::serveOnce(Connection& mine, const std::stop_token& stop)
{
    const auto now = Clock::now();
    if (!mine.works && isAnyWorking())
        return mine.due <= now ? openBesideOthers(mine) : wait(mine.due, stop);
    if (!mine.works && !away && now < awayUntil)
        return wait(awayUntil, stop); // another one is finding out
    const auto file = next();
    if (file && (file->isPending() || file->due <= now))
        return step(*file, mine, stop);
    wait(file ? file->due : now + pause, stop);
}

bool HistoryConnections::Shared::isAnyWorking() const
{
    return std::any_of(
        connections.begin(), connections.end(), [](const Connection* each) { return each->works; });
}

/// Waits until then, or until something changes.
void HistoryConnections::Shared::wait(Clock::time_point until, const std::stop_token& stop)
{
    changed.waitUntil(
        mutex, stop, until, [this, seen = changes]() LOCKSCOPE_REQUIRES(mutex) { return changes != seen; });
}

/// The one that has waited longest.
std::shared_ptr<HistoryUpload::File> HistoryConnections::Shared::next() const
{
    std::shared_ptr<File> found;
    for (const auto& file : files) {
        if (file->isBusy)
            continue;
        const bool isBefore =
            !found || (file->isPending() != found->isPending() ? file->isPending() : file->due < found->due);
        if (isBefore)
            found = file;
    }
    return found;
}

/// Keeps no file from those that work: this one may be refused, or wait for long.
void HistoryConnections::Shared::openBesideOthers(Connection& mine)
{
    mutex.unlock();
    static_cast<void>(mine.link.ensureOpen());
    mutex.lock();
    noteLink(mine);
}

void HistoryConnections::Shared::step(File& file, Connection& mine, const std::stop_token& stop)
{
    const int seen = file.requestedRounds;
    const bool isTried = mine.works || file.isPending() || Clock::now() >= awayUntil;
    const auto triedFrom = awayUntil;
    const quint64 usesBefore = mine.link.uses();
    if (!mine.works && isTried)
        awayUntil = Clock::now() + pause; // the others wait for what comes of it
    const auto waitsUntil = awayUntil;
    file.isBusy = true;
    mutex.unlock();
    const auto step = isTried ? file.sender.sendNext(mine.link, stop) : Failure(Error());
    const auto pending = file.sender.pending();
    mutex.lock();
    file.isBusy = false;
    file.state.pending = pending;
    file.state.isFileThere = file.sender.hasFile();
    if (!isTried) {
        file.due = Clock::now() + pause;
        noteAway(file);
        return;
    }
    if (mine.link.uses() == usesBefore) { // nobody was asked
        if (awayUntil == waitsUntil)
            awayUntil = triedFrom;
    } else if (noteLink(mine); !mine.works && !away) {
        file.due = Clock::now(); // another connection does it
        wake();
        return;
    }
    note(file, step);
    if (step && step->hasMore)
        return;
    file.done = seen;
    changed.notifyAll();
}

/// The history can't be reached when none of the connections works.
void HistoryConnections::Shared::noteLink(Connection& mine)
{
    const auto& failure = mine.link.failure();
    const bool wasWorking = std::exchange(mine.works, !failure);
    if (mine.works) {
        mine.backoff.reset();
        backoff.reset();
        if (std::exchange(away, std::nullopt)) {
            noteAwayToAll();
            for (Connection* each : connections)
                each->due = {};
        }
        if (!wasWorking)
            wake();
        return;
    }
    const bool mayTryAgain = failure->kind != ErrorKind::Login; // some servers lock accounts
    mine.due = mayTryAgain ? Clock::now() + mine.backoff.next() : Clock::time_point::max();
    if (isAnyWorking())
        return;
    away = failure;
    awayUntil = mayTryAgain ? Clock::now() + backoff.next() : Clock::time_point::max();
    noteAwayToAll();
    wake();
}

void HistoryConnections::Shared::note(File& file, const Result<HistorySender::Step>& step)
{
    UploadState& state = file.state;
    const bool isNothingThere = !step && !state.isFileThere;
    state.error = step ? std::nullopt : std::optional(step.error());
    state.isAway = !step && away && !isNothingThere;
    // One that can't be opened the first time may just be in the making.
    const bool wasUnreadable = std::exchange(file.wasUnreadable, file.sender.isFileUnreadable());
    state.isUnreadable = file.wasUnreadable && (wasUnreadable || state.isFileThere);
    state.isUpToDate = step && !step->hasMore;
    file.due = Clock::now() + pause;
    if (!step) {
        if (isNothingThere)
            return;
        ++state.failures;
        if (!away)
            file.due = Clock::now() + file.backoff.next();
        return;
    }
    file.backoff.reset();
    state.frames += step->frames;
    state.skipped += step->skipped;
    state.reached = step->reached;
    if (step->hasMore)
        file.due = Clock::now(); // behind those that wait
}

/// Takes what another one has found out.
void HistoryConnections::Shared::noteAway(File& file) const
{
    if (file.state.isUnreadable || (!away && !file.state.isAway))
        return; // that is its own
    file.state.error = away;
    file.state.isAway = away.has_value();
    file.state.isUpToDate = file.state.isUpToDate && !away;
}

void HistoryConnections::Shared::noteAwayToAll() const
{
    for (const auto& each : files)
        noteAway(*each);
}

bool UploadState::isRefused() const
{
    if (!error)
        return false;
    switch (error->kind) {
    case ErrorKind::Login:
    case ErrorKind::Permission:
    case ErrorKind::MissingObject:
    case ErrorKind::Unsupported:
    case ErrorKind::BadInput:
    case ErrorKind::Changed:
    case ErrorKind::ReadOnly:
        return true;
    default:
        return false;
    }
}

HistoryConnections::HistoryConnections(db::Server server)
    : m_shared(std::make_shared<Shared>(std::move(server)))
{
}

const db::Server& HistoryConnections::server() const
{
    return m_shared->server;
}

void HistoryConnections::retry()
{
    m_shared->access->forgive();
    const MutexLock lock(m_shared->mutex);
    m_shared->awayUntil = {};
    m_shared->backoff.reset();
    for (Connection* each : m_shared->connections)
        each->due = {};
    for (const auto& file : m_shared->files)
        file->due = {};
    m_shared->wake();
}

void HistoryConnections::serveMore()
{
    const MutexLock lock(m_shared->mutex);
    m_shared->wake();
    const size_t requestedRounds = (m_shared->files.size() + filesPerConnection - 1) / filesPerConnection;
    while (m_threads.size() < std::min(requestedRounds, maxConnections))
        m_threads.emplace_back([shared = m_shared](const std::stop_token& stop) { shared->serve(stop); });
}

HistoryUpload::HistoryUpload(QString path, std::shared_ptr<HistoryConnections> history)
    : m_history(std::move(history))
    , m_file(std::make_shared<File>(std::move(path)))
{
    {
        const MutexLock lock(m_history->m_shared->mutex);
        m_history->m_shared->files.push_back(m_file);
    }
    m_history->serveMore();
}

HistoryUpload::HistoryUpload(QString path, db::Server server)
    : HistoryUpload(std::move(path), std::make_shared<HistoryConnections>(std::move(server)))
{
}

HistoryUpload::~HistoryUpload()
{
    const MutexLock lock(m_history->m_shared->mutex);
    std::erase(m_history->m_shared->files, m_file);
}

UploadState HistoryUpload::state() const
{
    const MutexLock lock(m_history->m_shared->mutex);
    return m_file->state;
}

void HistoryUpload::check()
{
    const MutexLock lock(m_history->m_shared->mutex);
    ++m_file->requestedRounds;
    m_history->m_shared->wake();
}

bool HistoryUpload::isAllThere() const
{
    const MutexLock lock(m_history->m_shared->mutex);
    return !m_file->isPending() && m_file->state.isUpToDate;
}

bool HistoryUpload::finish(milliseconds atMost)
{
    HistoryConnections::Shared& shared = *m_history->m_shared;
    const MutexLock lock(shared.mutex);
    const int mine = ++m_file->requestedRounds;
    shared.wake();
    shared.changed.waitFor(shared.mutex, atMost,
        [this, mine]() LOCKSCOPE_REQUIRES(shared.mutex) { return m_file->done >= mine; });
    return m_file->done >= mine && m_file->state.isUpToDate;
}

} // namespace lockscope::record
