// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/monitor/FrameworkProbe.h"
#include "core/monitor/LockTableProbe.h"
#include "core/monitor/ServerSnapshotSource.h"
#include "core/monitor/sqlserver/SqlServerNames.h"
#include "core/monitor/sqlserver/SqlServerProbes.h"
#include "core/monitor/sqlserver/SqlServerRequests.h"
#include "core/monitor/sqlserver/SqlServerSessions.h"

#include <memory>
#include <optional>

namespace lockscope::monitor {

/// Locks, waits, sessions and lock tables of a SQL Server in one round trip; a second one only when a name or
/// a statement turns up that was never seen before.
///
/// Good manners: the cheap views are asked first; where the lock manager is so large that enumerating it
/// would be felt, it is left alone and waits are shown as the waiting tasks tell them. A view that is closed
/// to us or not there costs only what it would have shown, and a Limitation says so. Distributed transactions
/// without a session appear as sessions of negative ids (orphanId()). By LockReading::WhenWaitedFor the
/// waiting tasks tell whether somebody waits; a login that may not see those of others reads the locks
/// always.
class SqlServerSnapshotSource final : public ServerSnapshotSource {
public:
    SqlServerSnapshotSource(db::Server server, const ProbeSelection& probes);

    void setLockReading(LockReading reading) override { m_locksTurn.set(reading); }
    Surroundings surroundings() const override { return m_around; }
    QStringList viewsRead() const override { return m_link ? m_link->probes.viewsRead() : QStringList(); }

private:
    using Clock = std::chrono::steady_clock;
    struct Reading;
    /// The data that belongs to one connection and ends with it.
    struct Link {
        Link(db::Connection& connection, const db::ServerProfile& profile);

        LockTableProbe lockTables;
        FrameworkProbe frameworks;
        SqlServerProbes probes;
        SqlServerDetails details;
        std::optional<SqlServerNames> names;
    };
    /// The purpose of one item of the batch.
    enum class Role : quint8 { Needed, Probe, LockTables, Frameworks, Surroundings, Optional };

    Result<void> probeServer(const std::stop_token& stop) override;
    std::vector<db::BatchItem> questionsAboutUs();
    Result<void> poll(Snapshot& snapshot, const std::stop_token& stop) override;
    Result<void> read(Reading& reading, const std::stop_token& stop);
    Result<void> readAgain(std::unique_ptr<Reading>& reading, const std::stop_token& stop);
    Result<void> judge(
        Reading& reading, std::span<const Result<qint64>> results, const std::stop_token& stop);
    Result<void> lookUpNames(
        Reading& reading, const SqlServerWaitTargets& target, const std::stop_token& stop);
    void addProbe(
        Reading& reading, SqlServerProbes::Probe probe, std::vector<db::Param> params, db::RowSink sink);
    void addProbes(Reading& reading);
    void addLockTables(Reading& reading);
    void addLocks(Reading& reading);
    void addSurroundings(Reading& reading);
    bool mayLeaveLocks() const;
    bool locksAreTooDear() const { return Clock::now() < m_locksTooDearUntil; }
    void requestNames(const Reading& reading, const SqlServerWaitTargets& target);
    void addSessions(Reading& reading);
    void addTestedAppLocks(Reading& reading) const;
    void limit(Reading& reading) const;

    ProbeSelection m_probes;
    std::optional<Link> m_link;
    LockReadingTurn m_locksTurn;
    SqlServerSeen m_seen;
    StatementTexts m_texts;
    SqlServerSurroundings m_surroundings;
    Surroundings m_around; ///< of the last snapshot
    Clock::time_point m_locksTooDearUntil;
};

} // namespace lockscope::monitor
