// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/FrameworkMatch.h"

#include <QHashFunctions>
#include <QString>

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

} // namespace lockscope
