// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/admin/ServerAdminClient.h"
#include "core/db/ServerProfile.h"
#include "core/deadlock/source/DeadlockWatch.h"
#include "core/domain/BlockingGraph.h"
#include "core/locks/HeldLock.h"
#include "core/monitor/History.h"
#include "core/monitor/ServerMonitor.h"
#include "core/record/Recording.h"
#include "core/record/RecordingNotes.h"
#include "core/record/postgres/HistoryUpload.h"

#include "ui/kit/theme/AgeThresholds.h"
#include "ui/views/settings/RecordingSettings.h"

#include <QObject>

#include <functional>
#include <memory>

namespace lockscope::deadlock {
struct SourceLook;
}

namespace lockscope::ui {

/// A recording that somebody has opened: of which server it is, and from when to when; or why it can't be
/// read.
struct OpenedRecording {
    QString place;
    record::Identity identity;
    record::Span span;
    std::optional<Error> error;
    db::PasswordProvider passwords = {}; ///< of a history: empty = db::defaultPasswords()
};

/// One open server: its monitor, its way to act, its history. GUI thread; nothing here waits for a server.
class ServerSession : public QObject {
    Q_OBJECT

public:
    /// How what is seen is recorded.
    struct Recording {
        RecordingSettings settings = {};
        LockThresholds thresholds = {};
        std::optional<db::Server> history = {}; ///< it is brought there, too
    };
    struct Options {
        db::PasswordProvider passwords = db::defaultPasswords();
        milliseconds interval{2'000};
        monitor::ProbeSelection probes;
        bool demo = false; ///< start the demo workload on it (sandbox only)
        std::optional<Recording> recording = {}; ///< nothing: there is no recorder
    };

    ServerSession(const db::ServerProfile& profile, const Options& options, QObject* parent = nullptr);
    /// Polls what `source` gives; for tests and pictures. No acts.
    ServerSession(const db::ServerProfile& profile, monitor::ServerMonitor::SourceFactory source,
        const Options& options, QObject* parent = nullptr);
    /// Of a recording: nothing is polled, there is no present.
    explicit ServerSession(OpenedRecording recording, QObject* parent = nullptr);
    ~ServerSession() override;

    /// What it shows is in a file; null for a server.
    const OpenedRecording* recording() const { return m_recording ? &*m_recording : nullptr; }
    /// Where one can look at former moments of it; empty: nowhere.
    QString recordingPlace() const;

    const db::ServerProfile& profile() const { return m_profile; }
    monitor::ServerMonitor& monitor() { return *m_monitor; }
    const monitor::ServerMonitor& monitor() const { return *m_monitor; }
    admin::ServerAdminClient* admin() { return m_admin.get(); }
    /// A lock of this window's own, not started; null for a session that only shows a source.
    std::unique_ptr<locks::HeldLock> makeLock(const locks::LockOptions& lock) const;
    /// For work on other threads; none for a session that only shows a source.
    const std::optional<db::Server>& server() const { return m_server; }
    const monitor::History& history() const { return m_history; }
    const monitor::Figures& figures() const { return m_figures; }
    void setProbes(const monitor::ProbeSelection& probes);
    void allowLocalAudit() { m_profile.localAudit = true; }
    /// Null where nothing is ever recorded.
    const record::Recorder* recorder() const { return m_recorder.get(); }
    /// Tells the recorder of damage that a reader of its file has met; empty: there is none. Any thread.
    std::function<void(const Error&)> damageSink() const;
    /// What looks at its own records of deadlocks; null where there are none, or nothing is asked.
    const deadlock::DeadlockWatch* deadlocks() const { return m_deadlocks.get(); }
    ServerTime deadlocksSince() const { return m_deadlocksSince; } ///< about when it looked first
    void setRecording(const Recording& recording);
    /// How what is recorded gets to a team's history; nothing: it goes to none.
    std::optional<record::UploadState> upload() const;
    /// Brings it there by a new log-in: the password is another one.
    void renewUpload();
    /// What the server's own records tell of its deadlocks: it goes into the recording.
    void noteDeadlocks(const deadlock::SourceLook& look);
    /// Puts the file that was refused beside the others, and begins another one.
    void beginNewRecording();
    /// Something was done to this server from here: it goes into the recording.
    void noteAct(const QString& what, qint64 auditId);
    /// Puts a person's note into the recording. False: it is not this program that records the server now, or
    /// the note is none.
    bool addNote(const record::NewNote& note);

    /// Time since the latest good snapshot; zero before the first one was asked for.
    milliseconds dataAge() const;
    bool isOld() const; ///< paused, failed or silent: what is shown may be over by now

Q_SIGNALS:
    void snapshotChanged(); ///< figures and history are up to date
    void healthChanged();
    /// Of its own records of deadlocks: deadlocks()->latest().
    void deadlocksLooked();
    void demoFailed(const QString& reason);
    /// Scenarios that were killed had left something there; it is gone now.
    void remainsRemoved(int runs);

private:
    class Demo;
    monitor::ServerMonitor::SourceFactory recorded(monitor::ServerMonitor::SourceFactory source) const;
    void bringTo(const std::optional<db::Server>& history);
    void watch(const Options& options);
    void tellPace();
    void takeSnapshot();
    void removeRemains();
    void lookForDeadlocks(const Snapshot& snapshot);

    db::ServerProfile m_profile;
    std::optional<OpenedRecording> m_recording;
    std::optional<db::Server> m_server;
    std::shared_ptr<record::Recorder> m_recorder;
    std::optional<db::Server> m_uploadsTo; ///< a team's history
    std::unique_ptr<record::HistoryUpload> m_upload;
    std::unique_ptr<monitor::ServerMonitor> m_monitor;
    std::unique_ptr<admin::ServerAdminClient> m_admin;
    std::unique_ptr<deadlock::DeadlockWatch> m_deadlocks;
    ServerTime m_deadlocksSince;
    std::shared_ptr<Demo> m_demo;
    monitor::History m_history;
    monitor::Figures m_figures;
    bool m_wasReached = false;
};

/// "Live", "Connecting", "Paused" … and the level that goes with it.
QString healthWord(monitor::Health health);
AgeLevel healthLevel(monitor::Health health);

} // namespace lockscope::ui
