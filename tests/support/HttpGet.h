// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QSslConfiguration>
#include <QTest>

#include <memory>

namespace lockscope::test {

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
