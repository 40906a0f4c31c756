// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/SchemaTrust.h"

namespace lockscope::db {

struct InstallReport {
    int before = 0; ///< schema version found; 0 = none
    int after = 0;
};

/// The objects that an uninstallation would destroy.
struct UninstallPreview {
    int version = 0; ///< of the schema; 0 = there is none, and nothing to remove
    qint64 entries = 0; ///< of the lock table: their holders would lose them
    qint64 waiters = 0;
    qint64 auditRows = 0;
    qint64 surrogateTables = 0;
    qint64 surrogateKeys = 0;
};

/// The version of everything that this program installs: the schema `lockscope` on each engine, and a team's
/// history.
inline constexpr int schemaVersion = 1;

/// Installs the product's own schema `lockscope` (SQLite: tables of prefix lockscope_). Idempotent;
/// Unsupported if another version is there, which stays as it is. A role of the server that has a name of
/// ours and looks like somebody else's is refused, unless `adoptedRoles` names it (PostgreSQL only).
Result<InstallReport> installSchema(Connection& connection, const QStringList& adoptedRoles = {});
/// The role of ours that an installation refused to use because it looks like somebody else's; empty if it
/// failed for another reason.
QString refusedRole(const Error& error);
/// `script` with these names where it has a place for them: for roles that are to be used although they look
/// like somebody else's. BadInput if one is no role that the script makes.
Result<QByteArray> withAdoptedRoles(const QByteArray& script, const QStringList& adoptedRoles);
/// schemaVersion, or 0 if there is none. Unsupported if what is there has another version.
Result<int> installedSchemaVersion(Connection& connection);
/// Does the same for the schema called `name`, by the statements that ask whether it is there and for its
/// versions.
Result<int> versionOf(
    Connection& connection, const Statement& exists, const Statement& version, const QString& name);
/// Refuses to use a schema that is not to be trusted (see trustSchema) or has another version (Unsupported):
/// its routines and tables may mean something else. A schema that is not there, or that this login may not
/// see, is no fault. Asks for the version the first time on a connection, in two round trips.
Result<void> usableSchema(Connection& connection, SchemaUse use);
/// Changes nothing. Unsupported if uninstallSchema would refuse, too.
Result<UninstallPreview> previewUninstall(Connection& connection);
/// Removes what installSchema made and nothing else.
Result<void> uninstallSchema(Connection& connection);

} // namespace lockscope::db
