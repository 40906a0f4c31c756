// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/sandbox/Account.h"

namespace lockscope::sandbox {

/// The places of a sandbox's parts. A value: nothing is made before `prepare`.
struct Layout {
    QString directory; ///< absolute and clean
    QString runDirectory; ///< of the sockets; elsewhere if `directory` is too long for a socket's path

    static Layout of(const QString& directory, const Account& account);
    /// LOCKSCOPE_SANDBOX_DIR, else the user's data directory + "/lockscope/sandbox"; for root
    /// /var/lib/lockscope/sandbox, because the server's account may not enter root's home.
    static QString defaultDirectory();

    QString dataDirectory() const { return directory + QStringLiteral("/data"); }
    QString dataInTheMaking() const { return directory + QStringLiteral("/data.new"); }
    QString passwordFile() const { return directory + QStringLiteral("/password"); }
    /// A hash of the script that made the schema in the data directory.
    QString schemaMark() const { return directory + QStringLiteral("/schema"); }
    QString serverLog() const { return directory + QStringLiteral("/server.log"); }
    QString supervisorLog() const { return directory + QStringLiteral("/supervisor.log"); }
    /// Held while a supervisor is being started or the schema installed.
    QString startLock() const { return directory + QStringLiteral("/start.lock"); }
    /// Held by the supervisor and, inherited, by every process of the server.
    QString serverLock() const { return directory + QStringLiteral("/server.lock"); }
    QString supervisorSocket() const { return runDirectory + QStringLiteral("/supervisor"); }
    /// The last lines of both logs, for error texts.
    QString logTail() const;

    /// Makes the directories, mode 0700, owned by `account`. Refuses a directory that holds something else.
    Result<void> prepare(const Account& account) const;
};

} // namespace lockscope::sandbox
