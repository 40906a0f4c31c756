// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Id.h"
#include "core/base/ServerTime.h"
#include "core/domain/FrameworkMatch.h"
#include "core/domain/LockMode.h"
#include "core/domain/Session.h"

#include <QDateTime>
#include <QList>
#include <QString>
#include <QStringList>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace lockscope {

/// The holder of a lock-table name, or a waiter for it, as the client that wrote the row states it.
struct LockOwnerInfo {
    QString owner; ///< person or account
    QString host;
    QString program;
    qint64 processId = 0;
    SessionId session; ///< the database session that wrote the row; it may be gone

    /// Returns this program, host and account; `session` is left empty.
    static LockOwnerInfo ofThisProcess();

    bool operator==(const LockOwnerInfo&) const = default;
};

/// The table that rows of a framework were read from, by the names that the server has for it.
struct LockRowTable {
    struct Column {
        QString name;
        QString
            type; ///< as the catalogue names it, without its length: "timestamptz", "datetime2"; SQLite: ""

        bool operator==(const Column&) const = default;
    };
    QString schema; ///< empty on SQLite
    QString table;
    QList<Column> columns; ///< all that it has

    const Column* column(const QString& name) const; ///< without regard to case; null if it has none
};
/// Shared by all rows of a table that were read by one connection.
using LockRowTablePtr = std::shared_ptr<const LockRowTable>;

/// One row of a lock table: the row is the lock.
struct LockTableEntry {
    QString table; ///< as shown: "lockscope.lock_entry", or that of a framework
    QString name; ///< unique within the table
    QString token; ///< owner token; empty in attached tables that have none
    qint64 fencing = 0; ///< grows with each grant; 0 where the table has none
    ServerTime acquiredAt; ///< by the server's clock
    std::optional<ServerTime> expiresAt; ///< end of the lease, or acquiredAt + stale age
    LockOwnerInfo party;
    FrameworkMatchPtr framework{}; ///< of a framework's or attached table; null for Lockscope's own
    /// The columns FrameworkRow::compare of a framework's table exactly as stored, null strings for NULL; an
    /// action compares them.
    QStringList stored{};
    LockRowTablePtr source{}; ///< the table of a framework's row; null for other rows
    QString holderText{}; ///< of a framework's table: the row's own text about the holder
    std::optional<ServerTime> heartbeat{}; ///< the holder's last sign of life, where the table has one
    HolderLife holderLife{}; ///< as far as this snapshot shows it
    /// The reason why the row makes no sense: "expires_at is infinity"; empty for good rows. In a bad row,
    /// times that can't be used are invalid, and ends of leases are the nearest that can be represented.
    QString badRow{};
    /// True if its end has no zone and has passed in some zones: its program's zone decides whether it is
    /// held.
    bool dependsOnZone = false;

    bool isBad() const { return !badRow.isEmpty(); }
    /// True if something is known of its holder; otherwise `holderLife` has no verdict.
    bool isJudged() const { return framework || !holderLife.evidence.isEmpty(); }
    bool isStale(ServerTime now) const { return expiresAt && *expiresAt <= now; }
    bool operator==(const LockTableEntry&) const = default;
};

/// Identifies an entry across snapshots.
struct LockTableKey {
    QString table;
    QString name;
    bool operator==(const LockTableKey&) const = default;
};
inline size_t qHash(const LockTableKey& key, size_t seed = 0) noexcept
{
    return qHashMulti(seed, key.table, key.name);
}

/// One waiter in the queue of a lock-table name, which is served in the order of tickets.
struct LockTableWaiter {
    QString table;
    QString name;
    qint64 ticket = 0; ///< place in the queue: smaller is earlier; unique within the table
    ServerTime registeredAt;
    ServerTime expiresAt; ///< its place in the queue ends then, unless it renews
    LockOwnerInfo party;
    QString badRow{}; ///< as LockTableEntry::badRow

    bool isBad() const { return !badRow.isEmpty(); }
    bool isExpired(ServerTime now) const { return expiresAt <= now; }
    /// True if it counts as a waiter: its row is not bad, and it has not expired.
    bool isWaiting(ServerTime now) const { return !isBad() && !isExpired(now); }
    bool operator==(const LockTableWaiter&) const = default;
};

/// A lock that this program itself takes by the library.
struct OwnLock {
    Engine engine = Engine::Postgres;
    QString place; ///< server and database: "db1:5432/shop"; of SQLite the file
    QString form; ///< its kind, with %1 for its name: "'%1' in lockscope.lock_entry", "app lock '%1'"
    QString name;
    LockMode mode;
};

/// One request of a thread of this program for a lock, and the locks that it held at that time.
struct OwnStep {
    int thread = 0; ///< a number for each thread that takes locks, from 1 on
    std::vector<OwnLock> held; ///< all that it held at the request, in the order in which it took them
    OwnLock taken;
    /// Somebody else had it, so that the thread waited; it may not have been granted in the end.
    bool hadToWait = false;
    LockOwnerInfo party;
    ServerTime at; ///< time of the grant, by the server's clock; lock table only
    QDateTime here; ///< time of the step, by this computer's clock
};

/// Called on the thread that takes the lock, before acquire() returns: must return soon. Several threads may
/// call it at the same time.
using OwnStepListener = std::function<void(const OwnStep&)>;

} // namespace lockscope
