// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/Server.h"

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
    return resolved().and_then([&](const Server& server) {
        return Connection::open(server.profile.url, server.passwords, options);
    });
}

Result<std::unique_ptr<Connection>> Server::connect(Purpose purpose) const
{
    ConnectOptions options;
    options.purpose = purpose;
    return connect(options);
}

} // namespace lockscope::db
