// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Server.h"

#include <QByteArray>
#include <QProcess>
#include <QTemporaryDir>

#include <memory>

namespace lockscope::test {

/// A PostgreSQL that writes its log as stderr, CSV and JSON at once, through its collector, which the servers
/// of TestServer have not. Ended with the object.
class LoggingServer {
public:
    /// `language`: of its messages, "de"; empty: English. `settings`: others than usual,
    /// "log_destination=csvlog". Ends the program if the server does not start.
    explicit LoggingServer(const QByteArray& language = {}, const QStringList& settings = {});
    ~LoggingServer();
    Q_DISABLE_COPY_MOVE(LoggingServer)

    /// Returns its log, by the file's end: "log", "csv", "json". Empty if it can't write that.
    QByteArray log(const QString& form) const;
    /// A session by psql, which runs each line that is written to it, and prints the results.
    std::unique_ptr<QProcess> session() const;
    /// Its database "postgres", as superuser.
    db::Server server() const;
    /// The same as another role, whose password is "secret".
    db::Server serverFor(const QString& role) const;

private:
    QString folder() const { return m_directory.path(); }

    QTemporaryDir m_directory;
    QProcess m_server;
};

} // namespace lockscope::test
