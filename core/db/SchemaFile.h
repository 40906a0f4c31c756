// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Dialect.h"
#include "core/db/Statement.h"

namespace lockscope::db {

/// Returns the path of this engine's `name` below schema/: "postgres/locks/acquire" for "locks/acquire".
QByteArray schemaPath(const Dialect& dialect, const char* name);

/// The engine's statement of that name. One that is not there is a defect: qFatal.
const Statement& schemaStatement(const Dialect& dialect, const char* name);

} // namespace lockscope::db
