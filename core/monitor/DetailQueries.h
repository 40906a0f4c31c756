// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/domain/Resource.h"
#include "core/domain/Session.h"

#include <QStringList>

namespace lockscope::monitor {

/// The place of the row behind a row lock. Searched on request only, by a person.
struct LockedRowPlace {
    QString database;
    QString schema;
    QString table;
    /// Says what the search costs and how certain its result is; empty if it costs next to nothing.
    QString warning;
    qint64 index = 0; ///< SQL Server; 0: a heap. PostgreSQL: the table's oid
    QString hash; ///< SQL Server: "(8194443284a0)", or "1:109:12" in a heap. PostgreSQL: "(0,4)"
    QStringList columns; ///< SQL Server: those that are stored as they are: reading them runs nothing
    QString key; ///< PostgreSQL: the expression that gives the primary key as text

    bool operator==(const LockedRowPlace&) const = default;
};

/// Returns whether there is one row to search: SQL Server's keys and rows, if not summed up; PostgreSQL's
/// rows in tables of the database that is shown.
bool hasLockedRow(Engine engine, const Resource& resource);

/// First step, cheap: reads the catalogue. Blocks for a round trip. Permission if the role may not
/// read the row, MissingObject if the table has gone or has no primary key.
Result<LockedRowPlace> lockedRowPlace(
    db::Connection& connection, const Resource& resource, const std::stop_token& stop = {});

/// Second step: the row, on SQL Server whole and as JSON, but for columns that are computed or of a type
/// with code of its own, which would run with our rights, on PostgreSQL its primary key ("id = 101"); nothing
/// if it has gone. On SQL Server as expensive as reading the index, and two rows may share a hash: then both,
/// the first of them first; reads what is not committed and takes no locks. On PostgreSQL it reads the one
/// row by its place, as long as somebody has the lock on it, waits for no lock for longer than a moment, and
/// is refused where row security would run functions of others. Blocks until it is read, or `stop`.
Result<QStringList> findLockedRow(
    db::Connection& connection, const LockedRowPlace& place, const std::stop_token& stop = {});

/// The plan by which a session's statement runs: XML as the server keeps it, which other tools open from a
/// file *.sqlplan. On request only, never in a poll: plans are large, and to take many of them at once holds
/// up the server. `session.started` invalid: whichever session has this id now. Without a plan the error says
/// why: no such session, nothing runs, no right, or an engine that shows none. Blocks for a round trip.
Result<QString> statementPlan(
    db::Connection& connection, const SessionKey& session, std::stop_token stop = {});

/// True if PostgreSQL shows the progress of such a statement: VACUUM, ANALYZE, CREATE INDEX, REINDEX,
/// CLUSTER, COPY; those of its own workers ("autovacuum: VACUUM …"), too.
bool reportsProgress(const Session& session);

/// "vacuuming indexes, 40 % (400 of 1,000 blocks)", of a session that reportsProgress. On request only, never
/// in a poll. An error if it runs no such command any more, or if this version does not show it. Blocks for a
/// round trip.
Result<QString> commandProgress(
    db::Connection& connection, const Session& session, std::stop_token stop = {});

} // namespace lockscope::monitor
