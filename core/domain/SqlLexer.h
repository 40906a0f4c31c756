// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/LockMode.h"

#include <QString>
#include <QStringView>

namespace lockscope {

/// A piece of a statement.
struct SqlToken {
    enum class Kind : quint8 {
        Space,
        Comment,
        Word, ///< a keyword or a plain name
        QuotedName, ///< "…", […], `…`
        Text, ///< a literal in quotes with its prefix, also bytes and bits; on PostgreSQL $tag$…$tag$, too
        Number, ///< with its sign of currency on SQL Server
        Parameter, ///< $1, @name, ?1, :name
        Symbol, ///< one character
        Unclear, ///< all from here on: it is not closed, or the server's settings decide where it ends
    };
    Kind kind;
    QStringView text;
};

/// Takes a statement apart by the lexical rules of its engine. Where one of the server's settings decides
/// whether something is a literal (QUOTED_IDENTIFIER on SQL Server; names that don't exist on SQLite), it is
/// one; where one decides how far a literal reaches (standard_conforming_strings), the rest is Unclear. The
/// tokens one after the other are the statement.
class SqlLexer {
public:
    enum class DoubleQuotes : quint8 { AsUnknown, AsNames };

    SqlLexer(QStringView statement, Engine engine, DoubleQuotes quotes = DoubleQuotes::AsUnknown);

    bool atEnd() const { return m_at >= m_text.size(); }
    /// Must not be called at the end.
    SqlToken next();

private:
    struct Rules;
    struct Reach; // of a token
    enum class Backslash : quint8 { Plain, Escapes, Unknown };

    QChar at(qsizetype place) const { return place < m_text.size() ? m_text[place] : QChar(); }
    bool has(QStringView what, qsizetype place) const { return m_text.mid(place).startsWith(what); }
    bool isPostgres() const;
    bool isSqlServer() const;
    bool isWordStart(QChar c) const;
    bool isWordPart(QChar c) const;
    bool isSpace(QChar c) const;
    qsizetype pastWord(qsizetype from) const;

    Reach reach() const;
    Reach word() const;
    Reach dollar() const;
    qsizetype pastLine() const;
    qsizetype pastComment() const;
    qsizetype pastText(qsizetype quote, Backslash backslash) const;
    qsizetype nextPart(qsizetype from) const;
    qsizetype pastName(QChar closing, bool doubled) const;
    qsizetype pastNumber(qsizetype from) const;

    QStringView m_text;
    const Rules& m_rules;
    bool m_quotesNames;
    qsizetype m_at = 0;
};

/// Returns a statement without the values that stand in it: each literal is '?', NULL, TRUE and FALSE too
/// where they are values; comments, which may carry values, are left out. So are plain words that stand where
/// a password does. Names stay. From where the lexer can't recognise literals any more, all is left out: '…'.
QString withoutLiterals(const QString& statement, Engine engine,
    SqlLexer::DoubleQuotes quotes = SqlLexer::DoubleQuotes::AsUnknown);

/// Returns true if a value in the text may be a secret: "ALTER ROLE … PASSWORD '…'", "IDENTIFIED BY …", a
/// connection string, "//user:password@host", "SET app.token = …". It looks at words and not at where they
/// stand, so that it can judge any text, in whatever way that is quoted. A
/// statement that does is kept without literals.
bool revealsSecrets(const QString& text);

} // namespace lockscope
