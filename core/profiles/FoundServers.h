// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/ServerProfile.h"

#include <QList>
#include <QStringList>

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

} // namespace lockscope::profiles
