// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Id.h"
#include "core/base/ServerTime.h"
#include "core/domain/FrameworkMatch.h"
#include "core/domain/LockMode.h"

#include <QHashFunctions>
#include <QString>

#include <optional>

namespace lockscope {

enum class ResourceKind : quint8 {
    Unknown, ///< kept with its text; never dropped
    Database,
    Relation, ///< table, index, sequence (PostgreSQL); OBJECT, HOBT (SQL Server)
    Extend,
    Page,
    Row, ///< tuple (PostgreSQL); KEY, RID (SQL Server)
    TransactionId,
    VirtualTransaction,
    SpeculativeToken,
    Object, ///< any other catalogued object
    UserLock, ///< PostgreSQL's retired user locks
    ApplicationLock, ///< advisory lock (PostgreSQL), APPLICATION (SQL Server)
    LockTableName, ///< an entry of a lock table, any engine
    Metadata,
    File,
    AllocationUnit,
    SafeSnapshot, ///< SERIALIZABLE READ ONLY DEFERRABLE waits for it (PostgreSQL)
};
QString resourceKindName(ResourceKind kind); ///< "table", "row", "application lock" …

/// The identity of a lockable thing: two requests are for the same thing only if every field matches.
struct ResourceKey {
    ResourceKind kind = ResourceKind::Unknown;
    quint32 database = 0; ///< database oid or id; 0 = shared by all
    quint64 entity = 0; ///< relation oid, class id, transaction id, associated entity id …
    quint64 part = 0; ///< page/row, object id, high and low word of an advisory key, partition …
    QString text; ///< the part without numbers: virtual transaction, lock-table name, unknown description

    bool operator==(const ResourceKey&) const = default;
};
size_t qHash(const ResourceKey& key, size_t seed = 0) noexcept;

/// A table, or a part of one, as all texts name it: the table comes first.
struct TablePart {
    QString table; ///< "public.orders"; empty: not known
    QString part; ///< "row (0,7)", "key (8194443284a0)", "rows"; empty: the whole table

    QString name() const; ///< "public.orders row (0,7)"
    /// Takes a name() apart, and of a transaction that names what it has locked. A table or any other kind
    /// has no part, and nothing but a table, a row or a page has a table.
    static TablePart of(ResourceKind kind, const QString& name);

    bool operator==(const TablePart&) const = default;
};

struct Resource {
    ResourceKey key;
    QString database; ///< name; empty if shared or unknown
    QString name; ///< readable: "public.orders", "public.orders row (0,4)", "app lock 'nightly-run'"
    bool named = false; ///< false while `name` is only numbers, because the name could not be read
    bool internal = false; ///< bookkeeping of the server or a program, which blocks nobody
    FrameworkMatchPtr framework{}; ///< the framework whose lock it is; null if none is known

    TablePart tablePart() const { return TablePart::of(key.kind, name); }
    bool operator==(const Resource&) const = default;
};

enum class RequestState : quint8 {
    Granted,
    Waiting,
    Converting, ///< holds the lock, and waits for a stronger mode
};
/// The owner that a lock ends with.
enum class LockOwner : quint8 { Transaction, Session, Other };

/// Identifies one request across snapshots: a waiter that becomes the holder keeps its key.
struct LockRequestKey {
    SessionId session;
    ServerTime sessionStarted;
    ResourceKey resource;
    LockMode mode;
    LockOwner owner = LockOwner::Transaction;
    quint32 ordinal = 0; ///< differs for rows that agree in all the rest

    bool operator==(const LockRequestKey&) const = default;
};

/// One row of pg_locks or sys.dm_tran_locks: a session holds a mode on a resource, or waits for it.
struct LockRequest {
    SessionId session;
    ServerTime sessionStarted;
    quint32 resource = 0; ///< index into Snapshot::resources
    LockMode mode;
    RequestState state = RequestState::Granted;
    LockOwner owner = LockOwner::Transaction;
    quint32 count = 1; ///< the number of times that it is held, where the engine gives it
    quint32 ordinal = 0;
    /// The time when it was granted or began to wait: exact, or the latest time at which that can have been.
    std::optional<ServerTime> since;
    bool sinceExact = false; ///< the server states `since`

    bool isWaiting() const { return state != RequestState::Granted; }
    bool operator==(const LockRequest&) const = default;
};

/// `waiter` can't continue before `blocker` releases that resource, or leaves its queue.
struct WaitEdge {
    enum class Kind : quint8 {
        Holder, ///< the blocker holds a conflicting mode
        Queue, ///< the blocker is only ahead in the queue, with a conflicting mode
    };
    SessionId waiter;
    SessionId blocker;
    quint32 resource = 0; ///< index into Snapshot::resources
    Kind kind = Kind::Holder;

    bool operator==(const WaitEdge&) const = default;
};

} // namespace lockscope
