// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Framework.h"

#include <QList>
#include <QString>
#include <QStringList>

namespace lockscope::frameworks {

/// A table of the database that has the columns of a framework's.
struct KnownTable {
    QString schema;
    QString table;
    quint64 id = 0; ///< oid or object id
    QStringList columns;
    /// SQL Server: the numbers of its heap and B-trees (hobt_id), by which locks on its rows name it.
    QList<quint64> parts{};

    QString fullName() const; ///< "public.databasechangeloglock"; without a schema the table alone
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

} // namespace lockscope::frameworks
