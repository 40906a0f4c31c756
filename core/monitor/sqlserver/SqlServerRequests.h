// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"
#include "core/monitor/FirstSeen.h"
#include "core/monitor/sqlserver/SqlServerLockRows.h"
#include "core/monitor/sqlserver/SqlServerNames.h"
#include "core/monitor/sqlserver/SqlServerResource.h"
#include "core/monitor/sqlserver/SqlServerSessions.h"

#include <QHash>

namespace lockscope::monitor {

/// Finds the resources of waits from everything that the server shows: the task, the request of its session,
/// tasks that wait for the same lock, and the known locks. Valid as long as the arguments of its constructor.
class SqlServerWaitTargets {
public:
    SqlServerWaitTargets(const std::vector<SqlServerWait>& waits, const SqlServerSessions& sessions,
        const SqlServerLockRows& locks);

    /// Two things of one key are the same if both are exact; else nobody knows.
    WaitTarget of(const SqlServerWait& wait) const;

private:
    using LockName = std::pair<quint32, QString>; ///< database and the id that tasks tell

    WaitTarget shownTarget(const SqlServerWait& wait) const;
    void complete(WaitTarget& thing) const;

    const SqlServerSessions& m_sessions;
    const SqlServerLockRows& m_locks;
    QSet<SessionId> m_ofSeveral; ///< threads wait for several locks: the request names one of them only
    QHash<LockName, ResourceKey> m_byLock;
};

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
