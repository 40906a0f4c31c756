// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/UrlText.h"

#include <QRegularExpression>
#include <QStringDecoder>

#include <algorithm>
#include <array>

namespace lockscope::db::urls {

namespace {

struct Scheme {
    const char16_t* name;
    Engine engine;
};
constexpr std::array schemes{Scheme{u"postgresql", Engine::Postgres}, Scheme{u"postgres", Engine::Postgres},
    Scheme{u"sqlserver", Engine::SqlServer}, Scheme{u"sqlite", Engine::Sqlite}};

int hexValue(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

} // namespace

Failure refuse(const QString& what)
{
    return refuse(what,
        QStringLiteral(
            "Write postgresql://user@host/database, sqlite:///path/locks.db, sqlserver://user@host/database or sandbox:"));
}

Failure refuse(const QString& what, const QString& hint)
{
    return failure(ErrorKind::BadInput, what, hint);
}

QString passwordHint()
{
    return QStringLiteral(
        "Leave the password out: it is taken from the keychain, LOCKSCOPE_PASSWORD or --password-stdin.");
}

bool hasControlCharacters(QStringView text)
{
    return std::any_of(text.begin(), text.end(), [](QChar c) { return c.unicode() < 32 || c == QChar(127); });
}

bool looksLikeConnectionString(const QString& text)
{
    static const QRegularExpression pair(QStringLiteral("^\\s*[A-Za-z][A-Za-z0-9_ -]*="));
    static const QRegularExpression later(QStringLiteral("(;|\\s)\\s*[A-Za-z][A-Za-z0-9_ -]*="));
    const qsizetype question = text.indexOf(u'?');
    return pair.match(text).hasMatch()
        || later.match(text.left(question < 0 ? text.size() : question)).hasMatch()
        || text.startsWith(QLatin1String("jdbc:"), Qt::CaseInsensitive);
}

bool isPlainName(QStringView text)
{
    return std::all_of(text.begin(), text.end(), [](QChar c) {
        return c.unicode() < 0x80 && (c.isLetterOrNumber() || c == u'-' || c == u'+' || c == u'.');
    });
}

bool isSecretKey(const QString& name)
{
    static const QRegularExpression secret(
        QStringLiteral("passw(or)?d|passphrase|passcode|pwd|secret|token|^pass$|^scram_.*_key$"),
        QRegularExpression::CaseInsensitiveOption);
    return secret.match(name).hasMatch();
}

Result<QString> percentDecoded(QStringView text, bool plusIsSpace)
{
    const QByteArray encoded = text.toUtf8();
    QByteArray bytes;
    bytes.reserve(encoded.size());
    for (qsizetype i = 0; i < encoded.size(); ++i) {
        if (encoded[i] == '%') {
            const int high = i + 2 < encoded.size() ? hexValue(encoded[i + 1]) : -1;
            const int low = high >= 0 ? hexValue(encoded[i + 2]) : -1;
            if (low < 0)
                return refuse(QStringLiteral("'%1' in the server URL is not a percent code.")
                                  .arg(QString::fromUtf8(encoded.mid(i, 3))),
                    QStringLiteral("Write a literal % as %25."));
            bytes += static_cast<char>(high * 16 + low);
            i += 2;
        } else {
            bytes += plusIsSpace && encoded[i] == '+' ? ' ' : encoded[i];
        }
    }
    QStringDecoder decoder(QStringDecoder::Utf8, QStringConverter::Flag::Stateless);
    QString decoded = decoder(bytes);
    if (decoder.hasError())
        return refuse(QStringLiteral("The percent codes in the server URL are not UTF-8."));
    if (hasControlCharacters(decoded))
        return refuse(QStringLiteral("The server URL contains a control character."));
    return decoded;
}

QString percentEncoded(const QString& text, const QByteArray& alsoPlain)
{
    return QString::fromLatin1(text.toUtf8().toPercentEncoding(alsoPlain));
}

QString schemeOf(Engine engine)
{
    for (const Scheme& scheme : schemes)
        if (scheme.engine == engine)
            return QString::fromUtf16(scheme.name);
    return {};
}

std::optional<Engine> engineOf(QStringView scheme)
{
    for (const Scheme& known : schemes)
        if (scheme == QStringView(known.name))
            return known.engine;
    return std::nullopt;
}

} // namespace lockscope::db::urls
