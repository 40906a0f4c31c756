// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/TsqlTypes.h"

#include <QMap>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds::tsql {

namespace {

/// Returns the one of two types in an expression that the other is converted to.
Type stronger(Type a, Type b)
{
    if (a.isText() && b.isText()) {
        const bool isMax = a.size == Type::max || b.size == Type::max;
        const bool isWide = a.kind == Type::NVarChar || a.kind == Type::NChar || b.kind == Type::NVarChar
            || b.kind == Type::NChar;
        return {isWide ? Type::NVarChar : Type::VarChar, isMax ? Type::max : std::max(a.size, b.size)};
    }
    const auto rank = [](Type type) {
        static const QMap<Type::Kind, int> ranks{{Type::Untyped, -1}, {Type::Bit, 3}, {Type::TinyInt, 4},
            {Type::SmallInt, 5}, {Type::Int, 6}, {Type::BigInt, 7}, {Type::Real, 9}, {Type::Float, 10},
            {Type::DateTime, 11}, {Type::DateTime2, 12}};
        return ranks.value(type.kind, type.isText() ? 1 : 0);
    };
    return rank(a) < rank(b) ? b : a;
}

struct Item {
    TokenSpan expression;
    QString alias;
};

Item itemOf(TokenSpan tokens)
{
    const size_t as = findWord(tokens, 0, {u"AS"});
    return {tokens.first(as), as + 1 < tokens.size() ? tokens[as + 1].name() : QString()};
}

/// Returns the items that a SELECT at `start` selects.
std::vector<Item> itemsAt(TokenSpan tokens, size_t start)
{
    size_t first = start + 1;
    if (first < tokens.size() && tokens[first].is(u"DISTINCT"))
        ++first;
    if (first < tokens.size() && tokens[first].is(u"TOP"))
        first = afterBracket(tokens, first + 1);
    size_t end = findWord(tokens, first, {u"FROM", u"UNION", u")", u"WHERE", u"ORDER"});
    std::vector<Item> items;
    for (const TokenSpan part : partedByCommas(tokens.subspan(first, end - first)))
        items.push_back(itemOf(part));
    return items;
}

class Typing {
public:
    explicit Typing(const Translation& translation)
        : m_tokens(translation.select)
        , m_variables(translation.variables)
    {
        for (const QString& name : translation.views) {
            const View* view = Catalogue::get().view(name);
            if (!view && !name.startsWith(u'[')) // what is read of users' tables is converted
                throw Refused(u"the catalogue has no view "_s + name);
            if (view)
                m_views.push_back(view);
            else
                m_readsUserTables = true;
        }
        addAliases(m_tokens);
        for (size_t i = 0; i < m_tokens.size(); ++i) {
            if (m_tokens[i].is(u"SELECT")) {
                for (const Item& item : itemsAt(m_tokens, i)) {
                    if (!item.alias.isEmpty())
                        m_computed.insert(item.alias, item.expression);
                }
            }
            m_hasOuterJoin |= m_tokens[i].is(u"LEFT") || m_tokens[i].is(u"OUTER") || m_tokens[i].is(u"FULL");
        }
    }

    std::vector<Column> columns() const
    {
        std::vector<Column> columns;
        for (const Item& item : itemsAt(m_tokens, 0)) {
            const ViewColumn* plain = plainColumn(item.expression);
            Column column{item.alias, typeOf(item.expression)};
            if (plain && item.alias.isEmpty())
                column.name = plain->name;
            column.nullable = !plain || m_hasOuterJoin || plain->nullable != false;
            if (column.type.kind == Type::Decimal || column.type.kind == Type::Variant
                || (plain && column.type.kind == Type::Untyped))
                throw Refused(u"the double can't send the type of column "_s + column.name);
            columns.push_back(column);
        }
        return columns;
    }

private:
    /// FROM sys.objects AS o, FROM [orders].sys.objects AS o, CROSS APPLY sys.dm_exec_sql_text(h) AS t: from
    /// "sys" on.
    void addAliases(TokenSpan tokens)
    {
        for (size_t place = 0; place + 4 < tokens.size(); ++place) {
            if (!tokens[place].is(u"sys") && !tokens[place].is(u"lockscope"))
                continue;
            const View* view = Catalogue::get().view(tokens[place].text + u'.' + tokens[place + 2].name());
            const size_t next = tokens[place + 3].is(u"(") ? afterBracket(tokens, place + 3) : place + 3;
            if (next + 1 < tokens.size() && tokens[next].is(u"AS"))
                m_aliases[tokens[next + 1].name()] = view;
        }
    }

