// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "core/db/Server.h"

#include <optional>

namespace lockscope::db {

/// A connection that is opened when it is needed and, once it was lost, at the next need. It tries at once:
/// the caller decides how soon that is (Backoff). A refused login is not tried again until a person acts,
/// because a few failures lock an account. Of one thread, but for cancel().
class LiveConnection {
public:
    LiveConnection(Server server, ConnectOptions options);
    Q_DISABLE_COPY_MOVE(LiveConnection)

    /// Opens unless it is open; true if it was opened by this call. After a refused login it returns that
    /// error.
    Result<bool> ensureOpen();
    /// Does the same because a person asks: also after a refused login.
    Result<bool> tryNow();
    /// To call with each failure of a statement: a lost connection is dropped.
    void noteFailure(const Error& error);
    void close();
    /// Cancels what runs right now, if anything. Any thread; may block for one network connect, for which
    /// close() then waits.
    void cancel();

    const Server& server() const { return m_server; }
    bool isOpen() const { return m_connection && m_connection->isOpen(); }
    /// Valid only after it was opened, and until it is dropped.
    Connection& operator*() const { return *m_connection; }
    Connection* operator->() const { return m_connection.get(); }

private:
    Result<bool> open();
    void replace(std::unique_ptr<Connection> connection);

    const Server m_server;
    const ConnectOptions m_options;
    std::optional<Error> m_refusal; ///< of a login
    Mutex m_cancelling; ///< held by who cancels, and to replace the connection: its own thread reads without
    std::unique_ptr<Connection> m_connection;
};

} // namespace lockscope::db
