// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"

namespace lockscope::db {

enum class SchemaUse {
    Reading, ///< tables only
    Calling, ///< functions, or writes, which may run triggers
};

/// The statement of the engine's folder that asks by the one rule of schema/ENGINE/trust.sql whom we trust,
/// where the engine has such a file: its `{trusted}` is filled in, and its `{closure}` if it has one: what
/// runs that belongs to others. `parameter` is the number of the one that has the role which the person in
/// front of us trusts besides. Kept for good. Any thread.
const Statement& statementOfTrust(const Dialect& dialect, const char* name, int parameter);
/// The same of a path below schema/ that is PostgreSQL's alone.
const Statement& statementOfTrust(const char* pathOfPostgres, int parameter);

/// Returns whether this session may use what the schema `lockscope` has. Who owns a function, a trigger or a
/// view that somebody uses acts with that person's rights; so each connection asks once whom it would trust,
/// and a refusal (Permission) names what belongs to whom and what to do. A schema that is not there is no
/// fault. A schema of SQLite has no owners: there, what is called has to be as the installation makes it. One
/// round trip the first time, two where the schema is not as the installation made it: what is asked first,
/// of PostgreSQL, is cheap, and settles it for a schema out of which nothing leads. Thread-bound like the
/// connection. The answer holds as long as the schema is the same (Connection::judged), which PostgreSQL
/// compares before each statement that names it: all in it is of its owner, and nobody else may create in it
/// or put triggers on its tables, so only somebody whom this session trusts can put something else in their
/// place.
Result<void> trustSchema(Connection& connection, SchemaUse use);
/// The part of it for SQLite: sets what in a file keeps Lockscope's tables from working as they were made
/// (SchemaFaults::calling): tables, indexes and triggers of their names that are defined otherwise. A table
/// without its key would give one lock to two. A part that is missing is reported by the code that
/// needs it; triggers besides are left to the owner of the file.
Result<void> findSqliteFaults(Connection& connection);
/// The same of the schema of a team's history, asked each time. PostgreSQL.
Result<void> judgeHistory(Connection& connection);
/// Returns whether tables of the schema may be read: a round trip only if it has not been judged yet.
/// PostgreSQL.
Result<void> judgeSchema(Connection& connection, OwnSchema schema);
/// Returns whether this session may make, change or drop objects: on PostgreSQL event triggers then run, with
/// its rights. A refusal (Permission) names those that call a function of somebody whom we don't trust. A
/// round trip.
Result<void> trustEventTriggers(Connection& connection);
/// The question of trustSchema as part of a poll: to run before anything in the schema is read. What it finds
/// is known to trustSchema when the batch has run.
BatchItem schemaCheck(Connection& connection);
/// Returns whether the tables may be read, by what schemaCheck has found: a round trip only where that did
/// not settle it. No failure if there is no such schema.
Result<void> readableSchema(Connection& connection);

} // namespace lockscope::db
