// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Recorder.h"

#include "core/alert/rules/RuleFile.h"
#include "core/base/Mutex.h"
#include "core/base/ServerTime.h"
#include "core/record/Damage.h"
#include "core/record/Recording.h"
#include "core/record/RecordingFile.h"
#include "core/record/RecordingWriter.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>

#include <atomic>
#include <deque>
#include <functional>
#include <utility>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr size_t maxQueued = 64; // a disk that is further behind is too slow
constexpr size_t maxOthersQueued = 1'000; // events, pins and failures behind them
// Of snapshots, by all recorders of a program: of an agent's hundreds each alone is small. Of each, one is
// always taken.
constexpr size_t maxRowsQueued = 150'000;
constexpr size_t ownRowsQueued = 2'000; // of each recorder, whatever the others have
constexpr std::chrono::minutes pruneEvery{1};
constexpr std::chrono::seconds measureEvery{5};
constexpr std::chrono::seconds openAgainAfter{5};
constexpr std::chrono::seconds predecessorEndsIn{3}; // for a server that is closed and opened again
constexpr std::chrono::milliseconds askPredecessorEvery{100};

std::atomic<size_t> allRows = 0; // that are queued

size_t rowsOf(const Snapshot& snapshot)
{
    return snapshot.requests.size() + snapshot.sessions.size() + snapshot.entries.size()
        + snapshot.entryWaiters.size();
}

} // namespace

struct Recorder::Shared {
    using Clock = std::chrono::steady_clock;

    /// The data of the recorder's thread.
    struct Writing {
        std::unique_ptr<RecordingWriter> writer;
        alert::EventFinder events;
        alert::RuleFollower rules;
        Clock::time_point began = Clock::now();
        Clock::time_point pruned{};
        Retention prunedTo;
        bool prunes = false; // slice by slice
        bool dropsSetAside = false; // the same
        Clock::time_point measured{};
        Clock::time_point failedToOpen{};
        RecordingWriter::RecordedTime recorded;
        std::optional<ServerTime> last;
        ServerTime lastNoted; // by this machine's clock
        qint64 bytes = 0;
        QString setAside; // of another server, or damaged
        bool wasDamaged = false; // what was set aside
        std::optional<Error> damage; // of the file, or that it is another server's: it is to be set aside
        QString news;
        QString exposure;
    };
    struct Job {
        std::function<Result<void>(Writing&)> run;
        size_t rows = 0;
        bool isPoll = false;
    };

    Mutex mutex;
    ConditionVariable changed;
    std::deque<Job> jobs LOCKSCOPE_GUARDED_BY(mutex);
    size_t rows LOCKSCOPE_GUARDED_BY(mutex) = 0; // of the jobs
    RecorderState state LOCKSCOPE_GUARDED_BY(mutex);
    Identity identity LOCKSCOPE_GUARDED_BY(mutex);
    bool reopens LOCKSCOPE_GUARDED_BY(mutex) = false; // before the next job
    bool setsAside LOCKSCOPE_GUARDED_BY(mutex) = false; // before the file is opened again
    std::optional<Error> damage LOCKSCOPE_GUARDED_BY(mutex); // that a reader has met
    bool isDropping LOCKSCOPE_GUARDED_BY(mutex) = false; // snapshots, until the next that is taken
    bool isEnding LOCKSCOPE_GUARDED_BY(mutex) = false;
    bool hasEnded LOCKSCOPE_GUARDED_BY(mutex) = false;
    bool wasOpened LOCKSCOPE_GUARDED_BY(mutex) = false; // or that was tried
    PlannedPace pace LOCKSCOPE_GUARDED_BY(mutex);
    bool wasPaused LOCKSCOPE_GUARDED_BY(mutex) = false; // since the last poll

