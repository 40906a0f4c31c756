// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/db/ServerProfile.h"
#include "core/db/credentials/Secrets.h"

#include <functional>

namespace lockscope::db {

/// A server, and everything that it takes to get there. A value: copies are independent of each other and may
/// be used by different threads at the same time. connect() and resolved() call `passwords` and `resolve` on
/// the thread that calls them, so those two must be fit for several threads at once.
struct Server {
    /// Makes an address that can be connected to out of one that names a server which must be started first.
    /// May block for seconds.
    using Resolver = std::function<Result<Server>(const Server&)>;

    ServerProfile profile;
    PasswordProvider passwords = {}; ///< empty = none
    Resolver resolve = {}; ///< for `sandbox:` (sandbox::resolve); may be empty where that is not used

    static Server at(ServerUrl url, PasswordProvider passwords = {}, Resolver resolve = {});
    /// Uses the passwords of defaultPasswords(). BadInput if `text` is no server URL.
    static Result<Server> parse(const QString& text, Resolver resolve = {});

    Engine engine() const { return profile.url.engine; }
    QString display() const { return profile.display(); }

    /// The same server with an address that is not `sandbox:`: this one, or what `resolve` makes of it.
    Result<Server> resolved() const;
    /// A new session there, of this thread, set up for its purpose (time-outs, application name, isolation
    /// …). Blocks up to the connect time-out; a `sandbox:` is resolved first.
    Result<std::unique_ptr<Connection>> connect(const ConnectOptions& options) const;
    Result<std::unique_ptr<Connection>> connect(Purpose purpose = Purpose::Lock) const;
};

/// The same server as the role that its URL names for reading frameworks' and attached tables; nothing if it
/// names none. Its password is LOCKSCOPE_READER_PASSWORD if that is set, else what `passwords` has for that
/// URL, but never the login's own, LOCKSCOPE_PASSWORD.
std::optional<Server> readerOf(const Server& server);

} // namespace lockscope::db
