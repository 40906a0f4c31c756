// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/domain/LockMode.h"

#include <QList>
#include <QMap>
#include <QString>

namespace lockscope::db {

/// The address of a server. Never holds a password: a URL that carries one is refused with a hint.
///
///   sqlserver://user@host:1433/db?driver=ODBC+Driver+18+for+SQL+Server&encrypt=yes
///   postgresql://user@host:5432/db?sslmode=verify-full      (postgres:// too; host may be a socket
///   directory: ?host=/run/postgresql) sqlite:///absolute/path/locks.db sandbox: (resolved by
///   sandbox::Sandbox to a postgresql URL)
///
/// Several hosts, for PostgreSQL only, are tried in turn, each with a port of its own; libpq's option
/// target_session_attrs selects the kind of server:
///
///   postgresql://user@db1:5432,db2:5433/db?target_session_attrs=read-write
///   postgresql:///db?host=/run/one,/run/two&port=5432,5433
struct ServerUrl {
    /// One of several hosts of a cluster.
    struct Host {
        QString name; ///< as ServerUrl::host
        int port = 0; ///< as ServerUrl::port
        bool operator==(const Host&) const = default;
    };

    Engine engine = Engine::Postgres;
    bool sandbox = false; ///< "sandbox:"; all other fields but `options` are empty
    QString user;
    QString host; ///< name, address or absolute socket directory; empty = the driver's default
    int port = 0; ///< 0 = the engine's default
    QList<Host> moreHosts; ///< tried after `host`, in this order; empty but for PostgreSQL
    QString database; ///< database name; SQLite: absolute file path
    QMap<QString, QString> options; ///< as in the query part, keys in lower case

    static Result<ServerUrl> parse(const QString& text); ///< BadInput if it is no URL, or has a password
    static ServerUrl ofFile(const QString& absolutePath); ///< SQLite's
    QString toString() const; ///< parse(toString()) gives the same value
    /// `host` and `moreHosts`: never empty.
    QList<Host> hosts() const;
    /// Short form for titles and errors: "postgres@db1/shop", "sandbox", "locks.db".
    QString display() const;
    /// Returns whether it is a file: a database without a server, user and host.
    bool isFile() const { return engine == Engine::Sqlite; }
    bool operator==(const ServerUrl&) const = default;
};

/// Returns the port at which a host of such a server listens: the engine's default if the URL says none. 0:
/// SQL Server's driver asks the host for that of a named instance.
int portOf(Engine engine, const ServerUrl::Host& host);
/// Returns the ports of hosts as URLs and libpq have them: empty where the URL says none.
QStringList portTexts(const QList<ServerUrl::Host>& hosts);
/// Returns whether a host of a URL is this computer: without a name, or by a name or address that each
/// computer has for itself ("localhost", "127.0.0.2", "(local)").
bool isThisHost(const QString& host);

} // namespace lockscope::db
