// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/base/ServerTime.h"
#include "core/db/Connection.h"
#include "core/domain/Snapshot.h"
#include "core/monitor/Surroundings.h"

#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace lockscope::monitor {

/// Asks every ten seconds, in the round trip of a poll, what surrounds the locks; not while the server is
/// slow. Outlives connections. One thread.
class PostgresSurroundings {
public:
    explicit PostgresSurroundings(milliseconds askEvery = std::chrono::seconds(10))
        : m_askEvery(askEvery)
    {
    }
    /// A connection was opened.
    void begin(int serverVersion);
    /// Adds what is asked by this poll, if it is time. `judge` is to be called with the answers.
    void addTo(std::vector<db::BatchItem>& items);
    /// A question that the server refused is not asked again on this connection.
    void judge(std::span<const Result<qint64>> results);
    /// Returns what goes with this snapshot, which has its sessions.
    Surroundings finish(const Snapshot& snapshot);

private:
    using Clock = std::chrono::steady_clock;
    enum Item : quint8 { Figures, Replication, Settings };
    /// Since the server's statistics were reset.
    struct Counters {
        qint64 commits = 0;
        qint64 rollbacks = 0;
        qint64 checkpoints = 0;
        qint64 checkpointTime = 0;
        ServerTime at{};
    };
    static void addSessions(const Snapshot& snapshot, std::vector<Measure>& measures);
    void addCounters(ServerTime at, std::vector<Measure>& measures);
    void addSettings(Surroundings& result);

    const milliseconds m_askEvery;
    std::optional<db::Statement> m_figures;
    std::array<bool, 3> m_isRefused{};
    std::vector<Item> m_asked; ///< by this poll
    Clock::time_point m_askedAt{};
    bool m_isSlow = false;
    // The answers to this poll's questions.
    std::optional<Counters> m_read;
    std::optional<qint64> m_ownLag;
    QString m_loaded; ///< when the server read its settings
    std::vector<Measure> m_lags;
    std::map<QString, QString> m_settingsRead;
    // What was there before.
    std::optional<Counters> m_before;
    bool m_wantsSettings = true; ///< none were read on this connection
    QString m_settingsOf; ///< m_loaded when settings were read
    std::optional<std::map<QString, QString>> m_settings;
};

} // namespace lockscope::monitor
