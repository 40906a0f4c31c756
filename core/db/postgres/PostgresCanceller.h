// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"

#include <QtGlobal>

#include <libpq-fe.h>
#include <memory>

namespace lockscope::db {

enum class Wait { Readable, Woken, TimedOut };

/// Lets any thread end another one's wait for a socket. The one place of core/db that needs poll().
class WakePipe {
public:
    WakePipe();
    ~WakePipe();
    Q_DISABLE_COPY_MOVE(WakePipe)

    /// Any thread.
    void wake();
    /// Until `socket` can be read or was closed, wake() was called (before or during the wait), or `timeout`
    /// is over (negative = never). A wake ends one wait.
    Wait waitFor(int socket, milliseconds timeout) { return wait(socket, false, timeout); }
    /// … or `socket` takes bytes: Readable, too.
    Wait waitToWrite(int socket, milliseconds timeout) { return wait(socket, true, timeout); }

private:
    Wait wait(int socket, bool orToWrite, milliseconds timeout);

    int m_ends[2] = {-1, -1};
};

/// Sends cancel requests for one connection from a helper thread, because PQcancel has no time limit: it
/// waits until the server has closed the extra connection. The owner's thread calls it; the pipe is woken
/// when a request is through.
class PostgresCanceller {
public:
    PostgresCanceller(PGconn* connection, std::shared_ptr<WakePipe> pipe);

    /// Does nothing while a request is under way.
    void send();
    /// True if no request is under way: all that were sent have reached the session or never will.
    bool isSettled() const;

private:
    struct Shared;
    std::shared_ptr<Shared> m_shared; ///< survives us in the helper thread of a server that hangs
};

} // namespace lockscope::db
