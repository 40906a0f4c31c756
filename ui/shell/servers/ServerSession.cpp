// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/servers/ServerSession.h"

#include "core/base/Mutex.h"
#include "core/base/OwnClock.h"
#include "core/base/PostToThread.h"
#include "core/deadlock/source/DeadlockSource.h"
#include "core/record/Recorder.h"
#include "core/record/ServerPlace.h"
#include "core/sandbox/Sandbox.h"
#include "core/scenario/run/DemoRun.h"
#include "core/scenario/run/RunSchema.h"

#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QThreadPool>
#include <QUuid>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using monitor::Health;

/// Starts the workload on a thread of the pool and hands its end to one, too: both may take a while.
class ServerSession::Demo : public std::enable_shared_from_this<ServerSession::Demo> {
public:
    void start(const db::Server& server, ServerSession* session)
    {
        QThreadPool::globalInstance()->start([self = shared_from_this(), server, to = QPointer(session)] {
            if (auto started = self->begin(server); !started)
                postTo(to, [text = started.error().toString()](ServerSession& owner) {
                    Q_EMIT owner.demoFailed(text);
                });
        });
    }

    void stop()
    {
        std::unique_ptr<scenario::DemoRun> ending;
        {
            const MutexLock guard(m_mutex);
            m_stopped = true;
            ending = std::move(m_workload);
        }
        if (ending) {
            QThreadPool::globalInstance()->start([workload = std::shared_ptr<scenario::DemoRun>(
                                                      std::move(ending))]() mutable { workload.reset(); });
        }
    }

private:
    Result<void> begin(const db::Server& server)
    {
        auto resolved = server.resolved();
        if (!resolved)
            return Failure(std::move(resolved.error()));
        auto workload = scenario::DemoRun::start(*resolved);
        if (!workload)
            return Failure(std::move(workload.error()));
        const MutexLock guard(m_mutex);
        if (!m_stopped)
            m_workload = std::move(*workload);
        return {};
    }

    Mutex m_mutex;
    std::unique_ptr<scenario::DemoRun> m_workload LOCKSCOPE_GUARDED_BY(m_mutex);
    bool m_stopped LOCKSCOPE_GUARDED_BY(m_mutex) = false;
};

namespace {

std::shared_ptr<record::Recorder> recorderOf(
    const db::ServerProfile& profile, const std::optional<ServerSession::Recording>& recording)
{
    if (!recording)
        return nullptr;
    const QString server = profile.display();
    const record::Identity identity{QUuid::createUuid().toString(QUuid::WithoutBraces), server,
        profile.url.engine, ownClock(), recording->settings.redacts,
        u"lockscope "_s + QStringLiteral(LOCKSCOPE_VERSION), record::serverPlace(profile.url), {}};
    return std::make_shared<record::Recorder>(
        record::recordingPath(server), identity, recording->settings.forRecorder(recording->thresholds));
}

} // namespace