    static QString written(TokenSpan tokens)
    {
        QStringList texts;
        for (const Token& token : tokens)
            texts << token.text;
        return texts.join(u' ');
    }

    /// "session_id", "s.session_id"; null for anything else.
    const ViewColumn* plainColumn(TokenSpan tokens) const
    {
        if (tokens.size() == 3 && tokens[1].is(u".")) {
            const View* view = m_aliases.value(tokens[0].name());
            return view ? view->column(tokens[2].name()) : nullptr;
        }
        if (tokens.size() != 1 || !tokens[0].isName())
            return nullptr;
        const ViewColumn* found = nullptr;
        for (const View* view : m_views) {
            const ViewColumn* column = view->column(tokens[0].name());
            if (!column)
                continue;
            if (found && found->type != column->type)
                throw Refused(u"of which view is column "_s + tokens[0].text);
            found = column;
        }
        return found;
    }

    Type typeOf(TokenSpan tokens) const
    {
        if (tokens.empty())
            throw Refused(u"an expression is missing"_s);
        if (findWord(tokens, 0, {u"+", u"-", u"*"}) != tokens.size() && tokens.size() > 1)
            return typeOfSum(tokens);
        if (tokens.front().is(u"CASE"))
            return typeOfCase(tokens);
        if (tokens.front().is(u"("))
            return typeInBrackets(tokens.subspan(1, afterBracket(tokens, 0) - 2));
        if (tokens.size() > 1 && tokens[0].isName() && tokens[1].is(u"("))
            return typeOfCall(tokens);
        if (const ViewColumn* column = plainColumn(tokens))
            return column->type;
        if (tokens.size() == 3 && tokens[1].is(u".") && !m_aliases.contains(tokens[0].name()))
            return typeOf(tokens.subspan(2)); // of a SELECT in brackets
        if (tokens.size() == 1)
            return typeOfWord(tokens.front());
        throw Refused(u"the double can't tell the type of "_s + written(tokens));
    }

