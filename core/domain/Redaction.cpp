// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/SqlLexer.h"

#include <QStringList>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

/// Parts of names whose values are secrets, in small letters.
constexpr QStringView secretNames[] = {u"password", u"passwd", u"passwort", u"passphrase", u"passcode",
    u"pwd", u"secret", u"token", u"credential", u"identified", u"api_key", u"apikey", u"api-key",
    u"access_key", u"accesskey", u"access-key", u"account_key", u"accountkey", u"private_key", u"privatekey",
    u"private key", u"client_key", u"signing_key", u"shared_key", u"server_key", u"jwt", u"bearer"};
/// Further signs of statements that have secrets.
constexpr QStringView secretSigns[] = {u"crypt", u"hmac", u"hashbytes", u"digest(", u"gen_salt", u"scram-",
    u"authorization:", u"key_source", u"identity_value", u"openrowset", u"opendatasource", u"sharedaccess",
    u"sig="};
/// SQL Server's procedures that take a password by its place, also a word without quotes.
constexpr QStringView secretProcedures[] = {u"sp_addlogin", u"sp_password", u"sp_addlinkedsrvlogin",
    u"sp_setapprole", u"sp_addapprole", u"sp_approlepassword"};

template <size_t count> bool hasAny(QStringView text, const QStringView (&words)[count])
{
    for (qsizetype at = 0; at < text.size(); ++at)
        for (const QStringView word : words)
            if (word.front() == text[at] && text.mid(at).startsWith(word))
                return true;
    return false;
}

bool hasWord(QStringView text, QStringView word)
{
    const auto isPart = [](QChar c) { return c.isLetterOrNumber() || c == u'_'; };
    for (qsizetype at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
        const qsizetype end = at + word.size();
        if ((at == 0 || !isPart(text[at - 1])) && (end == text.size() || !isPart(text[end])))
            return true;
    }
    return false;
}

/// "//user:password@host", whatever the password is made of.
bool hasUrlWithPassword(QStringView text)
{
    for (qsizetype from = text.indexOf(u"//"); from >= 0; from = text.indexOf(u"//", from)) {
        const auto end =
            std::find_if(text.begin() + from, text.end(), [](QChar c) { return c.isSpace() || c.isNull(); });
        const QStringView run(text.begin() + from, end);
        if (const qsizetype colon = run.indexOf(u':'); colon >= 0 && run.indexOf(u'@', colon) >= 0)
            return true;
        from += run.size();
    }
    return false;
}

bool namesSecret(QStringView name)
{
    return hasAny(name, secretNames) || hasWord(name, u"pass");
}

/// Goes through a statement's tokens, and knows what those before it make of a word.
class Redactor {
public:
    Redactor(const QString& statement, Engine engine, SqlLexer::DoubleQuotes quotes)
    {
        for (SqlLexer lexer(statement, engine, quotes); !lexer.atEnd();)
            m_tokens.push_back(lexer.next());
    }

    QString run()
    {
        for (m_at = 0; m_at < m_tokens.size() && !m_isOver; ++m_at)
            add(m_tokens[m_at]);
        return m_out;
    }

private:
    using TokenKind = SqlToken::Kind;

    /// The kinds of token that may follow.
    enum class Next : quint8 {
        Name,
        Sign, ///< the name of a secret was there: perhaps "=", "TO" or "BY", and then its value
        Secret, ///< a word there is a value
    };

    void add(const SqlToken& token)
    {
        switch (token.kind) {
        case TokenKind::Space:
            m_out += token.text;
            break;
        case TokenKind::Comment: // a blank, where two tokens would become another one
            if (!m_out.isEmpty() && !m_out.back().isSpace())
                m_out += u' ';
            break;
        case TokenKind::Text:
        case TokenKind::Number:
            addValue();
            break;
        case TokenKind::Parameter:
            if (token.text == u"?") {
                addValue();
                break;
            }
            m_out += token.text;
            endWord(namesSecret(token.text.toString().toLower()) ? Next::Sign : Next::Name);
            break;
        case TokenKind::Word:
        case TokenKind::QuotedName:
            addName(token);
            break;
        case TokenKind::Symbol:
            addSymbol(token.text.front());
            break;
        case TokenKind::Unclear:
            leaveOut();
            break;
        }
    }

    void addValue()
    {
        m_out += u'?';
        endWord(isSetting() ? m_next : Next::Name);
    }

    void leaveOut()
    {
        m_out += u'…';
        m_isOver = true;
    }

