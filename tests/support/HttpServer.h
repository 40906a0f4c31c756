// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "tests/support/tds/Tls.h"

#include <QList>
#include <QMap>
#include <QString>
#include <QThread>

#include <functional>

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

} // namespace lockscope::test
