// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/TdsServer.h"

#include "core/base/PostToThread.h"
#include "core/db/Statement.h"
#include "tests/support/tds/Client.h"

#include <QTcpServer>
#include <QTimer>

#include <algorithm>
#include <future>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

/// Lives on the server's thread.
class TdsServer::Loop : public QObject {
public:
    explicit Loop(std::shared_ptr<ServerState> state)
        : m_state(std::move(state))
    {
    }

    /// The port, 0 if there is none to be had.
    quint16 listen()
    {
        m_listener = std::make_unique<QTcpServer>();
        connect(m_listener.get(), &QTcpServer::newConnection, this, [this] {
            while (QTcpSocket* socket = m_listener->nextPendingConnection())
                welcome(socket);
        });
        return m_listener->listen(QHostAddress::LocalHost) ? m_listener->serverPort() : quint16(0);
    }
    void close() { m_listener->close(); }
    /// Cuts all connections off.
    void end()
    {
        m_listener.reset();
        m_clients.clear();
    }
    Client* clientOf(int session) const
    {
        for (const auto& client : m_clients)
            if (client->session() && client->session()->id == session)
                return client.get();
        return nullptr;
    }
    const std::vector<std::unique_ptr<Client>>& clients() const { return m_clients; }

private:
    void welcome(QTcpSocket* socket)
    {
        auto client = std::make_unique<Client>(socket, m_state);
        connect(client.get(), &Client::gone, this, [this, gone = client.get()] {
            const auto found =
                std::ranges::find_if(m_clients, [&](const auto& known) { return known.get() == gone; });
            if (found == m_clients.end())
                return;
            // It is calling us: it may go only after it has returned.
            found->release()->deleteLater(); // NOLINT(bugprone-unused-return-value)
            m_clients.erase(found);
        });
        m_clients.push_back(std::move(client));
    }

    const std::shared_ptr<ServerState> m_state;
    std::unique_ptr<QTcpServer> m_listener;
    std::vector<std::unique_ptr<Client>> m_clients;
};

TdsServer::TdsServer()
    : m_loop(nullptr)
    , m_state(std::make_shared<ServerState>())
{
    m_state->name = u"double"_s;
    addDriverAnswers(m_state->answers);
    m_loop = new Loop(m_state);
    m_loop->moveToThread(&m_thread);
    m_thread.start();
    run([this] { m_port = m_loop->listen(); });
    if (m_port == 0)
        qFatal("The double of SQL Server can't listen.");
}

TdsServer::~TdsServer()
{
    run([this] {
        m_loop->end();
        delete m_loop;
    });
    m_thread.quit();
    m_thread.wait();
}

void TdsServer::run(const std::function<void()>& function)
{
    if (QThread::currentThread() == &m_thread)
        return function();
    std::promise<void> done;
    postTo(m_loop, [&] {
        function();
        done.set_value();
    });
    done.get_future().wait();
}

void TdsServer::answer(const char* schemaPath, Handler handler)
{
    const QString text = QString::fromUtf8(db::Statement::get(schemaPath).sql());
    run([&] { m_state->answers.addWithPlaces(text, std::move(handler)); });
}

void TdsServer::answer(const QString& text, Handler handler)
{
    run([&] { m_state->answers.add(text, std::move(handler)); });
}

void TdsServer::answerMatching(const QString& pattern, Handler handler)
{
    const QRegularExpression whole(QRegularExpression::anchoredPattern(pattern),
        QRegularExpression::DotMatchesEverythingOption | QRegularExpression::CaseInsensitiveOption);
    run([&] { m_state->answers.addPattern(whole, std::move(handler)); });
}

void TdsServer::guard(const char* schemaPath, AnswerTable::Guard guard)
{
    const QString text = QString::fromUtf8(db::Statement::get(schemaPath).sql());
    run([&] { m_state->answers.addGuarded(text, std::move(guard)); });
}

void TdsServer::refuseLogins(std::function<std::optional<ServerMessage>(const Login&)> refuse)
{
    run([&] { m_state->refuse = std::move(refuse); });
}

void TdsServer::onLogin(std::function<void(Session&)> tell)
{
    run([&] { m_state->loggedIn.push_back(std::move(tell)); });
}

void TdsServer::onDisconnect(std::function<void(Session&)> tell)
{
    run([&] { m_state->disconnected.push_back(std::move(tell)); });
}

void TdsServer::onTransactionEnd(std::function<void(Session&, bool)> tell)
{
    run([&] { m_state->transactionEnded.push_back(std::move(tell)); });
}

QByteArray TdsServer::offerTls(const QByteArray& host)
{
    const auto identity = std::make_shared<const TlsIdentity>(host);
    run([&] { m_state->tls = identity; });
    return identity->authority();
}

void TdsServer::setFault(const Fault& fault)
{
    run([&] {
        m_state->fault = fault;
        m_state->rightAnswers = 0;
    });
}

void TdsServer::setDelay(std::chrono::milliseconds beforeEachAnswer)
{
    run([&] { m_state->delay = beforeEachAnswer; });
}

void TdsServer::close()
{
    run([this] { m_loop->close(); });
}

void TdsServer::after(std::chrono::milliseconds delay, std::function<void()> function)
{
    QTimer::singleShot(delay, m_loop, std::move(function));
}

bool TdsServer::disconnect(int session)
{
    Client* const client = m_loop->clientOf(session);
    if (client)
        client->kill();
    return client != nullptr;
}

std::vector<std::shared_ptr<Session>> TdsServer::sessions() const
{
    std::vector<std::shared_ptr<Session>> sessions;
    for (const auto& client : m_loop->clients())
        if (client->session())
            sessions.push_back(client->session());
    return sessions;
}

std::vector<SeenMessage> TdsServer::seen()
{
    std::vector<SeenMessage> seen;
    run([&] { seen = m_state->seen; });
    return seen;
}

QStringList TdsServer::unknown()
{
    QStringList unknown;
    run([&] { unknown = m_state->unknown; });
    return unknown;
}

} // namespace lockscope::test::tds