    ~Shared() { count(-qint64(rows)); }
    void add(std::function<Result<void>(Writing&)> run, size_t rowCount, bool isPoll = false);
    /// Rows come or go.
    void count(qint64 change) LOCKSCOPE_REQUIRES(mutex)
    {
        rows += size_t(change);
        allRows += size_t(change);
    }
    void run(const std::stop_token& stop);
    bool waitForJob(Writing& writing, const std::stop_token& stop) LOCKSCOPE_REQUIRES(mutex);
    static Result<void> write(Writing& writing, const SnapshotPtr& snapshot, ServerTime noted,
        const PollTiming& timing, const monitor::Surroundings& surroundings);
    static Result<void> open(Writing& writing, const RecorderState& recorderState, const Identity& whose);
    static Result<void> doOne(
        Writing& writing, const Job& job, const RecorderState& recorderState, const Identity& whose);
    static Result<void> tryOne(
        Writing& writing, const Job& job, const RecorderState& recorderState, const Identity& whose);
    void close(Writing& writing) LOCKSCOPE_REQUIRES(mutex);
    void tell(const Writing& writing, const Result<void>& done, bool isPoll) LOCKSCOPE_REQUIRES(mutex);
};

void Recorder::Shared::add(std::function<Result<void>(Writing&)> run, size_t rowCount, bool isPoll)
{
    const MutexLock lock(mutex);
    if (!state.settings.on || isEnding)
        return;
    const bool isSnapshot = rowCount > 0;
    if (isSnapshot
        && (jobs.size() >= maxQueued
            || (allRows + rowCount > maxRowsQueued && rows > 0 && rows + rowCount > ownRowsQueued))) {
        ++state.dropped;
        if (!std::exchange(isDropping, true))
            jobs.push_back({[noted = ownClock()](Writing& writing) {
                                return writing.writer->appendGap(
                                    u"The disk was too slow: snapshots were dropped."_s, noted);
                            },
                0});
        return;
    }
    if (!isSnapshot && jobs.size() >= maxQueued + maxOthersQueued)
        return;
    isDropping = isDropping && !isSnapshot;
    jobs.push_back({std::move(run), rowCount, isPoll});
    count(qint64(rowCount));
    changed.notifyAll();
}

Result<void> Recorder::Shared::write(Writing& writing, const SnapshotPtr& snapshot, ServerTime noted,
    const PollTiming& timing, const monitor::Surroundings& surroundings)
{
    LOCKSCOPE_TRY(writing.writer->append(snapshot, noted, timing, surroundings));
    writing.last = snapshot->takenAt;
    writing.lastNoted = noted;
    if (auto rules = writing.rules.changed())
        writing.events.setRules(std::move(*rules));
    const auto found = writing.events.advance(
        snapshot, std::chrono::ceil<milliseconds>(timing.interval), surroundings.measures);
    return writing.writer->add(found, noted);
}

Result<void> Recorder::Shared::open(
    Writing& writing, const RecorderState& recorderState, const Identity& whose)
{
    LOCKSCOPE_TRY_GET(auto begun,
        openOrSetAside(recorderState.path, whose, writing.damage, recorderState.settings.isOwnFile));
    writing.damage.reset();
    if (!begun.setAside.isEmpty()) {
        writing.setAside = begun.setAside;
        writing.wasDamaged = begun.wasDamaged;
    }
    writing.writer = std::move(begun.writer);
    writing.measured = {};
    return {};
}

/// Goes on in another file if this one turns out to be damaged, or to be of the server's predecessor in its
/// place.
Result<void> Recorder::Shared::doOne(
    Writing& writing, const Job& job, const RecorderState& recorderState, const Identity& whose)
{
    auto done = tryOne(writing, job, recorderState, whose);
    const auto givesWay = [&](const Error& error) {
        return isDamage(error) || (recorderState.settings.isOwnFile && isOfAnotherServer(error));
    };
    if (done || !writing.writer || !givesWay(done.error()))
        return done;
    writing.damage = done.error();
    writing.writer.reset();
    return tryOne(writing, job, recorderState, whose);
}

