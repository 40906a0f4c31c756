// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Statement.h"
#include "core/domain/Resource.h"
#include "core/domain/Session.h"
#include "core/domain/Snapshot.h"
#include "core/monitor/ServerSnapshotSource.h"
#include "core/monitor/SnapshotSource.h"
#include "core/monitor/postgres/PostgresNames.h"

#include <QHash>

#include <string>
#include <string_view>
#include <vector>

namespace lockscope::monitor {

/// Returns the kind of what a lock type of PostgreSQL is on.
ResourceKind resourceKindOf(std::string_view lockType);

/// The rows of pg_locks, decoded, each thing named by its index. Meaning of the columns: PostgreSQL
/// documentation, view "pg_locks".
class PostgresLockRows {
public:
    struct DecodedLock {
        quint32 resource = 0; ///< index into resources()
        /// The backend's process id. A prepared transaction has none: after attributePrepared() it is its
        /// transaction id, negated.
        SessionId session;
        LockMode mode;
        /// The virtual transaction that holds the lock or waits for it; 0 outside of one. Locks never outlive
        /// it, but for session-owned advisory ones.
        quint64 transaction = 0;
        std::optional<ServerTime> waitStart;
        bool granted = true;
    };

    /// Reserves space for about so many rows.
    void expect(size_t rows);
    /// Takes a row of postgres/monitor/locks.
    void add(const db::Row& row);
    /// To call after the last row. Locks of prepared transactions have no process id, and their virtual
    /// transaction is that of the session that is long gone; but each holds the lock on its own transaction
    /// id, which tells whose the others are.
    void attributePrepared();

    const std::vector<ResourceKey>& resources() const { return m_resources; }
    const std::vector<DecodedLock>& locks() const { return m_locks; }

private:
    ResourceKey resourceOf(const db::Row& row);
    const LockMode& modeOf(std::string_view name);
    std::string_view utf8(const db::Row& row, int column);

    std::vector<ResourceKey> m_resources;
    std::vector<DecodedLock> m_locks;
    QHash<ResourceKey, quint32> m_index;
    QByteArray m_utf8;
    std::vector<std::pair<std::string, LockMode>> m_modes; // those seen: at most a handful
};

/// A row of postgres/monitor/sessions, its role and database still numbers.
struct PostgresSession {
    Session session;
    SessionId id; ///< also after the session was moved into a snapshot
    quint32 role = 0;
    quint32 database = 0;
    bool waitsForSafeSnapshot = false;
    /// The sessions whose end it waits for before it has a safe snapshot; nothing if it waits for none, or if
    /// that was not asked.
    std::optional<std::vector<SessionId>> safeSnapshotAfter;
    /// The oldest transaction that its snapshot still sees as running.
    std::optional<quint32> oldestSeen;

    static PostgresSession fromRow(const db::Row& row, bool withStatements, SessionId own);
    /// `next`: the transaction id that the server gives next.
    std::optional<qint64> snapshotAge(quint32 next) const;
};

/// A prepared transaction, shown as a session because it holds locks as one: its id is the transaction id,
/// negated. `known` is null if it ended before its name could be read.
Session preparedSession(SessionId id, const PostgresNames::Prepared* known);

/// Turns the rows of pg_locks into the snapshot's resources, requests and waits. The snapshot's sessions must
/// be there and indexed. Requests over the limit are left out and counted in a Limitation; waiters, and what
/// they wait for, always stay.
void addRequests(Snapshot& snapshot, const PostgresLockRows& rows, FirstSeen& firstSeen, PostgresNames& names,
    const ProbeSelection& probes);

/// A wait that pg_locks does not show: `waiter` goes on once `before` have ended, or found no conflict.
void addSafeSnapshotWait(Snapshot& snapshot, SessionId waiter, const std::vector<SessionId>& before);

} // namespace lockscope::monitor
