// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/SqlLexer.h"

#include "core/domain/Engine.h"

#include <QString>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype never = -1; // closed
constexpr QChar cut = u'…'; // what redaction and clients put where the rest of a statement is left out

bool isAsciiDigit(QChar c)
{
    return c >= u'0' && c <= u'9';
}

bool isAsciiLetter(QChar c)
{
    return (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z');
}

bool isLineEnd(QChar c)
{
    return c == u'\n' || c == u'\r';
}

} // namespace

/// Sources: PostgreSQL's src/backend/parser/scan.l, SQLite's src/tokenize.c, "Transact-SQL syntax
/// conventions", "Constants" and "Database identifiers" of SQL Server's documentation.
struct SqlLexer::Rules {
    Engine engine;
    bool nestsComments = true;
    bool hasBrackets = true;
    bool doublesBrackets = true; ///< "]]" is a bracket in a name
    bool hasBackticks = false;
    QStringView parameters{}; ///< the characters that may begin one
    QStringView wordStarts{}; ///< beside letters
    QStringView wordParts{}; ///< beside letters and digits
};

struct SqlLexer::Reach {
    SqlToken::Kind kind;
    qsizetype end; ///< never: what is here is unclear
};

SqlLexer::SqlLexer(QStringView statement, Engine engine, DoubleQuotes quotes)
    : m_text(statement)
    , m_rules([engine]() -> const Rules& {
        static const PerEngine<Rules> rules{
            {.engine = Engine::Postgres, .hasBrackets = false, .wordStarts = u"_", .wordParts = u"_$"},
            {.engine = Engine::SqlServer, .parameters = u"@", .wordStarts = u"_#", .wordParts = u"_#@$"},
            {.engine = Engine::Sqlite,
                .nestsComments = false,
                .doublesBrackets = false,
                .hasBackticks = true,
                .parameters = u"?@:#$",
                .wordStarts = u"_",
                .wordParts = u"_$"},
        };
        return rules[engine];
    }())
    , m_quotesNames(engine == Engine::Postgres || quotes == DoubleQuotes::AsNames)
{
}

bool SqlLexer::isPostgres() const
{
    return m_rules.engine == Engine::Postgres;
}

bool SqlLexer::isSqlServer() const
{
    return m_rules.engine == Engine::SqlServer;
}

bool SqlLexer::isSpace(QChar c) const
{
    return isSqlServer() ? c.isSpace()
                         : c == u' ' || c == u'\t' || c == u'\n' || c == u'\r' || c == u'\f' || c == u'\v';
}

bool SqlLexer::isWordStart(QChar c) const
{
    if (c.unicode() < 0x80)
        return isAsciiLetter(c) || m_rules.wordStarts.contains(c);
    return isSqlServer() ? c.isLetter() : c != cut;
}

bool SqlLexer::isWordPart(QChar c) const
{
    if (c.unicode() < 0x80)
        return isAsciiLetter(c) || isAsciiDigit(c) || m_rules.wordParts.contains(c);
    return isSqlServer() ? c.isLetterOrNumber() || c.isMark() : c != cut;
}

qsizetype SqlLexer::pastWord(qsizetype from) const
{
    while (from < m_text.size() && isWordPart(m_text[from]))
        ++from;
    return from;
}

SqlToken SqlLexer::next()
{
    Reach found = reach();
    if (found.end == never)
        found = {SqlToken::Kind::Unclear, m_text.size()};
    const SqlToken token{found.kind, m_text.mid(m_at, found.end - m_at)};
    m_at = found.end;
    return token;
}

