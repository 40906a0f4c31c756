// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/Tokens.h"

#include <QHash>
#include <QStringList>

#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

/// As much of T-SQL as our statements use, for SQLite to run them on tables that stand for the server's
/// views, and for those of Lockscope's schema. Anything else is an error, never a guess.
namespace lockscope::test::tds::tsql {

/// A statement that the double can't run as it is written.
class Refused : public std::runtime_error {
public:
    explicit Refused(const QString& why)
        : std::runtime_error(why.toStdString())
    {
    }
};

struct Token {
    enum Kind {
        Word, ///< a keyword, a name, [a quoted name], @a_parameter, a number
        Text, ///< 'a literal', without its N
        Sign,
    };
    Kind kind = Sign;
    QString text; ///< as it is written
    bool isWide = false; ///< N'…'

    /// A keyword or sign, upper case.
    bool is(QStringView word) const { return kind != Text && text.compare(word, Qt::CaseInsensitive) == 0; }
    bool isName() const;
    QString name() const; ///< without brackets
};
/// A name as SQLite quotes it: it knows no "]]".
QString nameInSqlite(const QString& name);
using Tokens = std::vector<Token>;
using TokenSpan = std::span<const Token>;

/// Returns the tokens without comments and a semicolon at the end.
Tokens tokensOf(const QString& sql);

/// The place after the bracket that closes the one at `open`.
size_t afterBracket(TokenSpan tokens, size_t open);
/// The parts between commas that stand in no brackets.
std::vector<TokenSpan> partedByCommas(TokenSpan tokens);
/// The first of these words from `start` on that stands in no brackets and in no CASE; the size if none does.
size_t findWord(TokenSpan tokens, size_t start, std::initializer_list<QStringView> words);

/// Catalogue views and tables are each database's own; sys.dm_*, sys.fn_*, sys.databases,
/// sys.configurations and others are the server's.
bool isOfServer(const QString& view);

/// Types by names in upper case: "@NAME".
using VariableTypes = QHash<QString, Type>;

/// A statement for SQLite.
struct Translation {
    QString condition; ///< of IF: an expression; if it isn't true there is nothing to do
    std::optional<ServerMessage> error; ///< of IF … THROW: there is nothing to do if the condition is true
    QString statement;
    QStringList views; ///< and tables, in the order in which they are named: "sys.dm_tran_locks"
    QStringList databases; ///< that are named: "[orders]"
    Tokens select; ///< what remains of the T-SQL without IF
    VariableTypes variables; ///< that are declared
};
/// `ownDatabase`: whose catalogue is meant where none is named, as "[orders]".
Translation translate(const QString& sql, const QString& ownDatabase);
/// An expression, or a statement that reads or changes tables of the only database that there is.
Translation translate(TokenSpan part, const VariableTypes& variables);

} // namespace lockscope::test::tds::tsql
