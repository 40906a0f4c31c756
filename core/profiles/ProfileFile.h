// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/json/FileCheck.h"
#include "core/profiles/ImportPlan.h"

#include <QByteArray>

#include <tl/expected.hpp>

namespace lockscope::profiles {

/// Writes profiles in the format `resources/profiles/profiles.schema.json`. Passwords are not in it, nor what
/// this user has allowed: tables of others, acts without a server's audit, a schema's owner.
QByteArray writeProfiles(const QList<db::ServerProfile>& profiles);

/// Reads such a file: all faults at once, in the order of the file. `name` is the file's name or path, for
/// errors. Pure; any thread.
tl::expected<FoundServers, json::FileFaults> readProfiles(const QString& name, const QByteArray& text);

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
