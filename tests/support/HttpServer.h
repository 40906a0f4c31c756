// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "tests/support/tds/Tls.h"

#include <QList>
#include <QMap>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QSslConfiguration>
#include <QString>
#include <QTest>
#include <QThread>

#include <functional>
#include <memory>

class QTcpSocket;

namespace lockscope::test {

/// A web server on a thread of its own, which answers as the test sets it: rightly, never, or wrongly.
class HttpServer {
public:
    struct Request {
        QByteArray line; ///< "POST /hook HTTP/1.1"
        QMap<QByteArray, QByteArray> headers; ///< names in small letters
        QByteArray body;
    };
    struct Answer {
        QByteArray bytes; ///< as they are sent; empty: none
        bool closes = true; ///< else the connection stays open, and nothing more comes
        qsizetype flood = 0; ///< so many bytes more
    };
    /// Called on the server's thread.
    using Answerer = std::function<Answer(const Request&)>;

    /// Uses TLS if there is an identity.
    explicit HttpServer(Answerer answerer = {}, const tds::TlsIdentity* identity = nullptr);
    ~HttpServer();
    Q_DISABLE_COPY_MOVE(HttpServer)

    static Answer status(int code, const QByteArray& body = {}, const QByteArray& header = {});
    quint16 port() const { return m_port; }
    QString url(const QString& path = QStringLiteral("/hook")) const;
    QList<Request> requests() const;

private:
    class Listener;
    void receive(QTcpSocket& socket, QByteArray& received);
    void answer(QTcpSocket& socket, const Request& request);

    const Answerer m_answerer;
    const QByteArray m_certificate;
    const QByteArray m_key;
    mutable Mutex m_mutex;
    QList<Request> m_requests LOCKSCOPE_GUARDED_BY(m_mutex);
    QThread m_thread;
    quint16 m_port = 0;
};

/// Holds what a web server answered.
struct HttpGot {
    int status = 0; ///< 0: none
    QByteArray type;
    QByteArray body;
};

/// Asks a web server, and waits up to ten seconds; any certificate is good.
inline HttpGot httpGet(const QString& url, const QByteArray& accept = {}, const QByteArray& credentials = {},
    const QByteArray& method = QByteArrayLiteral("GET"))
{
    QNetworkAccessManager manager;
    QNetworkRequest request{QUrl(url)};
    request.setTransferTimeout(10'000);
    if (!accept.isEmpty())
        request.setRawHeader("Accept", accept);
    if (!credentials.isEmpty())
        request.setRawHeader("Authorization", "Basic " + credentials.toBase64());
    QSslConfiguration tls = QSslConfiguration::defaultConfiguration();
    tls.setPeerVerifyMode(QSslSocket::VerifyNone); // a certificate of its own
    request.setSslConfiguration(tls);
    const std::unique_ptr<QNetworkReply> reply(manager.sendCustomRequest(request, method));
    while (!reply->isFinished())
        QTest::qWait(5);
    return {reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt(),
        reply->rawHeader("Content-Type"), reply->readAll()};
}

} // namespace lockscope::test