SqlLexer::Reach SqlLexer::reach() const
{
    using TokenKind = SqlToken::Kind;
    const QChar c = at(m_at);
    if (isSpace(c)) {
        qsizetype end = m_at + 1;
        while (end < m_text.size() && isSpace(m_text[end]))
            ++end;
        return {TokenKind::Space, end};
    }
    if (c == cut)
        return {TokenKind::Unclear, never};
    if (has(u"--", m_at))
        return {TokenKind::Comment, pastLine()};
    if (has(u"/*", m_at))
        return {TokenKind::Comment, pastComment()};
    if (c == u'\'')
        return {TokenKind::Text, pastText(m_at, isPostgres() ? Backslash::Unknown : Backslash::Plain)};
    if (c == u'"')
        return {m_quotesNames ? TokenKind::QuotedName : TokenKind::Text, pastName(c, true)};
    if (c == u'[' && m_rules.hasBrackets)
        return {TokenKind::QuotedName, pastName(u']', m_rules.doublesBrackets)};
    if (c == u'`' && m_rules.hasBackticks)
        return {TokenKind::QuotedName, pastName(c, true)};
    if (c.isDigit() && (isAsciiDigit(c) || isSqlServer()))
        return {TokenKind::Number, pastNumber(m_at)};
    if (c == u'.' && isAsciiDigit(at(m_at + 1)))
        return {TokenKind::Number, pastNumber(m_at)};
    if (isWordStart(c))
        return word();
    if (c == u'$' || (isSqlServer() && c.category() == QChar::Symbol_Currency))
        return dollar();
    if (m_rules.parameters.contains(c)) {
        qsizetype end = m_at + 1;
        while (c == u'?' ? isAsciiDigit(at(end)) : isWordPart(at(end)))
            ++end;
        return {end == m_at + 1 && c != u'?' ? TokenKind::Symbol : TokenKind::Parameter, end};
    }
    return {TokenKind::Symbol, m_at + 1};
}

/// A comment's line. A carriage return alone ends it on PostgreSQL, not on SQLite; nobody says so of SQL
/// Server.
qsizetype SqlLexer::pastLine() const
{
    qsizetype end = m_at;
    while (end < m_text.size() && m_text[end] != u'\n') {
        if (m_text[end] == u'\r' && isPostgres())
            return end;
        if (m_text[end] == u'\r' && isSqlServer() && at(end + 1) != u'\n')
            return never;
        ++end;
    }
    return end;
}

qsizetype SqlLexer::pastComment() const
{
    int depth = 1;
    for (qsizetype end = m_at + 2; end + 1 < m_text.size(); ++end) {
        if (has(u"*/", end)) {
            if (--depth == 0)
                return end + 2;
            ++end;
        } else if (m_rules.nestsComments && has(u"/*", end)) {
            ++depth;
            ++end;
        }
    }
    return never;
}

/// A text that begins with the quote there.
qsizetype SqlLexer::pastText(qsizetype quote, Backslash backslash) const
{
    if (backslash == Backslash::Unknown) {
        const qsizetype end = pastText(quote, Backslash::Plain);
        return end == pastText(quote, Backslash::Escapes) ? end : never;
    }
    for (qsizetype end = quote + 1; end < m_text.size(); ++end) {
        if (backslash == Backslash::Escapes && m_text[end] == u'\\') {
            ++end;
        } else if (m_text[end] == u'\'') {
            if (at(end + 1) == u'\'')
                ++end;
            else if (const qsizetype next = isPostgres() ? nextPart(end + 1) : never; next != never)
                end = next;
            else
                return end + 1;
        }
    }
    return never;
}

/// The quote with which a text goes on after blanks with a line's end among them; never: it does not.
qsizetype SqlLexer::nextPart(qsizetype from) const
{
    bool isNewLine = false;
    for (; from < m_text.size(); ++from) {
        if (has(u"--", from)) {
            while (from < m_text.size() && !isLineEnd(m_text[from]))
                ++from;
        } else if (!isSpace(m_text[from])) {
            break;
        }
        isNewLine = isNewLine || isLineEnd(at(from));
    }
    return isNewLine && at(from) == u'\'' ? from : never;
}

