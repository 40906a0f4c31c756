// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/HttpServer.h"

#include <QSslCertificate>
#include <QSslKey>
#include <QSslSocket>
#include <QTcpServer>

namespace lockscope::test {

using namespace Qt::StringLiterals;

class HttpServer::Listener final : public QTcpServer {
public:
    explicit Listener(HttpServer& server)
        : m_server(server)
    {
    }

protected:
    void incomingConnection(qintptr descriptor) override
    {
        auto* const socket = new QSslSocket(this);
        socket->setSocketDescriptor(descriptor);
        const auto received = std::make_shared<QByteArray>();
        connect(socket, &QIODevice::readyRead, socket,
            [this, socket, received] { m_server.receive(*socket, *received); });
        connect(socket, &QAbstractSocket::disconnected, socket, &QObject::deleteLater);
        if (m_server.m_certificate.isEmpty())
            return;
        socket->setLocalCertificate(QSslCertificate(m_server.m_certificate));
        socket->setPrivateKey(QSslKey(m_server.m_key, QSsl::Rsa));
        socket->startServerEncryption();
    }

private:
    HttpServer& m_server;
};

HttpServer::HttpServer(Answerer answerer, const tds::TlsIdentity* identity)
    : m_answerer(answerer ? std::move(answerer) : [](const Request&) { return status(200); })
    , m_certificate(identity ? identity->certificate() : QByteArray())
    , m_key(identity ? identity->key() : QByteArray())
{
    auto* const listener = new Listener(*this);
    if (!listener->listen(QHostAddress::LocalHost))
        qFatal("no port");
    m_port = listener->serverPort();
    listener->moveToThread(&m_thread);
    QObject::connect(&m_thread, &QThread::finished, listener, &QObject::deleteLater);
    m_thread.start();
}

HttpServer::~HttpServer()
{
    m_thread.quit();
    m_thread.wait();
    const MutexLock seen(m_mutex); // the thread sanitizer does not see that Qt's thread has ended
    m_requests.clear();
}

HttpServer::Answer HttpServer::status(int code, const QByteArray& body, const QByteArray& header)
{
    return {.bytes = "HTTP/1.1 " + QByteArray::number(code) + " Text\r\nContent-Length: "
            + QByteArray::number(body.size()) + "\r\nConnection: close\r\n" + header + "\r\n" + body};
}

QString HttpServer::url(const QString& path) const
{
    return u"%1://localhost:%2%3"_s.arg(m_certificate.isEmpty() ? u"http"_s : u"https"_s)
        .arg(m_port)
        .arg(path);
}

QList<HttpServer::Request> HttpServer::requests() const
{
    const MutexLock lock(m_mutex);
    return m_requests;
}

void HttpServer::receive(QTcpSocket& socket, QByteArray& received)
{
    received += socket.readAll();
    const qsizetype end = received.indexOf("\r\n\r\n");
    if (end < 0)
        return;
    Request request;
    QList<QByteArray> lines = received.left(end).split('\n');
    request.line = lines.takeFirst().trimmed();
    for (const QByteArray& line : lines)
        request.headers.insert(
            line.left(line.indexOf(':')).toLower(), line.mid(line.indexOf(':') + 1).trimmed());
    request.body = received.mid(end + 4);
    if (request.body.size() < request.headers.value("content-length").toLongLong())
        return;
    received.clear();
    {
        const MutexLock lock(m_mutex);
        m_requests << request;
    }
    answer(socket, request);
}

void HttpServer::answer(QTcpSocket& socket, const Request& request)
{
    const Answer answer = m_answerer(request);
    socket.write(answer.bytes);
    socket.write(QByteArray(answer.flood, 'x'));
    if (answer.closes)
        socket.disconnectFromHost();
}

} // namespace lockscope::test
