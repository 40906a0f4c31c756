// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/TestServer.h"

#include <QProcess>
#include <QTemporaryDir>

#include <chrono>

namespace lockscope::test {

/// A private PgBouncer in front of a test server, gone with this object or the program.
class PgBouncer {
public:
    enum class Mode { Session, Transaction, Statement };

    /// A failure to start ends the program. `poolSize` sessions of the server are shared by all clients of a
    /// database. `settings` are further lines of its file.
    PgBouncer(const TestServer& server, Mode mode, int poolSize = 1, const QString& settings = {});
    ~PgBouncer();
    Q_DISABLE_COPY_MOVE(PgBouncer)

    static bool isInstalled();
    /// Returns the reason to skip, for SKIP_FOR.
    static QString reasonAgainst()
    {
        return isInstalled() ? QString() : QStringLiteral("PgBouncer is not installed.");
    }
    qint64 processId() const { return m_process.processId(); }
    void kill(); ///< as a crash would
    /// A command of its administrator: RECONNECT, PAUSE, RESUME, RELOAD. PAUSE returns when it has taken
    /// effect, or after `atMost`: then it waits for sessions at work.
    void command(const char* text, std::chrono::milliseconds atMost = std::chrono::seconds(10)) const;
    /// The same database by way of the pooler.
    db::ServerUrl before(db::ServerUrl url) const;
    /// … over TCP.
    db::ServerUrl overTcp(db::ServerUrl url) const;

private:
    QTemporaryDir m_directory;
    const int m_port;
    const QString m_user;
    const QString m_password;
    QProcess m_process;
};

} // namespace lockscope::test
