// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/SqlLexer.h"
#include "tests/fuzz/FuzzTarget.h"

#include <QStringList>

namespace lockscope::test {

using namespace Qt::StringLiterals;

namespace {

void check(const QString& statement, Engine engine)
{
    QString together;
    for (SqlLexer lexer(statement, engine); !lexer.atEnd();) {
        const SqlToken token = lexer.next();
        if (token.text.isEmpty())
            qFatal("no progress: %s", qPrintable(statement));
        together += token.text;
    }
    if (together != statement)
        qFatal("tokens are not the statement: %s", qPrintable(statement));
    const QString redacted = withoutLiterals(statement, engine);
    if (withoutLiterals(redacted, engine) != redacted)
        qFatal("redacted twice: %s", qPrintable(statement));
}

/// A statement of pieces that the bytes choose. Ж and 7 stand in literals and comments only.
class Maker {
public:
    Maker(const QByteArray& bytes, Engine engine)
        : m_data(bytes.cbegin())
        , m_end(bytes.cend())
        , m_engine(engine)
    {
    }

    QString run()
    {
        QString made;
        while (m_data != m_end)
            made += piece();
        return made;
    }

private:
    std::uint8_t next() { return m_data == m_end ? 0 : static_cast<std::uint8_t>(*m_data++); }
    QString oneOf(const QStringList& choices) { return choices[next() % choices.size()]; }

    /// Returns a possible content of a literal: some of `parts`, always with Ж at both ends.
    QString content(const QStringList& parts)
    {
        QString made = u"Ж"_s;
        for (int left = next() % 4; left > 0; --left)
            made += oneOf(parts) + u'Ж';
        return made;
    }

    QString piece()
    {
        switch (next() % 7) {
        case 0:
            return oneOf({u" SELECT "_s, u"a"_s, u", "_s, u"("_s, u")"_s, u" = "_s, u"\n"_s, u" - "_s,
                u" / "_s, u" * "_s, u" IS NULL "_s, u";"_s, u" SET x.token = "_s, u" password "_s});
        case 1:
            return u'\'' + content(plain()) + u'\'';
        case 2:
            return u' '
                + oneOf({u"7"_s, u"7.7"_s, u"0x7F7"_s, u".7"_s, u"7e+7"_s, u"7_7"_s, u"7.e"_s, u"7a"_s});
        case 3:
            return u"--"_s + content({u"'"_s, u"\""_s, u"/*"_s, u"$$"_s, u"\\"_s}) + u'\n';
        case 4:
            return u"/*"_s + content({u"'"_s, u"\""_s, u"\n"_s, u"--"_s, u"$$"_s, u"* /"_s}) + nested()
                + u"*/"_s;
        case 5:
            return own();
        default: // left open
            return m_data == m_end ? oneOf({u"'Ж"_s, u"/*Ж"_s, u"\"Ж"_s, u"--Ж"_s}) : u" "_s;
        }
    }

    static QStringList plain()
    {
        return {u"''"_s, u"\""_s, u"--"_s, u"/*"_s, u"*/"_s, u"$$"_s, u"["_s, u"]"_s, u"`"_s, u"\n"_s,
            u"\r"_s, u";"_s, u"?"_s, u"7"_s, u"…"_s};
    }

    QString nested()
    {
        if (m_engine == Engine::Sqlite)
            return oneOf({QString(), u"/*Ж"_s});
        return oneOf({QString(), u"/*Ж*/Ж"_s, u"/*/*Ж*/*/Ж"_s});
    }

    /// Returns a part for one engine.
    QString own()
    {
        const QString name = oneOf({u"[a'b]"_s, u"[a\"b]"_s, u"[--]"_s});
        switch (m_engine) {
        case Engine::Postgres:
            return ofPostgres();
        case Engine::SqlServer:
            return oneOf({name, u"\"Ж'Ж\""_s, u" N'Ж''Ж'"_s, u" $7.7"_s, u" $-7"_s, u" €7"_s, u" 0x7\\\n7"_s,
                u" 0x7\\\r\n7"_s, u"[]]']"_s, u"@a"_s, u"'Ж\\'"_s});
        case Engine::Sqlite:
            return oneOf({name, u"\"Ж'Ж\""_s, u" x'7'"_s, u"`a'b`"_s, u"?"_s, u" :a"_s, u"'Ж\\'"_s});
        }
        return {};
    }

    QString ofPostgres()
    {
        const QStringList escapes = plain() + QStringList{u"\\'"_s, u"\\\\"_s, u"\\n"_s};
        switch (next() % 9) {
        case 0:
            return u" E'"_s + content(escapes) + u'\'';
        case 1:
            return u" E'"_s + content(escapes) + u"' \n -- Ж\n'"_s + content(escapes) + u'\'';
        case 2:
            return u" $a$"_s + content({u"'"_s, u"$$"_s, u"$b$"_s, u"--"_s, u"/*"_s, u"\\"_s, u"$ a$"_s})
                + u"$a$"_s;
        case 3:
            return u" $$"_s + content({u"'"_s, u"$"_s, u"$b"_s, u"--"_s, u"/*"_s, u"\""_s}) + u"$$"_s;
        case 4:
            return u" U&'"_s + content(plain()) + u'\'';
        case 5:
            return u"\"a'b\""_s;
        case 6: // the server's settings decide where it ends
            return u",'"_s + content(plain()) + u"\\'"_s;
        case 7:
            return u" N'"_s + content(plain()) + u'\'';
        default:
            return oneOf({u" $1"_s, u" B'7'"_s, u" X'7'"_s, u"::x"_s});
        }
    }

    const char* m_data;
    const char* const m_end;
    const Engine m_engine;
};

} // namespace

/// Redacts bytes as a statement of each engine, and a statement that the bytes put together of pieces whose
/// literals are known. Aborts if tokens are not the statement, if redacting twice differs from once, or if
/// anything of a literal is left.
static void fuzzRedaction(const QByteArray& bytes)
{
    const QString text = QString::fromUtf8(bytes);
    for (const Engine engine : {Engine::Postgres, Engine::SqlServer, Engine::Sqlite}) {
        check(text, engine);
        const QString made = Maker(bytes, engine).run();
        check(made, engine);
        const QString redacted = withoutLiterals(made, engine);
        if (redacted.contains(u'Ж') || redacted.contains(u'7'))
            qFatal("%s: something is left of\n%s\nin\n%s", qPrintable(engineName(engine)), qPrintable(made),
                qPrintable(redacted));
    }
    (void)revealsSecrets(text);
}

} // namespace lockscope::test

LOCKSCOPE_FUZZ(fuzzRedaction)
