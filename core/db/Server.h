// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/db/ServerProfile.h"
#include "core/db/credentials/Secrets.h"

#include <functional>

namespace lockscope::db {

/// A server, and everything that is needed to connect to it. A value: copies are independent of each other
/// and may be used by different threads at the same time. connect() and resolved() call `passwords` and
/// `resolve` on the thread that calls them, so those two must be fit for several threads at once.
struct Server {
    /// Starts a server that runs on demand (`sandbox:`), and returns it with an address to connect to. May
    /// block for seconds.
    using Resolver = std::function<Result<Server>(const Server&)>;

    ServerProfile profile;
    PasswordProvider passwords = {}; ///< empty = none
    Resolver resolve = {}; ///< for `sandbox:` (sandbox::resolve); may be empty if that is not used

    static Server at(ServerUrl url, PasswordProvider passwords = {}, Resolver resolve = {});
    /// Uses the passwords of defaultPasswords(). BadInput if `text` is no server URL.
    static Result<Server> parse(const QString& text, Resolver resolve = {});

    Engine engine() const { return profile.url.engine; }
    QString display() const { return profile.display(); }

    /// Returns this server, or for `sandbox:` the one that `resolve` returns. May block, as `resolve` does.
    Result<Server> resolved() const;
    /// Opens a new session, which belongs to the calling thread and is set up for its purpose (time-outs,
    /// application name, isolation …). Blocks up to the connect time-out; a `sandbox:` is resolved first.
    Result<std::unique_ptr<Connection>> connect(const ConnectOptions& options) const;
    Result<std::unique_ptr<Connection>> connect(Purpose purpose = Purpose::Lock) const;
};

/// Returns the same server with the role that its URL names for reading frameworks' and attached tables
/// (`reader=`); nothing if it names none. Its password is LOCKSCOPE_READER_PASSWORD if that is set, else what
/// `passwords` has for that URL, but never the login's own, LOCKSCOPE_PASSWORD.
std::optional<Server> readerOf(const Server& server);

} // namespace lockscope::db
