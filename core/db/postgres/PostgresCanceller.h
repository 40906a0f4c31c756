// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/postgres/WakePipe.h"

#include <libpq-fe.h>

#include <memory>

namespace lockscope::db {

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
