// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Backoff.h"
#include "core/db/Connection.h"

#include <chrono>

namespace lockscope::monitor {

/// A source's connection: opened on first use, again after a loss. While it waits before the next attempt,
/// it fails at once with the last error and says when it tries again. A log-in that was refused is never
/// tried again, because some failures lock the account: a person has to act, and a new source tries once
/// more. Poll thread only.
class SourceConnection {
public:
    SourceConnection(db::ServerUrl url, db::PasswordProvider passwords);

    /// True if it was opened by this call.
    Result<bool> ensureOpen();
    /// To call with every failure of a statement: a lost connection is let go.
    void noteFailure(const Error& error);
    db::Connection& operator*() { return *m_connection; }
    db::Connection* operator->() { return m_connection.get(); }

private:
    using Clock = std::chrono::steady_clock;

    db::ServerUrl m_url;
    db::PasswordProvider m_passwords;
    std::unique_ptr<db::Connection> m_connection;
    db::Backoff m_backoff;
    Clock::time_point m_nextAttempt;
    Error m_lastError;
};

} // namespace lockscope::monitor
