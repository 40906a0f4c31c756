// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/Server.h"

#include "core/db/postgres/PostgresConnection.h"
#include "core/db/sqlite/SqliteConnection.h"
#include "core/db/sqlserver/SqlServerConnection.h"

namespace lockscope::db {

Server Server::at(ServerUrl url, PasswordProvider passwords, Resolver resolve)
{
    Server server;
    server.profile.url = std::move(url);
    server.passwords = std::move(passwords);
    server.resolve = std::move(resolve);
    return server;
}

Result<Server> Server::resolved() const
{
    if (!profile.url.sandbox)
        return *this;
    if (!resolve)
        return failure(
            ErrorKind::Unsupported, QStringLiteral("This program can't start the sandbox's server."));
    return resolve(*this);
}

Result<std::unique_ptr<Connection>> Server::connect(const ConnectOptions& options) const
{
    LOCKSCOPE_TRY_GET(const Server server, resolved());
    const ServerUrl& url = server.profile.url;
    if (url.isFile())
        return SqliteConnection::open(url, options);
    LOCKSCOPE_TRY_GET(const QString password,
        server.passwords ? server.passwords(url.toString()) : Result<QString>(QString()));
    if (url.engine == Engine::SqlServer)
        return SqlServerConnection::open(url, password, options);
    return PostgresConnection::open(url, password, options);
}

Result<std::unique_ptr<Connection>> Server::connect(Purpose purpose) const
{
    return connect(ConnectOptions{.purpose = purpose});
}

std::optional<Server> readerOf(const Server& server)
{
    const QString role = readerRole(server.profile.url);
    if (role.isEmpty())
        return std::nullopt;
    Server reader = server;
    reader.profile.url.user = role;
    reader.profile.url.options.remove(QStringLiteral("reader"));
    reader.passwords = [passwords = server.passwords](const QString& url) -> Result<QString> {
        if (qEnvironmentVariableIsSet("LOCKSCOPE_READER_PASSWORD"))
            return qEnvironmentVariable("LOCKSCOPE_READER_PASSWORD");
        if (!passwords || qEnvironmentVariableIsSet("LOCKSCOPE_PASSWORD"))
            return QString(); // .pgpass may have it
        return passwords(url);
    };
    return reader;
}

} // namespace lockscope::db
