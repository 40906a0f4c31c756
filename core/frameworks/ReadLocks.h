// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/db/ServerProfile.h"
#include "core/domain/LockTable.h"
#include "core/frameworks/Catalogue.h"

#include <QList>

namespace lockscope::frameworks {

/// The locks in the rows of the tables that are attached, and of those of the catalogue that may be read, as
/// this connection sees them now, without the lives of their holders; for acts, and not for display. Two
/// round trips. A table that can't be read is an error.
Result<QList<LockTableEntry>> readLocks(
    db::Connection& connection, const db::ServerProfile& profile, const CataloguePtr& catalogue);

} // namespace lockscope::frameworks
