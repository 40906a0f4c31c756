// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/SchemaInstaller.h"

namespace lockscope::record {

/// The version of the schema lockscope_history that this program brings.
inline constexpr int historyVersion = 3;

/// Refuses (Permission) a history that somebody may have planted: as db::trustSchema, for the schema
/// lockscope_history. To ask before anything there is read or written.
Result<void> trustHistory(db::Connection& connection);
/// Trusts, then: the version that is there, 0 if there is none.
Result<int> installedHistoryVersion(db::Connection& connection);
/// Trusts, then: MissingObject if there is none, Unsupported if it is of another version.
Result<void> checkHistory(db::Connection& connection);
/// Creates the schema of a team's history in a PostgreSQL database, or brings it up to date. Idempotent.
/// `adoptedRoles`: as for db::installSchema.
Result<db::InstallReport> installHistory(db::Connection& connection, const QStringList& adoptedRoles = {});
/// The script that installHistory runs, for a DBA to read and run.
QByteArray historyScript();

} // namespace lockscope::record
