// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/TestServer.h"

#include <QProcess>
#include <QTemporaryDir>

namespace lockscope::test {

/// A private PgBouncer in front of a test server, gone with this object or the program.
class PgBouncer {
public:
    enum class Mode { Session, Transaction, Statement };

    /// A failure to start ends the program. `poolSize` sessions of the server are shared by all clients of a
    /// database. `more`: lines of its configuration.
    PgBouncer(const TestServer& server, Mode mode, int poolSize = 1, const QString& more = {});
    ~PgBouncer();
    Q_DISABLE_COPY_MOVE(PgBouncer)

    static bool isInstalled();
    qint64 processId() const { return m_process.processId(); }
    void kill(); ///< as a crash would
    /// The same database by way of the pooler.
    db::ServerUrl before(db::ServerUrl url) const;
    /// … over TCP.
    db::ServerUrl overTcp(db::ServerUrl url) const;

private:
    QTemporaryDir m_directory;
    const int m_port;
    QProcess m_process;
};

} // namespace lockscope::test
