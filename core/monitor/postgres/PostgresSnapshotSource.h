// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/LiveConnection.h"
#include "core/db/Statement.h"
#include "core/monitor/FrameworkProbe.h"
#include "core/monitor/LockTableProbe.h"
#include "core/monitor/ServerSnapshotSource.h"
#include "core/monitor/SurroundingsQuestions.h"
#include "core/monitor/postgres/PostgresNames.h"
#include "core/monitor/postgres/PostgresRows.h"

#include <chrono>
#include <optional>
#include <span>
#include <stop_token>
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

/// Reads frameworks' and attached tables by a connection of its own, of the role that the URL's option
/// `reader` names: whatever a table runs there, runs with that role's rights, which are next to none. A role
/// with more is refused, and no table is read then. Poll thread only.
class PostgresReader {
public:
    /// Returns null if the URL names no reader.
    static std::unique_ptr<PostgresReader> of(const db::Server& server);

    explicit PostgresReader(db::Server server);

    /// Reads as part of a poll, and connects if need be. A failure costs only these tables, and is shown as a
    /// limitation.
    void poll(Snapshot& snapshot, bool readsRows, const std::stop_token& stop);
    /// Ends a poll, as FrameworkProbe::finish; false: nothing was read.
    bool finish(Snapshot& snapshot, SessionsSeen seen);

private:
    Result<void> checkRights(const std::stop_token& stop);
    Result<void> makeReady(const std::stop_token& stop);

    db::LiveConnection m_connection;
    const QString m_role;
    std::optional<FrameworkProbe> m_probe; ///< of this connection
    std::optional<Error> m_failure;
};

/// Locks, sessions and lock tables of a PostgreSQL server in one round trip; a second one only when a name
/// turns up that was never seen before.
///
/// Prepared transactions hold locks without a session: they appear as sessions with the transaction id,
/// negated, for their id.
class PostgresSnapshotSource final : public ServerSnapshotSource {
public:
    PostgresSnapshotSource(db::Server server, const ProbeSelection& probes);
    void setLockReading(LockReading reading) override { m_locksTurn.set(reading); }
    Surroundings surroundings() const override { return m_around; }

private:
    struct Reading;
    /// The data that belongs to one connection and ends with it.
    struct Link {
        Link(db::Connection& connection, const db::ServerProfile& profile);

        db::Statement locks;
        db::Statement sessions;
        db::Statement end;
        LockTableProbe lockTables;
        FrameworkProbe frameworks;
        PostgresNames names{0};
        QString role;
        QString cluster; ///< empty: it can't be asked for
        bool hidesCluster = false; ///< for lack of a right
    };

    Result<void> probeServer(const std::stop_token& stop) override;
    Result<void> poll(Snapshot& snapshot, const std::stop_token& stop) override;
    Result<void> read(Reading& reading, const std::stop_token& stop);
    Result<void> readAgain(Reading& reading, const std::stop_token& stop);
    Result<void> lookUpNames(Reading& reading, const std::stop_token& stop);
    std::vector<db::BatchItem> itemsFor(Reading& reading);
    Result<void> lookUpForeignNames(Reading& reading, const std::stop_token& stop);
    bool isPooled();
    bool isForeign(const ResourceKey& key) const;
    void addSessions(Reading& reading);
    void limitForeignNames(Snapshot& snapshot) const;
    void addPrepared(Reading& reading);
    void limitCluster(Snapshot& snapshot);
    void limitHiddenSessions(const Reading& reading);

    ProbeSelection m_probes;
    LockReadingTurn m_locksTurn;
    bool m_asksSafeSnapshots = false; ///< somebody waited for one
    std::optional<Link> m_link;
    const std::unique_ptr<PostgresReader> m_reader; ///< null: frameworks' tables are read by the login itself
    PostgresSurroundings m_surroundings;
    Surroundings m_around; ///< of the last snapshot
    FirstSeen m_firstSeen;
    size_t m_rowsLastTime = 0; ///< of locks
};

} // namespace lockscope::monitor
