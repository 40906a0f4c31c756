// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/Session.h"

#include "tests/support/Waiting.h"

namespace lockscope::test {

using namespace Qt::StringLiterals;

Session::Session(const TestServer& server, const db::ServerUrl& url, const QString& name)
    : m_url(url)
    , m_observer(server.connect(server.url()))
    , m_thread([this, &server, url, name](const std::stop_token& stop) { work(stop, server, url, name); })
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_connection != nullptr; });
    m_id = m_connection->sessionId();
    m_started = m_connection->sessionStarted();
}

Session::~Session()
{
    m_thread.request_stop();
    m_thread.join();
}

void Session::work(
    const std::stop_token& stop, const TestServer& server, const db::ServerUrl& url, const QString& name)
{
    const auto connection = server.connect(url, {.purpose = db::Purpose::Workload, .programSuffix = name});
    std::unique_lock lock(m_mutex);
    m_connection = connection.get();
    m_changed.notify_all();
    while (m_changed.wait(lock, stop, [this] { return !m_statements.empty(); })) {
        const db::Statement statement = sqlStatement(m_statements.front());
        m_statements.pop_front();
        m_running = true;
        lock.unlock();
        auto result = connection->execute(statement, {}, {}, stop);
        lock.lock();
        m_result = std::move(result);
        m_running = false;
        m_changed.notify_all();
    }
    m_connection = nullptr;
}

void Session::start(const QString& sql)
{
    const std::lock_guard guard(m_mutex);
    m_statements.push_back(sql);
    m_changed.notify_all();
}

Result<qint64> Session::wait()
{
    std::unique_lock lock(m_mutex);
    const bool done =
        m_changed.wait_for(lock, patience, [this] { return !m_running && m_statements.empty(); });
    if (!done)
        return failure(ErrorKind::Timeout, u"The session's statements do not end."_s);
    return m_result;
}

bool Session::run(const QString& sql)
{
    start(sql);
    const auto result = wait();
    if (!result)
        qWarning("%s: %s", qPrintable(sql), qPrintable(result.error().toString()));
    return result.has_value();
}

bool Session::isRunning() const
{
    const std::lock_guard guard(m_mutex);
    return m_running || !m_statements.empty();
}

bool Session::isBlocked()
{
    const auto rows = runSql(*m_observer,
        u"SELECT 1 FROM pg_stat_activity WHERE pid = %1 AND state = 'active' AND wait_event_type = 'Lock'"_s
            .arg(m_id.value),
        {}, [](const db::Row&) {});
    return rows && *rows == 1;
}

bool Session::waitUntilBlocked()
{
    return waitUntil([this] { return !isRunning() || isBlocked(); }) && isRunning();
}

void Session::cancel()
{
    const std::lock_guard guard(m_mutex);
    if (m_connection)
        m_connection->cancel();
}

} // namespace lockscope::test
