// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/NamedStatements.h"

#include <QRegularExpression>

#include <optional>

using namespace Qt::StringLiterals;

namespace lockscope::db {

QByteArray withoutHeading(const QByteArray& text)
{
    qsizetype start = 0;
    while (start < text.size()) {
        qsizetype end = text.indexOf('\n', start);
        if (end < 0)
            end = text.size();
        const QByteArray line = text.mid(start, end - start).trimmed();
        if (!line.isEmpty() && !line.startsWith("--"))
            break;
        start = end + 1;
    }
    return text.mid(start).trimmed();
}

tl::expected<NamedStatements, QString> namedStatements(const QByteArray& file)
{
    // A line that is meant as a name must not pass for a comment.
    static const QRegularExpression heading(
        u"^\\s*--\\s*name\\b\\s*:"_s, QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression wellFormed(u"^-- name: ([a-z][a-z0-9_]*)$"_s);
    NamedStatements statements;
    std::optional<QByteArray> name;
    QByteArray text;
    const auto end = [&]() -> QString {
        const QByteArray sql = withoutHeading(text);
        text.clear();
        if (!name)
            return sql.isEmpty() ? QString() : u"a statement stands before the first name"_s;
        const QString shown = QString::fromUtf8(*name);
        if (!sql.endsWith(';'))
            return (sql.isEmpty() ? u"'%1' is empty"_s : u"'%1' does not end with a semicolon"_s).arg(shown);
        const QByteArray statement = sql.chopped(1).trimmed();
        if (statement.isEmpty())
            return u"'%1' is empty"_s.arg(shown);
        return statements.emplace(*name, statement).second ? QString()
                                                           : u"'%1' stands there twice"_s.arg(shown);
    };
    int number = 0;
    for (const QByteArray& line : file.split('\n')) {
        ++number;
        const QString plain = QString::fromUtf8(line);
        if (!heading.match(plain).hasMatch()) {
            text += line + '\n';
            continue;
        }
        const auto match = wellFormed.match(plain);
        if (!match.hasMatch())
            return tl::unexpected(u"line %1 is no name such as \"-- name: acquire\""_s.arg(number));
        if (const QString fault = end(); !fault.isEmpty())
            return tl::unexpected(fault);
        name = match.captured(1).toUtf8();
    }
    if (const QString fault = end(); !fault.isEmpty())
        return tl::unexpected(fault);
    if (statements.empty())
        return tl::unexpected(u"it has no statements"_s);
    return statements;
}

} // namespace lockscope::db
