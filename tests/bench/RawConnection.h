// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/ServerUrl.h"

#include <libpq-fe.h>

#include <initializer_list>
#include <memory>

namespace lockscope::bench {

/// libpq as it comes: the yardstick. Any failure ends the program.
class RawConnection {
public:
    RawConnection(const db::ServerUrl& url, const QString& password, const char* program = "lockscope-bench");

    struct Clear {
        void operator()(PGresult* result) const { PQclear(result); }
    };
    using Rows = std::unique_ptr<PGresult, Clear>;

    Rows run(const QByteArray& sql);
    void prepare(const char* name, const QByteArray& sql);
    Rows runPrepared(const char* name, std::initializer_list<const char*> values = {});
    /// Sends and does not wait.
    void send(const QByteArray& sql);
    /// Sleeps until another session notifies this one.
    void waitForNotification();
    PGconn* handle() const { return m_pg.get(); }
    int backend() const { return PQbackendPID(m_pg.get()); }

private:
    struct Finish {
        void operator()(PGconn* pg) const { PQfinish(pg); }
    };
    Rows checked(PGresult* result);

    std::unique_ptr<PGconn, Finish> m_pg;
};

} // namespace lockscope::bench
