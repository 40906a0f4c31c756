// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Thresholds.h"
#include "core/monitor/SnapshotSource.h"
#include "core/record/Recorder.h"
#include "ui/kit/theme/Theme.h"

#include <optional>

class QSettings;

namespace lockscope::ui {

/// The settings for recording servers, and for the size of recordings. A value.
struct RecordingSettings {
    bool on = true;
    int days = 7;
    int megabytes = 1'024;
    bool redacts = false; ///< values of statements are left out
    /// The URL of a team's history that it is brought to, too; never with a password. Empty: to none.
    QString history{};

    static constexpr int maxDays = 365;
    static constexpr int minMegabytes = 10;
    static constexpr int maxMegabytes = 1'000'000;

    record::RecorderSettings forRecorder() const;
    bool operator==(const RecordingSettings&) const = default;
};

/// Loads the settings of all servers that have none of their own.
RecordingSettings loadRecordingSettings(const QSettings& settings);
void saveRecordingSettings(QSettings& settings, const RecordingSettings& recording);

/// Loads those of one server, by its name as shown; nothing: as of all.
std::optional<RecordingSettings> recordingSettingsOf(const QSettings& settings, const QString& server);
void setRecordingSettingsOf(
    QSettings& settings, const QString& server, const std::optional<RecordingSettings>& recording);
/// The server has another name now.
void moveRecordingSettings(QSettings& settings, const QString& before, const QString& server);

/// The user's settings, apart from servers and layouts. A value: parts that need it get a copy.
struct Preferences {
    LockThresholds ages;
    int staleAmber = 1; ///< stale lock-table entries
    int staleRed = 3;
    milliseconds interval{2'000};
    ThemeMode theme = ThemeMode::System;
    bool reopen = true; ///< at the start, the servers that were open at the last end
    bool statements = true; ///< read the statements of sessions
    bool alertSound = false; ///< one is played when an incident fires or becomes critical
    bool keepInTray = false; ///< a window that is closed goes on to watch, where there is a tray
    bool localAudit = false; ///< acts without the server's audit are done, and recorded in a local file
    RecordingSettings recording; ///< of servers that have none of their own
    int maxLocks = static_cast<int>(monitor::ProbeSelection().maxRequests); ///< shown; more are counted

    /// Fewer would hide the lock in question, more would not fit into a poll.
    static constexpr int minLocks = 1'000;
    static constexpr int utmostLocks = 1'000'000;

    AgeLevel staleLevel(int count) const
    {
        return count >= staleRed ? AgeLevel::Red : count >= staleAmber ? AgeLevel::Amber : AgeLevel::Normal;
    }
    static Preferences load(const QSettings& settings);
    void save(QSettings& settings) const;
    bool operator==(const Preferences&) const = default;
};

} // namespace lockscope::ui
