// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/EnumTable.h"
#include "core/db/Connection.h"
#include "core/db/sqlserver/SqlServerFacts.h"
#include "core/domain/Snapshot.h"
#include "core/monitor/SurroundingsQuestions.h"

#include <array>
#include <chrono>
#include <span>
#include <vector>

namespace lockscope::monitor {

/// Knows which of SQL Server's views can be queried, and which right is missing where one can't: each by
/// itself, so that the others go on. A view that is closed to us, or not there, is tried again after some
/// seconds. Poll thread only.
class SqlServerProbes {
public:
    enum Probe : quint8 { LockMemory, WaitingTasks, Sessions, Requests, Connections, Transactions, Locks };

    /// Sets the server's facts and our rights; again after each isTimeToRetry().
    void setFacts(const db::SqlServerFacts& facts);
    const db::SqlServerFacts& facts() const { return m_facts; }
    /// Sets the names to which the server would have to grant: login, and user of the database.
    void setNames(const QString& quotedLogin, const QString& quotedUser);

    static const char* statementOf(Probe probe);
    bool isOpen(Probe probe) const;
    /// "sys.dm_tran_locks" …: those that were read the last time they were asked.
    QStringList viewsRead() const;
    /// True every few seconds while something is missing; to call at the beginning of a poll.
    bool isTimeToRetry();

    /// Keeps what the server answered. True if the poll can go on without this probe.
    bool judge(Probe probe, const Result<qint64>& result);
    /// Returns the statement that lets this login see what other sessions do, and the server's counters.
    QString stateGrant() const;
    /// The statement that gives this login a right.
    QString grantOf(const QString& right) const;
    /// Returns the statement that would allow to show the names of locked objects, in every database.
    QString namesGrant() const;
    /// Adds what is missing, one limitation for all missing rights and one for all missing views.
    void limit(Snapshot& snapshot) const;

private:
    enum class State : quint8 { Open, Forbidden, Missing, FailedOnce };
    using Clock = std::chrono::steady_clock;

    void closeWhatIsKnownToBeMissing();
    QString grant() const;
    QString listed(State state, QString (*text)(Probe)) const;

    db::SqlServerFacts m_facts;
    QString m_login;
    QString m_user;
    std::array<State, enumeratorCount<Probe>> m_states{};
    std::array<QString, enumeratorCount<Probe>> m_failures;
    Clock::time_point m_retriedAt = Clock::now();
};

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
