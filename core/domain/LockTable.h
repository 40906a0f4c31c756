// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Id.h"
#include "core/base/ServerTime.h"
#include "core/domain/FrameworkMatch.h"

#include <QList>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>

namespace lockscope {

/// The holder of a lock-table name, or a waiter for it, as the client that wrote the row states it.
struct LockOwnerInfo {
    QString owner; ///< person or account
    QString host;
    QString program;
    qint64 processId = 0;
    SessionId session; ///< the database session that wrote the row; it may be gone

    /// This program, this host, this account; session left open.
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
    ServerTime acquiredAt;
    std::optional<ServerTime> expiresAt; ///< end of the lease, or acquiredAt + stale age
    LockOwnerInfo party;
    FrameworkMatchPtr framework{}; ///< of the framework's table, or an attached one; null: ours
    /// The columns FrameworkRow::compare of a framework's table exactly as stored, null strings for NULL; for
    /// compare-and-act.
    QStringList stored{};
    LockRowTablePtr source{}; ///< of a framework's row: where it stands
    QString holderText{}; ///< of a framework's table: what the row says of the holder, as stored
    std::optional<ServerTime> heartbeat{}; ///< the holder's last sign of life, where the table has one
    HolderLife holderLife{}; ///< as far as this snapshot shows it
    /// Why the row can't be what a lock table holds: "expires_at is infinity". Empty for good rows; of a bad
    /// one, times that can't be used are invalid, ends of leases the nearest that can be represented.
    QString badRow{};
    /// Its end has no zone, and by some zones it is over: whether it is held depends on its program's zone.
    bool dependsOnZone = false;

    bool isBad() const { return !badRow.isEmpty(); }
    /// True if something is known of its holder, so that the verdict means something.
    bool isJudged() const { return framework || !holderLife.evidence.isEmpty(); }
    bool isStale(ServerTime now) const { return expiresAt && *expiresAt <= now; }
    bool operator==(const LockTableEntry&) const = default;
};

struct LockTableKey {
    QString table;
    QString name;
    bool operator==(const LockTableKey&) const = default;
};
inline size_t qHash(const LockTableKey& key, size_t seed = 0) noexcept
{
    return qHashMulti(seed, key.table, key.name);
}

/// Somebody in the visible FIFO queue of a lock-table name.
struct LockTableWaiter {
    QString table;
    QString name;
    qint64 ticket = 0; ///< place in the queue: smaller is earlier; unique within the table
    ServerTime registeredAt;
    ServerTime expiresAt; ///< a crashed waiter drops out here unless it renews
    LockOwnerInfo party;
    QString badRow{}; ///< as of entries

    bool isBad() const { return !badRow.isEmpty(); }
    bool isExpired(ServerTime now) const { return expiresAt <= now; }
    /// True if it counts as one who waits: its row is readable, and it has given a sign of life.
    bool isWaiting(ServerTime now) const { return !isBad() && !isExpired(now); }
    bool operator==(const LockTableWaiter&) const = default;
};

} // namespace lockscope
