// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/LockTable.h"
#include "core/domain/Session.h"

#include <QList>

namespace lockscope::admin {

/// Returns what was shown to the person who acted, as JSON for the audit: used where the server has no state
/// of its own to record, because the row or session is gone.
QString stateAsJson(const LockTableEntry& entry);
QString stateAsJson(const QList<LockTableEntry>& entries);
QString stateAsJson(const Session& session);

/// JSON texts of the server as one JSON array.
QString jsonArray(const QStringList& elements);

} // namespace lockscope::admin
