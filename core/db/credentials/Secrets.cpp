// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/credentials/Secrets.h"

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

QString scrubbed(QString text, const QString& password)
{
    if (password.isEmpty())
        return text;
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
    return text;
}

} // namespace lockscope::db
