// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"
#include "core/db/Server.h"

#include <memory>

namespace lockscope::sandbox {

/// The engine of the private server.
inline constexpr Engine engine = Engine::Postgres;

/// A private PostgreSQL server in a directory of the user's, shared by all programs that use it and stopped
/// with the last of them, even if that one is killed. Each user holds an open connection to a supervisor
/// process, which owns the server; the kernel closes it whatever happens to the program. If the supervisor
/// itself dies, so does the server.
class Sandbox {
public:
    /// Limits that only the program that starts the server decides; those that join it take it as it is.
    struct Capacity {
        /// Sessions at once. Reading pg_locks costs in proportion to it, used or not.
        int connections = 300;
        /// Room in the server's lock table, as a number for each connection; one may use more than that.
        int locksPerConnection = 64;
        /// Standbys may follow it: it writes what they need, and commits when that is on its way.
        bool replicates = false;
        /// Also listens on this port of 127.0.0.1; 0 = on its socket only.
        int port = 0;
    };
    struct Options {
        QString directory; ///< empty = LOCKSCOPE_SANDBOX_DIR, else the user's data directory +
                           ///< "/lockscope/sandbox"
        QString supervisorProgram; ///< empty = "lockscope-sandbox" beside this program, else on the PATH
        milliseconds startTimeout{60'000};
        bool durable = true; ///< false: fsync off, for tests
        bool temporary = false; ///< the directory is deleted as soon as the last user leaves
        Capacity capacity;
    };

    /// Starts the server or joins the running one. Blocks (initdb on first use takes seconds): not for the
    /// GUI thread. The server stays up for as long as the returned object lives. Any thread.
    static Result<std::unique_ptr<Sandbox>> open(const Options& options);
    static Result<std::unique_ptr<Sandbox>> open() { return open(Options()); }
    virtual ~Sandbox() = default;

    virtual db::ServerUrl url() const = 0; ///< database "lockscope", user "lockscope"
    virtual QString password() const = 0;
    /// False once the server is gone although somebody still uses it (its supervisor was killed).
    virtual bool isRunning() const = 0;
};

/// db::Server::resolve for programs with a sandbox: returns the address and password of its server. The
/// sandbox lives as long as the process; called again after its server was killed, starts it again. May
/// block. Any thread.
Result<db::Server> resolve(const db::Server& server);

} // namespace lockscope::sandbox