    Type typeOfWord(const Token& token) const
    {
        if (token.kind == Token::Text) {
            const int size = std::max(1, static_cast<int>(token.text.size()) - 2);
            return token.isWide ? nvarchar(size) : Type{Type::VarChar, size};
        }
        if (token.is(u"NULL"))
            return {};
        if (const auto known = m_variables.constFind(token.text.toUpper()); known != m_variables.constEnd())
            return *known;
        if (token.is(u"@@SPID"))
            return smallint();
        if (!token.text.isEmpty() && token.text[0].isDigit())
            return integer();
        if (const auto computed = m_computed.constFind(token.name()); computed != m_computed.constEnd())
            return typeOf(*computed);
        if (m_readsUserTables && token.text.startsWith(u'[')) // a key
            return nvarchar(4'000);
        throw Refused(u"no view has column "_s + token.text);
    }

    Type typeOfSum(TokenSpan tokens) const
    {
        Type type;
        int length = 0;
        for (size_t start = 0; start < tokens.size();) {
            const size_t end = findWord(tokens, start, {u"+", u"-", u"*"});
            if (end > start) {
                const Type part = typeOf(tokens.subspan(start, end - start));
                length += part.isText() ? (part.size == Type::max ? 4'000 : part.size) : 0;
                type = stronger(type, part);
            }
            start = end + 1;
        }
        if (type.isText() && type.size != Type::max)
            type.size = std::min(length, type.kind == Type::NVarChar ? 4'000 : 8'000);
        return type;
    }

    Type typeOfCase(TokenSpan tokens) const
    {
        Type type;
        const TokenSpan inside = tokens.subspan(1, tokens.size() - 2); // without CASE and END
        for (size_t i = 0; i < inside.size();) {
            const size_t start = findWord(inside, i, {u"THEN", u"ELSE"});
            if (start == inside.size())
                break;
            i = findWord(inside, start + 1, {u"WHEN", u"ELSE"});
            type = stronger(type, typeOf(inside.subspan(start + 1, i - start - 1)));
        }
        return type;
    }

    Type typeInBrackets(TokenSpan inside) const
    {
        if (findWord(inside, 0, {u"JSON"}) < inside.size()) // FOR JSON
            return nvarchar();
        if (!inside.front().is(u"SELECT"))
            return typeOf(inside);
        Typing scope = *this; // the names of its own views hide those around it
        scope.addAliases(inside);
        return scope.typeOf(itemsAt(inside, 0).at(0).expression);
    }

    Type typeOfCall(TokenSpan tokens) const
    {
        const QString name = tokens[0].text.toUpper();
        const TokenSpan inside = tokens.subspan(2, afterBracket(tokens, 1) - 3);
        const auto parts = partedByCommas(inside);
        if (name == u"CAST" || name == u"CONVERT") {
            const size_t as = findWord(inside, 0, {u"AS"});
            const QString text = name == u"CAST" ? written(inside.subspan(as + 1)) : written(parts.at(0));
            if (const auto type = typeFromText(text))
                return *type;
            throw Refused(u"the double can't send the type "_s + text);
        }
        static const QHash<QString, Type> fixed{{u"COUNT_BIG"_s, bigint()}, {u"DATEDIFF_BIG"_s, bigint()},
            {u"COUNT"_s, integer()}, {u"DATEPART"_s, integer()}, {u"DATEDIFF"_s, integer()},
            {u"LEN"_s, integer()}, {u"OBJECT_ID"_s, integer()}, {u"HAS_PERMS_BY_NAME"_s, integer()},
            {u"APPLOCK_TEST"_s, integer()}, {u"IS_SRVROLEMEMBER"_s, integer()}, {u"DB_ID"_s, smallint()},
            {u"DB_NAME"_s, nvarchar(128)}, {u"SUSER_SNAME"_s, nvarchar(128)},
            {u"ORIGINAL_LOGIN"_s, nvarchar(128)}, {u"USER_NAME"_s, nvarchar(128)},
            {u"QUOTENAME"_s, nvarchar(258)}, {u"NCHAR"_s, nvarchar(1)}, {u"SYSUTCDATETIME"_s, datetime2()},
            {u"OBJECT_NAME"_s, nvarchar(128)}, {u"OBJECT_SCHEMA_NAME"_s, nvarchar(128)}};
        if (const auto known = fixed.constFind(name); known != fixed.constEnd())
            return *known;
        if (name == u"MAX" || name == u"MIN" || name == u"NULLIF" || name == u"ISNULL" || name == u"SUBSTRING"
            || name == u"LEFT" || name == u"RIGHT" || name == u"UPPER" || name == u"LOWER")
            return typeOf(parts.at(0));
        if (name == u"SUM")
            return stronger(integer(), typeOf(parts.at(0)));
        if (name == u"COALESCE" || name == u"IIF") {
            Type type;
            for (size_t i = name == u"IIF" ? 1 : 0; i < parts.size(); ++i)
                type = stronger(type, typeOf(parts[i]));
            return type;
        }
        throw Refused(u"the double does not know what type "_s + name + u" returns"_s);
    }

    TokenSpan m_tokens;
    const VariableTypes& m_variables;
    std::vector<const View*> m_views;
    QHash<QString, const View*> m_aliases;
    QHash<QString, TokenSpan> m_computed; ///< by the name that a SELECT gives
    bool m_hasOuterJoin = false;
    bool m_readsUserTables = false;
};

} // namespace

std::vector<Column> resultColumns(const Translation& translation)
{
    return Typing(translation).columns();
}

} // namespace lockscope::test::tds::tsql