    void addName(const SqlToken& token)
    {
        const bool isQuoted = token.kind == TokenKind::QuotedName;
        const QString name = token.text.toString().toLower();
        const QChar following = followingSymbol();
        const bool isAlone = !m_isBehindDot && following != u'.' && following != u'(';
        const bool isSecret = isAlone && m_next == Next::Secret;
        const bool isText = isQuoted && revealsSecrets(name) && (name.contains(u'=') || name.contains(u"//"));
        if (isSecret || isText || (isAlone && isValue(name))) {
            addValue();
            return;
        }
        m_out += token.text;
        if (m_beginning.size() < 2)
            m_beginning << name;
        if (takesSecrets(isQuoted ? name.mid(1, name.size() - 2) : name)) {
            leaveOut();
            return;
        }
        m_next = nextAfter(name);
        m_isBehindDot = false;
        m_beforeLast = std::exchange(m_last, name);
    }

    Next nextAfter(const QString& name) const
    {
        if (m_next == Next::Sign && (m_isBehindDot || name == u"to" || name == u"by"))
            return m_isBehindDot ? Next::Sign : Next::Secret;
        if (!namesSecret(name))
            return Next::Name;
        return isOfAccount() && name == u"password" ? Next::Secret : Next::Sign;
    }

    void addSymbol(QChar c)
    {
        if (c == u'?') { // of a statement that was redacted before
            addValue();
            return;
        }
        m_out += c;
        const bool goesOn = c == u'.' || (c == u',' && isSetting());
        const bool isSign = (c == u'=' || c == u':') && m_next != Next::Name;
        endWord(goesOn ? m_next : isSign ? Next::Secret : Next::Name);
        m_isBehindDot = c == u'.';
        if (c == u';')
            m_beginning.clear();
    }

    /// Called for a token that is no word.
    void endWord(Next next)
    {
        m_next = next;
        m_last.clear();
        m_beforeLast.clear();
        m_isBehindDot = false;
    }

    bool isSetting() const { return !m_beginning.isEmpty() && m_beginning.front() == u"set"; }
    bool isOfAccount() const
    {
        static const QStringList verbs{u"create"_s, u"alter"_s};
        static const QStringList accounts{u"role"_s, u"user"_s, u"login"_s, u"group"_s};
        return m_beginning.size() == 2 && verbs.contains(m_beginning[0]) && accounts.contains(m_beginning[1]);
    }

    /// NULL, TRUE and FALSE, but not in IS NOT NULL, NOT NULL, SET NULL, IS TRUE.
    bool isValue(const QString& name) const
    {
        if (name == u"null")
            return m_last != u"is" && m_last != u"not" && m_last != u"set";
        const bool isTested = m_last == u"is" || (m_last == u"not" && m_beforeLast == u"is");
        return (name == u"true" || name == u"false") && !isTested;
    }

    /// Returns whether what follows is a secret in any form.
    bool takesSecrets(const QString& name) const
    {
        const bool isKey = name.endsWith(u"key") && !m_beginning.isEmpty()
            && (m_beginning.front() == u"pragma" || m_beginning.front() == u"attach");
        return isKey
            || std::find(std::begin(secretProcedures), std::end(secretProcedures), name)
            != std::end(secretProcedures);
    }

    /// Returns the character after this token, if it is a symbol.
    QChar followingSymbol() const
    {
        const auto isSeen = [](const SqlToken& token) {
            return token.kind != TokenKind::Space && token.kind != TokenKind::Comment;
        };
        const auto next =
            std::find_if(m_tokens.begin() + static_cast<qsizetype>(m_at) + 1, m_tokens.end(), isSeen);
        return next != m_tokens.end() && next->kind == TokenKind::Symbol ? next->text.front() : QChar();
    }

    std::vector<SqlToken> m_tokens;
    size_t m_at = 0;
    QString m_out;
    bool m_isOver = false;
    Next m_next = Next::Name;
    bool m_isBehindDot = false;
    QStringList m_beginning; ///< the statement's first two words
    QString m_last; ///< the word just before; empty: something else was there
    QString m_beforeLast;
};

} // namespace

QString withoutLiterals(const QString& statement, Engine engine, SqlLexer::DoubleQuotes quotes)
{
    return Redactor(statement, engine, quotes).run();
}

bool revealsSecrets(const QString& text)
{
    const QString lower = text.toLower();
    const bool hasKey = lower.contains(u"key") && (lower.contains(u"pragma") || lower.contains(u"attach"));
    return hasKey || hasAny(lower, secretNames) || hasAny(lower, secretSigns) || hasWord(lower, u"pass")
        || hasAny(lower, secretProcedures) || hasUrlWithPassword(lower);
}

} // namespace lockscope
