// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/SourceConnection.h"

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

SourceConnection::SourceConnection(db::ServerUrl url, db::PasswordProvider passwords)
    : m_url(std::move(url))
    , m_passwords(std::move(passwords))
{
}

Result<bool> SourceConnection::ensureOpen()
{
    if (m_connection && m_connection->isOpen())
        return false;
    m_connection.reset();
    if (m_refusal)
        return Failure(*m_refusal);
    db::ConnectOptions options;
    options.purpose = db::Purpose::Monitor;
    options.statementTimeout = milliseconds(10'000);
    auto opened = db::Connection::open(m_url, m_passwords, options);
    if (!opened) {
        Error error = opened.error();
        if (error.kind == ErrorKind::Login) {
            error.hint =
                u"%1 It is not tried again by itself: a few failures may lock the account."_s.arg(error.hint)
                    .trimmed();
            m_refusal = error;
        }
        return Failure(std::move(error));
    }
    m_connection = std::move(*opened);
    return true;
}

void SourceConnection::noteFailure(const Error& error)
{
    if (error.kind == ErrorKind::Connection)
        m_connection.reset();
}

} // namespace lockscope::monitor
