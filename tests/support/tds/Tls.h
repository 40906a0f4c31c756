// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QByteArray>

#include <memory>

/// TLS for the double, by OpenSSL between byte arrays: TDS carries the handshake in packets of its own, which
/// a socket that encrypts by itself can't.
namespace lockscope::test::tds {

/// A server's side: a key and a certificate, made now, and the authority that signed it, which nobody knows.
class TlsIdentity {
public:
    explicit TlsIdentity(const QByteArray& host);
    ~TlsIdentity();
    Q_DISABLE_COPY_MOVE(TlsIdentity)

    void* context() const;
    /// Returns it as PEM, for servers that read it from files.
    QByteArray certificate() const;
    QByteArray key() const;
    QByteArray authority() const; ///< its certificate as PEM: who trusts it trusts the server

private:
    struct Private;
    const std::unique_ptr<Private> d;
};

/// One encrypted connection. Bytes that `receive` can't decode end it.
class TlsChannel {
public:
    explicit TlsChannel(const std::shared_ptr<const TlsIdentity>& identity);
    ~TlsChannel();
    Q_DISABLE_COPY_MOVE(TlsChannel)

    bool isEstablished() const;
    bool hasFailed() const { return m_failed; }
    /// Takes bytes of the handshake or of the connection; what they say, if that is for us.
    QByteArray receive(const QByteArray& bytes);
    /// Returns the bytes to send once the channel is established.
    QByteArray encrypted(const QByteArray& plain);
    /// Returns the bytes of the handshake to send.
    QByteArray takeOutput();

private:
    struct Private;
    const std::shared_ptr<const TlsIdentity> m_identity;
    const std::unique_ptr<Private> d;
    bool m_failed = false;
};

} // namespace lockscope::test::tds
