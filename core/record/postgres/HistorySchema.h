// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/SchemaInstaller.h"

namespace lockscope::record {

/// Unsupported: a team's history can't be there. Connects to nothing.
Result<void> checkKeepsHistory(Engine engine);
/// Refuses (Permission) a history that somebody may have planted: as db::trustSchema, for the schema
/// lockscope_history. To ask before anything there is read or written.
Result<void> trustHistory(db::Connection& connection);
/// Trusts, then: as db::installedSchemaVersion.
Result<int> installedHistoryVersion(db::Connection& connection);
/// Trusts, then: MissingObject if there is none, Unsupported if it is of another version.
Result<void> checkHistory(db::Connection& connection);
/// Creates the schema of a team's history in a PostgreSQL database. Idempotent; otherwise as
/// db::installSchema.
Result<db::InstallReport> installHistory(db::Connection& connection, const QStringList& adoptedRoles = {});
/// The script that installHistory runs, for a DBA to read and run.
QByteArray historyScript();

} // namespace lockscope::record