Result<void> Recorder::Shared::tryOne(
    Writing& writing, const Job& job, const RecorderState& recorderState, const Identity& whose)
{
    LOCKSCOPE_TRY(writing.writer ? Result<void>() : open(writing, recorderState, whose));
    LOCKSCOPE_TRY(job.run(writing));
    if (const QString news = writing.writer->takeNews(); !news.isEmpty())
        writing.news = news;
    const Retention& retention = recorderState.settings.retention;
    if (Clock::now() - writing.pruned >= pruneEvery || writing.prunedTo != retention) {
        writing.pruned = Clock::now();
        writing.prunedTo = retention;
        writing.measured = {};
        writing.prunes = true;
        writing.dropsSetAside = recorderState.settings.isOwnFile;
    }
    if (writing.dropsSetAside) {
        writing.dropsSetAside = dropSetAside(recorderState.path, retention, QDateTime::currentDateTimeUtc());
    } else if (writing.prunes) {
        LOCKSCOPE_TRY_GET(writing.prunes, writing.writer->pruneSome(retention));
    }
    if (Clock::now() - writing.measured >= measureEvery) {
        writing.measured = Clock::now();
        writing.bytes =
            QFileInfo(recorderState.path).size() + QFileInfo(recorderState.path + u"-wal"_s).size();
        writing.exposure = exposureOf(recorderState.path);
        LOCKSCOPE_TRY_GET(writing.recorded, writing.writer->recordedTime());
    }
    return {};
}

void Recorder::Shared::tell(const Writing& writing, const Result<void>& done, bool isPoll)
{
    wasOpened = true;
    changed.notifyAll();
    state.isOpen = writing.writer != nullptr;
    state.writes += done && isPoll ? 1 : 0;
    state.error = done ? std::nullopt : std::optional(done.error());
    state.writtenByAnother = !done && isWrittenByAnother(done.error());
    state.isFull = !done && isDiskFull(done.error());
    state.redacted = writing.writer ? writing.writer->isRedacted() : identity.redacted;
    state.bytes = writing.bytes;
    state.first = writing.recorded.first;
    state.gaps = writing.recorded.gaps;
    state.last = writing.last;
    state.setAside = writing.setAside;
    state.wasDamaged = writing.wasDamaged;
    state.news = writing.news;
    state.exposure = writing.exposure;
    if (writing.writer)
        state.frames = writing.writer->framesWritten();
}

/// The recording ends; its file is free.
void Recorder::Shared::close(Writing& writing)
{
    state.isOpen = false;
    mutex.unlock();
    const auto ended = writing.writer ? writing.writer->end(u"stopped"_s) : Result<void>();
    writing.writer.reset();
    mutex.lock();
    if (!ended)
        state.error = ended.error();
}

/// Returns false if there is none; then the recording is closed.
bool Recorder::Shared::waitForJob(Writing& writing, const std::stop_token& stop)
{
    // The next slice of pruning, if there is nothing else to do.
    if (jobs.empty() && (writing.prunes || writing.dropsSetAside) && writing.writer && state.settings.on
        && !reopens && !stop.stop_requested())
        jobs.push_back({[](Writing&) { return Result<void>(); }, 0});
    changed.wait(mutex, stop, [this]() LOCKSCOPE_REQUIRES(mutex) {
        return !jobs.empty() || (state.isOpen && (reopens || !state.settings.on));
    });
    if (jobs.empty()) {
        close(writing);
        if (stop.stop_requested()) {
            hasEnded = true;
            changed.notifyAll();
        }
        reopens = false;
        return false;
    }
    if (std::exchange(reopens, false)) {
        close(writing);
        writing.failedToOpen = {};
    }
    return true;
}

