// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/credentials/Secrets.h"

#include <QRegularExpression>

namespace lockscope::db {

PasswordProvider fixedPassword(const QString& password)
{
    return [password](const QString&) -> Result<QString> { return password; };
}

namespace {

const QString stars = QStringLiteral("•••");

bool isOfAWord(QChar c)
{
    return c.isLetterOrNumber() || c.isSurrogate() || c == u'_';
}

/// Returns whether `text` goes on in the word that `password` has at this end.
bool goesOn(QChar passwordEnd, const QString& text, qsizetype next)
{
    return next >= 0 && next < text.size() && isOfAWord(passwordEnd) && isOfAWord(text[next]);
}

void mask(QString& text, const QString& password)
{
    for (qsizetype at = text.indexOf(password); at >= 0; at = text.indexOf(password, at)) {
        if (goesOn(password.front(), text, at - 1) || goesOn(password.back(), text, at + password.size())) {
            ++at;
            continue;
        }
        text.replace(at, password.size(), stars);
        at += stars.size();
    }
}

/// `secret`, whose captures are kept. A text that it can't judge within its limits is masked as a whole.
void mask(QString& text, const QRegularExpression& secret)
{
    QString masked;
    qsizetype done = 0;
    for (;;) {
        const QRegularExpressionMatch match = secret.match(text, done);
        if (!match.isValid()) {
            text = stars;
            return;
        }
        if (!match.hasMatch())
            break;
        masked += QStringView(text).sliced(done, match.capturedStart() - done);
        for (int i = 1; i <= match.lastCapturedIndex(); ++i)
            if (match.capturedStart(i) == match.capturedStart())
                masked += match.capturedView(i);
        masked += stars;
        done = match.capturedEnd();
    }
    if (done > 0)
        text = masked + text.sliced(done);
}

QRegularExpression pattern(const QString& text)
{
    return QRegularExpression(
        text, QRegularExpression::CaseInsensitiveOption | QRegularExpression::DotMatchesEverythingOption);
}

} // namespace

/// No text that was matched is tried a second time: the texts are chosen by the server, and by those who name
/// things there.
QString withoutSecrets(QString text)
{
    static const QString name =
        QStringLiteral("(?:passw(?:or)?d|passphrase|passcode|pwd|secret|token|\\bpass|scram_[a-z]++_key)");
    static const QString literal = QStringLiteral("(?:[A-Za-z]&?)?'(?:[^'\\\\]++|\\\\.?|'')*+'?+");
    static const QString notMasked = QStringLiteral("(?!\\{?'?•••)");
    static const QRegularExpression inQuery =
        pattern(QStringLiteral(
                    "([?&][^=&\\s?;]*+(?<=password|passwd|pwd|secret|token|passphrase|passcode|pass|_key)=)")
            + notMasked + QStringLiteral("[^\\s&\"]++"));
    // A value without quotes ends with the word, but in connection strings of pairs that are separated by
    // semicolons with the next one of these.
    static const QRegularExpression pair = pattern(u'(' + name + QStringLiteral("\\s*+=\\s*+)") + notMasked
        + QStringLiteral("(?:\\{(?:[^}]|\\}\\})*+\\}?+|") + literal
        + QStringLiteral("|\"[^\"]*+\"?+|[^\\s;][^;\\r\\n]*+(?=;)|[^\\s;]++)"));
    static const QRegularExpression lastPair = pattern(QStringLiteral("(;[^;=\\r\\n]*?") + name
        + QStringLiteral("\\s*+=\\s*+)") + notMasked + QStringLiteral("(?![{'\"])[^\\s;][^;\\r\\n]*+"));
    // As a URL has it of a file that is called like a connection string.
    static const QRegularExpression encoded =
        pattern(u'(' + name + QStringLiteral("%3D)") + notMasked + QStringLiteral("(?:(?!%3B)\\S)++"));
    // As statements have it, which messages repeat: PASSWORD '…', SET x.token TO '…', IDENTIFIED BY ….
    static const QRegularExpression inStatement =
        pattern(u'(' + name + QStringLiteral("\\s*+(?:to\\s*+)?)") + notMasked + QStringLiteral("(?:")
            + literal + QStringLiteral("|\\$(\\w*+)\\$.*?(?:\\$\\2\\$|$))|(identified\\s++by\\s++)")
            + notMasked + QStringLiteral("(?:") + literal + QStringLiteral("|\\S++)"));
    static const QRegularExpression inUrl = pattern(QStringLiteral("(//[^/\\s:@]*+:)[^\\s]+(?=@)"));
    if (text.contains(u'=')) {
        mask(text, inQuery);
        mask(text, lastPair);
        mask(text, pair);
    }
    if (text.contains(u'\'') || text.contains(u'$') || text.contains(u"identified", Qt::CaseInsensitive))
        mask(text, inStatement);
    if (text.contains(u'%'))
        mask(text, encoded);
    if (text.contains(u'@'))
        mask(text, inUrl);
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
