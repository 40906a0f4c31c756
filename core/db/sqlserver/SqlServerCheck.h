// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/CheckStep.h"
#include "core/db/Server.h"

namespace lockscope::db {

/// Connects to a SQL Server step by step – driver, host name, port, encryption, login – then reports what the
/// session found out about it: version, database, rights, views, schema. Ends with the first step that fails,
/// or soon after `stop`. Blocks for as long as the connect time-out. True if none failed.
bool checkSqlServer(const Server& server, const ConnectOptions& options, const CheckSink& tell,
    const std::stop_token& stop = {});

} // namespace lockscope::db
