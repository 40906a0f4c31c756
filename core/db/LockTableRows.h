// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/db/Dialect.h"
#include "core/db/ServerProfile.h"
#include "core/db/Statement.h"
#include "core/domain/LockTable.h"

#include <QList>
#include <QString>
#include <QStringList>

#include <stop_token>

namespace lockscope::db {

/// Our own lock table, as it is called on this engine: "lockscope.lock_entry".
QString lockTableName(Engine engine);

/// A row of monitor/entries. Each row becomes an entry: of one that can't be right, badRow has the reason.
/// Every time that is valid lies in the years 1 to 9999.
LockTableEntry entryFromRow(Engine engine, const Row& row);
/// A row of monitor/entry_waiters.
LockTableWaiter waiterFromRow(Engine engine, const Row& row);

class Connection;

/// A table of a server's database and those of its columns that a lock table needs.
struct TableColumns {
    QString schema; ///< empty where the engine has none
    QString table;
    QStringList columns{}; ///< all of them, in their order
    QStringList names{}; ///< columns of text, which can hold a lock's name
    QStringList times{}; ///< columns that can hold a time
    QStringList zoned{}; ///< those of `times` that know their time zone: nobody has to choose one

    bool operator==(const TableColumns&) const = default;
};

/// The tables that this session may read and that have both a text and a time column, by name; none of the
/// engine's own and none of Lockscope's. Blocks; reads the catalogue only.
Result<QList<TableColumns>> tablesWithColumns(Connection& connection, std::stop_token stop);

} // namespace lockscope::db
