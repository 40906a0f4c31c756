// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/domain/Resource.h"

namespace lockscope::monitor {

/// Where the row behind a key or row lock of SQL Server stands. A lock tells a hash, not a key: to find the
/// row, the whole index has to be read. So it is done on request only, by a person who has seen `warning()`.
struct LockedRowPlace {
    QString database;
    QString schema;
    QString table;
    qint64 index = 0; ///< 0: a heap
    qint64 rows = 0; ///< in the partition, as the catalogue counts
    QString hash; ///< "(8194443284a0)", or "1:109:12" in a heap

    QString
    warning() const; ///< "Reads up to 1,000,000 rows of …": what the search costs and how sure its result is
    bool operator==(const LockedRowPlace&) const = default;
};

/// Whether there is one row to look for: SQL Server's keys and rows, if not summed up.
bool hasLockedRow(Engine engine, const Resource& resource);

/// First step, cheap. Blocks for a round trip.
Result<LockedRowPlace> lockedRowPlace(
    db::Connection& connection, const Resource& resource, std::stop_token stop = {});

/// Second step, as expensive as reading the index: the row as JSON; nothing if it has gone. Two rows may
/// share a hash: then both, the first of them first. Reads what is not committed and takes no locks. Blocks
/// until the index is read, or `stop`.
Result<QStringList> findLockedRow(
    db::Connection& connection, const LockedRowPlace& place, std::stop_token stop = {});

} // namespace lockscope::monitor
