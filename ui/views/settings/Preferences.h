// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Thresholds.h"
#include "core/monitor/SnapshotSource.h"
#include "ui/kit/theme/Theme.h"
#include "ui/views/settings/RecordingSettings.h"

class QSettings;

namespace lockscope::ui {

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
