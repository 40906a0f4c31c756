// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/Tsql.h"

#include <QSet>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds::tsql {

namespace {

bool isWordCharacter(QChar c)
{
    return c.isLetterOrNumber() || c == u'_' || c == u'@' || c == u'#' || c == u'$';
}

/// The end of what `quote` closes; doubled it stands for itself.
qsizetype endOfQuoted(const QString& sql, qsizetype start, QChar quote)
{
    for (qsizetype i = start; i < sql.size(); ++i) {
        if (sql[i] != quote)
            continue;
        if (i + 1 == sql.size() || sql[i + 1] != quote)
            return i + 1;
        ++i;
    }
    throw Refused(u"a quote is not closed: "_s + sql.mid(start, 40));
}

const QHash<QString, QString>& renamedFunctions()
{
    static const QHash<QString, QString> names{{u"COUNT_BIG"_s, u"COUNT"_s}, {u"ISNULL"_s, u"IFNULL"_s},
        {u"LEFT"_s, u"tsql_left"_s}, {u"RIGHT"_s, u"tsql_right"_s}, {u"LEN"_s, u"tsql_len"_s},
        {u"CONVERT"_s, u"tsql_convert"_s}, {u"CAST"_s, u"tsql_convert"_s}, {u"SUBSTRING"_s, u"substr"_s},
        {u"ISJSON"_s, u"json_valid"_s}, {u"JSON_VALUE"_s, u"json_extract"_s},
        {u"SCOPE_IDENTITY"_s, u"last_insert_rowid"_s}};
    return names;
}

const QSet<QString>& functionsOfDateParts()
{
    static const QSet<QString> names{u"DATEADD"_s, u"DATEDIFF"_s, u"DATEDIFF_BIG"_s, u"DATEPART"_s};
    return names;
}

QString quotedText(const QString& text)
{
    return u'\'' + QString(text).replace(u'\'', u"''"_s) + u'\'';
}

QString written(TokenSpan tokens)
{
    QStringList texts;
    for (const Token& token : tokens)
        texts << token.text;
    return texts.join(u' ');
}

/// A session that may not see others finds only itself in these.
bool isFiltered(const QString& view)
{
    return view == u"sys.dm_exec_sessions" || view == u"sys.dm_exec_requests";
}

class Translator {
public:
    /// Without a database of its own there is only one.
    Translator(QString ownDatabase, Translation& translation)
        : m_ownDatabase(std::move(ownDatabase))
        , m_views(translation.views)
        , m_databases(translation.databases)
        , m_variables(translation.variables)
    {
    }

    /// A whole expression or statement, or the inside of brackets.
    QString translated(TokenSpan tokens)
    {
        QString sql;
        QString limit;
        if (const size_t end = findWord(tokens, 0, {u"FOR"});
            end + 1 < tokens.size() && tokens[end + 1].is(u"JSON"))
            return asJson(tokens.first(end), findWord(tokens, end, {u"INCLUDE_NULL_VALUES"}) < tokens.size());
        for (size_t i = 0; i < tokens.size();) {
            if (tokens[i].is(u"TOP") && i + 1 < tokens.size() && tokens[i + 1].is(u"(")) {
                const size_t end = afterBracket(tokens, i + 1);
                limit = u" LIMIT ("_s + translated(tokens.subspan(i + 2, end - i - 3)) + u')';
                i = end;
            } else if (tokens[i].is(u"OPTION") && i + 1 < tokens.size() && tokens[i + 1].is(u"(")) {
                i = afterBracket(tokens, i + 1);
            } else if (tokens[i].is(u"COLLATE")) { // every column has its own
                i += 2;
            } else {
                sql += next(tokens, i) + u' ';
            }
        }
        return sql + limit;
    }

private:
    /// SELECT a, t.b AS c FROM …: an object of the one row, which lacks what is NULL unless `keepsNull`.
    QString asJson(TokenSpan select, bool keepsNull)
    {
        const size_t end = findWord(select, 1, {u"FROM"});
        QStringList members;
        for (const TokenSpan part : partedByCommas(select.subspan(1, end - 1)))
            members << quotedText(part.back().name()) << translated(part.first(findWord(part, 0, {u"AS"})));
        const QString object = u"json_object(%1)"_s.arg(members.join(u", "_s));
        return u"SELECT %1 "_s.arg(keepsNull ? object : u"json_patch('{}', %1)"_s.arg(object))
            + translated(select.subspan(end));
    }

