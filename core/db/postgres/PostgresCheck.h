// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/CheckStep.h"
#include "core/db/Server.h"

namespace lockscope::db {

/// Connects to a PostgreSQL server and reports what the session finds out: version, login, encryption,
/// database, the settings that decide about locks, rights, schema. As checkSqlServer() otherwise; errors on
/// the way to the server are libpq's own.
bool checkPostgres(const Server& server, const ConnectOptions& options, const CheckSink& tell,
    const std::stop_token& stop = {});

} // namespace lockscope::db
