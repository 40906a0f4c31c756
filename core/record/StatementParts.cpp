// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/StatementParts.h"

#include "core/domain/SqlLexer.h"

#include <algorithm>

namespace lockscope::record {

namespace {

constexpr QChar valueMark(0x02); // stands for a value
constexpr QChar betweenValues(0x1f);

bool isMark(QChar c)
{
    return c == valueMark || c == betweenValues;
}

bool isValue(SqlToken::Kind kind)
{
    return kind == SqlToken::Kind::Text || kind == SqlToken::Kind::Number || kind == SqlToken::Kind::Comment
        || kind == SqlToken::Kind::Unclear;
}

} // namespace

std::optional<StatementParts> StatementParts::of(const QString& statement, Engine engine)
{
    if (std::any_of(statement.cbegin(), statement.cend(), isMark))
        return std::nullopt;
    StatementParts parts;
    for (SqlLexer lexer(statement, engine); !lexer.atEnd();) {
        const SqlToken token = lexer.next();
        if (!isValue(token.kind)) {
            parts.family += token.text;
            continue;
        }
        parts.family += valueMark;
        parts.values << token.text.toString();
    }
    return parts.values.isEmpty() ? std::nullopt : std::optional(parts);
}

std::optional<QString> StatementParts::together() const
{
    const QStringList pieces = family.split(valueMark);
    if (pieces.size() != values.size() + 1)
        return std::nullopt;
    QString statement = pieces.front();
    for (qsizetype i = 0; i < values.size(); ++i)
        statement += values[i] + pieces[i + 1];
    return statement;
}

QString StatementParts::valueText() const
{
    return values.join(betweenValues);
}

QStringList StatementParts::valuesOf(const QString& valueText)
{
    return valueText.split(betweenValues);
}

QString shownFamily(QString family)
{
    return family.replace(valueMark, u'?');
}

} // namespace lockscope::record
