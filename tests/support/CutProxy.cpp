// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/CutProxy.h"

#include <QDir>
#include <QLocalServer>
#include <QLocalSocket>

namespace lockscope::test {

using namespace Qt::StringLiterals;

namespace {

const QString socketName = u"/.s.PGSQL.5432"_s;

} // namespace

/// Lives on the proxy's thread.
class CutProxy::Relay : public QObject {
public:
    Relay(const QString& ours, QString servers)
        : m_servers(std::move(servers))
    {
        if (!m_server.listen(ours))
            qFatal("proxy: %s", qPrintable(m_server.errorString()));
        connect(&m_server, &QLocalServer::newConnection, this, [this] {
            while (QLocalSocket* client = m_server.nextPendingConnection())
                relay(client);
        });
    }

    void cut()
    {
        for (QLocalSocket* socket : findChildren<QLocalSocket*>())
            socket->abort();
    }

    void stall(bool isStalled)
    {
        m_isStalled = isStalled;
        if (!isStalled)
            for (const auto& [from, to] : m_pairs.asKeyValueRange())
                pass(from, to);
    }

private:
    void relay(QLocalSocket* client)
    {
        client->setParent(this);
        auto* server = new QLocalSocket(this);
        connect(server, &QLocalSocket::errorOccurred, client, [client] { client->abort(); });
        join(client, server);
        join(server, client);
        server->connectToServer(m_servers);
    }

    void join(QLocalSocket* from, QLocalSocket* to)
    {
        m_pairs.insert(from, to);
        connect(from, &QLocalSocket::readyRead, this, [this, from, to] { pass(from, to); });
        connect(from, &QLocalSocket::disconnected, this, [this, from, to] { end(from, to); });
    }

    void end(QLocalSocket* from, QLocalSocket* to)
    {
        if (m_pairs.remove(from) > 0)
            pass(from, to);
        if (to->state() != QLocalSocket::UnconnectedState) {
            to->disconnectFromServer();
            return;
        }
        from->deleteLater();
        to->deleteLater();
        m_pairs.remove(to);
    }

    void pass(QLocalSocket* from, QLocalSocket* to) const
    {
        if (!m_isStalled && from->bytesAvailable() > 0)
            to->write(from->readAll());
    }

    const QString m_servers;
    QLocalServer m_server{this};
    QHash<QLocalSocket*, QLocalSocket*> m_pairs;
    bool m_isStalled = false;
};

CutProxy::CutProxy(const db::ServerUrl& server)
    : m_directory(QDir::tempPath() + u"/lockscope-proxy-XXXXXX"_s)
    , m_url(server)
{
    m_url.host = m_directory.path();
    m_relay = new Relay(m_directory.path() + socketName, server.host + socketName);
    m_relay->moveToThread(&m_thread);
    QObject::connect(&m_thread, &QThread::finished, m_relay, &QObject::deleteLater);
    m_thread.start();
}

CutProxy::~CutProxy()
{
    m_thread.quit();
    m_thread.wait();
}

void CutProxy::cut()
{
    within([this] { m_relay->cut(); });
}

void CutProxy::stall(bool isStalled)
{
    within([this, isStalled] { m_relay->stall(isStalled); });
}

void CutProxy::within(const std::function<void()>& act)
{
    QMetaObject::invokeMethod(m_relay, act, Qt::BlockingQueuedConnection);
}

} // namespace lockscope::test
