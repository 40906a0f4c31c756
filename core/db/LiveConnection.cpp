// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/LiveConnection.h"

namespace lockscope::db {

LiveConnection::LiveConnection(Server server, ConnectOptions options)
    : m_server(std::move(server))
    , m_options(std::move(options))
{
}

Result<bool> LiveConnection::ensureOpen()
{
    Result<bool> opened = m_refusal && !isOpen() ? Failure(*m_refusal) : open();
    if (!opened && m_refusal)
        opened.error().hint =
            QStringLiteral("%1 It is not tried again by itself: a few failures may lock the account.")
                .arg(m_refusal->hint)
                .trimmed();
    return opened;
}

Result<bool> LiveConnection::tryNow()
{
    return open();
}

Result<bool> LiveConnection::open()
{
    if (isOpen())
        return false;
    close();
    m_refusal.reset();
    auto opened = m_server.connect(m_options);
    if (!opened) {
        if (opened.error().kind == ErrorKind::Login)
            m_refusal = opened.error();
        return Failure(opened.error());
    }
    replace(std::move(*opened));
    return true;
}

void LiveConnection::noteFailure(const Error& error)
{
    if (error.kind == ErrorKind::Connection)
        close();
}

void LiveConnection::close()
{
    replace({});
}

void LiveConnection::cancel()
{
    const MutexLock lock(m_cancelling);
    if (m_connection)
        m_connection->cancel();
}

void LiveConnection::replace(std::unique_ptr<Connection> connection)
{
    {
        const MutexLock lock(m_cancelling);
        m_connection.swap(connection);
    }
    connection.reset(); // may take a while: not under the mutex
}

} // namespace lockscope::db
