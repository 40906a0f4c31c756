// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/monitor/SnapshotSource.h"
#include "core/scenario/run/RunContext.h"

namespace lockscope::scenario {

/// Polls the server as the monitor does, by a connection of its own, and shows which sessions can't go on.
/// One thread.
class WaitInspector {
public:
    /// Asks nothing before inspect(). `context` must outlive it.
    explicit WaitInspector(const RunContext& context);

    /// Polls again; the others' results are from then. Blocks.
    Result<void> inspect(const std::stop_token& stop);

    /// The reason why a session can't go on.
    struct Obstacle {
        std::vector<SessionId> blockers; ///< ascending
        QString on; ///< "account row (0,1)"; empty if it is only known that a transaction has to end
    };
    /// Returns the obstacle by the server's own locks.
    std::optional<Obstacle> ofSession(SessionId session) const;
    /// True if somebody has this name in the lock table.
    bool isTaken(const QString& entry) const;
    /// True if somebody waits for it in the lock table.
    bool isWaitedFor(const QString& entry) const;
    /// Describes sessions that don't belong to the run: "psql, session 4711".
    QString describe(SessionId session) const;

private:
    QString rowAwaitedBy(SessionId session) const;
    QString shown(const Resource& resource) const;

    const RunContext& m_context;
    std::unique_ptr<monitor::SnapshotSource> m_source;
    SnapshotPtr m_seen;
};

} // namespace lockscope::scenario
