// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/domain/LockMode.h"

#include <QByteArray>
#include <QString>
#include <QStringView>

#include <optional>

/// Shared by reading and writing of server URLs: schemes, percent codes, and errors of refused URLs.
namespace lockscope::db::urls {

/// BadInput, with how a server URL is written as the hint.
Failure refuse(const QString& what);
Failure refuse(const QString& what, const QString& hint);
/// The hint for a URL that carries a password.
QString passwordHint();

bool hasControlCharacters(QStringView text);
/// name=value pairs as ODBC, ADO.NET, JDBC and libpq have them: "Server=h;Password=…", "host=h password=…".
bool looksLikeConnectionString(const QString& text);
/// True for nothing but letters, digits and the signs of schemes: it may be repeated.
bool isPlainName(QStringView text);
/// Returns whether the value of such an option is secret: "password", "sslpassword", "oauth_client_secret" …
bool isSecretKey(const QString& name);
/// Stricter than QUrl, which passes broken codes through: a typing error must not become another name.
Result<QString> percentDecoded(QStringView text, bool plusIsSpace = false);
/// Encodes everything but RFC 3986's unreserved characters; `alsoPlain` stay readable.
QString percentEncoded(const QString& text, const QByteArray& alsoPlain = {});

QString schemeOf(Engine engine);
/// None if no engine has that scheme, which is in lower case.
std::optional<Engine> engineOf(QStringView scheme);

} // namespace lockscope::db::urls
