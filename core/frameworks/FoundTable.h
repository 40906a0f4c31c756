// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/ServerProfile.h"
#include "core/domain/Framework.h"
#include "core/domain/LockMode.h"
#include "core/domain/LockTable.h"

#include <QList>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <vector>

namespace lockscope::frameworks {

/// A table of the database that has the columns of a framework's.
struct KnownTable {
    QString schema;
    QString table;
    quint64 id = 0; ///< oid or object id
    QStringList columns;
    /// SQL Server: the numbers of its heap and B-trees (hobt_id), by which locks on its rows name it.
    QList<quint64> parts{};

    /// "public.databasechangeloglock"; without a schema the table alone.
    QString fullName() const { return schema.isEmpty() ? table : schema + u'.' + table; }
    bool operator==(const KnownTable&) const = default;
};

/// The facts of a database from which frameworks make their keys.
struct DatabaseFacts {
    QString database; ///< of the connection
    QStringList schemas;
    QList<KnownTable> tables; ///< those that any framework of the catalogue names

    bool operator==(const DatabaseFacts&) const = default;
};

/// Returns whether a table is one of those that a file means: by name, schema and columns, without regard to
/// case.
bool isTable(const FrameworkTable& tableRule, const KnownTable& found);
/// The same by name and schema alone, for a table whose columns are not known yet.
bool isNamedLike(const FrameworkTable& tableRule, const QString& schema, const QString& table);

/// The type of a column's values, as far as reading them differs.
enum class ColumnKind : quint8 {
    Other, ///< compared and shown as text only; on SQLite every column, which holds what it likes
    Boolean,
    Number,
    Text,
    Time, ///< a time without a zone
    Zoned, ///< a time with one
};
ColumnKind kindOf(Engine engine, const QString& type);

/// A table of the database, as its catalogue shows it to us.
struct DatabaseTable {
    enum class Right : quint8 { None, Select, NoSchema };
    struct Column {
        Right right = Right::None;
        bool isComputed = false; ///< reading it runs an expression of the table's owner
    };

    LockRowTablePtr names; ///< schema, table, and columns by the names and types that the server has
    quint64 id = 0; ///< oid or object id
    QString owner; ///< empty where there are none
    bool isTrusted = false; ///< the owner gains nothing from our reading it
    bool isPlain = false; ///< no view, no foreign table, none that others inherit from
    bool hidesRows = false; ///< by row security that we are subject to
    qint64 rows = 0; ///< about how many, as the catalogue has it; 0: unknown
    qint64 pages = 0; ///< the same, of 8 kB; PostgreSQL
    QString print; ///< differs once somebody has altered it
    bool isLockable = false; ///< and we have the right to all of it, not only to columns; PostgreSQL
    std::vector<Column> columns; ///< as names->columns
    QList<quint64> parts; ///< SQL Server: its heap and B-trees

    QString display() const
    {
        return names->schema.isEmpty() ? names->table : names->schema + u'.' + names->table;
    }
    KnownTable known() const; ///< as descriptions are compared with
    bool has(const QString& column) const { return names->column(column) != nullptr; }
    /// The least of the rights to these columns; those that are not there don't count.
    Right rightTo(const QStringList& columns) const;
    bool isComputedAny(const QStringList& columns) const;
};

/// A table in which a framework keeps locks as rows. `framework` and `lock` live as long as this does.
struct FoundTable {
    enum class Access : quint8 {
        Readable,
        Forbidden, ///< we lack the right
        NotTrusted, ///< it is read only if the user allows it: `whyNot`
    };

    FrameworkPtr framework;
    const FrameworkLock* lock = nullptr;
    DatabaseTable table;
    std::optional<DatabaseTable> processes; ///< FrameworkRow::process, where it is there and may be read
    bool isAttached = false; ///< by the profile, not by the catalogue
    QString shown; ///< LockTableEntry::table
    Access access = Access::Readable;
    QString whyNot; ///< a sentence
    bool canBeApproved = false; ///< of one that is not trusted
    /// It is copied as it is and not asked: nothing of its owner's can run then (PostgreSQL).
    bool isCopied = false;

    const FrameworkRow& row() const { return lock->row; }
};
using FoundTablePtr = std::shared_ptr<const FoundTable>;

/// Returns the match of the table's rows: the same for all of them.
FrameworkMatchPtr matchOf(const FoundTable& found);

/// The columns that reading the locks of a table needs, as far as it has them.
QStringList columnsRead(const FrameworkRow& row);
/// Returns the columns that are read of a table of processes, as far as it has them.
QStringList columnsRead(const FrameworkProcessTable& process);

/// Returns whether the user lets us read it: attached, or approved while it belongs to this owner.
bool isApproved(const db::ServerProfile& profile, const DatabaseTable& table);

} // namespace lockscope::frameworks