qsizetype SqlLexer::pastName(QChar closing, bool doubled) const
{
    for (qsizetype end = m_at + 1; end < m_text.size(); ++end) {
        if (m_text[end] != closing)
            continue;
        if (!doubled || at(end + 1) != closing)
            return end + 1;
        ++end;
    }
    return never;
}

/// Includes all letters and digits that follow: the meaning of "1_000", "0x1F" or "1a" depends on the
/// server's version.
qsizetype SqlLexer::pastNumber(qsizetype from) const
{
    const bool isHex = has(u"0x", from) || has(u"0X", from);
    const auto goesOn = [&](qsizetype end) {
        const QChar c = m_text[end];
        if (c == u'.')
            return at(end + 1) != u'.'; // 1..10
        if (c == u'+' || c == u'-')
            return at(end - 1).toLower() == u'e' && !isHex && isAsciiDigit(at(end + 1));
        return isWordPart(c) && c != u'$' && c != u'@' && c != u'#';
    };
    qsizetype end = from;
    for (;;) {
        while (end < m_text.size() && goesOn(end))
            ++end;
        // SQL Server: a constant goes on behind a backslash at the end of a line.
        const qsizetype line = has(u"\\\r\n", end) ? 3 : 2;
        if (!isSqlServer() || !isHex || (line == 2 && !has(u"\\\n", end)))
            return end;
        end += line;
    }
}

SqlLexer::Reach SqlLexer::word() const
{
    const qsizetype end = pastWord(m_at);
    const QString prefix = end - m_at == 1 ? m_text.mid(m_at, 1).toString().toLower() : QString();
    if (prefix.isEmpty())
        return {SqlToken::Kind::Word, end};
    if (isPostgres() && prefix == u"u" && has(u"&'", end))
        return {SqlToken::Kind::Text, pastText(end + 1, Backslash::Plain)};
    if (at(end) != u'\'')
        return {SqlToken::Kind::Word, end};
    if (isPostgres() && prefix == u"e")
        return {SqlToken::Kind::Text, pastText(end, Backslash::Escapes)};
    if (isPostgres() && prefix == u"n")
        return {SqlToken::Kind::Text, pastText(end, Backslash::Unknown)};
    const QStringView plain = isPostgres() ? u"bx" : (isSqlServer() ? u"n" : u"x");
    if (plain.contains(prefix))
        return {SqlToken::Kind::Text, pastText(end, Backslash::Plain)};
    return {SqlToken::Kind::Word, end};
}

/// $1 is a parameter, $tag$…$tag$ a text, $4711.50 an amount of money, $action a word.
SqlLexer::Reach SqlLexer::dollar() const
{
    using TokenKind = SqlToken::Kind;
    const qsizetype next = m_at + 1;
    if (isSqlServer()) {
        const qsizetype number = at(next) == u'-' || at(next) == u'+' ? next + 1 : next;
        if (at(number).isDigit() || (at(number) == u'.' && at(number + 1).isDigit()))
            return {TokenKind::Number, pastNumber(number)};
        return at(m_at) == u'$' && isWordStart(at(next)) ? Reach{TokenKind::Word, pastWord(next)}
                                                         : Reach{TokenKind::Symbol, next};
    }
    qsizetype end = next;
    if (!isPostgres()) {
        end = pastWord(next);
        return {end == next ? TokenKind::Symbol : TokenKind::Parameter, end};
    }
    while (isAsciiDigit(at(end)))
        ++end;
    if (end > next)
        return {TokenKind::Parameter, end};
    if (isWordStart(at(next)))
        while (end < m_text.size() && m_text[end] != u'$' && isWordPart(m_text[end]))
            ++end;
    if (at(end) != u'$')
        return {TokenKind::Symbol, next};
    const QStringView tag = m_text.mid(m_at, end + 1 - m_at);
    const qsizetype closing = m_text.indexOf(tag, end + 1);
    return {TokenKind::Text, closing < 0 ? never : closing + tag.size()};
}

} // namespace lockscope
