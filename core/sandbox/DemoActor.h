// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/SleepFor.h"
#include "core/db/Connection.h"
#include "core/sandbox/Sandbox.h"

#include <span>
#include <stop_token>

namespace lockscope::sandbox {

/// A program of the demo's shop: a session under the program's own name. Copes with being ended by the
/// operator: the next call opens a new session, after a few seconds as a real program would. One thread.
class DemoActor {
public:
    DemoActor(Resolved server, std::stop_token stop)
        : m_server(std::move(server))
        , m_stop(std::move(stop))
    {
    }

    /// Ends the session, if there is one; the next is opened under this name.
    void appearAs(const QString& program);
    /// Ends the session; `connection` opens another one.
    void disappear() { m_connection.reset(); }
    /// Null after `stop`, otherwise open as far as is known.
    db::Connection* connection();
    /// False if it failed, was ended or told to stop. An open transaction is rolled back then.
    bool run(const db::Statement& statement, std::span<const db::Param> params = {});
    bool begin();
    bool commit();
    /// Sits idle; false if the session was ended meanwhile, or after `stop`.
    bool idle(milliseconds duration);
    bool sleep(milliseconds duration) const { return sleepFor(duration, m_stop); }
    /// After a failure of the session: forgets it and lets a moment pass.
    bool recover();
    bool isStopped() const { return m_stop.stop_requested(); }
    const std::stop_token& stopToken() const { return m_stop; }
    const QString& program() const { return m_program; }

private:
    const Resolved m_server;
    const std::stop_token m_stop;
    QString m_program;
    std::unique_ptr<db::Connection> m_connection;
};

} // namespace lockscope::sandbox
