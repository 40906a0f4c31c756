// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/Recorder.h"

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

} // namespace lockscope::ui
