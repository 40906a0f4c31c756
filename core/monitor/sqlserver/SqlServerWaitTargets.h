// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/monitor/sqlserver/SqlServerLockRows.h"
#include "core/monitor/sqlserver/SqlServerResource.h"
#include "core/monitor/sqlserver/SqlServerSessions.h"

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

} // namespace lockscope::monitor
