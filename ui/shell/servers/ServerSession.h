// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/admin/ServerAdminClient.h"
#include "core/base/Worker.h"
#include "core/locks/LockHolder.h"
#include "core/record/RecordingNotes.h"
#include "core/record/postgres/HistoryUpload.h"
#include "core/watch/ServerWatch.h"

#include "core/domain/Thresholds.h"
#include "ui/views/settings/Preferences.h"

#include <memory>

namespace lockscope::ui {

/// A recording that somebody has opened: of which server it is, and from when to when; or why it can't be
/// read.
struct OpenedRecording {
    QString place;
    record::Identity identity{};
    record::Span span{};
    std::optional<Error> error{};
    db::PasswordProvider passwords = {}; ///< of a history: empty = db::defaultPasswords()
};

/// One open server: its watch, the way to act on it and to bring its recording to a team's history. GUI
/// thread; nothing here waits for a server.
class ServerSession : public watch::ServerWatch {
    Q_OBJECT

public:
    /// The way in which the server's snapshots are recorded.
    struct Recording {
        RecordingSettings settings = {};
        std::shared_ptr<record::HistoryConnections> history = {}; ///< it is brought there, too
    };
    /// Deadlocks that the server recorded so long before the first poll are read, too.
    static constexpr microseconds deadlocksBefore{3'600'000'000};
    struct Options {
        db::PasswordProvider passwords = db::defaultPasswords();
        milliseconds interval{2'000};
        monitor::ProbeSelection probes;
        bool demo = false; ///< start the demo workload on it (sandbox only)
        std::optional<Recording> recording = {}; ///< nothing: there is no recorder
        std::shared_ptr<monitor::PollPlaces> places = {}; ///< shared with the other servers of the window
        QString place = {}; ///< of the server, as watch::WatchOptions::place
    };
    /// The share of a server's time that polls may take: what somebody looks at may cost more.
    static constexpr double budgetOnView = 0.25;
    static constexpr double budgetAside = 0.05;

    ServerSession(const db::ServerProfile& profile, const Options& options, QObject* parent = nullptr);
    /// Polls what `source` gives; for tests and pictures. No acts.
    ServerSession(const db::ServerProfile& profile, monitor::ServerMonitor::SourceFactory source,
        const Options& options, QObject* parent = nullptr);
    /// Opens a recording: nothing is polled, there is no present.
    explicit ServerSession(OpenedRecording recording, QObject* parent = nullptr);

    /// Returns the recording that it shows; null for a server.
    const OpenedRecording* recording() const { return m_recording ? &*m_recording : nullptr; }
    /// Returns the recording with former snapshots of it; empty: there is none.
    QString recordingPlace() const;

    admin::ServerAdminClient* admin() { return m_admin.get(); }
    /// A lock of this window's own, not started; null for a session that only shows a source.
    std::unique_ptr<locks::HeldLock> makeLock(const locks::LockOptions& lock) const;
    void allowLocalAudit() { m_profile.localAudit = true; }
    void setRecording(const Recording& recording);
    /// Returns the progress of the upload to a team's history; nothing: it goes to none.
    std::optional<record::UploadState> upload() const;
    /// Notes an act on this server from here in the recording.
    void noteAct(const QString& what, qint64 auditId);
    /// Puts a person's note into the recording. False: it is not this program that records the server now, or
    /// the note is none.
    bool addNote(const record::NewNote& note);

Q_SIGNALS:
    void demoFailed(const QString& reason);
    /// Scenarios that were killed had left something there; it is gone now.
    void remainsRemoved(int runs);

private:
    void startDemo();
    void removeRemains();

    std::optional<OpenedRecording> m_recording;
    std::unique_ptr<record::HistoryUpload> m_upload; ///< to a team's history
    std::unique_ptr<admin::ServerAdminClient> m_admin;
    std::unique_ptr<Worker> m_demo; ///< its thread has the workload; null: there is none
};

/// "Live", "Connecting", "Paused" … and the level that goes with it.
QString healthWord(monitor::Health health);
AgeLevel healthLevel(monitor::Health health);

} // namespace lockscope::ui
