// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/Session.h"

namespace lockscope::test {

/// One login with a great many advisory locks, which takes no right, and another one that waits for the last
/// of them.
class Hoarder {
public:
    /// The server must have room for them: TestServer({20, 6'000}) has for 100,000.
    Hoarder(TestServer& server, const db::ServerUrl& url, int locks)
        : m_hoarder(server, server.asRole(url), QStringLiteral("hoarder"))
        , m_waiter(server, server.asRole(url), QStringLiteral("waiter"))
    {
        if (!m_hoarder.run(
                QStringLiteral("SELECT count(pg_advisory_lock(i)) FROM generate_series(1, %1) AS i")
                    .arg(locks)))
            qFatal("the locks could not be taken");
        m_waiter.start(QStringLiteral("SELECT pg_advisory_lock(%1)").arg(locks));
        if (!m_waiter.waitUntilBlocked())
            qFatal("the waiter does not wait");
    }
    SessionId holder() const { return m_hoarder.id(); }
    SessionId waiter() const { return m_waiter.id(); }

private:
    Session m_hoarder;
    Session m_waiter;
};

} // namespace lockscope::test
