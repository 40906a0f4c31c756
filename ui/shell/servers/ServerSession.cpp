// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/servers/ServerSession.h"

#include "core/base/BackgroundThread.h"
#include "core/base/EnumTable.h"
#include "core/base/PostToThread.h"
#include "core/record/Recording.h"
#include "core/sandbox/Sandbox.h"
#include "core/scenario/run/FreeRun.h"
#include "core/scenario/run/RunSchema.h"

#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using monitor::Health;

namespace {

watch::WatchOptions watchOptions(const ServerSession::Options& options)
{
    watch::WatchOptions watch;
    watch.place = options.place;
    watch.interval = options.interval;
    watch.budget = ServerSession::budgetAside;
    watch.places = options.places;
    watch.probes = options.probes;
    watch.deadlocksSince = [](ServerTime now) { return now - ServerSession::deadlocksBefore; };
    if (const auto& recording = options.recording)
        watch.recording = watch::RecordOptions{.path = {},
            .program = u"lockscope"_s,
            .settings = recording->settings.forRecorder(),
            .redacts = recording->settings.redacts};
    return watch;
}

db::ServerProfile profileOf(const OpenedRecording& recording)
{
    const QString& server = recording.identity.server;
    db::ServerProfile profile;
    profile.name = server.isEmpty() ? QFileInfo(recording.place).completeBaseName() : server;
    profile.url.engine = recording.identity.engine;
    return profile;
}

Result<std::unique_ptr<monitor::SnapshotSource>> noSource(const monitor::ProbeSelection&)
{
    return failure(ErrorKind::Unsupported, u"A recording is not polled."_s);
}

} // namespace

ServerSession::ServerSession(const db::ServerProfile& profile, const Options& options, QObject* parent)
    : ServerWatch(db::Server{profile, options.passwords, sandbox::resolve}, watchOptions(options), parent)
    , m_admin(std::make_unique<admin::ServerAdminClient>(*server()))
{
    connect(
        this, &ServerWatch::snapshotChanged, this, &ServerSession::removeRemains, Qt::SingleShotConnection);
    start();
    if (options.recording)
        setRecording(*options.recording);
    if (options.demo)
        startDemo();
}

ServerSession::ServerSession(const db::ServerProfile& profile, monitor::ServerMonitor::SourceFactory source,
    const Options& options, QObject* parent)
    : ServerWatch(profile, std::move(source), watchOptions(options), parent)
{
    start();
    if (options.recording)
        setRecording(*options.recording);
}

// It is never started: others ask its monitor how it fares.
ServerSession::ServerSession(OpenedRecording recording, QObject* parent)
    : ServerWatch(profileOf(recording), noSource, {}, parent)
    , m_recording(std::move(recording))
{
}

std::unique_ptr<locks::HeldLock> ServerSession::makeLock(const locks::LockOptions& lock) const
{
    if (!server())
        return nullptr;
    locks::HeldLock::Options options;
    options.server = *server();
    options.lock = lock;
    return std::make_unique<locks::HeldLock>(std::move(options));
}

QString ServerSession::recordingPlace() const
{
    return m_recording ? m_recording->place : record::recordingPath(place());
}

void ServerSession::setRecording(const Recording& recording)
{
    if (!recorder())
        return;
    recorder()->setRedacts(recording.settings.redacts);
    recorder()->setSettings(recording.settings.forRecorder());
    const auto history = recording.settings.on ? recording.history : nullptr;
    if ((m_upload ? m_upload->history() : nullptr) == history)
        return;
    // It reads the recording's file, whichever program writes that.
    m_upload = history ? std::make_unique<record::HistoryUpload>(recorder()->state().path, history) : nullptr;
}

std::optional<record::UploadState> ServerSession::upload() const
{
    return m_upload ? std::optional(m_upload->state()) : std::nullopt;
}

void ServerSession::noteAct(const QString& what, qint64 auditId)
{
    const SnapshotPtr snapshot = monitor().snapshot();
    if (!recorder() || !snapshot)
        return;
    QJsonObject detail;
    if (auditId != 0)
        detail.insert(u"audit_id"_s, auditId);
    recorder()->add({.at = snapshot->takenAt + dataAge(),
        .kind = record::Event::Kind::Act,
        .what = what,
        .detail = detail.isEmpty()
            ? QString()
            : QString::fromUtf8(QJsonDocument(detail).toJson(QJsonDocument::Compact))});
}

bool ServerSession::addNote(const record::NewNote& note)
{
    const SnapshotPtr snapshot = monitor().snapshot();
    if (!recorder() || !snapshot)
        return false;
    const record::RecorderState state = recorder()->state();
    const auto event = record::noteEvent(note, note.at.value_or(snapshot->takenAt + dataAge()));
    if (!state.settings.on || state.error || !event)
        return false;
    recorder()->add(*event);
    return true;
}

/// Starts the workload, and ends it with the session: both may take a while.
void ServerSession::startDemo()
{
    const auto workload = std::make_shared<std::unique_ptr<scenario::DemoRun>>(); // of the worker's thread
    m_demo = std::make_unique<Worker>([workload] { workload->reset(); });
    m_demo->ask(
        this,
        [workload, server = *server()](const std::stop_token&) -> Result<void> {
            return server.resolved()
                .and_then(scenario::DemoRun::start)
                .map([&workload](std::unique_ptr<scenario::DemoRun> run) { *workload = std::move(run); });
        },
        [this](const Result<void>& started) {
            if (!started)
                Q_EMIT demoFailed(started.error().toString());
        });
}

/// Removes them once the server answers. If that fails, the next scenario tries again.
void ServerSession::removeRemains()
{
    if (m_profile.readOnly)
        return;
    // On a thread of the pool, a server that hangs would keep the program from ending.
    const BackgroundThread remover([server = *server(), to = QPointer(this)](const std::stop_token&) {
        const int removed = scenario::RunSchema::removeRemains(server).value_or(0);
        if (removed > 0)
            postTo(to, [removed](ServerSession& session) { Q_EMIT session.remainsRemoved(removed); });
    });
}

QString healthWord(Health health)
{
    static constexpr EnumTable<Health> words(
        {u"Connecting", u"Live", u"Slow", u"Failed", u"No answer", u"Paused"});
    return words[health].toString();
}

AgeLevel healthLevel(Health health)
{
    using enum AgeLevel;
    static constexpr EnumTable<Health, AgeLevel> levels({Amber, Normal, Amber, Red, Red, Amber});
    return levels[health];
}

} // namespace lockscope::ui