/// What it takes, and what keeps it from that, is recorded.
monitor::ServerMonitor::SourceFactory ServerSession::recorded(
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

ServerSession::ServerSession(const db::ServerProfile& profile, const Options& options, QObject* parent)
    : QObject(parent)
    , m_profile(profile)
    , m_server(db::Server{profile, options.passwords, sandbox::resolve})
    , m_recorder(recorderOf(profile, options.recording))
    , m_monitor(std::make_unique<monitor::ServerMonitor>(recorded([server = *m_server](
                                                                      const monitor::ProbeSelection& probes) {
        return Result<std::unique_ptr<monitor::SnapshotSource>>(monitor::makeSnapshotSource(server, probes));
    })))
    , m_admin(std::make_unique<admin::ServerAdminClient>(*m_server))
{
    watch(options);
    if (options.recording)
        setRecording(*options.recording);
    if (options.demo) {
        m_demo = std::make_shared<Demo>();
        m_demo->start(*m_server, this);
    }
}

std::unique_ptr<locks::HeldLock> ServerSession::makeLock(const locks::LockOptions& lock) const
{
    if (!m_server)
        return nullptr;
    locks::HeldLock::Options options;
    options.server = *m_server;
    options.lock = lock;
    return std::make_unique<locks::HeldLock>(std::move(options));
}

ServerSession::ServerSession(const db::ServerProfile& profile, monitor::ServerMonitor::SourceFactory source,
    const Options& options, QObject* parent)
    : QObject(parent)
    , m_profile(profile)
    , m_recorder(recorderOf(profile, options.recording))
    , m_monitor(std::make_unique<monitor::ServerMonitor>(recorded(std::move(source))))
{
    watch(options);
    if (options.recording)
        setRecording(*options.recording);
}

ServerSession::ServerSession(OpenedRecording recording, QObject* parent)
    : QObject(parent)
    , m_recording(std::move(recording))
    , m_monitor(std::make_unique<monitor::ServerMonitor>(
          [](const monitor::ProbeSelection&) -> Result<std::unique_ptr<monitor::SnapshotSource>> {
              return failure(ErrorKind::Unsupported, u"A recording is not polled."_s);
          }))
{
    // The monitor is never started: others ask it how it fares.
    m_profile.name = m_recording->identity.server.isEmpty() ? QFileInfo(m_recording->place).completeBaseName()
                                                            : m_recording->identity.server;
    m_profile.url.engine = m_recording->identity.engine;
}

QString ServerSession::recordingPlace() const
{
    return m_recording ? m_recording->place : record::recordingPath(m_profile.display());
}

ServerSession::~ServerSession()
{
    if (m_recorder)
        m_recorder->end(); // not when a poll that hangs has let go of it
    if (m_demo)
        m_demo->stop();
}

void ServerSession::setRecording(const Recording& recording)
{
    if (!m_recorder)
        return;
    m_recorder->setRedacts(recording.settings.redacts);
    m_recorder->setSettings(recording.settings.forRecorder(recording.thresholds));
    bringTo(recording.settings.on ? recording.history : std::nullopt);
}

/// It reads the recording's file, whoever writes that.
void ServerSession::bringTo(const std::optional<db::Server>& history)
{
    const bool isSame = m_uploadsTo.has_value() == history.has_value()
        && (!history || m_uploadsTo->profile.url == history->profile.url);
    if (!m_recorder || isSame)
        return;
    m_uploadsTo = history;
    m_upload =
        history ? std::make_unique<record::HistoryUpload>(m_recorder->state().path, *history) : nullptr;
}

void ServerSession::renewUpload()
{
    bringTo(std::exchange(m_uploadsTo, std::nullopt));
}

std::optional<record::UploadState> ServerSession::upload() const
{
    return m_upload ? std::optional(m_upload->state()) : std::nullopt;
}

void ServerSession::noteDeadlocks(const deadlock::SourceLook& look)
{
    if (m_recorder)
        m_recorder->noteDeadlocks(look);
}

std::function<void(const Error&)> ServerSession::damageSink() const
{
    if (!m_recorder)
        return {};
    return [recorder = std::weak_ptr(m_recorder)](const Error& damage) {
        if (const auto writing = recorder.lock())
            writing->noteDamage(damage);
    };
}

void ServerSession::beginNewRecording()
{
    if (m_recorder)
        m_recorder->beginAnew();
}

void ServerSession::noteAct(const QString& what, qint64 auditId)
{
    const SnapshotPtr snapshot = m_monitor->snapshot();
    if (!m_recorder || !snapshot)
        return;
    QJsonObject detail;
    if (auditId != 0)
        detail.insert(u"audit_id"_s, auditId);
    m_recorder->add({snapshot->takenAt + dataAge(), record::Event::Kind::Act, what,
        detail.isEmpty() ? QString()
                         : QString::fromUtf8(QJsonDocument(detail).toJson(QJsonDocument::Compact))});
}

bool ServerSession::addNote(const record::NewNote& note)
{
    const SnapshotPtr snapshot = m_monitor->snapshot();
    if (!m_recorder || !snapshot)
        return false;
    const record::RecorderState state = m_recorder->state();
    const auto event = record::noteEvent(note, note.at.value_or(snapshot->takenAt + dataAge()));
    if (!state.settings.on || state.error || !event)
        return false;
    m_recorder->add(*event);
    return true;
}

void ServerSession::watch(const Options& options)
{
    connect(m_monitor.get(), &monitor::ServerMonitor::snapshotChanged, this, &ServerSession::takeSnapshot);
    connect(m_monitor.get(), &monitor::ServerMonitor::healthChanged, this, [this] {
        if (isOld())
            m_history.markGap();
        if (m_deadlocks)
            m_deadlocks->setPaused(m_monitor->isPaused());
        tellPace();
        Q_EMIT healthChanged();
    });
    m_monitor->setInterval(options.interval);
    tellPace();
    m_monitor->setProbes(options.probes);
    m_monitor->start();
}

void ServerSession::tellPace()
{
    if (m_recorder)
        m_recorder->setPace({m_monitor->interval(), m_monitor->isPaused()});
}

void ServerSession::takeSnapshot()
{
    const SnapshotPtr snapshot = m_monitor->snapshot();
    if (!snapshot)
        return;
    m_figures = monitor::figuresOf(*snapshot);
    m_history.append(snapshot->takenAt, m_figures);
    for (const auto& [taken, measures] : m_monitor->measures())
        m_history.addMeasures(taken, measures);
    Q_EMIT snapshotChanged();
    lookForDeadlocks(*snapshot);
    if (!std::exchange(m_wasReached, true))
        removeRemains();
}

/// Once the server answers, and soon after a ring was seen there.
void ServerSession::lookForDeadlocks(const Snapshot& snapshot)
{
    if (!m_server || !deadlock::DeadlockWatch::isPossible(m_profile.url.engine))
        return;
    if (!m_deadlocks) {
        m_deadlocks = std::make_unique<deadlock::DeadlockWatch>(*m_server);
        m_deadlocksSince = snapshot.takenAt;
        connect(m_deadlocks.get(), &deadlock::DeadlockWatch::looked, this,
            [this](const Result<deadlock::SourceLook>& look) {
                if (look)
                    noteDeadlocks(*look);
                Q_EMIT deadlocksLooked();
            });
        m_deadlocks->start();
    } else if (snapshot.waits.size() > 1 && !snapshot.blocking().cycles().empty()) {
        m_deadlocks->lookSoon();
    }
}

/// Once the server answers. Whatever keeps it from being done: the next scenario tries again.
void ServerSession::removeRemains()
{
    if (!m_server || m_profile.readOnly)
        return;
    QThreadPool::globalInstance()->start([server = *m_server, to = QPointer(this)] {
        const int removed = scenario::RunSchema::removeRemains(server).value_or(0);
        if (removed > 0)
            postTo(to, [removed](ServerSession& session) { Q_EMIT session.remainsRemoved(removed); });
    });
}

void ServerSession::setProbes(const monitor::ProbeSelection& probes)
{
    m_monitor->setProbes(probes);
}

milliseconds ServerSession::dataAge() const
{
    if (!m_monitor->snapshot())
        return milliseconds(0);
    return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - m_monitor->lastGood());
}

bool ServerSession::isOld() const
{
    const Health health = m_monitor->health();
    return health == Health::Failed || health == Health::Silent || health == Health::Paused;
}

QString healthWord(Health health)
{
    switch (health) {
    case Health::Connecting:
        return u"Connecting"_s;
    case Health::Live:
        return u"Live"_s;
    case Health::Slow:
        return u"Slow"_s;
    case Health::Failed:
        return u"Failed"_s;
    case Health::Silent:
        return u"No answer"_s;
    case Health::Paused:
        return u"Paused"_s;
    }
    return {};
}

AgeLevel healthLevel(Health health)
{
    switch (health) {
    case Health::Failed:
    case Health::Silent:
        return AgeLevel::Red;
    case Health::Slow:
    case Health::Connecting:
    case Health::Paused:
        return AgeLevel::Amber;
    case Health::Live:
        break;
    }
    return AgeLevel::Normal;
}

} // namespace lockscope::ui
