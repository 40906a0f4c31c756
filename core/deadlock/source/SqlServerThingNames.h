// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/sqlserver/SqlServerFacts.h"
#include "core/deadlock/source/SqlServerQuestions.h"

namespace lockscope::deadlock {

/// Names the tables that reports have by number only, and the Agent's jobs whose steps take part, as they are
/// called now. At most two round trips, and none where nothing is to be named. What the login may not read,
/// or is gone, keeps its number; so does all on Azure SQL Database, which shows neither other databases nor
/// jobs.
void nameOnSqlServer(QList<ReportPtr>& reports, const db::SqlServerFacts& facts, const db::Dialect& dialect,
    SqlServerQuestions& questions);

} // namespace lockscope::deadlock
