// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/Redaction.h"

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

bool isWordStart(QChar c)
{
    // SQL Server takes any currency's sign for the beginning of an amount of money.
    return c.isLetter() || c == u'_' || c == u'@' || c == u'#'
        || (c.unicode() > 0x7f && c.category() != QChar::Symbol_Currency);
}

bool isWordPart(QChar c)
{
    return isWordStart(c) || c.isDigit() || c == u'$';
}

/// Takes a statement apart from left to right.
class Scan {
public:
    Scan(const QString& text, Engine engine)
        : m_text(text)
        , m_engine(engine)
    {
    }

    QString run()
    {
        while (m_at < m_text.size()) {
            const QChar c = m_text[m_at];
            if (c == u'\'')
                quoted(false);
            else if (c == u'"' || c == u'`')
                copyTo(pastQuote(c));
            else if (c == u'[' && m_engine != Engine::Postgres) // there it is an array
                copyTo(pastQuote(u']'));
            else if (at(u"--"_s))
                drop(m_text.indexOf(u'\n', m_at));
            else if (at(u"/*"_s))
                comment();
            else if (c == u'$')
                dollar();
            else if (c.isDigit())
                number();
            else if (isWordStart(c))
                word();
            else
                copyTo(m_at + 1);
        }
        return m_out;
    }

private:
    bool at(const QString& what) const { return QStringView(m_text).mid(m_at).startsWith(what); }
    void copyTo(qsizetype end)
    {
        m_out += QStringView(m_text).mid(m_at, end - m_at);
        m_at = end;
    }
    void drop(qsizetype end) { m_at = end < 0 ? m_text.size() : end; }

    void quoted(bool escapes)
    {
        m_out += u'?';
        for (++m_at; m_at < m_text.size(); ++m_at) {
            const bool isDoubled = m_text[m_at] == u'\'' && m_text.mid(m_at + 1, 1) == u"'"_s;
            if (isDoubled || (escapes && m_text[m_at] == u'\\')) {
                ++m_at;
            } else if (m_text[m_at] == u'\'') {
                ++m_at;
                return;
            }
        }
        m_at = m_text.size();
    }

    qsizetype pastQuote(QChar closing) const
    {
        for (qsizetype end = m_at + 1; end < m_text.size(); ++end) {
            if (m_text[end] != closing)
                continue;
            if (end + 1 == m_text.size() || m_text[end + 1] != closing)
                return end + 1;
            ++end;
        }
        return m_text.size();
    }

    void comment()
    {
        int depth = 0; // they nest on PostgreSQL and SQL Server
        while (m_at < m_text.size()) {
            if (at(u"/*"_s)) {
                ++depth;
                m_at += 2;
            } else if (at(u"*/"_s)) {
                m_at += 2;
                if (--depth == 0)
                    return;
            } else {
                ++m_at;
            }
        }
    }

    /// $1 is a parameter, $tag$…$tag$ a text.
    void dollar()
    {
        qsizetype end = m_at + 1;
        if (m_engine == Engine::SqlServer && end < m_text.size() && m_text[end].isDigit()) {
            copyTo(end); // an amount of money
            return;
        }
        while (end < m_text.size() && m_text[end] != u'$' && isWordPart(m_text[end]))
            ++end;
        if (end == m_text.size() || m_text[end] != u'$' || m_text[m_at + 1].isDigit()) {
            copyTo(end);
            return;
        }
        const QString tag = m_text.mid(m_at, end + 1 - m_at);
        const qsizetype closing = m_text.indexOf(tag, end + 1);
        m_out += u'?';
        drop(closing < 0 ? -1 : closing + tag.size());
    }

    void number()
    {
        m_out += u'?';
        while (m_at < m_text.size()
            && (isWordPart(m_text[m_at]) || m_text[m_at] == u'.'
                || ((m_text[m_at] == u'+' || m_text[m_at] == u'-') && m_text[m_at - 1].toLower() == u'e')))
            ++m_at;
    }

    void word()
    {
        const qsizetype begin = m_at;
        qsizetype end = m_at;
        while (end < m_text.size() && isWordPart(m_text[end]))
            ++end;
        const bool isPrefix = end < m_text.size() && m_text[end] == u'\'';
        const QString text = m_text.mid(begin, end - begin).toLower();
        if (isPrefix && text.size() <= 2) { // E'…', N'…', X'…', B'…'
            m_at = end;
            quoted(text == u"e"_s);
        } else {
            copyTo(end);
        }
    }

    const QString& m_text;
    Engine m_engine;
    QString m_out;
    qsizetype m_at = 0;
};

} // namespace

QString withoutLiterals(const QString& statement, Engine engine)
{
    return Scan(statement, engine).run();
}

} // namespace lockscope
