// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/sandbox/DemoActor.h"

namespace lockscope::sandbox {

using namespace Qt::StringLiterals;

void DemoActor::appearAs(const QString& program)
{
    if (m_program == program)
        return;
    m_connection.reset();
    m_program = program;
}

db::Connection* DemoActor::connection()
{
    while (!m_connection && !isStopped()) {
        db::ServerUrl url = m_server.url;
        url.options[u"application_name"_s] = m_program;
        db::ConnectOptions options;
        options.purpose = db::Purpose::Workload;
        if (auto opened = db::Connection::open(url, db::fixedPassword(m_server.password), options))
            m_connection = std::move(*opened);
        else
            recover();
    }
    return isStopped() ? nullptr : m_connection.get();
}

bool DemoActor::run(const db::Statement& statement, std::span<const db::Param> params)
{
    db::Connection* const session = connection();
    if (!session)
        return false;
    if (session->execute(
            statement, params, [](const db::Row&) {}, m_stop))
        return true;
    if (session->inTransaction() && !session->rollback())
        m_connection.reset();
    return false;
}

bool DemoActor::begin()
{
    db::Connection* const session = connection();
    return session && session->begin();
}

bool DemoActor::commit()
{
    return m_connection && m_connection->commit();
}

bool DemoActor::idle(milliseconds duration)
{
    return m_connection && m_connection->waitForNotification(duration, m_stop) && !isStopped();
}

bool DemoActor::recover()
{
    m_connection.reset();
    return sleep(milliseconds(3'000));
}

} // namespace lockscope::sandbox
