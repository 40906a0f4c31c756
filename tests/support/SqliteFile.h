// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Server.h"
#include "tests/support/OrDie.h"

namespace lockscope::test {

/// An SQLite file as a server.
inline db::ServerUrl fileUrl(const QString& path)
{
    db::ServerUrl url;
    url.engine = Engine::Sqlite;
    url.database = path;
    return url;
}

/// Opens it, and makes it if it is not there; ends the program if it can't.
inline std::unique_ptr<db::Connection> openFile(const db::ServerUrl& url, db::ConnectOptions options = {})
{
    options.createFile = true;
    return orDie(db::Server::at(url, db::fixedPassword({})).connect(options));
}

} // namespace lockscope::test
