// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"

namespace lockscope::db {

struct InstallReport {
    int before = 0; ///< schema version found; 0 = none
    int after = 0;
};

/// Installs or migrates the product's own schema `lockscope` (SQLite: tables of prefix lockscope_).
/// Idempotent.
Result<InstallReport> installSchema(Connection& connection);
/// Version found, 0 if there is none.
Result<int> installedSchemaVersion(Connection& connection);
/// Removes what installSchema made and nothing else.
Result<void> uninstallSchema(Connection& connection);
/// The version that this program brings for an engine.
int currentSchemaVersion(Engine engine);

} // namespace lockscope::db
