// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/monitor/SurroundingsQuestions.h"
#include "core/monitor/sqlserver/SqlServerProbes.h"

#include <chrono>
#include <span>
#include <vector>

namespace lockscope::monitor {

/// The category of a wait type in the words of sys.query_store_wait_stats: "Lock", "Buffer IO"; "Unknown".
QString waitCategoryOf(const QString& waitType);

/// Reads what surrounds the locks of SQL Server, from its documented views only. Outlives connections. One
/// thread.
class SqlServerSurroundings {
public:
    explicit SqlServerSurroundings(milliseconds askEvery = std::chrono::seconds(10))
        : m_questions(askEvery)
    {
    }
    /// A connection was opened.
    void begin();
    /// Adds what is asked by this poll, if it is time. `judge` is to be called with the answers.
    void addTo(std::vector<db::BatchItem>& items, const SqlServerProbes& probes);
    void judge(std::span<const Result<qint64>> results) { m_questions.judge(results); }
    /// Returns what goes with this snapshot, which has its sessions, and says in it what is missing.
    Surroundings finish(Snapshot& snapshot, const SqlServerProbes& probes, quint32 ownDatabase);

private:
    void askServer(std::vector<db::BatchItem>& items, const SqlServerProbes& probes);
    void askDatabase(std::vector<db::BatchItem>& items, const SqlServerProbes& probes);
    void addMaxConnections();
    void addLockCount(const db::Row& row);
    void addSettings(Surroundings& result);

    SurroundingsQuestions m_questions;
    db::SqlServerFacts m_facts; ///< by which it was asked
    QString m_cluster;
    bool m_knowsCluster = false; ///< it was read: m_cluster may be empty all the same
    // The answers to this poll's questions.
    std::vector<Measure> m_present;
    LockCounter m_lockCounter;
    KnownSettings::Values m_serverRead;
    KnownSettings::Values m_databaseRead;
    // The counters of the poll before.
    RunningCounters m_counters;
    KnownSettings m_serverSettings;
    KnownSettings m_databaseSettings;
};

} // namespace lockscope::monitor
