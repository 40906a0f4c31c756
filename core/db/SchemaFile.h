// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Dialect.h"
#include "core/db/Statement.h"

namespace lockscope::db {

/// Where this engine's `file` is below schema/: "postgres/monitor/locks.sql" for "monitor/locks.sql".
QByteArray schemaPath(const Dialect& dialect, const char* file);

/// The statement of that file. A missing file is a defect: qFatal.
const Statement& schemaStatement(const Dialect& dialect, const char* file);

} // namespace lockscope::db
