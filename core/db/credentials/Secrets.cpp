// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/credentials/Secrets.h"

#include "core/db/credentials/KnownSecrets.h"

#include <QRegularExpression>

namespace lockscope::db {

PasswordProvider fixedPassword(const QString& password)
{
    return [password](const QString&) -> Result<QString> { return password; };
}

namespace {

bool isOfAWord(QChar c)
{
    return c.isLetterOrNumber() || c.isSurrogate() || c == u'_';
}

/// Whether `text` goes on in the word that `password` has at this end.
bool goesOn(QChar passwordEnd, const QString& text, qsizetype next)
{
    return next >= 0 && next < text.size() && isOfAWord(passwordEnd) && isOfAWord(text[next]);
}

void mask(QString& text, const QString& password)
{
    const QString stars = QStringLiteral("•••");
    for (qsizetype at = text.indexOf(password); at >= 0; at = text.indexOf(password, at)) {
        if (goesOn(password.front(), text, at - 1) || goesOn(password.back(), text, at + password.size())) {
            ++at;
            continue;
        }
        text.replace(at, password.size(), stars);
        at += stars.size();
    }
}

} // namespace

QString withoutSecrets(QString text)
{
    static const QString name = QStringLiteral(
        "[A-Za-z_]*(?:passw(?:or)?d|passphrase|passcode|pwd|secret|token|\\bpass|scram_[a-z]+_key)");
    static const QString literal = QStringLiteral("(?:[A-Za-z]&?)?'(?:[^'\\\\]|\\\\.|'')*'?");
    static const QRegularExpression pair(u'(' + name
            + QStringLiteral("\\s*=\\s*)(?!\\{?'?•••)(?:\\{(?:[^}]|\\}\\})*\\}?|") + literal
            + QStringLiteral("|\"[^\"]*\"?|[^\\s;&'\"]+)"),
        QRegularExpression::CaseInsensitiveOption);
    // As statements have it, which messages repeat: PASSWORD '…', SET x.token TO '…', IDENTIFIED BY ….
    static const QRegularExpression inStatement(u'(' + name + QStringLiteral("\\s*(?:to\\s*)?)(?!'?•••)(?:")
            + literal + QStringLiteral("|\\$(\\w*)\\$.*?(?:\\$\\2\\$|$))|(identified\\s+by\\s+)(?!'?•••)(?:")
            + literal + QStringLiteral("|\\S+)"),
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression inUrl(QStringLiteral("(//[^/\\s:@]*:)[^\\s]+(?=@)"));
    if (text.contains(u'='))
        text.replace(pair, QStringLiteral("\\1•••"));
    if (text.contains(u'\'') || text.contains(u'$') || text.contains(u"identified", Qt::CaseInsensitive))
        text.replace(inStatement, QStringLiteral("\\1\\3•••"));
    if (text.contains(u'@'))
        text.replace(inUrl, QStringLiteral("\\1•••"));
    return text;
}

QString scrubbed(QString text, const QString& password)
{
    if (password.isEmpty())
        return withoutSecrets(std::move(text));
    mask(text, password);
    // As drivers write it into connection strings, and as a message in one line has it.
    for (const auto& [plain, doubled] : {std::pair("}", "}}"), std::pair("'", "''"), std::pair("'", "\\'")}) {
        QString written = password;
        written.replace(QLatin1String(plain), QLatin1String(doubled));
        if (written != password)
            mask(text, written);
    }
    if (const QString inOneLine = password.simplified(); inOneLine != password && !inOneLine.isEmpty())
        mask(text, inOneLine);
    return withoutSecrets(std::move(text));
}

} // namespace lockscope::db
