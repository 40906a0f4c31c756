// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Statement.h"
#include "core/monitor/SurroundingsQuestions.h"

#include <chrono>
#include <optional>
#include <span>
#include <vector>

namespace lockscope::monitor {

/// Reads what surrounds the locks of PostgreSQL. Outlives connections. One thread.
class PostgresSurroundings {
public:
    explicit PostgresSurroundings(milliseconds askEvery = std::chrono::seconds(10))
        : m_questions(askEvery)
    {
    }
    /// A connection was opened. `role`: quoted, of this session. `countsWaits`: the server has pg_stat_lock.
    void begin(int serverVersion, const QString& role, bool countsWaits);
    /// Adds what is asked by this poll, if it is time. `judge` is to be called with the answers.
    void addTo(std::vector<db::BatchItem>& items);
    void judge(std::span<const Result<qint64>> results) { m_questions.judge(results); }
    /// Returns what goes with this snapshot, which has its sessions, and says in it what is missing.
    Surroundings finish(Snapshot& snapshot);

private:
    SurroundingsQuestions m_questions;
    QString m_role;
    QString m_checkpointer; ///< the view of checkpoints
    std::optional<db::Statement> m_figures;
    bool m_countsWaits = false;
    // The answers to this poll's questions.
    std::optional<qint64> m_ownLag;
    QString m_loaded; ///< when the server read its settings
    std::vector<Measure> m_lags;
    std::vector<Measure> m_connections;
    KnownSettings::Values m_settingsRead;
    LockCounter m_lockCounter;
    // The counters of the poll before.
    RunningCounters m_counters;
    bool m_wantsSettings = true; ///< none were read on this connection
    QString m_settingsOf; ///< m_loaded when settings were read
    KnownSettings m_settings;
};

} // namespace lockscope::monitor