void Recorder::Shared::run(const std::stop_token& stop)
{
    Writing writing;
    const MutexLock lock(mutex);
    writing.rules = alert::RuleFollower(state.settings.rules);
    writing.events = alert::EventFinder(causeServer(identity.place), causeDatabase(identity.place));
    while (!hasEnded) {
        if (!waitForJob(writing, stop))
            continue;
        Job job = std::move(jobs.front());
        jobs.pop_front();
        count(-qint64(job.rows));
        const bool waits = !writing.writer && writing.failedToOpen != Clock::time_point()
            && Clock::now() - writing.failedToOpen < openAgainAfter;
        if (waits)
            continue; // state says why
        const RecorderState recorderState = state;
        const Identity whose = identity;
        const bool aside = std::exchange(setsAside, false);
        const bool closes = damage.has_value();
        if (closes)
            writing.damage = std::exchange(damage, std::nullopt);
        mutex.unlock();
        if (closes)
            writing.writer.reset(); // may take a while
        Result<void> done;
        if (const auto renamed = aside ? record::setAside(recorderState.path) : Result<QString>(QString());
            !renamed)
            done = Failure(renamed.error());
        const bool staysToSetAside = aside && !done;
        if (done)
            done = doOne(writing, job, recorderState, whose);
        mutex.lock();
        if (!done && isWrittenByAnother(done.error()) && Clock::now() - writing.began < predecessorEndsIn) {
            setsAside = setsAside || staysToSetAside;
            count(qint64(job.rows));
            jobs.push_front(std::move(job));
            changed.waitFor(mutex, stop, askPredecessorEvery, [] { return false; });
            continue;
        }
        writing.failedToOpen = writing.writer ? Clock::time_point() : Clock::now();
        tell(writing, done, job.isPoll);
    }
}

Recorder::Recorder(QString path, Identity identity, const RecorderSettings& settings)
    : m_shared(std::make_shared<Shared>())
{
    {
        const MutexLock lock(m_shared->mutex);
        m_shared->state.path = std::move(path);
        m_shared->state.settings = settings;
        m_shared->state.redacted = identity.redacted;
        m_shared->identity = std::move(identity);
    }
    m_thread = BackgroundThread([shared = m_shared](const std::stop_token& stop) { shared->run(stop); });
}

PollTiming timingOf(milliseconds interval, std::chrono::steady_clock::time_point began)
{
    const auto now = std::chrono::steady_clock::now();
    const auto us = [](auto duration) { return std::chrono::duration_cast<microseconds>(duration); };
    return {.interval = interval, .took = us(now - began), .steady = us(now.time_since_epoch())};
}

void Recorder::setPace(const PlannedPace& pace)
{
    const MutexLock lock(m_shared->mutex);
    m_shared->pace = pace;
    m_shared->wasPaused = m_shared->wasPaused || pace.isPaused;
}

void Recorder::note(const Result<SnapshotPtr>& taken,
    std::optional<std::chrono::steady_clock::time_point> began, const monitor::Surroundings& surroundings)
{
    const ServerTime noted = ownClock();
    PollTiming timing;
    if (began) {
        const MutexLock lock(m_shared->mutex);
        timing = timingOf(m_shared->pace.interval, *began);
        timing.wasPaused = std::exchange(m_shared->wasPaused, m_shared->pace.isPaused);
    }
    if (taken)
        m_shared->add(
            [snapshot = *taken, noted, timing, surroundings](Shared::Writing& writing) {
                return Shared::write(writing, snapshot, noted, timing, surroundings);
            },
            rowsOf(**taken) + 1, true);
    else if (taken.error().kind != ErrorKind::Cancelled)
        m_shared->add([error = taken.error(), noted](
                          Shared::Writing& writing) { return writing.writer->appendFailure(error, noted); },
            0, true);
}

void Recorder::add(const Event& event)
{
    m_shared->add(
        [event, noted = ownClock()](Shared::Writing& writing) { return writing.writer->add(event, noted); },
        0);
}