    /// Returns the token at `i`, and moves `i` behind it.
    QString next(TokenSpan tokens, size_t& i)
    {
        const Token& token = tokens[i];
        const bool isInserted = i > 0 && tokens[i - 1].is(u"INTO");
        if (token.is(u"lockscope") && !isInserted && i + 3 < tokens.size() && tokens[i + 3].is(u"("))
            return i += 2, u"lockscope_"_s + call(tokens, i);
        if (token.is(u"NEXT") && i + 5 < tokens.size() && tokens[i + 1].is(u"VALUE"))
            return i += 6, u"tsql_next()"_s;
        const bool isCall = token.isName() && i + 1 < tokens.size() && tokens[i + 1].is(u"(");
        if (token.is(u"FROM") || token.is(u"JOIN") || token.is(u"APPLY"))
            return source(tokens, i);
        if ((token.is(u"CROSS") || token.is(u"OUTER")) && i + 1 < tokens.size() && tokens[i + 1].is(u"APPLY"))
            return ++i, u"%1"_s.arg(token.is(u"OUTER") ? u"LEFT"_s : u""_s);
        if (isCall
            && (token.is(u"CAST") || token.is(u"TRY_CAST") || token.is(u"CONVERT")
                || token.is(u"TRY_CONVERT")))
            return conversion(tokens, i);
        if (isCall)
            return call(tokens, i);
        ++i;
        if (token.is(u"("))
            return bracket(tokens, i);
        if (token.text.startsWith(u"@@"))
            return u"tsql_%1()"_s.arg(token.text.mid(2).toLower());
        if (token.is(u"+") && joinsTexts(tokens, i - 1))
            return u"||"_s;
        return nameInSqlite(token.text);
    }

    /// Reads a name in brackets, from behind the opening one.
    QString bracket(TokenSpan tokens, size_t& i)
    {
        const size_t end = afterBracket(tokens, i - 1);
        const QString inside = u'(' + translated(tokens.subspan(i, end - i - 1)) + u')';
        const bool isList = tokens[i].is(u"VALUES") && end + 2 < tokens.size() && tokens[end + 2].is(u"(");
        i = end;
        if (!isList)
            return inside;
        // (VALUES …) AS name (columns): SQLite has names of its own for these.
        i = afterBracket(tokens, end + 2);
        QStringList columns;
        for (const TokenSpan column : partedByCommas(tokens.subspan(end + 3, i - end - 4)))
            columns << u"column%1 AS %2"_s.arg(columns.size() + 1).arg(column.front().text);
        return u"(SELECT %1 FROM %2) AS %3"_s.arg(columns.join(u", "_s), inside, tokens[end + 1].text);
    }

    QString call(TokenSpan tokens, size_t& i)
    {
        const QString name = tokens[i].text.toUpper();
        const size_t open = i + 1;
        i = afterBracket(tokens, open);
        const TokenSpan inside = tokens.subspan(open + 1, i - open - 2);
        if (name == u"UPDATE")
            return u"tsql_updates(%1)"_s.arg(quotedText(inside.front().name()));
        if (!functionsOfDateParts().contains(name))
            return renamedFunctions().value(name, tokens[open - 1].text) + u'(' + translated(inside) + u')';
        QStringList arguments;
        for (const TokenSpan part : partedByCommas(inside))
            arguments << (arguments.isEmpty() ? quotedText(part.front().text.toUpper()) : translated(part));
        return name + u'(' + arguments.join(u", "_s) + u')';
    }

