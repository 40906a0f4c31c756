// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/postgres/HistoryUpload.h"

#include "core/base/Backoff.h"
#include "core/base/Mutex.h"
#include "core/base/OwnClock.h"
#include "core/record/postgres/HistorySender.h"

#include <algorithm>

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
    bool isWanted() const { return wanted != done; }

    HistorySender sender; // of the thread that has set isBusy
    bool isBusy = false;
    Clock::time_point due{};
    Backoff backoff{pause};
    UploadState state;
    int wanted = 0; // grows with each check()
    int done = 0; // of those, when a check that began later has ended
};

struct HistoryConnections::Shared {
    using File = HistoryUpload::File;

    explicit Shared(db::Server history)
        : server(std::move(history))
    {
    }
    void serve(const std::stop_token& stop);
    std::shared_ptr<File> next() const LOCKSCOPE_REQUIRES(mutex);
    void step(File& file, HistoryLink& link, const std::stop_token& stop) LOCKSCOPE_REQUIRES(mutex);
    void note(File& file, const Result<HistorySender::Step>& step) LOCKSCOPE_REQUIRES(mutex);
    void noteAway(File& file) const LOCKSCOPE_REQUIRES(mutex);
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
    std::optional<Error> away LOCKSCOPE_GUARDED_BY(mutex); ///< why the history can't be used at present
    Clock::time_point awayUntil LOCKSCOPE_GUARDED_BY(mutex){}; ///< then it is tried again
    Backoff backoff LOCKSCOPE_GUARDED_BY(mutex){pause};
};

void HistoryConnections::Shared::serve(const std::stop_token& stop)
{
    HistoryLink link(server, access);
    const MutexLock lock(mutex);
    while (!stop.stop_requested()) {
        const auto file = next();
        const auto now = Clock::now();
        if (file && (file->isWanted() || file->due <= now)) {
            step(*file, link, stop);
            continue;
        }
        changed.waitUntil(mutex, stop, file ? file->due : now + pause,
            [this, seen = changes]() LOCKSCOPE_REQUIRES(mutex) { return changes != seen; });
    }
}

/// The one that has waited longest.
std::shared_ptr<HistoryUpload::File> HistoryConnections::Shared::next() const
{
    std::shared_ptr<File> found;
    for (const auto& file : files) {
        if (file->isBusy)
            continue;
        const bool isBefore =
            !found || (file->isWanted() != found->isWanted() ? file->isWanted() : file->due < found->due);
        if (isBefore)
            found = file;
    }
    return found;
}

void HistoryConnections::Shared::step(File& file, HistoryLink& link, const std::stop_token& stop)
{
    const int seen = file.wanted;
    const bool isTried = !away || file.isWanted() || Clock::now() >= awayUntil;
    if (away && isTried)
        awayUntil = Clock::now() + pause; // the others wait for what comes of it
    file.isBusy = true;
    mutex.unlock();
    const auto step = isTried ? file.sender.sendNext(link, stop) : Failure(Error());
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
    if (file.state.isFileThere) { // else nobody was asked
        if (away = link.failure(); away) {
            awayUntil = away->kind == ErrorKind::Login
                ? Clock::time_point::max() // some servers lock accounts
                : Clock::now() + backoff.next();
            for (const auto& each : files)
                noteAway(*each);
        } else
            backoff.reset();
    }
    note(file, step);
    if (step && step->hasMore)
        return;
    file.done = seen;
    changed.notifyAll();
}

void HistoryConnections::Shared::note(File& file, const Result<HistorySender::Step>& step)
{
    UploadState& state = file.state;
    const bool isNothingThere = !step && !state.isFileThere;
    state.error = step ? std::nullopt : std::optional(step.error());
    state.isAway = !step && away;
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
    if (step->frames > 0)
        state.lastSent = ownClock();
    if (step->hasMore)
        file.due = Clock::now(); // behind those that wait
}

/// Takes what another one has found out.
void HistoryConnections::Shared::noteAway(File& file) const
{
    file.state.error = away;
    file.state.isAway = away.has_value();
    file.state.isUpToDate = file.state.isUpToDate && !away;
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
    for (const auto& file : m_shared->files)
        file->due = {};
    m_shared->wake();
}

void HistoryConnections::serveMore()
{
    const MutexLock lock(m_shared->mutex);
    m_shared->wake();
    const size_t wanted = (m_shared->files.size() + filesPerConnection - 1) / filesPerConnection;
    while (m_threads.size() < std::min(wanted, maxConnections))
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
    ++m_file->wanted;
    m_history->m_shared->wake();
}

bool HistoryUpload::isAllThere() const
{
    const MutexLock lock(m_history->m_shared->mutex);
    return !m_file->isWanted() && m_file->state.isUpToDate;
}

bool HistoryUpload::finish(milliseconds atMost)
{
    HistoryConnections::Shared& shared = *m_history->m_shared;
    const MutexLock lock(shared.mutex);
    const int mine = ++m_file->wanted;
    shared.wake();
    shared.changed.waitFor(shared.mutex, atMost,
        [this, mine]() LOCKSCOPE_REQUIRES(shared.mutex) { return m_file->done >= mine; });
    return m_file->done >= mine && m_file->state.isUpToDate;
}

} // namespace lockscope::record
