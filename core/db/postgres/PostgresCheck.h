// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/CheckStep.h"
#include "core/db/Server.h"

namespace lockscope::db {

/// Goes to a PostgreSQL server and tells what the session finds out: version, log-in, encryption, database,
/// the settings that decide about locks, rights, schema. As checkSqlServer() otherwise; on the way to the
/// server libpq says itself what is wrong.
bool checkPostgres(const Server& server, const ConnectOptions& options, const CheckSink& tell,
    const std::stop_token& stop = {});

} // namespace lockscope::db
