// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Recorder.h"

#include "core/base/Mutex.h"
#include "core/record/RecordingWriter.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QStandardPaths>

#include <deque>
#include <functional>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr size_t mostQueued = 64; // snapshots; a disk that is further behind is too slow
constexpr std::chrono::minutes pruneEvery{1};
constexpr std::chrono::seconds openAgainAfter{5};

ServerTime ownClock()
{
    return {QDateTime::currentMSecsSinceEpoch() * 1'000};
}

} // namespace

struct Recorder::Shared {
    using Job = std::function<Result<void>(RecordingWriter&)>;
    using Clock = std::chrono::steady_clock;

    Mutex mutex;
    ConditionVariable changed;
    std::deque<Job> jobs LOCKSCOPE_GUARDED_BY(mutex);
    RecorderState state LOCKSCOPE_GUARDED_BY(mutex);
    Identity identity;
    Retention retention;

    void add(Job job);
    void run(const std::stop_token& stop);
    Result<void> doOne(std::unique_ptr<RecordingWriter>& writer, const Job& job, const QString& path) const;
};

void Recorder::Shared::add(Job job)
{
    const MutexLock lock(mutex);
    if (jobs.size() >= mostQueued) {
        ++state.dropped;
        return;
    }
    jobs.push_back(std::move(job));
    changed.notifyAll();
}

Result<void> Recorder::Shared::doOne(
    std::unique_ptr<RecordingWriter>& writer, const Job& job, const QString& path) const
{
    if (!writer) {
        auto opened = RecordingWriter::open(path, identity);
        if (!opened)
            return Failure(opened.error());
        writer = std::move(*opened);
    }
    return job(*writer);
}

void Recorder::Shared::run(const std::stop_token& stop)
{
    std::unique_ptr<RecordingWriter> writer;
    Clock::time_point pruned = Clock::now();
    Clock::time_point failedToOpen{};
    const MutexLock lock(mutex);
    const QString path = state.path;
    while (true) {
        changed.wait(mutex, stop, [this]() LOCKSCOPE_REQUIRES(mutex) { return !jobs.empty(); });
        if (jobs.empty())
            break; // it ends
        const Job job = std::move(jobs.front());
        jobs.pop_front();
        if (!writer && failedToOpen != Clock::time_point() && Clock::now() - failedToOpen < openAgainAfter) {
            ++state.dropped;
            continue;
        }
        mutex.unlock();
        Result<void> done = doOne(writer, job, path);
        if (done && Clock::now() - pruned >= pruneEvery) {
            pruned = Clock::now();
            done = writer->prune(retention);
        }
        mutex.lock();
        failedToOpen = writer ? Clock::time_point() : Clock::now();
        if (writer)
            state.frames = writer->framesWritten();
        state.error = done ? std::nullopt : std::optional(done.error());
        if (done)
            state.lastWritten = ownClock();
    }
    mutex.unlock();
    if (writer)
        static_cast<void>(writer->end(u"stopped"_s));
    writer.reset();
    mutex.lock();
}

Recorder::Recorder(QString path, Identity identity, Retention retention)
    : m_shared(std::make_shared<Shared>())
{
    m_shared->identity = std::move(identity);
    m_shared->retention = retention;
    {
        const MutexLock lock(m_shared->mutex);
        m_shared->state.path = std::move(path);
    }
    m_thread = BackgroundThread([shared = m_shared](const std::stop_token& stop) { shared->run(stop); });
}

void Recorder::note(const Result<SnapshotPtr>& taken)
{
    const ServerTime noted = ownClock();
    if (taken)
        m_shared->add(
            [snapshot = *taken, noted](RecordingWriter& writer) { return writer.append(snapshot, noted); });
    else if (taken.error().kind != ErrorKind::Cancelled)
        m_shared->add([error = taken.error(), noted](
                          RecordingWriter& writer) { return writer.appendFailure(error, noted); });
}

void Recorder::add(const Event& event)
{
    m_shared->add([event, noted = ownClock()](RecordingWriter& writer) { return writer.add(event, noted); });
}

void Recorder::pin(ServerTime from, ServerTime to, const QString& why)
{
    m_shared->add([from, to, why](RecordingWriter& writer) { return writer.pin(from, to, why); });
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
        auto taken = m_source->take(std::move(stop));
        m_recorder->note(taken);
        return taken;
    }
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

QString recordingsFolder()
{
    const QString state = qEnvironmentVariable("XDG_STATE_HOME");
    const QString base = QDir::isAbsolutePath(state) ? state : QDir::homePath() + u"/.local/state"_s;
    return base + u"/lockscope/recordings"_s;
}

QString recordingPath(const QString& server)
{
    constexpr qsizetype longest = 60;
    constexpr qsizetype digits = 8; // tells apart what looks alike once it is a file's name
    QString name;
    for (const QChar c : server.left(longest))
        name += c.isLetterOrNumber() || c == u'.' || c == u'-' ? c : u'_';
    const QByteArray hash = QCryptographicHash::hash(server.toUtf8(), QCryptographicHash::Sha256).toHex();
    return u"%1/%2-%3.lockscope"_s.arg(recordingsFolder(), name, QString::fromLatin1(hash.left(digits)));
}

} // namespace lockscope::record
