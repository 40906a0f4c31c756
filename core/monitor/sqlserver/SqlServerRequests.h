// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Statement.h"
#include "core/domain/Resource.h"
#include "core/domain/Snapshot.h"
#include "core/monitor/ServerSnapshotSource.h"
#include "core/monitor/sqlserver/SqlServerNames.h"
#include "core/monitor/sqlserver/SqlServerResource.h"
#include "core/monitor/sqlserver/SqlServerSessions.h"

#include <QHash>

#include <vector>

namespace lockscope::monitor {

/// Under which id a distributed transaction without a session is shown: the server gives -2 to all of them.
/// Stable for one unit of work, and no id that the server uses itself.
SessionId orphanId(const QString& unitOfWork);
/// The session that the server gives for such a transaction.
inline constexpr qint64 orphanedSession = -2;

/// The rows of sqlserver/monitor/locks, decoded, each thing named by its index.
class SqlServerLockRows {
public:
    struct DecodedLock {
        quint32 resource = 0; ///< index into resources()
        SessionId session; ///< orphanId() for a distributed transaction without a session
        LockMode mode;
        RequestState state = RequestState::Granted;
        LockOwner owner = LockOwner::Transaction;
        bool lowPriority = false; ///< waits without standing in anybody's way
        qint64 transaction = 0; ///< the transaction that owns it; 0 for a session's lock
        qint64 address = 0; ///< names the request in sys.dm_os_waiting_tasks
        quint32 count = 1; ///< reference count; of a row summed up, how many locks
    };

    void add(const db::Row& row);

    const std::vector<ResourceKey>& resources() const { return m_resources; }
    const std::vector<DecodedLock>& locks() const { return m_locks; }
    /// The rows and keys that locks on a transaction stand for (optimized locking).
    const QHash<ResourceKey, std::vector<ResourceKey>>& underlying() const { return m_underlying; }
    /// Distributed transactions without a session, and what names them.
    const QHash<SessionId, QString>& unitsOfWork() const { return m_unitsOfWork; }
    qint64 shown() const { return m_shown; } ///< locks shown, those summed up counted one by one
    qint64 total() const { return m_total; } ///< locks that the server has, without the noise

private:
    std::vector<ResourceKey> m_resources;
    std::vector<DecodedLock> m_locks;
    QHash<ResourceKey, quint32> m_index;
    QHash<QString, LockMode> m_modes;
    QHash<SessionId, QString> m_unitsOfWork;
    QHash<ResourceKey, std::vector<ResourceKey>> m_underlying;
    qint64 m_shown = 0;
    qint64 m_total = 0;
};

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
    void begin() { m_waitsBefore = std::exchange(m_waitsNow, {}); }
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
