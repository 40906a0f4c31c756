// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/SchemaInstaller.h"
#include "core/db/Server.h"

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

/// The rights of a login in a history, and the time of that history's clock.
struct HistoryStanding {
    QString user;
    bool mayRead = false; ///< what others have recorded
    bool mayChange = false; ///< or remove: the history's owner is one of these
    bool isSuperuser = false;
    microseconds clockAhead{0}; ///< of this machine's; half of the round trip may be wrong

    /// Returns what a person should know: rights that no writer needs, and a clock that is wrong.
    QStringList remarks() const;
};

/// Asks a history whether this login can write into it, and writes nothing. An error says why not: as
/// checkHistory(); Permission: it lacks a right; ReadOnly: the server takes no changes. Blocks.
Result<HistoryStanding> historyStanding(const db::Server& server);

} // namespace lockscope::record
