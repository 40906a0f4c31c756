// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/CheckStep.h"
#include "core/db/Server.h"

namespace lockscope::db {

/// Checks, as checkPostgres(), a file of SQLite: version, file, journal, schema.
bool checkSqlite(const Server& server, const ConnectOptions& options, const CheckSink& tell,
    const std::stop_token& stop = {});

} // namespace lockscope::db
