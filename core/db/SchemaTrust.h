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
/// where the engine has such a file: its `{trusted}` is filled in. `parameter` is the number of the one that
/// has the role which the person in front of us trusts besides. Kept for good. Any thread.
const Statement& statementOfTrust(const Dialect& dialect, const char* name, int parameter);

/// Whether this session may use what the schema `lockscope` has. Who owns a function, a trigger or a view
/// that somebody uses acts with that person's rights; so each connection asks once whom it would trust, and a
/// refusal (Permission) names what belongs to whom and what to do. A schema that is not there is no fault.
/// A schema of SQLite has no owners.
/// One round trip the first time. Thread-bound like the connection.
Result<void> trustSchema(Connection& connection, SchemaUse use);
/// As the above, as part of a poll: to run before anything in the schema is read. What it finds is known to
/// trustSchema when the batch has run.
BatchItem schemaCheck(Connection& connection);

} // namespace lockscope::db
