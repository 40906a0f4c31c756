// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/sandbox/ScramSecret.h"

#include <QMessageAuthenticationCode>

namespace lockscope::sandbox {

namespace {

QByteArray hmac(const QByteArray& key, const QByteArray& text)
{
    return QMessageAuthenticationCode::hash(text, key, QCryptographicHash::Sha256);
}

} // namespace

QByteArray scramSecret(const QByteArray& password, const QByteArray& salt)
{
    // PBKDF2 with one iteration is one HMAC over the salt and the number of the block.
    const QByteArray salted = hmac(password, salt + QByteArray("\0\0\0\1", 4));
    const QByteArray stored =
        QCryptographicHash::hash(hmac(salted, "Client Key"), QCryptographicHash::Sha256);
    const QByteArray server = hmac(salted, "Server Key");
    return "SCRAM-SHA-256$1:" + salt.toBase64() + '$' + stored.toBase64() + ':' + server.toBase64();
}

} // namespace lockscope::sandbox
