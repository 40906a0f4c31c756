// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/frameworks/FoundTable.h"

#include <chrono>
#include <stop_token>
#include <vector>

namespace lockscope::frameworks {

/// A plain table of somebody whom we don't trust, of PostgreSQL: all of its rows as they are stored, by COPY,
/// which plans nothing and so runs nothing of its owner's, whatever the table has become since it was judged.
/// The rows are then asked as a table of the system's own types is.
struct CopiedTable {
    CopiedTable(const db::Dialect& dialect, const DatabaseTable& table, const QStringList& columns);

    QByteArray statement; ///< the COPY
    QString typed; ///< the columns and types of the rows as a table: "id" pg_catalog.int4, …
    QStringList names; ///< of the columns, in the order of both
};

/// Such a table is copied with each poll only if it is not larger.
inline constexpr qint64 maxRowsCopied = 10'000;
inline constexpr qint64 maxBytesCopied = 8 * 1024 * 1024;

/// The rows of each table as a JSON array of objects, or why there are none: in one read-only transaction
/// that runs nothing else; after a failure again with the tables behind that one, until `end`. All of them
/// together wait 200 ms for locks, and then each 1 ms. Adds to `roundTrips`.
std::vector<Result<QString>> copyRows(db::Connection& connection, const std::vector<CopiedTable>& tables,
    std::chrono::steady_clock::time_point end, int& roundTrips, const std::stop_token& stop);

} // namespace lockscope::frameworks