    /// CAST (expression AS type), CONVERT (type, expression[, style]): tsql_convert('type', expression,
    /// style)
    QString conversion(TokenSpan tokens, size_t& i)
    {
        const bool isCast = tokens[i].text.endsWith(u"CAST", Qt::CaseInsensitive);
        const QString function = tokens[i].text.startsWith(u"TRY_", Qt::CaseInsensitive)
            ? u"tsql_try_convert"_s
            : u"tsql_convert"_s;
        const size_t open = i + 1;
        i = afterBracket(tokens, open);
        const TokenSpan inside = tokens.subspan(open + 1, i - open - 2);
        if (isCast) {
            const size_t as = findWord(inside, 0, {u"AS"});
            return u"%1(%2, %3, 0)"_s.arg(
                function, quotedText(written(inside.subspan(as + 1))), translated(inside.first(as)));
        }
        const auto parts = partedByCommas(inside);
        return u"%1(%2, %3, %4)"_s.arg(function, quotedText(written(parts[0])), translated(parts.at(1)),
            parts.size() > 2 ? translated(parts[2]) : u"0"_s);
    }

    /// FROM, JOIN or APPLY and the view, function or table after it with its name.
    QString source(TokenSpan tokens, size_t& i)
    {
        const Token& verb = tokens[i++];
        const QString join = verb.is(u"FROM") ? u"FROM "_s : u"JOIN "_s;
        if (i < tokens.size() && tokens[i].is(u"("))
            return join;
        QStringList parts{tokens[i++].text};
        while (i + 1 < tokens.size() && tokens[i].is(u".")) {
            parts << tokens[i + 1].text;
            i += 2;
        }
        if (parts.last() == u"inserted" || parts.last() == u"deleted") // in a trigger
            return join + u"temp."_s + parts.last();
        if (parts.size() < 2)
            throw Refused(u"a name without its schema: "_s + parts.last());
        const QString view = parts.mid(parts.size() - 2).join(u'.');
        if (!m_views.contains(view))
            m_views << view;
        const bool isFunction = i < tokens.size() && tokens[i].is(u"(");
        if (isFunction)
            return join + function(view, verb.is(u"APPLY"), tokens, i);
        const QString alias = aliasAt(tokens, i);
        const QString database = parts.size() > 2 ? parts.first() : m_ownDatabase;
        if (parts.size() > 2 && !m_databases.contains(database))
            m_databases << database;
        // The program quotes the names of users' tables.
        const QString table = isOfServer(view) || view.startsWith(u'[') || m_ownDatabase.isEmpty()
            ? nameInSqlite(parts[parts.size() - 2]) + u'.' + nameInSqlite(parts.last())
            : u"(SELECT * FROM %1 WHERE of_database = %2)"_s.arg(view, quotedText(database));
        return join
            + (isFiltered(view) ? u"(SELECT * FROM %1 WHERE tsql_sees(session_id))"_s.arg(view) : table)
            + u" AS "_s + (alias.isEmpty() ? nameInSqlite(parts.last()) : alias);
    }

    /// sys.function(a, b) [AS x]: the rows for these arguments.
    QString function(const QString& view, bool isApplied, TokenSpan tokens, size_t& i)
    {
        const size_t open = i;
        i = afterBracket(tokens, open);
        const TokenSpan inside = tokens.subspan(open + 1, i - open - 2);
        QString alias = aliasAt(tokens, i);
        if (alias.isEmpty())
            alias = view.section(u'.', 1);
        QStringList conditions;
        for (const TokenSpan argument : partedByCommas(inside))
            conditions << u"%1.argument%2 %3 (%4)"_s.arg(alias)
                              .arg(conditions.size() + 1)
                              .arg(mayBeNull(argument) ? u"IS"_s : u"="_s, translated(argument));
        const QString table = view + u" AS "_s + alias;
        return isApplied ? table + u" ON "_s + conditions.join(u" AND "_s)
                         : u"(SELECT 1) JOIN "_s + table + u" ON "_s + conditions.join(u" AND "_s);
    }

