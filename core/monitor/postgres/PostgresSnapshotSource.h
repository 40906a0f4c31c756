// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/LiveConnection.h"
#include "core/monitor/FrameworkProbe.h"
#include "core/monitor/LockTableProbe.h"
#include "core/monitor/ServerSnapshotSource.h"
#include "core/monitor/postgres/PostgresNames.h"
#include "core/monitor/postgres/PostgresRows.h"
#include "core/monitor/postgres/PostgresSurroundings.h"

#include <optional>
#include <stop_token>

namespace lockscope::monitor {

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