void Recorder::noteDeadlocks(const deadlock::SourcePoll& poll)
{
    m_shared->add(
        [poll, noted = ownClock()](Shared::Writing& writing) {
            // Nobody has asked for the server's clock just now.
            const ServerTime now = writing.last ? *writing.last + (noted - writing.lastNoted) : noted;
            return writing.writer->add(writing.events.note(poll, now, now - writing.prunedTo.age), noted);
        },
        0);
}

void Recorder::setSettings(const RecorderSettings& settings)
{
    const MutexLock lock(m_shared->mutex);
    RecorderState& state = m_shared->state;
    if (settings.on != state.settings.on) {
        state.error.reset();
        state.writtenByAnother = false;
        state.isFull = false;
        state.frames = 0;
        m_shared->reopens = settings.on; // also where opening has just failed
    }
    state.settings = settings;
    m_shared->changed.notifyAll();
}

void Recorder::setRedacts(bool redacts)
{
    const MutexLock lock(m_shared->mutex);
    if (m_shared->identity.redacted == redacts)
        return;
    m_shared->identity.redacted = redacts;
    m_shared->state.redacted = redacts;
    m_shared->state.error.reset();
    m_shared->reopens = true;
    m_shared->changed.notifyAll();
}

void Recorder::beginAgain()
{
    const MutexLock lock(m_shared->mutex);
    m_shared->setsAside = true;
    m_shared->reopens = true;
    m_shared->state.error.reset();
    m_shared->changed.notifyAll();
}

void Recorder::noteDamage(const Error& damage)
{
    const MutexLock lock(m_shared->mutex);
    m_shared->damage = damage;
}

Result<void> Recorder::open()
{
    m_shared->add([](Shared::Writing&) { return Result<void>(); }, 0);
    const MutexLock lock(m_shared->mutex);
    m_shared->changed.wait(m_shared->mutex, [this]() LOCKSCOPE_REQUIRES(m_shared->mutex) {
        return m_shared->wasOpened || m_shared->hasEnded || !m_shared->state.settings.on;
    });
    return m_shared->state.error ? Failure(*m_shared->state.error) : Result<void>();
}

bool Recorder::waitForEnd(milliseconds atMost)
{
    const MutexLock lock(m_shared->mutex);
    return m_shared->changed.waitFor(
        m_shared->mutex, atMost, [this]() LOCKSCOPE_REQUIRES(m_shared->mutex) { return m_shared->hasEnded; });
}

void Recorder::end()
{
    {
        const MutexLock lock(m_shared->mutex);
        m_shared->isEnding = true;
    }
    m_thread = BackgroundThread();
}

RecorderState Recorder::state() const
{
    const MutexLock lock(m_shared->mutex);
    return m_shared->state;
}

namespace {

class RecordedSource final : public monitor::SnapshotSource {
public:
    RecordedSource(std::unique_ptr<monitor::SnapshotSource> source, std::shared_ptr<Recorder> recorder)
        : m_source(std::move(source))
        , m_recorder(std::move(recorder))
    {
    }
    Result<SnapshotPtr> take(std::stop_token stop) override
    {
        const auto began = std::chrono::steady_clock::now();
        auto taken = m_source->take(std::move(stop));
        m_recorder->note(taken, began, m_source->surroundings());
        return taken;
    }
    void setReadsFrameworkRows(bool reads) override { m_source->setReadsFrameworkRows(reads); }
    std::chrono::steady_clock::duration connectingTook() const override { return m_source->connectingTook(); }
    monitor::Surroundings surroundings() const override { return m_source->surroundings(); }
    QStringList viewsRead() const override { return m_source->viewsRead(); }

private:
    std::unique_ptr<monitor::SnapshotSource> m_source;
    std::shared_ptr<Recorder> m_recorder;
};

} // namespace

std::unique_ptr<monitor::SnapshotSource> recorded(
    std::unique_ptr<monitor::SnapshotSource> source, std::shared_ptr<Recorder> recorder)
{
    return std::make_unique<RecordedSource>(std::move(source), std::move(recorder));
}

} // namespace lockscope::record
