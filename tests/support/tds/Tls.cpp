// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/Tls.h"

#include <QtGlobal>

#include <functional>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace lockscope::test::tds {

namespace {

template <auto free> struct Free {
    template <class T> void operator()(T* object) const { free(object); }
};
template <class T, auto free> using Owned = std::unique_ptr<T, Free<free>>;

void orDie(bool succeeded)
{
    if (!succeeded)
        qFatal("OpenSSL can't make a certificate for the test");
}

using Key = Owned<EVP_PKEY, EVP_PKEY_free>;
using Certificate = Owned<X509, X509_free>;

void addExtension(X509* certificate, int id, const char* value)
{
    const Owned<X509_EXTENSION, X509_EXTENSION_free> extension(
        X509V3_EXT_conf_nid(nullptr, nullptr, id, value));
    orDie(extension && X509_add_ext(certificate, extension.get(), -1) == 1);
}

QByteArray contentOf(BIO* memory)
{
    QByteArray bytes(static_cast<qsizetype>(BIO_ctrl_pending(memory)), Qt::Uninitialized);
    if (!bytes.isEmpty())
        bytes.resize(BIO_read(memory, bytes.data(), static_cast<int>(bytes.size())));
    return bytes;
}

/// `issuer` is null for one that signs itself.
Certificate certificateFor(const QByteArray& name, EVP_PKEY* key, X509* issuer, EVP_PKEY* issuerKey,
    const std::function<void(X509*)>& addExtensions)
{
    Certificate certificate(X509_new());
    orDie(certificate != nullptr);
    X509* const made = certificate.get();
    constexpr long day = 24L * 3'600;
    X509_set_version(made, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made), issuer ? 2 : 1);
    X509_gmtime_adj(X509_getm_notBefore(made), -day);
    X509_gmtime_adj(X509_getm_notAfter(made), day);
    X509_set_pubkey(made, key);
    X509_NAME* const subject = X509_get_subject_name(made);
    X509_NAME_add_entry_by_txt(
        subject, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(name.constData()), -1, -1, 0);
    X509_set_issuer_name(made, issuer ? X509_get_subject_name(issuer) : subject);
    addExtensions(made);
    orDie(X509_sign(made, issuerKey, EVP_sha256()) > 0);
    return certificate;
}

/// TDS 8 asks for itself by name; TDS 7.4 doesn't ask.
int selectProtocol(SSL*, const unsigned char** chosen, unsigned char* chosenSize,
    const unsigned char* offered, unsigned int offeredSize, void*)
{
    static constexpr unsigned char ours[] = "\x07tds/8.0";
    auto* place = const_cast<unsigned char**>(chosen);
    return SSL_select_next_proto(place, chosenSize, ours, sizeof(ours) - 1, offered, offeredSize)
            == OPENSSL_NPN_NEGOTIATED
        ? SSL_TLSEXT_ERR_OK
        : SSL_TLSEXT_ERR_ALERT_FATAL;
}

} // namespace

struct TlsIdentity::Private {
    Key authorityKey{EVP_RSA_gen(2048)};
    Certificate authority;
    Key key{EVP_RSA_gen(2048)};
    Owned<SSL_CTX, SSL_CTX_free> context{SSL_CTX_new(TLS_server_method())};
};

TlsIdentity::TlsIdentity(const QByteArray& host)
    : d(std::make_unique<Private>())
{
    orDie(d->authorityKey && d->key && d->context);
    d->authority =
        certificateFor("Authority of a test", d->authorityKey.get(), nullptr, d->authorityKey.get(),
            [](X509* own) { addExtension(own, NID_basic_constraints, "critical,CA:TRUE"); });
    const Certificate certificate =
        certificateFor(host, d->key.get(), d->authority.get(), d->authorityKey.get(), [&host](X509* own) {
            addExtension(own, NID_subject_alt_name, ("DNS:" + host).constData());
            addExtension(own, NID_ext_key_usage, "serverAuth");
        });
    SSL_CTX* const context = d->context.get();
    orDie(SSL_CTX_use_certificate(context, certificate.get()) == 1
        && SSL_CTX_use_PrivateKey(context, d->key.get()) == 1);
    // Later versions speak after the handshake, which TDS 7.4 has no packets for.
    orDie(SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION) == 1);
    SSL_CTX_set_alpn_select_cb(context, selectProtocol, nullptr);
}

TlsIdentity::~TlsIdentity() = default;

void* TlsIdentity::context() const
{
    return d->context.get();
}

QByteArray TlsIdentity::certificate() const
{
    const Owned<BIO, BIO_free> memory(BIO_new(BIO_s_mem()));
    orDie(memory && PEM_write_bio_X509(memory.get(), SSL_CTX_get0_certificate(d->context.get())) == 1);
    return contentOf(memory.get());
}

QByteArray TlsIdentity::key() const
{
    const Owned<BIO, BIO_free> memory(BIO_new(BIO_s_mem()));
    orDie(memory
        && PEM_write_bio_PrivateKey(memory.get(), d->key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
    return contentOf(memory.get());
}

QByteArray TlsIdentity::authority() const
{
    const Owned<BIO, BIO_free> memory(BIO_new(BIO_s_mem()));
    orDie(memory && PEM_write_bio_X509(memory.get(), d->authority.get()) == 1);
    return contentOf(memory.get());
}

struct TlsChannel::Private {
    Owned<SSL, SSL_free> connection;
    BIO* in = BIO_new(BIO_s_mem()); // the connection owns both
    BIO* out = BIO_new(BIO_s_mem());
};

TlsChannel::TlsChannel(const std::shared_ptr<const TlsIdentity>& identity)
    : m_identity(identity)
    , d(std::make_unique<Private>())
{
    d->connection.reset(SSL_new(static_cast<SSL_CTX*>(identity->context())));
    orDie(d->connection && d->in && d->out);
    SSL_set_bio(d->connection.get(), d->in, d->out);
    SSL_set_accept_state(d->connection.get());
}

TlsChannel::~TlsChannel() = default;

bool TlsChannel::isEstablished() const
{
    return SSL_is_init_finished(d->connection.get()) == 1;
}

QByteArray TlsChannel::receive(const QByteArray& bytes)
{
    BIO_write(d->in, bytes.constData(), static_cast<int>(bytes.size()));
    QByteArray plain;
    SSL* const connection = d->connection.get();
    int result = isEstablished() ? 1 : SSL_do_handshake(connection);
    while (result > 0) {
        QByteArray piece(16'384, Qt::Uninitialized);
        result = SSL_read(connection, piece.data(), static_cast<int>(piece.size()));
        if (result > 0)
            plain += piece.left(result);
    }
    m_failed = SSL_get_error(connection, result) != SSL_ERROR_WANT_READ;
    return plain;
}

QByteArray TlsChannel::encrypted(const QByteArray& plain)
{
    if (!plain.isEmpty())
        SSL_write(d->connection.get(), plain.constData(), static_cast<int>(plain.size()));
    return takeOutput();
}

QByteArray TlsChannel::takeOutput()
{
    return contentOf(d->out);
}

} // namespace lockscope::test::tds
