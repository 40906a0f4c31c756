// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/profiles/ImportPlan.h"

namespace lockscope::profiles {

/// The files in which clients of databases keep their servers.
enum class ClientFile : quint8 {
    Services, ///< pg_service.conf of libpq
    Passwords, ///< ~/.pgpass of libpq: its passwords are passed over
    DataSources ///< odbc.ini: those of SQL Server
};

/// Reads the text of such a file. Pure; any thread.
FoundServers serversIn(ClientFile kind, const QString& text);
/// Returns where such files are, by the environment, the user's before the system's; they need not exist.
QStringList pathsOf(ClientFile kind);
/// Reads all of them that exist. BadInput: there is none. Blocks on the disk; any thread.
Result<FoundServers> readClientFiles(ClientFile kind);

} // namespace lockscope::profiles
