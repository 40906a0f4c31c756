// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/db/ServerProfile.h"
#include "core/json/FileCheck.h"

#include <QByteArray>
#include <QList>
#include <QStringList>

#include <tl/expected.hpp>

namespace lockscope::profiles {

/// A server that a file names.
struct FoundServer {
    db::ServerProfile profile{};
    bool isWhole = false; ///< a file of another program knows no environment, tags or attached tables
    QStringList notes{}; ///< sentences: parts of it that were not taken, and why
    bool operator==(const FoundServer&) const = default;
};

/// An entry of a file that becomes no server.
struct LeftOut {
    QString name;
    QString why; ///< a sentence
    bool operator==(const LeftOut&) const = default;
};

/// The servers of a file. There is never a password among them.
struct FoundServers {
    QList<FoundServer> servers;
    QList<LeftOut> leftOut;
    qsizetype moreLeftOut = 0; ///< entries beyond maxLeftOut, which are counted only
    bool operator==(const FoundServers&) const = default;
};

/// The number of entries that are listed when they become no server.
inline constexpr qsizetype maxLeftOut = 1'000;
void leaveOut(FoundServers& all, const QString& name, const QString& why);

/// Adds a server whose text came from a file that somebody else may have written: its name can't look like
/// something else, and of the address' options only those are taken that trust nobody and read or write no
/// file of secrets. `profile.url` is as it was parsed.
void addFound(FoundServers& all, db::ServerProfile profile, bool isWhole);

/// One line of what an import will do: nothing is saved before somebody has seen it.
struct ImportItem {
    enum class Kind : quint8 {
        New,
        Changed, ///< a saved server of that name differs
        Skipped
    };
    Kind kind = Kind::New;
    QString name;
    db::ServerProfile profile{}; ///< as it will be saved; of Skipped: none
    QString why{}; ///< sentences: what changes, what is not taken, or why it is skipped
    bool operator==(const ImportItem&) const = default;
};

QString importKindName(ImportItem::Kind kind); ///< "new", "changed", "skipped"

/// Compares what was found with the saved servers. A changed one keeps what this user has allowed, unless its
/// address is another one.
QList<ImportItem> planImport(const QList<db::ServerProfile>& saved, const FoundServers& found);

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
