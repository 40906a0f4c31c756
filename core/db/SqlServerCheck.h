// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"

namespace lockscope::db {

/// One step of the way to a server, as the connection dialog ticks it off.
struct CheckStep {
    enum class Outcome {
        Good,
        Note, ///< it works, but there is something to know
        Failed, ///< the way ends here
    };
    QString name; ///< "Host name"
    Outcome outcome = Outcome::Good;
    QString finding; ///< what was found, or the whole error
};
using CheckSink = std::function<void(const CheckStep&)>;

/// Goes to a SQL Server step by step – driver, host name, port, encryption, log-in, database, rights, schema
/// – and tells each step's outcome; ends with the first that fails, or soon after `stop`. Blocks for as long
/// as the connect time-out. True if all went well.
bool checkSqlServer(const ServerUrl& url, const PasswordProvider& passwords, const ConnectOptions& options,
    const CheckSink& tell, const std::stop_token& stop = {});

} // namespace lockscope::db
