// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"
#include "core/monitor/FirstSeen.h"
#include "core/monitor/sqlserver/SqlServerLockRows.h"
#include "core/monitor/sqlserver/SqlServerNames.h"
#include "core/monitor/sqlserver/SqlServerSessions.h"
#include "core/monitor/sqlserver/SqlServerWaitTargets.h"

#include <QHash>

namespace lockscope::monitor {

/// Since when each lock was seen, and when each wait began, so that it does not move with each reading of its
/// length. Poll thread only.
class SqlServerSeen {
public:
    FirstSeen locks;

    /// Between begin and begin, each wait of one poll is noted once.
    void begin();
    ServerTime noteWait(SessionId session, const ResourceKey& resource, ServerTime began);

private:
    using WaitKey = std::pair<SessionId, ResourceKey>;

    QHash<WaitKey, ServerTime> m_waitsBefore;
    QHash<WaitKey, ServerTime> m_waitsNow;
};

/// The rows that were read of locks and waits; the sessions must be in the snapshot and indexed.
struct SqlServerReadings {
    const SqlServerLockRows& locks;
    const std::vector<SqlServerWait>& waits;
    const SqlServerSessions& sessions;
    const SqlServerWaitTargets& target;
};

/// Turns the readings into the snapshot's resources, requests and wait edges. The resource of a wait is shown
/// even where the server did not list the lock itself. Edges are those that follow from the locks, and those
/// that only the server knows.
void addRequests(
    Snapshot& snapshot, const SqlServerReadings& readings, SqlServerSeen& seen, SqlServerNames& names);

} // namespace lockscope::monitor
