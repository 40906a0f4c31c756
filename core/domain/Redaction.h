// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/SqlLexer.h"

#include <QString>

namespace lockscope {

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