    /// NULL, or a parameter.
    static bool mayBeNull(TokenSpan argument)
    {
        return argument.size() == 1
            && (argument.front().is(u"NULL") || argument.front().text.startsWith(u'@'));
    }

    /// The name that a table gets with AS; hints are left out.
    static QString aliasAt(TokenSpan tokens, size_t& i)
    {
        QString alias;
        if (i + 1 < tokens.size() && tokens[i].is(u"AS")) {
            alias = tokens[i + 1].text;
            i += 2;
        }
        if (i + 1 < tokens.size() && tokens[i].is(u"WITH") && tokens[i + 1].is(u"("))
            i = afterBracket(tokens, i + 1);
        return alias;
    }

    /// T-SQL writes both with "+".
    bool joinsTexts(TokenSpan tokens, size_t plus) const
    {
        if (plus == 0 || plus + 1 >= tokens.size())
            return false;
        size_t first = plus - 1; // of the operand before it
        int depth = 0;
        do {
            depth += tokens[first].is(u")") ? 1 : tokens[first].is(u"(") ? -1 : 0;
        } while (depth > 0 && first-- > 0);
        if (tokens[first].is(u"(") && first > 0)
            --first;
        const auto before = tokens[plus - 1].is(u"END") ? std::optional(true) : isText(tokens, first);
        return before ? *before : isText(tokens, plus + 1).value_or(false);
    }
    /// Returns whether an operand that begins at `i` is a text; nullopt if that is unknown.
    std::optional<bool> isText(TokenSpan tokens, size_t i) const
    {
        static const QSet<QString> makers{u"NCHAR"_s, u"QUOTENAME"_s, u"CASE"_s, u"SUSER_SNAME"_s, u"LEFT"_s};
        if (tokens[i].kind == Token::Text || makers.contains(tokens[i].text.toUpper()))
            return true;
        if (tokens[i].is(u"CONVERT") && i + 2 < tokens.size())
            return tokens[i + 2].text.endsWith(u"char", Qt::CaseInsensitive);
        const auto variable = m_variables.constFind(tokens[i].text.toUpper());
        return variable == m_variables.constEnd() ? std::nullopt : std::optional(variable->isText());
    }

    QString m_ownDatabase;
    QStringList& m_views;
    QStringList& m_databases;
    const VariableTypes& m_variables;
};

} // namespace

QString nameInSqlite(const QString& name)
{
    const bool isOdd = name.startsWith(u'[') && name.contains(u"]]"_s);
    return isOdd ? u'"' + Token{Token::Word, name}.name().replace(u'"', u"\"\""_s) + u'"' : name;
}

bool isOfServer(const QString& view)
{
    return view.startsWith(u"sys.dm_") || view.startsWith(u"sys.fn_") || view == u"sys.databases"
        || view == u"sys.configurations" || view == u"sys.database_recovery_status"
        || view == u"sys.availability_replicas";
}

bool Token::isName() const
{
    return kind == Word && !text.isEmpty() && !text[0].isDigit() && text[0] != u'@';
}

QString Token::name() const
{
    return text.startsWith(u'[') ? text.mid(1, text.size() - 2).replace(u"]]"_s, u"]"_s) : text;
}

