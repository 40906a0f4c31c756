// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/SourceConnection.h"

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

SourceConnection::SourceConnection(db::ServerUrl url, db::PasswordProvider passwords)
    : m_url(std::move(url))
    , m_passwords(std::move(passwords))
    , m_backoff(milliseconds(250), milliseconds(10'000))
{
}

Result<bool> SourceConnection::ensureOpen()
{
    if (m_connection && m_connection->isOpen())
        return false;
    m_connection.reset();
    const auto now = Clock::now();
    if (m_lastError.kind == ErrorKind::Login && m_backoff.attempts() > 0)
        return Failure(m_lastError);
    if (now < m_nextAttempt) {
        Error error = m_lastError;
        const auto seconds = std::chrono::ceil<std::chrono::seconds>(m_nextAttempt - now).count();
        error.hint = u"%1 Next attempt within %2 s."_s.arg(error.hint).arg(seconds).trimmed();
        return Failure(std::move(error));
    }
    db::ConnectOptions options;
    options.purpose = db::Purpose::Monitor;
    options.statementTimeout = milliseconds(10'000);
    auto opened = db::Connection::open(m_url, m_passwords, options);
    if (!opened) {
        m_lastError = opened.error();
        if (m_lastError.kind == ErrorKind::Login)
            m_lastError.hint = u"%1 It is not tried again by itself: a few failures may lock the account."_s
                                   .arg(m_lastError.hint)
                                   .trimmed();
        m_nextAttempt = Clock::now() + m_backoff.next();
        return Failure(m_lastError);
    }
    m_connection = std::move(*opened);
    m_backoff.reset();
    return true;
}

void SourceConnection::noteFailure(const Error& error)
{
    if (error.kind == ErrorKind::Connection)
        m_connection.reset();
}

} // namespace lockscope::monitor