Tokens tokensOf(const QString& sql)
{
    Tokens tokens;
    for (qsizetype i = 0; i < sql.size();) {
        const QChar c = sql[i];
        qsizetype end = i + 1;
        if (c.isSpace()) {
            i = end;
            continue;
        }
        if (QStringView(sql).mid(i).startsWith(u"--")) {
            end = sql.indexOf(u'\n', i);
            i = end < 0 ? sql.size() : end;
            continue;
        }
        const bool isWide = (c == u'N' || c == u'n') && end < sql.size() && sql[end] == u'\'';
        if (c == u'\'' || isWide) {
            end = endOfQuoted(sql, i + (isWide ? 2 : 1), u'\'');
            tokens.push_back({Token::Text, sql.mid(isWide ? i + 1 : i, end - i - (isWide ? 1 : 0)), isWide});
        } else if (c == u'[') {
            end = endOfQuoted(sql, end, u']');
            tokens.push_back({Token::Word, sql.mid(i, end - i)});
        } else if (isWordCharacter(c)) {
            while (end < sql.size() && isWordCharacter(sql[end]))
                ++end;
            tokens.push_back({Token::Word, sql.mid(i, end - i)});
        } else {
            static const QSet<QString> pairs{u"<>"_s, u"<="_s, u">="_s, u"!="_s};
            if (pairs.contains(sql.mid(i, 2)))
                ++end;
            tokens.push_back({Token::Sign, sql.mid(i, end - i)});
        }
        i = end;
    }
    while (!tokens.empty() && tokens.back().is(u";"))
        tokens.pop_back();
    return tokens;
}

size_t afterBracket(TokenSpan tokens, size_t open)
{
    int depth = 0;
    for (size_t i = open; i < tokens.size(); ++i) {
        if (tokens[i].is(u"("))
            ++depth;
        else if (tokens[i].is(u")") && --depth == 0)
            return i + 1;
    }
    throw Refused(u"a bracket is not closed"_s);
}

std::vector<TokenSpan> partedByCommas(TokenSpan tokens)
{
    std::vector<TokenSpan> parts;
    size_t start = 0;
    while (start < tokens.size()) {
        const size_t end = findWord(tokens, start, {u","});
        parts.push_back(tokens.subspan(start, end - start));
        start = end + 1;
    }
    return parts;
}

size_t findWord(TokenSpan tokens, size_t start, std::initializer_list<QStringView> words)
{
    int cases = 0;
    for (size_t i = start; i < tokens.size(); ++i) {
        if (cases == 0 && std::ranges::any_of(words, [&](QStringView word) { return tokens[i].is(word); }))
            return i;
        if (tokens[i].is(u"(")) {
            i = afterBracket(tokens, i) - 1;
        } else if (tokens[i].is(u"CASE")) {
            ++cases;
        } else if (tokens[i].is(u"END")) {
            --cases;
        }
    }
    return tokens.size();
}

Translation translate(const QString& sql, const QString& ownDatabase)
{
    Translation translation;
    const Tokens tokens = tokensOf(sql);
    Translator translator(ownDatabase, translation);
    TokenSpan rest = tokens;
    while (!rest.empty() && rest.front().is(u"SET")) // of the session: it changes no result
        rest = rest.subspan(std::min(rest.size(), findWord(rest, 0, {u";"}) + 1));
    if (!rest.empty() && rest.front().is(u"IF")) {
        const size_t then = findWord(rest, 1, {u"SELECT", u"THROW"});
        translation.condition = translator.translated(rest.subspan(1, then - 1));
        rest = rest.subspan(then);
        if (!rest.empty() && rest.front().is(u"THROW")) {
            const auto parts = partedByCommas(rest.subspan(1));
            const QString text = parts.at(1).front().text;
            translation.error = ServerMessage{parts.at(0).front().text.toInt(), text.mid(1).chopped(1)};
            return translation;
        }
    }
    if (rest.empty() || !rest.front().is(u"SELECT"))
        throw Refused(u"only SELECT is understood"_s);
    translation.statement = translator.translated(rest);
    translation.select.assign(rest.begin(), rest.end());
    return translation;
}

Translation translate(TokenSpan part, const VariableTypes& variables)
{
    Translation translation;
    translation.variables = variables;
    translation.statement = Translator({}, translation).translated(part);
    translation.select.assign(part.begin(), part.end());
    return translation;
}

} // namespace lockscope::test::tds::tsql
